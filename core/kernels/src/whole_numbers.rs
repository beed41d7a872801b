//! Converts f32 numbers to whole numbers with a scale, the same on every host.

/// Adding this rounds a small number to a whole number, which is then in the low bits. Halves are rounded to even
/// numbers.
pub(crate) const ROUND: f32 = 12_582_912.0;

/// Returns `x` rounded to a whole number, which must fit an i16.
#[inline(always)]
pub(crate) fn rounded(x: f32) -> i16 {
    (x + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i16
}

/// Returns the largest absolute value.
#[inline(always)]
pub(crate) fn most(values: &[f32]) -> f32 {
    // The bits of absolute values have the same order as the values. Values that are not numbers come last, so that
    // they show in the result.
    f32::from_bits(values.iter().map(|value| value.to_bits() & 0x7fff_ffff).max().unwrap_or(0))
}

/// Returns the scale that turns `most` into the whole number `largest`, and the factor to multiply values by. If `most`
/// is zero or not finite, values become zero, and the scale is `most`.
#[inline(always)]
pub(crate) fn scale(most: f32, largest: f32) -> (f32, f32) {
    if most > 0.0 && most.is_finite() { (most / largest, largest / most) } else { (most, 0.0) }
}

/// Writes `values` as whole numbers up to `largest` to `out`, which may be longer, and returns their scale.
#[inline(always)]
pub(crate) fn quantize(values: &[f32], largest: f32, out: &mut [i16]) -> f32 {
    let (scale, per_step) = scale(most(values), largest);
    for (out, value) in out.iter_mut().zip(values) {
        *out = rounded(value * per_step);
    }
    scale
}
