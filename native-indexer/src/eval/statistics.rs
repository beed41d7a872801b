//! Statistical significance of means over few queries (Sakai, "Laboratory Experiments in Information Retrieval", 2018).

/// Number of samples of the bootstrap and of the randomization test.
const SAMPLES: usize = 10_000;
/// Seed of the random numbers, which makes runs reproducible.
const SEED: u64 = 20_260_101;

/// Returns the 95 % percentile bootstrap interval of the mean of `values`, or the widest interval if there are none.
pub fn bootstrap_interval(values: &[f64]) -> [f64; 2] {
    if values.is_empty() {
        return [0.0, 1.0];
    }
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut draw =
        || (0..values.len()).map(|_| values[random.usize(..values.len())]).sum::<f64>() / values.len() as f64;
    let mut means: Vec<f64> = (0..SAMPLES).map(|_| draw()).collect();
    means.sort_by(f64::total_cmp);
    [means[SAMPLES / 40], means[SAMPLES - 1 - SAMPLES / 40]]
}

/// Returns the two-sided p-value of the mean of paired `differences`: how often random signs yield a mean that is at
/// least as far from 0.
pub fn randomization_test(differences: &[f64]) -> f64 {
    let mean = |signed: &mut dyn Iterator<Item = f64>| (signed.sum::<f64>() / differences.len().max(1) as f64).abs();
    let found = mean(&mut differences.iter().copied());
    let mut random = fastrand::Rng::with_seed(SEED);
    let as_far = (0..SAMPLES)
        .filter(|_| mean(&mut differences.iter().map(|x| if random.bool() { *x } else { -x })) >= found - 1e-12)
        .count();
    (as_far + 1) as f64 / (SAMPLES + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_contain_the_mean_and_narrow_with_more_values() {
        let few = [0.0, 1.0, 0.5, 1.0];
        let many = few.repeat(50);
        let ([low, high], [lower, upper]) = (bootstrap_interval(&few), bootstrap_interval(&many));
        assert!(low < 0.625 && 0.625 < high && lower < 0.625 && 0.625 < upper && upper - lower < high - low);
        let [low, high] = bootstrap_interval(&[0.5, 0.5]);
        assert!((low - 0.5).abs() < 1e-12 && (high - 0.5).abs() < 1e-12);
    }

    #[test]
    fn one_sided_differences_are_rarely_chance() {
        assert!(randomization_test(&[0.1; 12]) < 0.002);
        assert!(randomization_test(&[0.1, -0.1, 0.2, -0.2]) > 0.9);
        // The probability that four values have the same sign is one in eight.
        assert!((randomization_test(&[0.1; 4]) - 0.125).abs() < 0.02);
        assert!(randomization_test(&[]) > 0.999);
    }
}
