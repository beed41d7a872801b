//! A table with few bits per value. It stores the embeddings, and encoding a text reads one row per token.
//!
//! A row is divided into groups, and each group has its own scale (f16). A row's bytes are its scales, followed by its
//! values. A value of 8 bits takes one byte. Two values of 4 bits share a byte, each plus 8, with the first value in
//! the low half.

use crate::instruction_set::widest;
use crate::whole_numbers::ROUND;
use crate::{SharedBytes, WrongSize};
use half::f16;

/// Number of bits of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowBits {
    /// Four bits, for values from −7 to 7.
    Four,
    /// Eight bits, for values from −127 to 127.
    Eight,
}

impl RowBits {
    /// Returns the number of bits, 4 or 8.
    pub const fn count(self) -> u32 {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// Returns the variant with this number of bits, if there is one.
    pub const fn of(count: u32) -> Option<Self> {
        match count {
            4 => Some(Self::Four),
            8 => Some(Self::Eight),
            _ => None,
        }
    }

    const fn largest(self) -> f32 {
        match self {
            Self::Four => 7.0,
            Self::Eight => 127.0,
        }
    }
}

/// A table that is read in place.
#[derive(Clone, Debug)]
pub struct GroupRows {
    bytes: SharedBytes,
    bits: RowBits,
    width: usize,
    group: usize,
    row_bytes: usize,
    rows: usize,
}

impl GroupRows {
    /// Returns the number of bytes in a row of `width` values in groups of `group`, or `None` if a table cannot have
    /// this shape.
    pub fn row_bytes(bits: RowBits, width: usize, group: usize) -> Option<usize> {
        if group == 0 || width == 0 || !group.is_multiple_of(2) || !width.is_multiple_of(group) {
            return None;
        }
        let values = if bits == RowBits::Four { width / 2 } else { width };
        (width / group * 2).checked_add(values)
    }

    /// Creates a table of `rows` rows with `width` values each, in groups of `group` values. `group` must divide
    /// `width`.
    pub fn new(bytes: SharedBytes, bits: RowBits, rows: usize, width: usize, group: usize) -> Result<Self, WrongSize> {
        let row_bytes = Self::row_bytes(bits, width, group).ok_or(WrongSize("a row of the table"))?;
        if row_bytes.checked_mul(rows) != Some(bytes.len()) {
            return Err(WrongSize("a table of rows"));
        }
        Ok(Self { bytes, bits, width, group, row_bytes, rows })
    }

