//! The principal components of a corpus, as a rotation of its vectors.
//!
//! The components are fitted to the corpus itself. Components of general English, which could come with a model, lost a
//! tenth of the ranking quality if only the first half of them was used.

use nalgebra::{DMatrix, SymmetricEigen};
use nearfind_core::vector::floats::add_scaled_double;
use nearfind_core::vector::rotation::Rotation;
use rayon::prelude::*;

/// Maximum number of vectors that are read, spread evenly over the corpus. More vectors hardly change the components.
const MAX_ROWS: usize = 20_000;

/// Returns the rotation that gives the first components the most variance in `vectors`, `[rows × dimensions]`
/// row-major.
pub fn principal_rotation(vectors: &[f32], dimensions: usize) -> Rotation {
    let stride = (vectors.len() / dimensions).div_ceil(MAX_ROWS).max(1);
    let rows: Vec<&[f32]> = vectors.chunks_exact(dimensions).step_by(stride).collect();
    let count = rows.len().max(1) as f64;
    let mut mean = vec![0.0f64; dimensions];
    rows.iter().for_each(|row| mean.iter_mut().zip(*row).for_each(|(sum, &x)| *sum += f64::from(x) / count));
    let centred = |row: &&[f32]| row.iter().zip(&mean).map(|(&x, mean)| f64::from(x) - mean).collect::<Vec<f64>>();
    let centred: Vec<f64> = rows.iter().flat_map(centred).collect();
    // Each task sums one column, starting at the diagonal, so the sums do not depend on the number of cores.
    let column = |d: usize| {
        let mut sums = vec![0.0f64; dimensions - d];
        for row in centred.chunks_exact(dimensions) {
            add_scaled_double(&mut sums, row[d], &row[d..]);
        }
        sums
    };
    let columns: Vec<Vec<f64>> = (0..dimensions).into_par_iter().map(column).collect();
    let covariance = DMatrix::from_fn(dimensions, dimensions, |a, b| columns[a.min(b)][a.max(b) - a.min(b)]);
    let eigen = SymmetricEigen::new(covariance);
    let mut order: Vec<usize> = (0..dimensions).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]).then(a.cmp(&b)));
    let rows = order
        .into_iter()
        .flat_map(|component| eigen.eigenvectors.column(component).iter().map(|&x| x as f32).collect::<Vec<_>>());
    Rotation::new(rows.collect(), dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_component_has_the_most_variance() {
        let vectors: Vec<f32> = (0..50).flat_map(|at| [0.1 * (at % 3) as f32, at as f32 - 25.0, 0.0]).collect();
        let rotation = principal_rotation(&vectors, 3);
        let turned: Vec<Vec<f32>> = vectors.chunks(3).map(|vector| rotation.apply(vector)).collect();
        let variance = |d: usize| {
            let mean: f32 = turned.iter().map(|row| row[d]).sum::<f32>() / 50.0;
            turned.iter().map(|row| (row[d] - mean).powi(2)).sum::<f32>()
        };
        assert!(variance(0) > variance(1) && variance(1) >= variance(2));
        // A rotation preserves lengths.
        let length = |vector: &[f32]| vector.iter().map(|x| x * x).sum::<f32>();
        assert!((length(&turned[7]) - length(&vectors[21..24])).abs() < 1e-3);
    }
}
