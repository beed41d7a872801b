//! Rounds chunk lengths to a few lengths. BM25 weights occurrences by these lengths. Each posting stores the number of
//! the length nearest to that of its chunk, so that queries need not read a list of lengths.

pub use crate::format::vocabulary::LENGTH_CLASSES as CLASSES;

#[cfg(feature = "write")]
pub(super) use writer::classes_of;

#[cfg(feature = "write")]
mod writer {
    use super::CLASSES;

    /// Number of rounds that adjust the means. Later rounds would change little.
    const ROUNDS: usize = 20;

    /// Returns the lengths that `lengths` are rounded to, ascending, and for each of `lengths` the number of the
    /// nearest one. The lengths are chosen by k-means, which makes the sum of squared errors small.
    pub(crate) fn classes_of(lengths: &[u32]) -> ([u32; CLASSES], Vec<u8>) {
        let mut different = lengths.to_vec();
        different.sort_unstable();
        different.dedup();
        let at = |share: usize| different.get(different.len() * share / (2 * CLASSES)).copied().unwrap_or_default();
        let mut means: [u32; CLASSES] = std::array::from_fn(|class| at(2 * class + 1));
        for _ in 0..ROUNDS {
            let mut sums = [(0u64, 0u64); CLASSES];
            for &length in lengths {
                let (sum, count) = &mut sums[usize::from(nearest(&means, length))];
                *sum += u64::from(length);
                *count += 1;
            }
            for (mean, (sum, count)) in means.iter_mut().zip(sums) {
                if let Some(rounded) = (sum + count / 2).checked_div(count) {
                    *mean = rounded as u32;
                }
            }
        }
        let classes = lengths.iter().map(|&length| nearest(&means, length)).collect();
        (means, classes)
    }

    /// Returns the number of the mean nearest to `length`, or the first of several equally near means.
    fn nearest(means: &[u32; CLASSES], length: u32) -> u8 {
        (0..CLASSES as u8).min_by_key(|&class| means[usize::from(class)].abs_diff(length)).unwrap_or_default()
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn four_lengths_stand_for_themselves_however_many_have_one() {
        let (means, classes) = classes_of(&[5, 5, 5, 5, 5, 5, 5, 5, 100, 5, 40, 300, 100]);
        assert_eq!(means, [5, 40, 100, 300]);
        assert_eq!(classes[7..], [0, 2, 0, 1, 3, 2]);
    }

    #[test]
    fn no_chunk_has_classes_too() {
        assert_eq!(classes_of(&[]), ([0; CLASSES], Vec::new()));
    }

    proptest! {
        #[test]
        fn means_lie_between_the_lengths(lengths in prop::collection::vec(any::<u32>(), 1..60)) {
            let (means, classes) = classes_of(&lengths);
            let (least, most) = (lengths.iter().min().unwrap(), lengths.iter().max().unwrap());
            prop_assert!(means.is_sorted() && means.iter().all(|mean| (least..=most).contains(&mean)));
            for (&length, &class) in lengths.iter().zip(&classes) {
                let off = |mean: &u32| mean.abs_diff(length);
                prop_assert_eq!(off(&means[usize::from(class)]), means.iter().map(off).min().unwrap());
            }
        }
    }
}