    /// Returns the number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Writes row `row` to `out`, which must be as long as a row. Returns an error if there is no such row.
    pub fn read(&self, row: usize, out: &mut [f32]) -> Result<(), WrongSize> {
        if row >= self.rows || out.len() != self.width {
            return Err(WrongSize("a row of the table"));
        }
        let bytes = &self.bytes[row * self.row_bytes..(row + 1) * self.row_bytes];
        let (scales, values) = bytes.split_at(self.width / self.group * 2);
        let scale = |group: usize| f16::from_le_bytes([scales[2 * group], scales[2 * group + 1]]).to_f32();
        for (group, out) in out.chunks_exact_mut(self.group).enumerate() {
            let scale = scale(group);
            match self.bits {
                RowBits::Eight => {
                    let values = &values[group * self.group..][..self.group];
                    out.iter_mut().zip(values).for_each(|(out, &value)| *out = f32::from(value as i8) * scale);
                }
                RowBits::Four => {
                    let values = &values[group * self.group / 2..][..self.group / 2];
                    for (out, &two) in out.chunks_exact_mut(2).zip(values) {
                        out[0] = (f32::from(two & 15) - 8.0) * scale;
                        out[1] = (f32::from(two >> 4) - 8.0) * scale;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the bytes of a table of `values`, `[rows × width]` row-major. Each group gets the scale with the least
    /// squared error.
    pub fn write(values: &[f32], bits: RowBits, width: usize, group: usize) -> Result<Vec<u8>, WrongSize> {
        let row_bytes = Self::row_bytes(bits, width, group).filter(|_| values.len().is_multiple_of(width));
        let mut bytes = Vec::with_capacity(row_bytes.ok_or(WrongSize("a table of rows"))? * (values.len() / width));
        for row in values.chunks_exact(width) {
            let scales: Vec<f16> = row.chunks_exact(group).map(|group| best_scale(group, bits)).collect();
            bytes.extend(scales.iter().flat_map(|scale| scale.to_le_bytes()));
            let codes: Vec<i8> = row
                .chunks_exact(group)
                .zip(&scales)
                .flat_map(|(group, scale)| group.iter().map(|&value| code(value, scale.to_f32(), bits)))
                .collect();
            match bits {
                RowBits::Eight => bytes.extend(codes.iter().map(|&code| code as u8)),
                RowBits::Four => {
                    bytes.extend(codes.chunks_exact(2).map(|two| (two[0] + 8) as u8 | ((two[1] + 8) as u8) << 4));
                }
            }
        }
        Ok(bytes)
    }
}

/// Returns `(value / scale).round()`, clamped. On a processor without SSE 4.1, `round` is a function call, which took
/// most of the time for writing a table.
fn code(value: f32, scale: f32, bits: RowBits) -> i8 {
    if scale <= 0.0 {
        return 0;
    }
    let largest = bits.largest();
    let exact = (value / scale).clamp(-largest, largest);
    let whole = exact as i32;
    let rest = exact - whole as f32;
    (whole + i32::from(rest >= 0.5) - i32::from(rest <= -0.5)) as i8
}

/// Number of scales that are tried for a group.
const CANDIDATES: usize = 41;

/// Returns the scale with the least squared error among several candidates. The largest candidate reaches the largest
/// value. Smaller candidates clip outliers, which can reduce the error.
fn best_scale(group: &[f32], bits: RowBits) -> f16 {
    let reach = group.iter().fold(0.0f32, |most, value| most.max(value.abs())) / bits.largest();
    let candidates: [f16; CANDIDATES] = std::array::from_fn(|at| f16::from_f32(reach * (60 + at) as f32 / 100.0));
    let errors = errors_of(group, &candidates.map(f16::to_f32), bits.largest());
    let with_errors = candidates.into_iter().zip(errors);
    with_errors.min_by(|(_, a), (_, b)| a.total_cmp(b)).expect("there are candidates").0
}

widest! {
    fn errors_of(group: &[f32], scales: &[f32; CANDIDATES], largest: f32) -> [f32; CANDIDATES] = squared_errors
}

/// Returns the squared error of a group for each of `scales`. The terms of each sum are added in order, and the scales
/// are side by side in vector registers.
#[inline(always)]
fn squared_errors(group: &[f32], scales: &[f32; CANDIDATES], largest: f32) -> [f32; CANDIDATES] {
    let mut errors = [0.0; CANDIDATES];
    for &value in group {
        for (error, &scale) in errors.iter_mut().zip(scales) {
            let rest = value - rounded_code(value, scale, largest) * scale;
            *error += rest * rest;
        }
    }
    errors
}

/// Does the same as [`code`] in steps that vector instructions support. It rounds to the nearest whole number, and then
/// moves halves that were rounded to an even number away from zero.
#[inline(always)]
fn rounded_code(value: f32, scale: f32, largest: f32) -> f32 {
    let exact = value / scale;
    // This does not use `clamp`, because comparisons in this form become single instructions everywhere.
    let exact = if exact > -largest { exact } else { -largest };
    let exact = if exact < largest { exact } else { largest };
    let even = (exact + ROUND) - ROUND;
    let rest = exact - even;
    let outwards = if rest >= 0.5 && exact > 0.0 { 1.0 } else { 0.0 };
    let outwards = if rest <= -0.5 && exact < 0.0 { -1.0 } else { outwards };
    if scale > 0.0 { even + outwards } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Finds the best scale by trying one scale after the other.
    fn plain_best_scale(group: &[f32], bits: RowBits) -> f16 {
        let reach = group.iter().fold(0.0f32, |most, value| most.max(value.abs())) / bits.largest();
        let error = |scale: f16| -> f32 {
            let scale = scale.to_f32();
            group.iter().map(|&value| (value - f32::from(code(value, scale, bits)) * scale).powi(2)).sum()
        };
        let candidates = (60..=100).map(|percent| f16::from_f32(reach * percent as f32 / 100.0));
        candidates.min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap()
    }

    proptest! {
        #[test]
        fn scales_side_by_side_are_judged_as_one_after_the_other(
            group in prop::collection::vec(-1.0f32..1.0, 1..40),
            whole in prop::collection::vec(-9i8..9, 1..40),
            eight in any::<bool>(),
        ) {
            let bits = if eight { RowBits::Eight } else { RowBits::Four };
            // Whole numbers and halves cover every case of rounding.
            let whole: Vec<f32> = whole.into_iter().map(|value| f32::from(value) / 2.0).collect();
            for group in [group, whole, vec![0.0; 8]] {
                prop_assert_eq!(best_scale(&group, bits), plain_best_scale(&group, bits));
                for scale in [0.0, 0.01, 0.5, 1.0] {
                    let all = squared_errors(&group, &[scale; CANDIDATES], bits.largest());
                    let error: f32 =
                        group.iter().map(|&value| (value - f32::from(code(value, scale, bits)) * scale).powi(2)).sum();
                    prop_assert_eq!(all[CANDIDATES - 1].to_bits(), (0.0 + error).to_bits());
                }
            }
        }

        #[test]
        fn a_code_is_the_nearest_whole_number_and_halves_go_outwards(
            halves in -300i16..300,
            value in -300.0f32..300.0,
            eight in any::<bool>(),
        ) {
            let bits = if eight { RowBits::Eight } else { RowBits::Four };
            let largest = bits.largest();
            for value in [value, f32::from(halves) / 2.0, 0.499_999_97, -0.499_999_97] {
                prop_assert_eq!(code(value, 1.0, bits), value.round().clamp(-largest, largest) as i8, "{}", value);
            }
            prop_assert_eq!(code(value, 0.0, bits), 0);
        }

        #[test]
        fn rows_come_back_within_half_a_step(
            rows in prop::collection::vec(prop::collection::vec(-1.0f32..1.0, 8), 1..5),
            eight in any::<bool>(),
        ) {
            let bits = if eight { RowBits::Eight } else { RowBits::Four };
            let values = rows.concat();
            let bytes = SharedBytes::new(GroupRows::write(&values, bits, 8, 4).unwrap());
            let table = GroupRows::new(bytes, bits, rows.len(), 8, 4).unwrap();
            for (number, row) in rows.iter().enumerate() {
                let mut read = [0.0; 8];
                table.read(number, &mut read).unwrap();
                for (group, found) in row.chunks(4).zip(read.chunks(4)) {
                    let step = group.iter().fold(0.0f32, |most, value| most.max(value.abs())) / bits.largest();
                    // The limit allows for half a step, the rounding of the scale, and clipping of the four values by
                    // the best scale.
                    let error: f32 = group.iter().zip(found).map(|(a, b)| (a - b).powi(2)).sum();
                    prop_assert!(error.sqrt() <= step * 1.1 + 1e-6, "{group:?} {found:?}");
                }
            }
        }
    }

    #[test]
    fn a_row_that_is_not_there_is_refused() {
        let bytes = SharedBytes::new(GroupRows::write(&[0.5; 16], RowBits::Four, 8, 4).unwrap());
        assert!(GroupRows::new(bytes.clone(), RowBits::Four, 3, 8, 4).is_err());
        let table = GroupRows::new(bytes, RowBits::Four, 2, 8, 4).unwrap();
        assert!(table.read(2, &mut [0.0; 8]).is_err());
        assert!(table.read(1, &mut [0.0; 7]).is_err());
    }
}
