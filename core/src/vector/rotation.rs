//! The rotation of a bundle: an orthonormal matrix that concentrates the variance of its vectors in the first
//! components. It consists of the principal components of the bundle's own corpus. The rotation preserves cosines and
//! makes codes shorter.
//!
//! The rotation is stored as i16 in 1024ths, with a row for each component of the result. This precision moves a vector
//! by less than a tenth of a code step.

use crate::format::FormatError;

const NAME: &str = "rotation";
const LEVELS: f32 = 1024.0;

/// A square matrix.
///
/// ```
/// use nearfind_core::vector::rotation::Rotation;
///
/// // A quarter turn.
/// let rotation = Rotation::new(vec![0.0, -1.0, 1.0, 0.0], 2);
/// let rotated = rotation.apply(&[1.0, 0.0]);
/// assert_eq!(rotated, [0.0, 1.0]);
/// assert_eq!(rotation.undo(&rotated), [1.0, 0.0]);
/// assert_eq!(Rotation::parse(&rotation.to_bytes(), 2)?, rotation);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    rows: Vec<f32>,
    dimensions: usize,
}

impl Rotation {
    /// Creates a rotation from its rows, one for each component of the result.
    ///
    /// # Panics
    /// Panics if `rows` is not square.
    pub fn new(rows: Vec<f32>, dimensions: usize) -> Self {
        assert_eq!(rows.len(), dimensions * dimensions, "a rotation is square");
        Self { rows, dimensions }
    }

    /// Reads the uncompressed block of a rotation.
    pub fn parse(raw: &[u8], dimensions: u32) -> Result<Self, FormatError> {
        let dimensions = dimensions as usize;
        let (values, odd) = raw.as_chunks();
        if !odd.is_empty() || values.len() != dimensions * dimensions {
            return Err(FormatError::corrupt(NAME, "size"));
        }
        let value = |bytes: &[u8; 2]| f32::from(i16::from_le_bytes(*bytes)) / LEVELS;
        Ok(Self { rows: values.iter().map(value).collect(), dimensions })
    }

    /// Returns the uncompressed block, which [`Rotation::parse`] reads.
    #[cfg(feature = "write")]
    pub fn to_bytes(&self) -> Vec<u8> {
        let code = |x: &f32| (x * LEVELS).round() as i16;
        self.rows.iter().flat_map(|x| code(x).to_le_bytes()).collect()
    }

    /// Returns the matrix, with a row for each component of the result.
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// Returns the length of a vector.
    pub const fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Rotates a vector.
    pub fn apply(&self, vector: &[f32]) -> Vec<f32> {
        self.rows.chunks_exact(self.dimensions).map(|row| product(row, vector)).collect()
    }

    /// Returns the first `count` components of a rotated vector, without the work for the others.
    #[cfg(feature = "write")]
    pub fn first_components(&self, vector: &[f32], count: usize) -> Vec<f32> {
        self.rows.chunks_exact(self.dimensions).take(count).map(|row| product(row, vector)).collect()
    }

    /// Returns the vector that [`Rotation::apply`] rotates into `rotated`.
    pub fn undo(&self, rotated: &[f32]) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        for (row, &component) in self.rows.chunks_exact(self.dimensions).zip(rotated) {
            vector.iter_mut().zip(row).for_each(|(sum, &x)| *sum += component * x);
        }
        vector
    }
}

/// Returns the inner product. Eight independent sums need not wait for each other. Their order is fixed, so hosts
/// agree.
fn product(row: &[f32], vector: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    let (rows, vectors) = (row.as_chunks::<8>(), vector.as_chunks::<8>());
    for (a, b) in rows.0.iter().zip(vectors.0) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = rows.1.iter().zip(vectors.1).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_a_rotation_or_refused(raw in prop::collection::vec(any::<u8>(), 0..80), dimensions in 0u32..9) {
            let rotation = Rotation::parse(&raw, dimensions);
            prop_assert_eq!(rotation.is_ok(), raw.len() == 2 * (dimensions * dimensions) as usize);
            if let Ok(rotation) = rotation {
                prop_assert_eq!(rotation.to_bytes(), raw);
            }
        }
    }

    #[test]
    fn a_quarter_turn() {
        let turn = Rotation::new(vec![0.0, 1.0, -1.0, 0.0], 2);
        let back = Rotation::parse(&turn.to_bytes(), 2).unwrap();
        assert_eq!((turn.apply(&[3.0, 4.0]), turn.undo(&[4.0, -3.0])), (vec![4.0, -3.0], vec![3.0, 4.0]));
        assert_eq!(back.apply(&[3.0, 4.0]), [4.0, -3.0]);
        assert!(Rotation::parse(&turn.to_bytes()[1..], 2).is_err());
        assert!(Rotation::parse(&turn.to_bytes(), 3).is_err());
    }

    #[test]
    fn long_vectors_are_summed_whole() {
        let dimensions = 19;
        let rows = (0..dimensions * dimensions).map(|at| if at % (dimensions + 1) == 0 { 1.0 } else { 0.0 }).collect();
        let vector: Vec<f32> = (0..dimensions).map(|at| at as f32).collect();
        let same = Rotation::new(rows, dimensions);
        assert_eq!(same.first_components(&vector, 5), vector[..5]);
        assert_eq!((same.apply(&vector), same.undo(&vector)), (vector.clone(), vector));
    }
}
