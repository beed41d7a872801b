/// Returns the indices of `scores`, highest score first. Equal scores stay in order.
///
/// ```
/// assert_eq!(nearfind_core::collection::best_first([0.2, 0.9, 0.5].into_iter()), [1, 2, 0]);
/// ```
pub fn best_first(scores: impl Iterator<Item = f32>) -> Vec<u32> {
    // Each entry is compared as a single number: the complement of the score's sortable bits, followed by the index.
    let key = |(place, score): (u32, f32)| u64::from(!ascending_bits(score)) << 32 | u64::from(place);
    let mut keys: Vec<u64> = (0u32..).zip(scores).map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| key as u32).collect()
}

/// Returns bits whose order as unsigned numbers is the order of `f32::total_cmp`.
const fn ascending_bits(score: f32) -> u32 {
    let bits = score.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_stable_sort(scores in prop::collection::vec(any::<f32>(), 0..40)) {
            let mut places: Vec<u32> = (0..scores.len() as u32).collect();
            places.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
            prop_assert_eq!(best_first(scores.iter().copied()), places);
        }
    }
}
