//! Rows of the table, and the sums of them that stand for texts.

use nearfind_core::embed::Encoder;
use nearfind_core::vector::rotation::Rotation;

/// Vectors of chunks after their rotation.
#[derive(Clone, Copy, Debug)]
pub struct Rotated<'a> {
    /// The rotation.
    pub rotation: &'a Rotation,
    /// A vector for each chunk, row-major.
    pub vectors: &'a [f32],
}

/// The near components of each vector after rotation.
pub fn near_rows(vectors: &[f32], rotation: &Rotation, near: usize) -> Vec<f32> {
    use rayon::prelude::*;
    let rotate = |vector: &[f32]| {
        let mut rotated = rotation.apply(vector);
        rotated.truncate(near);
        rotated
    };
    vectors.par_chunks(rotation.dimensions()).flat_map_iter(rotate).collect()
}

/// The pieces of a text, without the framing tokens.
pub fn pieces_of(encoder: &Encoder, text: &str) -> Vec<u32> {
    let ids = encoder.tokenizer().encode(text, encoder.header().max_tokens as usize);
    ids[1..ids.len() - 1].to_vec()
}

/// The sum of the table's rows for the pieces of a text, not normalised.
pub(super) fn encoded_by_table(encoder: &Encoder, text: &str, table: &[f32], near: usize) -> Vec<f32> {
    sum_of_rows(&pieces_of(encoder, text), table, near)
}

pub(super) fn sum_of_rows(pieces: &[u32], table: &[f32], near: usize) -> Vec<f32> {
    let mut sum = vec![0.0; near];
    for &piece in pieces {
        let row = &table[piece as usize * near..(piece as usize + 1) * near];
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    sum
}
