//! Vectors that are computed from the words of passages alone, for bundles without vectors, or with vectors that cannot
//! be compared. Each term is assigned to a component by its hash. Its weight is higher if fewer passages contain it.

use super::normalize::normalize;
use nearfind_core::analysis::Analyzer;
use std::collections::{BTreeMap, HashMap};

const COMPONENTS: usize = 512;

/// Returns the vector of each text. It has unit length unless the text has no words.
pub(super) fn vectors(texts: &[&str]) -> Vec<Vec<f32>> {
    let mut passages_with: HashMap<String, usize> = HashMap::new();
    let mut counts: Vec<BTreeMap<String, usize>> = Vec::new();
    for text in texts {
        let mut terms = BTreeMap::new();
        for token in Analyzer::ENGLISH.tokens(text).into_iter().filter(|token| !token.is_stop_word) {
            *terms.entry(token.term).or_default() += 1;
        }
        terms.keys().for_each(|term: &String| *passages_with.entry(term.clone()).or_default() += 1);
        counts.push(terms);
    }
    let vector = |terms: &BTreeMap<String, usize>| {
        let mut vector = vec![0.0f32; COMPONENTS];
        for (term, &count) in terms {
            let hash = u64::from_le_bytes(*blake3::hash(term.as_bytes()).as_bytes().first_chunk().expect("32 bytes"));
            let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
            let rarity = (texts.len() as f32 / passages_with[term] as f32).ln() + 0.1;
            vector[hash as usize % COMPONENTS] += sign * rarity * (1.0 + (count as f32).ln());
        }
        normalize(&mut vector);
        vector
    };
    counts.iter().map(vector).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_the_same_rare_words_are_near() {
        let texts = ["the retry of a request", "requests are retried later", "the colour of a button", ""];
        let vectors = vectors(&texts);
        let dot = |a: usize, b: usize| vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum::<f32>();
        assert!(dot(0, 1) > 0.3 && dot(0, 2).abs() < 0.2, "{} {}", dot(0, 1), dot(0, 2));
        assert!((dot(0, 0) - 1.0).abs() < 1e-5 && dot(3, 3).abs() < f32::EPSILON);
    }
}
