//! Fuses two ranked lists by score and not by rank. The further a document stands out from its list, the more it
//! counts.
//!
//! The scores of each list become z-scores over the [`LIST_DOCUMENTS`] best documents, and the fused score is their
//! weighted sum. Unlike reciprocal rank fusion, this lets a clear winner count for more than the first document of a
//! flat list. The weight of words depends on the question: if even the best page contains only a few of its words, the
//! match is accidental.

use crate::collection::best_first;

/// Number of documents that determine the mean and deviation of a list. A list with fewer documents is filled up with
/// zeros.
pub const LIST_DOCUMENTS: usize = 200;
/// Lowest z-score, even for a document that is far below the others in the list, or not in the list at all.
const MIN_Z: f32 = -3.0;
/// Highest z-score, so that one list does not decide alone.
const MAX_Z: f32 = 8.0;

// These weights were chosen on five judged sets of HoloViz, PowerShell and SciFact with 401 questions, and nearby
// values work equally well. Questions whose wording differs from the page gain .10 nDCG@10, and the other sets change
// by at most .006.
/// Weight of words if the best document by words covers the whole question.
const COVERAGE: f32 = 0.4;
/// How much the weight of words grows, as a share, for each standard deviation that the best document by words also
/// stands out by meaning.
const AGREEMENT: f32 = 0.2;
/// Maximum number of standard deviations that count for [`AGREEMENT`].
const MAX_AGREEMENT: f32 = 5.0;
/// Additional weight of words if the bundle's query encoder replaces the model, because the model knows meaning better.
const TABLE: f32 = 0.25;
/// Factor of the weight of words if the query encoder knows only general English.
const GENERAL_TABLE: f32 = 3.0;
/// Minimum and maximum weight of words.
const WORDS: [f32; 2] = [0.2, 1.5];
/// Minimum weight of words for a name that the bundle has, so that documents with a similar meaning do not displace it.
/// For names on three sites, hybrid ranking is then better than words alone, or at most .01 nDCG@10 worse.
const NAME: f32 = 3.0;

/// Gain of a document whose name is the question. It is higher than anything that the lists can add for another
/// document.
const NAMED: f32 = 2.0 * MAX_Z;
/// Further gain for each point after the first. A document has more points if both title and file have the name, or if
/// the name is written in the same way.
const NAMED_MORE: f32 = 2.0;

/// Documents whose scores differ by less than this may be in a different order on hosts whose vectors differ in the
/// last bits.
pub const TIE_MARGIN: f32 = 0.01;

/// The encoder of a question, which determines how much its meaning counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodedBy {
    /// The model.
    Model,
    /// The bundle's query encoder, fitted to its documents.
    Table,
    /// A query encoder that knows only general meanings of words.
    GeneralTable,
}

/// A document of the fused list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fused {
    /// Document number.
    pub document: u32,
    /// The sum of z-score times weight over the lists that took part, plus the gain of a document whose name is the
    /// question.
    pub score: f32,
    /// The document's rank in each list, starting at 1, if the list contains the document.
    pub ranks: [Option<u32>; 2],
    /// The document's z-score in each list that took part.
    pub z: [Option<f32>; 2],
    /// Points for how exactly the document's name matches the question, or 0 if it does not match.
    pub names: u8,
}

/// The statistics that turn scores of a list into z-scores.
#[derive(Clone, Copy, Debug)]
struct Standard {
    mean: f32,
    deviation: f32,
    /// The score of a document that is not in the list.
    missing: f32,
}

/// The statistics of both lists. The lists of several bundles are measured as if they were one list.
///
/// [`fuse`] has an example.
#[derive(Clone, Copy, Debug)]
pub struct Standards([Option<Standard>; 2]);

impl Standards {
    /// Computes the statistics of `lists`. For words and for meaning, these contain the scores in each bundle's list,
    /// best first. A list that takes no part is empty. `total` is the number of documents that could be in a list.
    pub fn of(lists: [Vec<Vec<f32>>; 2], total: usize) -> Self {
        Self(lists.map(|lists| match lists.len() {
            0 => None,
            1 => Some(Standard::of(&lists[0], total)),
            _ => {
                let scores = lists.concat();
                let order = best_first(scores.iter().copied());
                Some(Standard::of(&order.into_iter().map(|at| scores[at as usize]).collect::<Vec<f32>>(), total))
            }
        }))
    }
}

