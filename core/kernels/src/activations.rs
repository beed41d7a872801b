//! A layer's inputs, quantized at run time with one scale per row.

use crate::instruction_set::widest;
use crate::panels::padded_depth;
use crate::whole_numbers::quantize;

/// Rows of whole numbers, with `row ≈ values · scale`. All layers reuse them, so that their memory is allocated once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activations {
    /// `[rows × padded depth]`, row-major; the padding is zero.
    pub(crate) values: Vec<i16>,
    /// The scale of each row.
    pub(crate) scales: Vec<f32>,
    /// The sum of each row's values.
    pub(crate) sums: Vec<i32>,
    /// Length of a row, including padding.
    pub(crate) depth: usize,
    /// The values as bytes, for kernels that need bytes.
    pub(crate) digits: Vec<i8>,
    /// The values in the order in which a kernel's tiles read them.
    pub(crate) tiled: Vec<i16>,
    /// Memory for a block's weights, for kernels that need them in 16 bits.
    pub(crate) widened: Vec<i16>,
}

/// Returns the largest value that a row may contain. Values have at most 14 bits, and fewer if the sum of their
/// products with 8-bit weights would otherwise not fit 32 bits.
pub(crate) const fn largest(depth: usize) -> i32 {
    let mut largest = (1 << 13) - 1;
    while largest > 1 && depth as u64 * 127 * largest as u64 > i32::MAX as u64 {
        largest >>= 1;
    }
    largest
}

impl Activations {
    /// Quantizes `rows` of `depth` numbers each.
    pub(crate) fn quantize(&mut self, rows: &[f32], depth: usize) {
        let count = rows.len().checked_div(depth).unwrap_or(0);
        self.depth = padded_depth(depth);
        if self.depth != depth {
            // The padding must be zero.
            self.values.clear();
        }
        self.values.resize(count * self.depth, 0);
        self.scales.resize(count, 0.0);
        self.sums.resize(count, 0);
        if count > 0 {
            fill(self, rows, depth);
        }
    }

    /// Returns the number of rows.
    pub(crate) const fn rows(&self) -> usize {
        self.scales.len()
    }

    #[inline(always)]
    fn fill(&mut self, rows: &[f32], depth: usize) {
        let largest = largest(depth) as f32;
        let places = self.values.chunks_exact_mut(self.depth).zip(&mut self.scales).zip(&mut self.sums);
        for (row, ((values, scale), sum)) in rows.chunks_exact(depth).zip(places) {
            *scale = quantize(row, largest, values);
            *sum = values.iter().map(|&value| i32::from(value)).sum();
        }
    }
}

widest! {
    fn fill(activations: &mut Activations, rows: &[f32], depth: usize) = Activations::fill
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Quantizes rows into memory that was used before.
    fn quantized(rows: &[f32], depth: usize) -> Activations {
        let mut activations = Activations::default();
        activations.quantize(&[7.0; 50], 5);
        activations.quantize(rows, depth);
        activations
    }

    proptest! {
        #[test]
        fn values_are_within_half_a_step(row in prop::collection::vec(-50.0f32..50.0, 1..40)) {
            let quantized = quantized(&row, row.len());
            let scale = quantized.scales[0];
            for (&value, x) in quantized.values.iter().zip(&row) {
                prop_assert!((f32::from(value) * scale - x).abs() <= scale * 0.51);
                prop_assert!(i32::from(value).abs() <= largest(row.len()));
            }
            prop_assert_eq!(quantized.sums[0], quantized.values.iter().map(|&value| i32::from(value)).sum::<i32>());
        }
    }

    #[test]
    fn sums_of_products_fit() {
        for depth in [1, 384, 1536, 3072, 4096, 100_000] {
            assert!(depth as i64 * 127 * i64::from(largest(depth)) <= i64::from(i32::MAX), "{depth}");
        }
        assert_eq!(largest(1536), 8191);
        assert_eq!(largest(4096), 4095);
    }

    #[test]
    fn zeros_stay_and_what_is_not_finite_shows() {
        let quantized = quantized(&[0.0, 0.0, f32::NAN, 1.0, f32::INFINITY, 1.0], 2);
        assert_eq!(quantized.scales[0], 0.0);
        assert!(!quantized.scales[1].is_finite() && !quantized.scales[2].is_finite());
        assert_eq!(super::tests::quantized(&[], 0).rows(), 0);
    }
}
