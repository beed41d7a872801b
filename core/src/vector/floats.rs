//! Sums over rows of floats for building an index. They are in this crate and not inlined, because this crate is
//! compiled for speed in every profile. The order of additions is fixed, so that every machine builds the same bundle.

/// Returns the dot product of two rows, up to the shorter length.
#[inline(never)]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Sixteen sums side by side, so that the compiler uses vector registers.
    let mut sums = [0.0f32; 16];
    let (a, b) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    for (a, b) in a.0.iter().zip(b.0) {
        for lane in 0..16 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a.1.iter().zip(b.1).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// Adds `factor` times `row` to `sums`.
#[inline(never)]
pub fn add_scaled(sums: &mut [f32], factor: f32, row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * x);
}

/// Does the same as [`add_scaled`] in double precision.
#[inline(never)]
pub fn add_scaled_double(sums: &mut [f64], factor: f64, row: &[f64]) {
    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * x);
}

/// Converts the codes of a row to floats.
pub(super) fn to_floats(row: &[i16]) -> Vec<f32> {
    row.iter().map(|&code| f32::from(code)).collect()
}

/// Returns the squared distance of a row of codes from `point`.
pub(super) fn distance(row: &[i16], point: &[f32]) -> f32 {
    row.iter().zip(point).map(|(&code, x)| (f32::from(code) - x).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_the_plain_sums(pairs in prop::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 0..70), factor in -2.0f32..2.0) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
            let expected: f64 = pairs.iter().map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            prop_assert!((f64::from(dot(&a, &b)) - expected).abs() < 1e-4);
            let mut sums = a.clone();
            add_scaled(&mut sums, factor, &b);
            prop_assert!(sums.iter().zip(&pairs).all(|(sum, (a, b))| (sum - (a + factor * b)).abs() < 1e-6));
            let wide = |row: &[f32]| row.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
            let mut sums = wide(&a);
            add_scaled_double(&mut sums, f64::from(factor), &wide(&b));
            prop_assert!(sums.iter().zip(&pairs).all(|(sum, (a, b))| (sum - (f64::from(*a) + f64::from(factor) * f64::from(*b))).abs() < 1e-12));
        }
    }
}