impl Standards {
    /// Returns the weights of the lists, by words and by meaning. `coverage` is the share of the question's information
    /// that the best document by words contains. It is above 1 if the document contains the words more than once.
    /// `agreement` is that document's score by meaning, and `by` is the encoder of the question. `is_name` tells
    /// whether the question is nothing but a name that the bundle has.
    pub fn weights(&self, coverage: f32, agreement: Option<f32>, by: EncodedBy, is_name: bool) -> [f32; 2] {
        let [Some(_), Some(meaning)] = self.0 else { return [1.0; 2] };
        let agreement = agreement.map_or(0.0, |score| meaning.z(score)).clamp(0.0, MAX_AGREEMENT);
        let words = COVERAGE * coverage * (1.0 + AGREEMENT * agreement);
        let words = words.max(WORDS[0]);
        let words = match by {
            EncodedBy::Model => words.min(WORDS[1]),
            EncodedBy::Table => (words + TABLE).min(WORDS[1]),
            EncodedBy::GeneralTable => GENERAL_TABLE * (words + TABLE).min(WORDS[1]),
        };
        [if is_name { words.max(NAME) } else { words }, 1.0]
    }
}

impl Standard {
    /// Computes the statistics of a list that could have `total` documents.
    fn of(scores: &[f32], total: usize) -> Self {
        let counted = LIST_DOCUMENTS.min(total).max(1);
        let top = || scores.iter().take(counted).map(|score| f64::from(*score));
        let mean = top().sum::<f64>() / counted as f64;
        let squares: f64 = top().map(|score| (score - mean).powi(2)).sum();
        let absent = counted.saturating_sub(scores.len()) as f64;
        let deviation = ((squares + absent * mean * mean) / counted as f64).sqrt();
        // If the list was cut off, a missing document is no better than the last one in the list.
        let missing =
            if scores.len() < total.min(LIST_DOCUMENTS) { 0.0 } else { scores.last().copied().unwrap_or_default() };
        Self { mean: mean as f32, deviation: deviation as f32, missing }
    }

    #[expect(clippy::manual_clamp, reason = "the panic of `clamp` would bring the printing of floats into a web page")]
    fn z(self, score: f32) -> f32 {
        if self.deviation <= f32::EPSILON {
            return 0.0;
        }
        ((score - self.mean) / self.deviation).max(MIN_Z).min(MAX_Z)
    }
}

