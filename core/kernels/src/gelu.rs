//! GELU with the exact error function, as in BERT.

use crate::exponential::exp;

/// Returns `x · Φ(x)`.
///
/// The error function is computed by formula 7.1.26 in Abramowitz and Stegun, Handbook of Mathematical Functions
/// (1964), with an error of at most 1.5e-7.
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let mut sum = 1.061_405_4;
    for coefficient in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        sum = sum * t + coefficient;
    }
    // Φ(−|x|) is half the difference between 1 and the error function.
    let tail = 0.5 * (sum * t * exp(-z * z));
    x * if x < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the error function by its series, which converges everywhere.
    fn erf(x: f64) -> f64 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn it_is_the_exact_gelu() {
        for step in -500..500 {
            let x = f64::from(step) / 100.0;
            let expected = x * 0.5 * (1.0 + erf(x * std::f64::consts::FRAC_1_SQRT_2));
            assert!((f64::from(gelu(x as f32)) - expected).abs() < 1e-6, "gelu({x})");
        }
        assert_eq!(gelu(50.0), 50.0);
        assert!(gelu(-50.0).abs() < 1e-30);
    }
}
