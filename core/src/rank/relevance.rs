//! Computes how likely documents are to answer a question, from 0 to 1. The values can be compared between questions,
//! and never rise along a list.

/// Returns the relevance of documents in the same order, given how well each document fits.
///
/// A fit of 1, the least that is worth showing, has a relevance of .5, and a fit of 2 has a relevance of .8. If a
/// document is followed by one that fits better, the two and the documents pooled with them share their mean. The
/// result has the least squared error among lists that do not rise (isotonic regression by pooling adjacent violators;
/// Barlow et al., "Statistical Inference under Order Restrictions", 1972).
///
/// ```
/// use nearfind_core::rank::relevance;
///
/// let shown = relevance(&[2.0, 1.0, 1.5]);
/// assert!((shown[0] - 0.8).abs() < 0.01);
/// // The last two share their mean, because relevance never rises.
/// assert_eq!(shown[1], shown[2]);
/// ```
pub fn relevance(fits: &[f32]) -> Vec<f32> {
    let mut shares: Vec<f32> = Vec::with_capacity(fits.len());
    // The start of each pool. All its entries have the mean of the pool.
    let mut pools: Vec<usize> = Vec::new();
    for &fit in fits {
        let (mut start, mut mean) = (shares.len(), share(fit));
        shares.push(mean);
        while let Some(&before) = pools.last()
            && shares[before] < mean
        {
            let (ours, theirs) = ((shares.len() - start) as f32, (start - before) as f32);
            mean = (mean * ours + shares[before] * theirs) / (ours + theirs);
            start = before;
            pools.pop();
        }
        shares[start..].fill(mean);
        pools.push(start);
    }
    shares
}

/// Maps a fit, which has no upper limit, to a number below 1.
fn share(fit: f32) -> f32 {
    let square = fit * fit;
    if fit > 0.0 { square / (1.0 + square) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_just_fits_is_as_likely_as_not() {
        assert_eq!(relevance(&[2.0, 1.0, 0.0, -1.0]), [0.8, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn one_that_fits_less_shares_with_those_after_it() {
        assert_eq!(relevance(&[1.0, 2.0, 0.0]), [0.65, 0.65, 0.0]);
    }

    proptest! {
        /// The oracle is the min-max formula of isotonic regression.
        #[test]
        fn it_is_the_nearest_list_that_does_not_rise(fits in prop::collection::vec(0.0f32..4.0, 1..12)) {
            let shares: Vec<f32> = fits.iter().map(|&fit| share(fit)).collect();
            let mean = |from: usize, to: usize| shares[from..=to].iter().sum::<f32>() / (to - from + 1) as f32;
            for (at, found) in relevance(&fits).into_iter().enumerate() {
                let worst_of = |from: usize| (at..shares.len()).map(|to| mean(from, to)).fold(f32::MIN, f32::max);
                let expected = (0..=at).map(worst_of).fold(f32::MAX, f32::min);
                prop_assert!((found - expected).abs() < 1e-5);
            }
        }
    }
}