/// Fuses lists of documents with their scores, best first, in a bundle with `documents` documents. `None` is a list
/// that takes no part. `standards` measures the scores, and `weights` contains the weight of each list. `named`
/// contains the documents whose name is the question, with their points, whether or not they are in a list. Equal
/// scores are ordered by document number.
///
/// ```
/// use nearfind_core::rank::{EncodedBy, Standards, fuse};
///
/// // Documents with their scores, by words and by meaning.
/// let (words, meaning) = ([(2, 9.0), (0, 4.0)], [(2, 0.8), (1, 0.7), (0, 0.2)]);
/// let scores = [vec![vec![9.0, 4.0]], vec![vec![0.8, 0.7, 0.2]]];
/// let standards = Standards::of(scores, 3);
/// let weights = standards.weights(1.0, Some(0.8), EncodedBy::Model, false);
/// let fused = fuse([Some(&words), Some(&meaning)], weights, &[], 3, &standards);
/// assert_eq!(fused[0].document, 2);
/// assert_eq!(fused[0].ranks, [Some(1), Some(1)]);
/// ```
pub fn fuse(
    lists: [Option<&[(u32, f32)]>; 2],
    weights: [f32; 2],
    named: &[(u32, u8)],
    documents: usize,
    standards: &Standards,
) -> Vec<Fused> {
    type Places = [Option<(u32, f32)>; 2];
    let mut places: Vec<Places> = vec![[None; 2]; documents];
    for (number, list) in lists.into_iter().enumerate() {
        for (at, &(document, score)) in list.into_iter().flatten().enumerate() {
            if let Some(places) = places.get_mut(document as usize) {
                places[number].get_or_insert((at as u32 + 1, score));
            }
        }
    }
    let mut points = vec![0u8; documents];
    for &(document, names) in named {
        if let Some(points) = points.get_mut(document as usize) {
            *points = names;
        }
    }
    let fused = |(document, places): (u32, Places)| {
        let z = |list: usize| -> Option<f32> {
            lists[list]?;
            let standard = standards.0[list]?;
            Some(standard.z(places[list].map_or(standard.missing, |(_, score)| score)))
        };
        let z = [z(0), z(1)];
        let names = points[document as usize];
        let more = if names > 0 { NAMED + NAMED_MORE * f32::from(names - 1) } else { 0.0 };
        let score = z.iter().zip(weights).filter_map(|(z, weight)| Some((*z)? * weight)).sum::<f32>() + more;
        Fused { document, score, ranks: places.map(|place| place.map(|(rank, _)| rank)), z, names }
    };
    let is_listed =
        |(document, places): &(u32, Places)| places.iter().any(Option::is_some) || points[*document as usize] > 0;
    let listed = (0u32..).zip(places).filter(is_listed);
    let all: Vec<Fused> = listed.map(fused).collect();
    best_first(all.iter().map(|fused| fused.score)).into_iter().map(|at| all[at as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fused(lists: [Option<&[(u32, f32)]>; 2], documents: usize) -> Vec<Fused> {
        fused_with(lists, &[], documents)
    }

    fn fused_with(lists: [Option<&[(u32, f32)]>; 2], named: &[(u32, u8)], documents: usize) -> Vec<Fused> {
        let scores = |list: Option<&[(u32, f32)]>| list.map(|list| list.iter().map(|(_, score)| *score).collect());
        let standards = Standards::of(lists.map(|list| scores(list).into_iter().collect()), documents);
        fuse(lists, [1.0; 2], named, documents, &standards)
    }

    #[test]
    fn a_clear_winner_beats_two_middling_places() {
        let words = [(1, 20.0), (2, 8.0), (3, 7.5), (4, 7.0)];
        let meaning = [(2, 0.50), (3, 0.49), (1, 0.48), (4, 0.47)];
        let order: Vec<u32> = fused([Some(&words), Some(&meaning)], 5).iter().map(|fused| fused.document).collect();
        // Document 1 is far ahead by words and only slightly behind by meaning. By ranks, 2 would win.
        assert_eq!(order, [1, 2, 3, 4]);
    }

    #[test]
    fn one_list_keeps_its_order() {
        let words = [(7, 3.0), (3, 2.0), (9, 1.0)];
        let fused = fused([Some(&words), None], 100);
        assert_eq!(fused.iter().map(|fused| fused.document).collect::<Vec<_>>(), [7, 3, 9]);
        assert_eq!(fused[0].z[1], None);
    }

    #[test]
    fn equal_scores_say_nothing() {
        let same = [(0, 1.0), (1, 1.0)];
        let fused = fused([Some(&same), None], 2);
        assert!(fused.iter().all(|fused| fused.score == 0.0));
    }

    #[test]
    fn what_is_called_so_comes_first_and_what_is_called_so_twice_before_it() {
        let words = [(1, 20.0), (2, 8.0), (3, 7.5)];
        let order: Vec<u32> =
            fused_with([Some(&words), None], &[(3, 1), (4, 2)], 9).iter().map(|fused| fused.document).collect();
        // Document 4 is in neither list.
        assert_eq!(order, [4, 3, 1, 2]);
    }

    #[test]
    fn words_that_cover_little_weigh_little_and_more_where_meaning_agrees() {
        let lists = [vec![vec![9.0, 3.0, 2.0]], vec![vec![0.6, 0.3, 0.2, 0.1]]];
        let standards = Standards::of(lists.clone(), 50);
        let words = |coverage, agreement| standards.weights(coverage, agreement, EncodedBy::Model, false)[0];
        assert!(words(0.5, None) < words(1.5, None) && words(0.5, None) < words(0.5, Some(0.6)));
        assert!((words(0.0, None) - WORDS[0]).abs() < 1e-6 && (words(50.0, Some(0.6)) - WORDS[1]).abs() < 1e-6);
        let by = |table| standards.weights(0.5, None, table, false)[0];
        assert!(by(EncodedBy::Table) > words(0.5, None));
        assert!(by(EncodedBy::GeneralTable) > by(EncodedBy::Table));
        let name = |by| standards.weights(0.5, None, by, true)[0];
        assert!(
            name(EncodedBy::Model) > words(50.0, Some(0.6))
                && name(EncodedBy::GeneralTable) >= by(EncodedBy::GeneralTable)
        );
        // A single list has no other list to be weighted against.
        let alone = Standards::of([lists[0].clone(), Vec::new()], 50).weights(0.1, None, EncodedBy::Model, true);
        assert!(alone.iter().all(|weight| (weight - 1.0).abs() < 1e-6));
    }

    proptest! {
        /// The explanation adds up, and every document of either list occurs once.
        #[test]
        fn scores_are_the_sums_of_z(a in prop::collection::btree_map(0u32..50, 0.0f32..9.0, 0..20), b in prop::collection::btree_map(0u32..50, -1.0f32..1.0, 0..20)) {
            let sorted = |list: &std::collections::BTreeMap<u32, f32>| {
                let mut list: Vec<_> = list.iter().map(|(&document, &score)| (document, score)).collect();
                list.sort_by(|x, y| y.1.total_cmp(&x.1));
                list
            };
            let (words, meaning) = (sorted(&a), sorted(&b));
            let fused = fused([Some(&words), Some(&meaning)], 50);
            let union: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            prop_assert_eq!(fused.len(), union.len());
            for fused in fused {
                let sum: f32 = fused.z.iter().flatten().sum();
                prop_assert!((fused.score - sum).abs() < 1e-5 && fused.score.is_finite());
                prop_assert_eq!(fused.ranks[0], words.iter().position(|(document, _)| *document == fused.document).map(|at| at as u32 + 1));
            }
        }
    }
}
