//! Computes `exp` with plain multiplications and additions, so that every host gets the same result.

use crate::whole_numbers::ROUND;

/// Lowest argument. For lower ones, the result is the smallest normal number or zero, which is too small to affect an
/// attention share.
const MIN_STATE: f32 = -87.0;
const HIGHEST: f32 = 88.0;

/// Returns `e^x` with a relative error of about 2e-7. `x` is clamped to −87…88.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // This does not use `clamp`, because comparisons in this form become single instructions everywhere.
    let x = if x > MIN_STATE { x } else { MIN_STATE };
    let x = if x < HIGHEST { x } else { HIGHEST };
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    // ln 2 is split in two parts. The first part has few digits, so that its product with n is exact.
    let r = (x - n * 0.693_359_4) - n * -2.121_944_4e-4;
    // This is a Taylor series. |r| is at most ln 2 / 2.
    let mut sum = 1.0 / 5040.0;
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * r + coefficient;
    }
    let exponent = rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    sum * f32::from_bits(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential() {
        for step in -8700..8800 {
            let x = step as f32 / 100.0;
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(error < 3e-7, "exp({x}): {error}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(f32::NEG_INFINITY) < 1e-37 && exp(f32::INFINITY).is_finite() && exp(f32::NAN).is_finite());
    }
}
