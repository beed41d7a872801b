//! Combines the vectors of tokens into the vector of a text.

use serde::{Deserialize, Serialize};

/// How the vectors of tokens become the vector of a text.
///
/// ```
/// use nearfind_core::embed::Pooling;
///
/// // Two tokens with two values each.
/// let values = [1.0, 2.0, 3.0, 6.0];
/// assert_eq!(Pooling::Mean.pool(&values, 2), [2.0, 4.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// The mean over all tokens, including special ones, as in sentence-transformers.
    Mean,
    /// The vector of the first token.
    Cls,
}

impl Pooling {
    /// Pools `[tokens × dimensions]` values, row-major. The result is zero if there are no rows.
    pub fn pool(self, values: &[f32], dimensions: usize) -> Vec<f32> {
        let mut pooled = vec![0.0; dimensions];
        let rows = values.chunks_exact(dimensions.max(1));
        let take = match self {
            Self::Mean => rows.len(),
            Self::Cls => 1,
        };
        let divisor = take.min(rows.len()).max(1) as f32;
        for row in rows.take(take) {
            for (sum, value) in pooled.iter_mut().zip(row) {
                *sum += value;
            }
        }
        for sum in &mut pooled {
            *sum /= divisor;
        }
        pooled
    }
}

/// Scales a vector to unit length. A zero vector stays zero.
#[cfg(feature = "embed")]
pub(super) fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_averages_and_cls_takes_the_first() {
        let values = [1.0, 2.0, 3.0, 6.0];
        assert_eq!(Pooling::Mean.pool(&values, 2), [2.0, 4.0]);
        assert_eq!(Pooling::Cls.pool(&values, 2), [1.0, 2.0]);
        assert_eq!(Pooling::Mean.pool(&[], 2), [0.0, 0.0]);
    }
}
