//! A query's vector as integers, so that every host computes the same scores.

use super::codes::{Components, MAX_FINE};

/// Components of at least this size are ignored.
const LARGEST: f32 = 1e6;

/// A query vector in integer codes.
///
/// ```
/// use nearfind_core::vector::query_codes::QueryCodes;
///
/// let query = QueryCodes::new(&[0.6, 0.8]);
/// // A chunk in steps of 0.01, without centers: [0.6, 0.8].
/// let chunk: [i16; 2] = [60, 80];
/// let product = query.codes.iter().zip(chunk).map(|(&a, b)| i32::from(a) * i32::from(b)).sum();
/// let cosine = query.cosine_of(&[0, 0], 0.01, 1).of(product);
/// assert!((cosine - 1.0).abs() < 0.001);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryCodes {
    /// The code of each component.
    pub codes: Vec<i16>,
    /// The size of a step.
    pub scale: f32,
}

impl QueryCodes {
    /// Quantizes `vector` as finely as exact 32-bit sums with fine codes allow.
    /// Components that are not finite count as 0, and so do those that are far too large for a vector of about unit
    /// length, because sums of them would be infinite.
    pub fn new(vector: &[f32]) -> Self {
        let widest = MAX_FINE as usize + 1;
        let levels = (i32::MAX as usize / (widest * vector.len().max(1))).min(i16::MAX as usize) as f32;
        let is_sound = |x: &f32| x.abs() < LARGEST;
        let largest = vector.iter().copied().filter(is_sound).fold(0.0f32, |max, x| max.max(x.abs()));
        let scale = if largest > 0.0 { largest / levels } else { 1.0 };
        let code = |x: f32| if is_sound(&x) { (x / scale).round().max(-levels).min(levels) as i16 } else { 0 };
        let codes = vector.iter().map(|&x| code(x)).collect();
        Self { codes, scale }
    }

    /// Returns how to convert a dot product with codes of `steps` fine steps to a cosine: `offset + product × factor`.
    pub fn cosine_of(&self, centers: &[i16], step: f32, steps: i16) -> Cosine {
        let center: i64 = self.codes.iter().zip(centers).map(|(&q, &c)| i64::from(q) * i64::from(c)).sum();
        let unit = self.scale * step;
        Cosine { offset: center as f32 * unit, factor: unit * f32::from(steps) }
    }
}

/// Converts a dot product of codes to a cosine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cosine {
    /// The contribution of the components' centers to the cosine.
    pub offset: f32,
    /// The cosine per unit of the product.
    pub factor: f32,
}

impl Cosine {
    /// Returns the cosine for a dot product.
    pub fn of(self, product: i32) -> f32 {
        self.offset + product as f32 * self.factor
    }
}

/// Returns the centers of all components, the near ones first.
pub fn all_centers(near: &Components, far: &Components) -> Vec<i16> {
    [near.centers.as_slice(), &far.centers].concat()
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::vector::codes::code_rows;
    use crate::vector::dot_fine;
    use proptest::prelude::*;

    proptest! {
        /// The oracle is the dot product of the unquantized vectors in f64.
        #[test]
        fn products_of_codes_become_cosines(rows in prop::collection::vec((-1.0f32..1.0, -0.9f32..0.9), 1..800)) {
            let (query, row): (Vec<f32>, Vec<f32>) = rows.into_iter().unzip();
            let codes = QueryCodes::new(&query);
            let step = 0.004;
            let coded = code_rows(&row, row.len(), step);
            let exact: f64 = query.iter().zip(&row).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            let cosine = codes.cosine_of(&coded.components.centers, step, 1);
            let found = f64::from(cosine.of(dot_fine(&codes.codes, &coded.codes)));
            let error_bound = query.len() as f64 * f64::from(step + codes.scale) + 1e-3;
            prop_assert!((exact - found).abs() <= error_bound, "{exact} {found}");
        }

        #[test]
        fn sums_of_extreme_codes_fit(dimensions in 1usize..4097) {
            let codes = QueryCodes::new(&vec![1.0; dimensions]);
            let row = vec![-MAX_FINE; dimensions];
            let exact: i64 = codes.codes.iter().map(|&q| i64::from(q) * -i64::from(MAX_FINE)).sum();
            prop_assert_eq!(i64::from(dot_fine(&codes.codes, &row)), exact);
        }
    }

    #[test]
    fn zero_and_not_finite_vectors_are_harmless() {
        assert_eq!(QueryCodes::new(&[0.0, 0.0]).codes, [0, 0]);
        assert_eq!(QueryCodes::new(&[f32::NAN, 1.0]).codes[0], 0);
    }
}
