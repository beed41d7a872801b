//! Vectors of texts from a process's last run. The next run contains most of these texts too.

use nearfind_base::record_log::{Key, key_of};
use std::collections::HashMap;

/// Vectors by text.
#[derive(Debug, Default)]
pub(super) struct KnownRows(HashMap<Key, Vec<f32>>);

impl KnownRows {
    /// Returns the indices of the `texts` without a known vector, in ascending order.
    pub(super) fn missing(&self, texts: &[&str]) -> Vec<usize> {
        (0..texts.len()).filter(|&text| !self.0.contains_key(&key(texts[text]))).collect()
    }

    /// Remembers the vector of a text.
    pub(super) fn insert(&mut self, text: &str, row: Vec<f32>) {
        self.0.insert(key(text), row);
    }

    /// Returns the vector of a text.
    pub(super) fn get(&self, text: &str) -> Option<&[f32]> {
        self.0.get(&key(text)).map(Vec::as_slice)
    }

    /// Forgets the vectors of all texts except `texts`, if that removes at least half of them.
    pub(super) fn keep(&mut self, texts: &[&str]) {
        if self.0.len() > 2 * texts.len() {
            let mut kept = HashMap::with_capacity(texts.len());
            kept.extend(texts.iter().filter_map(|text| self.0.remove_entry(&key(text))));
            self.0 = kept;
        }
    }
}

fn key(text: &str) -> Key {
    key_of(&blake3::hash(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_text_has_is_forgotten() {
        let mut rows = KnownRows::default();
        ["a", "b", "c"].iter().for_each(|text| rows.insert(text, vec![1.0]));
        assert_eq!(rows.missing(&["a", "d"]), [1]);
        rows.keep(&["a", "d"]);
        assert!(rows.get("b").is_some(), "little is left alone");
        rows.keep(&["a"]);
        assert_eq!((rows.get("a"), rows.get("b")), (Some([1.0].as_slice()), None));
    }
}
