//! A row of the table: a u16 scale, followed by four bits for each component. The first of two components is in the
//! lower half of a byte. A component is `(bits − 8) × scale`, and the bits are never 0.

/// Largest absolute code of a component.
#[cfg(feature = "write")]
const LEVELS: i32 = 7;

/// Returns the number of bytes of a row with `components` components.
pub const fn row_bytes(components: usize) -> usize {
    2 + components.div_ceil(2)
}

/// An exact sum of rows.
///
/// ```
/// use nearfind_core::query_encoder::row::{RowSum, put_row, scale_unit};
///
/// let rows = [[1.0, 0.0], [0.0, 1.0]];
/// let unit = scale_unit(rows.as_flattened());
/// let mut sum = RowSum::new(2);
/// for row in rows {
///     let mut bytes = Vec::new();
///     put_row(&row, unit, &mut bytes);
///     sum.add(&bytes);
/// }
/// let vector = sum.unit().unwrap();
/// assert!((vector[0] - 0.707).abs() < 0.01 && (vector[1] - 0.707).abs() < 0.01);
/// ```
#[derive(Clone, Debug)]
pub struct RowSum {
    sums: Vec<i32>,
}

impl RowSum {
    /// Creates an empty sum.
    pub fn new(components: usize) -> Self {
        Self { sums: vec![0; components] }
    }

    /// Adds a row.
    pub fn add(&mut self, row: &[u8]) {
        let Some((scale, codes)) = row.split_first_chunk::<2>() else { return };
        let scale = i32::from(u16::from_le_bytes(*scale));
        for (pair, &byte) in self.sums.chunks_mut(2).zip(codes) {
            for (sum, code) in pair.iter_mut().zip([byte & 15, byte >> 4]) {
                // A query has at most 4096 words, so the sum cannot reach 2^31.
                *sum = sum.wrapping_add((i32::from(code) - 8) * scale);
            }
        }
    }

    /// Returns the sum as a vector of unit length, or `None` if it is zero.
    pub fn unit(&self) -> Option<Vec<f32>> {
        let norm = self.sums.iter().map(|&sum| f64::from(sum) * f64::from(sum)).sum::<f64>().sqrt();
        (norm > 0.0).then(|| self.sums.iter().map(|&sum| (f64::from(sum) / norm) as f32).collect())
    }
}

/// Appends a row. The scale is chosen for the least squared error, because a few clipped components cost less than
/// coarse steps.
#[cfg(feature = "write")]
pub fn put_row(vector: &[f32], scale_unit: f32, out: &mut Vec<u8>) {
    let largest = vector.iter().fold(0.0f32, |max, x| max.max(x.abs()));
    let candidates = (0..12).map(|at| largest / LEVELS as f32 * (1.0 - at as f32 * 0.06) / scale_unit);
    let scales = candidates.map(|scale| scale.round().clamp(1.0, f32::from(u16::MAX)) as u16);
    let error = |scale: u16| -> f64 {
        let step = f32::from(scale) * scale_unit;
        let back = |x: f32| code(x, step) as f32 * f32::from(scale) * scale_unit;
        vector.iter().map(|&x| f64::from(x - back(x)).powi(2)).sum()
    };
    let with_errors = scales.map(|scale| (scale, error(scale)));
    let scale = with_errors.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(1, |(scale, _)| scale);
    out.extend(scale.to_le_bytes());
    let bits = |x: f32| (code(x, f32::from(scale) * scale_unit) + 8) as u8;
    out.extend(vector.chunks(2).map(|pair| bits(pair[0]) | pair.get(1).map_or(8, |&x| bits(x)) << 4));
}

/// Returns `(x / step).round()`, clamped. On a processor without SSE 4.1, `round` is a function call, which took most
/// of the time for writing a table.
#[cfg(feature = "write")]
fn code(x: f32, step: f32) -> i32 {
    let largest = LEVELS as f32;
    let exact = (x / step).clamp(-largest, largest);
    let whole = exact as i32;
    let rest = exact - whole as f32;
    whole + i32::from(rest >= 0.5) - i32::from(rest <= -0.5)
}

/// Returns the value of one step of a scale, so that the largest component in `rows` fits.
#[cfg(feature = "write")]
pub fn scale_unit(rows: &[f32]) -> f32 {
    let largest = rows.iter().fold(0.0f32, |max, x| max.max(x.abs()));
    if largest > 0.0 { largest / LEVELS as f32 / f32::from(u16::MAX) } else { 1.0 }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_of_rows_are_near_the_sums_of_vectors(vectors in prop::collection::vec(prop::collection::vec(-1.0f32..1.0, 7), 1..6)) {
            let unit = scale_unit(&vectors.concat());
            let mut sum = RowSum::new(7);
            for vector in &vectors {
                let mut row = Vec::new();
                put_row(vector, unit, &mut row);
                prop_assert_eq!(row.len(), row_bytes(7));
                sum.add(&row);
            }
            for (d, &found) in sum.sums.iter().enumerate() {
                let exact: f32 = vectors.iter().map(|vector| vector[d]).sum();
                prop_assert!((found as f32 * unit - exact).abs() <= 0.2 * vectors.len() as f32, "{exact} {found}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_code_is_the_nearest_whole_number_and_halves_go_outwards(halves in -30i16..30, value in -30.0f32..30.0) {
            for value in [value, f32::from(halves) / 2.0, 0.499_999_97, -0.499_999_97] {
                prop_assert_eq!(code(value, 1.0), (value.round() as i32).clamp(-LEVELS, LEVELS), "{}", value);
            }
        }
    }

    #[test]
    fn nothing_has_no_direction() {
        assert_eq!(RowSum::new(4).unit(), None);
        let mut sum = RowSum::new(4);
        sum.add(&[]);
        sum.add(&[9]);
        assert_eq!(sum.unit(), None);
    }
}
