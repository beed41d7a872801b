/// A set in a sorted vector, for the few dozen blocks, terms and documents of a query.
///
/// ```
/// use nearfind_core::collection::SortedSet;
///
/// let mut set = SortedSet::new();
/// for number in [5, 2, 5] {
///     set.insert(number);
/// }
/// assert_eq!(set.as_slice(), [2, 5]);
/// assert!(!set.contains(&3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedSet<T>(Vec<T>);

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> SortedSet<T> {
    /// Creates an empty set.
    pub const fn new() -> Self {
        Self(Vec::new())
    }
}

impl<T: Ord> SortedSet<T> {
    /// Adds `value` and returns whether it is new.
    pub fn insert(&mut self, value: T) -> bool {
        let place = self.0.partition_point(|known| *known < value);
        let new = self.0.get(place) != Some(&value);
        if new {
            self.0.insert(place, value);
        }
        new
    }

    /// Whether `value` is in the set.
    pub fn contains(&self, value: &T) -> bool {
        self.0.get(self.0.partition_point(|known| known < value)) == Some(value)
    }

    /// Keeps the values where `keep` returns `true`.
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.0.retain(keep);
    }

    /// Returns the values in ascending order.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// Returns the values in ascending order.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        for value in values {
            self.insert(value);
        }
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut set = Self::default();
        set.extend(values);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set(values in prop::collection::vec(0u8..20, 0..40), asked in 0u8..20) {
            let (set, oracle): (SortedSet<u8>, BTreeSet<u8>) = (values.iter().copied().collect(), values.iter().copied().collect());
            prop_assert_eq!(set.contains(&asked), oracle.contains(&asked));
            prop_assert_eq!(set.into_vec(), oracle.into_iter().collect::<Vec<_>>());
        }
    }
}
