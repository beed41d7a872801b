//! The similarity of passages: the products of all pairs of their vectors.

use nalgebra::DMatrix;

/// The products of all pairs.
#[derive(Clone, Debug)]
pub struct Likeness(DMatrix<f32>);

impl Likeness {
    /// Computes the products of vectors of unit length.
    pub fn of_vectors(vectors: &[Vec<f32>]) -> Self {
        let dimensions = vectors.first().map_or(0, Vec::len);
        let rows = DMatrix::from_row_iterator(vectors.len(), dimensions, vectors.iter().flatten().copied());
        Self(&rows * rows.transpose())
    }

    /// Returns the number of passages.
    pub(super) fn count(&self) -> usize {
        self.0.nrows()
    }

    /// Returns the similarity of two passages.
    pub(super) fn of(&self, a: usize, b: usize) -> f32 {
        self.0[(a, b)]
    }

    /// Returns the sum of the similarities of each passage in `a` to each one in `b`.
    pub(super) fn of_all(&self, a: &[usize], b: &[usize]) -> f32 {
        a.iter().map(|&a| b.iter().map(|&b| self.of(a, b)).sum::<f32>()).sum()
    }

    /// Returns the length of the sum of these passages' vectors. It is never 0.
    pub(super) fn length(&self, places: &[usize]) -> f32 {
        self.of_all(places, places).sqrt().max(f32::MIN_POSITIVE)
    }
}
