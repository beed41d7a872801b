//! From f32 to whole numbers with a scale, the same on every host.

/// Adding it rounds a small number to a whole one, to even at halves, which then is in the low bits.
pub(crate) const ROUND: f32 = 12_582_912.0;

/// `x` as a whole number; it must be one of an i16.
#[inline(always)]
pub(crate) fn rounded(x: f32) -> i16 {
    (x + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i16
}

/// The largest absolute value.
#[inline(always)]
pub(crate) fn most(values: &[f32]) -> f32 {
    // As bits they are in the same order, and those of values that are not numbers come last: it must show in the result.
    f32::from_bits(values.iter().map(|value| value.to_bits() & 0x7fff_ffff).max().unwrap_or(0))
}

/// The scale that makes `most` the whole number `largest`, and what values are to be multiplied with. Where `most` is zero
/// or not finite values become zero, and the scale says which it was.
#[inline(always)]
pub(crate) fn scale(most: f32, largest: f32) -> (f32, f32) {
    if most > 0.0 && most.is_finite() { (most / largest, largest / most) } else { (most, 0.0) }
}

/// Writes `values` in whole numbers up to `largest` to `out`, which may be longer; returns their scale.
#[inline(always)]
pub(crate) fn quantize(values: &[f32], largest: f32, out: &mut [i16]) -> f32 {
    let (scale, per_step) = scale(most(values), largest);
    for (out, value) in out.iter_mut().zip(values) {
        *out = rounded(value * per_step);
    }
    scale
}
