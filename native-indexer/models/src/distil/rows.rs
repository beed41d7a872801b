//! Rows of the table, and their sums: the vectors of texts.

use super::pieces::TablePieces;
use nearfind_core::vector::rotation::Rotation;

/// Vectors of chunks after their rotation.
#[derive(Clone, Copy, Debug)]
pub struct Rotated<'a> {
    /// Rotation of the vectors.
    pub rotation: &'a Rotation,
    /// One vector per chunk, row-major.
    pub vectors: &'a [f32],
}

/// Returns the near components of each vector after rotation.
pub fn near_rows(vectors: &[f32], rotation: &Rotation, near: usize) -> Vec<f32> {
    use rayon::prelude::*;
    vectors.par_chunks(rotation.dimensions()).flat_map_iter(|vector| rotation.first_components(vector, near)).collect()
}

/// Subtracts the common part from rows of `near` components, and returns that part. A sum of many words would contain
/// it many times, although it does not distinguish texts. Rows of zeros stay as they are.
pub(super) fn without_common(rows: &mut [f32], near: usize) -> Vec<f32> {
    let is_known = |row: &&mut [f32]| row.iter().any(|value| *value != 0.0);
    let mut mean = vec![0.0f64; near];
    let mut count = 0.0f64;
    for row in rows.chunks_exact_mut(near).filter(is_known) {
        mean.iter_mut().zip(row).for_each(|(mean, value)| *mean += f64::from(*value));
        count += 1.0;
    }
    let mean: Vec<f32> = mean.iter().map(|sum| (sum / count.max(1.0)) as f32).collect();
    for row in rows.chunks_exact_mut(near).filter(is_known) {
        row.iter_mut().zip(&mean).for_each(|(value, mean)| *value -= mean);
    }
    mean
}

/// Returns the sum of the table's rows for the pieces of a text, without normalizing it.
pub(super) fn encoded_by_table(pieces: &TablePieces<'_>, text: &str, table: &[f32], near: usize) -> Vec<f32> {
    sum_of_rows(&pieces.of_text(text), table, near)
}

pub(super) fn sum_of_rows(pieces: &[u32], table: &[f32], near: usize) -> Vec<f32> {
    let mut sum = vec![0.0; near];
    for &piece in pieces {
        let row = &table[piece as usize * near..(piece as usize + 1) * near];
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_lose_their_mean_and_those_without_a_vector_stay(rows in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 1..20), hole in any::<prop::sample::Index>()) {
            let mut rows = rows;
            let hole = hole.index(rows.len());
            rows[hole] = [0.0; 3];
            let known = rows.iter().filter(|row| row.iter().any(|value| *value != 0.0)).count().max(1) as f32;
            let mut flat = rows.concat();
            let common = without_common(&mut flat, 3);
            for column in 0..3 {
                let mean = rows.iter().map(|row| row[column]).sum::<f32>() / known;
                prop_assert!((common[column] - mean).abs() < 1e-5);
                for (number, row) in rows.iter().enumerate() {
                    let left = if row.iter().any(|value| *value != 0.0) { row[column] - mean } else { 0.0 };
                    prop_assert!((flat[number * 3 + column] - left).abs() < 1e-5);
                }
            }
        }
    }
}
