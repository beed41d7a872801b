//! Measures whether a document fits a question at all. A ranking always has a first place. Two signs that do not depend
//! on the other documents reveal most questions about something else.

use crate::analysis::QueryWord;
use crate::format::root::{CHUNK_LENGTH, Root};
use crate::search::lists::bundle_lists::ParsedQuery;
use crate::search::lists::ranking::RankedDocument;
use crate::search::lists::word_list::{Resolved, Statistics};
use crate::search::query::query_settings::Tier;

// These values were tuned on 140 questions about seven sites and 280 questions about something else. All questions
// about the sites have a fit of 1 or more, and nineteen out of twenty of the others have less. On three corpora with
// other questions, 99 % of the questions about the corpus have a fit of 1 or more. Four out of five of the others have
// less with the query encoder, and nine out of ten with the model.
/// The share of the floor that even texts about something else exceed, if the vectors of a bundle are crowded. Of 298
/// questions about German pages, e5 refuses 2 % with this share and 6.6 % without it.
const CROWD: f32 = 0.9;
/// The measure of a document that contains every word of the question once.
const WORDS: f32 = 0.86;
/// The measure of a document that is as near to the question as one in ten texts about something else.
const MEANING: f32 = 0.71;
/// If meaning takes no part, the measure of a document that contains every word is this number times the square root of
/// the number of words. Even the best document contains a smaller share of a long question, and documents about
/// something else contain a smaller share still. Among 167 questions with ten words or more, 11 % are refused, while a
/// constant measure refuses 54 %. Among 416 such questions about something else, 4 % get an answer.
const WORDS_ALONE: f32 = 1.0206;
/// Shorter questions are measured as if they had this number of words.
const SHORT: usize = 6;
/// If one document fits, documents with at least this measure are shown as well.
pub(crate) const ENOUGH: f32 = 0.6;

/// The scores that documents are measured by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measure {
    /// The score by words of a text that contains every word of the question once, or 0 if words take no part.
    words: f32,
    /// The score by meaning, above `crowd`, that one in ten texts about something else reaches, or 0 if it is not known.
    meaning: f32,
    /// The part that all scores by meaning share, so that it distinguishes nothing.
    crowd: f32,
    /// The factor for the share of the question that a document contains, if meaning takes no part, or else 0.
    words_alone: f32,
}

impl Measure {
    /// Creates the measure for a bundle with `root`, whose terms for the question are `resolved`. `tier` encoded the
    /// question.
    pub(crate) fn new(
        root: &Root,
        parsed: &ParsedQuery,
        resolved: Option<&Resolved>,
        statistics: Option<&Statistics>,
        tier: Tier,
    ) -> Self {
        let stands = resolved.map_or(&[][..], |resolved| &resolved.stands);
        let rarity = |(word, stands): (&QueryWord, &Option<String>)| {
            statistics.map_or(0.0, |statistics| statistics.rarity(stands.as_ref().unwrap_or(&word.term)))
        };
        let (floor, words_alone) = match tier {
            Tier::Words => (0.0, WORDS_ALONE * (parsed.words.len().max(SHORT) as f32).sqrt()),
            Tier::Table => (root.floors[0], 0.0),
            Tier::Model => (root.floors[1], 0.0),
        };
        // The query encoder of a crowded bundle leaves out what all its vectors have in common.
        let is_crowded = root.chunk_length < CHUNK_LENGTH && tier == Tier::Model;
        let crowd = if is_crowded { CROWD * floor } else { 0.0 };
        Self { words: parsed.words.iter().zip(stands).map(rarity).sum(), meaning: floor - crowd, crowd, words_alone }
    }

    /// Returns the share of the question's information that a document with this score by words contains.
    pub(crate) fn coverage(&self, by_words: f32) -> f32 {
        if self.words > 0.0 { by_words / self.words } else { 0.0 }
    }

    /// Returns how well a document with these places in both lists fits the question. 1 is the least that is worth
    /// showing.
    pub(crate) fn fit(&self, [words, meaning]: [Option<RankedDocument>; 2]) -> f32 {
        let score = |ranked: Option<RankedDocument>| ranked.map_or(0.0, |ranked| ranked.score);
        let by_words = self.coverage(score(words));
        if self.words_alone > 0.0 {
            by_words * self.words_alone
        } else if self.meaning > 0.0 {
            by_words * WORDS + MEANING * (score(meaning) - self.crowd).max(0.0) / self.meaning
        } else {
            1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_scores_share_does_not_count() {
        let fit = |crowd: f32, score: f32| {
            let measure = Measure { words: 0.0, meaning: 0.8 - crowd, crowd, words_alone: 0.0 };
            measure.fit([None, Some(RankedDocument { document: 0, score })])
        };
        // The floor is .8: without a crowd, a score of .84 is hardly above it. With one, it is far above.
        assert!(fit(0.0, 0.84) < 0.75 && fit(CROWD * 0.8, 0.84) > 1.0);
        assert!(fit(CROWD * 0.8, 0.8) < 1.0);
        assert!(fit(CROWD * 0.8, 0.1).abs() < f32::EPSILON, "a score below the crowd counts as none");
    }
}
