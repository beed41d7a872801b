//! Layer normalization of the sum of two inputs.

use crate::WrongSize;
use crate::instruction_set::widest;

/// Number of partial sums. It is the number that the widest registers hold, and is the same on every host.
const LANES: usize = 16;

/// The weights of a layer normalization.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerNorm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl LayerNorm {
    /// Creates a layer normalization. `weight` and `bias` must be as long as a row.
    pub fn new(weight: Vec<f32>, bias: Vec<f32>, epsilon: f32) -> Result<Self, WrongSize> {
        let fits = weight.len() == bias.len() && !weight.is_empty();
        fits.then_some(Self { weight, bias, epsilon }).ok_or(WrongSize("a layer norm"))
    }

    /// Returns the length of a row.
    pub fn width(&self) -> usize {
        self.weight.len()
    }

    /// Normalizes `x + added` row by row, in place. `added` must be as long as `x`, or empty if there is nothing to
    /// add.
    pub fn apply(&self, x: &mut [f32], added: &[f32]) {
        apply_rows(self, x, added);
    }

    #[inline(always)]
    fn apply_rows(&self, x: &mut [f32], added: &[f32]) {
        for (x, added) in x.iter_mut().zip(added) {
            *x += added;
        }
        let per_row = 1.0 / self.width() as f32;
        for row in x.chunks_exact_mut(self.width()) {
            let mean = sum(row, |x| x) * per_row;
            for x in row.iter_mut() {
                *x -= mean;
            }
            let variance = sum(row, |x| x * x) * per_row;
            let scale = 1.0 / (variance + self.epsilon).sqrt();
            for ((x, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *x = *x * scale * weight + bias;
            }
        }
    }
}

widest! {
    fn apply_rows(norm: &LayerNorm, x: &mut [f32], added: &[f32]) = LayerNorm::apply_rows
}

/// Returns the sum of `of(x)` over a row. Each lane is summed first, and then the lanes are added in order, because the
/// order affects the result.
#[inline(always)]
pub(crate) fn sum(row: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (blocks, rest) = row.as_chunks::<LANES>();
    for block in blocks {
        for (lane, &x) in lanes.iter_mut().zip(block) {
            *lane += of(x);
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane += of(x);
    }
    lanes.into_iter().fold(0.0, |all, lane| all + lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_get_mean_zero_and_length_one_before_the_weights() {
        let norm = LayerNorm::new(vec![1.0; 20], vec![0.5; 20], 1e-12).unwrap();
        let mut x: Vec<f32> = (0..40).map(|x| (x * x) as f32).collect();
        norm.apply(&mut x, &[1.0; 40]);
        for row in x.chunks(20) {
            let mean = row.iter().sum::<f32>() / 20.0;
            let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / 20.0;
            assert!((mean - 0.5).abs() < 1e-5 && (variance - 1.0).abs() < 1e-4, "{mean} {variance}");
        }
    }
}
