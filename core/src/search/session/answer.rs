use crate::excerpt::Excerpt;
use crate::records::DocumentVersion;
use crate::search::lists::filter_counts::FilterCounts;
use crate::search::lists::found::{Corrected, VectorCost};
use crate::search::query::query_settings::{Mode, Tier};
use serde::{Serialize, Serializer};

/// What a query found.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The query's text.
    pub query: String,
    /// The mode that was used: `words` where hybrid had no vector.
    pub mode: Mode,
    /// What encoded the query: 0 nothing, 1 the bundle's table, 2 the model.
    pub tier: Tier,
    /// Words that the bundle does not have, and what they were taken for.
    pub corrections: Vec<Corrected>,
    /// The query with its mistyped words corrected, if it has any. Hosts encode and ask this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<String>,
    /// Phrases in quotes that no document has, or not together: their words were searched for.
    #[serde(rename = "missingPhrases")]
    pub missing_phrases: Vec<String>,
    /// The language that was kept to, if the reader's was asked for and documents are in several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// How many documents fit, of those that were ranked.
    pub found: usize,
    /// Documents, best first.
    pub hits: Vec<Hit>,
    /// If asked for: how many of the documents with a word of the query have each value of each filter. For a property that
    /// is filtered by, as if it were not. Empty where words took no part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<FilterCounts>,
    /// What it cost.
    pub cost: Cost,
    /// The terms that were searched for, as [`crate::content`] looks for them.
    #[serde(skip)]
    pub terms: Vec<String>,
}

/// One document, shown by its best chunk.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// Canonical id.
    pub document: String,
    /// Project name.
    pub project: String,
    /// Path inside its source.
    pub path: String,
    /// Where readers find it; `null` if nowhere.
    pub url: Option<String>,
    /// Title of the document.
    pub title: String,
    /// Headings above the excerpt, joined by ` > `; empty before the first heading.
    pub section: String,
    /// Anchor of that section; empty if it has none.
    pub anchor: String,
    /// What its authors say of it: names and values.
    #[serde(serialize_with = "as_map")]
    pub meta: Vec<(String, String)>,
    /// How sure it is that the document answers, 0 to 1: never more than that of the hit before, unless the answer is
    /// sorted, and comparable between questions. .5 is for what just fits.
    pub score: f32,
    /// Whether the site's owner put it first for this query.
    pub pinned: bool,
    /// Of a page in several versions all of them, the latest first; else empty.
    pub versions: Vec<DocumentVersion>,
    /// The passage that answers.
    pub excerpt: Excerpt,
    /// Other passages that may, if more than one was asked for.
    pub more: Vec<Passage>,
    /// Which list found it.
    pub why: Why,
    /// Number of its bundle among those that were asked; 0 if it is one.
    pub bundle: usize,
    /// If it was asked for: what a reranker reads of it, which is title, headings and the chunk that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Number of the document in the bundle.
    #[serde(skip)]
    pub number: u32,
    /// Number of the chunk of `excerpt`.
    #[serde(skip)]
    pub chunk: u32,
}

/// A passage of a document.
#[derive(Clone, Debug, Serialize)]
pub struct Passage {
    /// As in [`Hit::section`].
    pub section: String,
    /// As in [`Hit::anchor`].
    pub anchor: String,
    /// Its text.
    pub excerpt: Excerpt,
    /// Number of its chunk.
    #[serde(skip)]
    pub chunk: u32,
}

/// The evidence for a hit: a list that took part says what it thinks of every document, those that it lacks included.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Why {
    /// By words; the score is BM25F of its best chunks, less for a long document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<ListEvidence>,
    /// By meaning; the score is the cosine of its best chunk, less for a long document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<ListEvidence>,
    /// What documents are ordered by: the sum of `z` times `weight`, more or less for a page that counts more or less, and
    /// much more for one that is called what is asked for; 0 for a pinned document that no list has.
    pub fused: f32,
    /// Whether its title or the name of its file is the question.
    pub named: bool,
    /// Of a piece of source code: what it counts more as it defines a name of the question.
    #[serde(skip_serializing_if = "is_zero")]
    pub defines: f32,
    /// Of a piece of source code: what it counts less as it is a test, an example, or another that is rarely meant.
    #[serde(skip_serializing_if = "is_zero")]
    pub aside: f32,
    /// How well it fits the question, whatever else there is: an answer is empty if no document has 1, unless all were
    /// asked for, or those that come near.
    pub fit: f32,
}

/// A place in one list.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ListEvidence {
    /// From 1; `null` for a document that it lacks.
    pub rank: Option<u32>,
    /// The list's own score; 0 for a document that it lacks.
    pub score: f32,
    /// How far it stands out of its list, in standard deviations.
    pub z: f32,
    /// What the list weighs for this question.
    pub weight: f32,
}

/// What an answer cost.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cost {
    /// Stored bytes of the blocks that the query needed, by part, cached or not.
    #[serde(serialize_with = "as_map")]
    pub bytes: Vec<(&'static str, u64)>,
    /// Times that the host was asked for blocks.
    pub rounds: u32,
    /// How the vectors were searched, if they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<VectorCost>,
}

impl Cost {
    /// Adds what another answer cost.
    pub fn add(&mut self, other: &Self) {
        for &(part, bytes) in &other.bytes {
            match self.bytes.iter_mut().find(|(known, _)| *known == part) {
                Some((_, sum)) => *sum = sum.saturating_add(bytes),
                None => self.bytes.push((part, bytes)),
            }
        }
        self.rounds = self.rounds.saturating_add(other.rounds);
        self.add_vectors(other.vectors);
    }

    /// Adds how other vectors were searched, if they were.
    pub(crate) fn add_vectors(&mut self, vectors: Option<VectorCost>) {
        if let Some(vectors) = vectors {
            let sum = self.vectors.get_or_insert(VectorCost { compared: 0, ..vectors });
            sum.compared = sum.compared.saturating_add(vectors.compared);
        }
    }
}

/// Corrects the mistyped words of `text`; `None` if it has none.
pub(crate) fn with_corrections(text: &str, corrections: &[Corrected]) -> Option<String> {
    let mut right = None;
    for Corrected { word, meant } in corrections {
        let now = right.as_deref().unwrap_or(text);
        // Byte by byte: what reads characters would weigh on every page.
        let goes_on =
            |at: usize| now.as_bytes().get(at).is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte > 127);
        for at in 0..now.len() {
            let end = at + word.len();
            if now.get(at..end).is_some_and(|here| here.eq_ignore_ascii_case(word))
                && !goes_on(at.wrapping_sub(1))
                && !goes_on(end)
            {
                right = Some([&now[..at], meant, &now[end..]].concat());
                break;
            }
        }
    }
    right
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls it with")]
fn is_zero(number: &f32) -> bool {
    *number == 0.0
}

fn as_map<S: Serializer, K: Serialize, V: Serialize>(pairs: &[(K, V)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistyped_words_are_put_right_where_they_stand() {
        let corrections = [("colections", "collections"), ("liqid", "liquid")];
        let corrections = corrections.map(|(word, meant)| Corrected { word: word.into(), meant: meant.into() });
        let right = |text: &str| with_corrections(text, &corrections);
        assert_eq!(right("Colections in liqid?").as_deref(), Some("collections in liquid?"));
        assert_eq!(right("liqids colections_a").as_deref(), Some("liqids collections_a"));
        assert_eq!((right("é collections"), right("")), (None, None));
    }
}
