use crate::excerpt::Excerpt;
use crate::records::DocumentVersion;
use crate::search::lists::filter_counts::FilterCounts;
use crate::search::lists::found::{Corrected, VectorCost};
use crate::search::query::query_settings::{Mode, Tier};
use serde::{Serialize, Serializer};

/// The answer to a query.
///
/// [`Session`](crate::search::Session) has an example.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The text of the query.
    pub query: String,
    /// The mode that was used: `words` if a hybrid query had no vector.
    pub mode: Mode,
    /// How the query was encoded: 0 not at all, 1 by the bundle's query encoder, 2 by the model.
    pub tier: Tier,
    /// Words that the bundle does not have, and the words that were searched for instead.
    pub corrections: Vec<Corrected>,
    /// The query with its mistyped words corrected, if it has any. Hosts encode this text and search for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<String>,
    /// Quoted phrases that no document contains, or that no document contains together. Their words were searched for
    /// instead.
    #[serde(rename = "missingPhrases")]
    pub missing_phrases: Vec<String>,
    /// The language that the answer was limited to, if the query has the reader's language and documents are in several
    /// languages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The number of ranked documents that fit.
    pub found: usize,
    /// Documents, best first.
    pub hits: Vec<Hit>,
    /// The number of documents with a word of the query, for each value of each filter, if requested. The counts for a
    /// property ignore the query's filter by that property. Empty if words took no part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<FilterCounts>,
    /// The cost of the query.
    pub cost: Cost,
    /// The terms that were searched for, in the form that [`crate::content`] uses.
    #[serde(skip)]
    pub terms: Vec<String>,
}

/// A document of the answer, shown by its best chunk.
///
/// [`Session`](crate::search::Session) has an example.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// Canonical id.
    pub document: String,
    /// Name of the document's project.
    pub project: String,
    /// The document's path inside its source.
    pub path: String,
    /// Address for readers, or `null` if there is none.
    pub url: Option<String>,
    /// Title of the document.
    pub title: String,
    /// Headings above the excerpt, joined by ` > `. Empty before the first heading.
    pub section: String,
    /// Anchor of the section. Empty if there is none.
    pub anchor: String,
    /// Metadata that the document's authors set: names and values.
    #[serde(serialize_with = "as_map")]
    pub meta: Vec<(String, String)>,
    /// How well the document answers the query, from 0 to 1. The score is never higher than that of the hit before,
    /// unless the answer is sorted. Scores can be compared between questions. A document that just fits has a score of
    /// .5.
    pub score: f32,
    /// Whether the site owner put the document first for this query.
    pub pinned: bool,
    /// All versions of the page, the latest first. Empty if there is only one.
    pub versions: Vec<DocumentVersion>,
    /// The passage that answers the query.
    pub excerpt: Excerpt,
    /// Further passages that may answer the query, if more than one was requested.
    pub more: Vec<Passage>,
    /// Why the document has its rank.
    pub why: Why,
    /// Index of the document's bundle among the searched bundles.
    pub bundle: usize,
    /// The text that a reranker reads, if requested: title, headings, and the chunk that answers the query.
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
    /// Text of the passage.
    pub excerpt: Excerpt,
    /// Number of the passage's chunk.
    #[serde(skip)]
    pub chunk: u32,
}

/// The evidence for a hit. Each list that took part has an entry for every document, even if the list does not contain
/// the document.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Why {
    /// The place in the list by words. The score is the BM25F score of the document's best chunks, reduced for a long
    /// document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<ListEvidence>,
    /// The place in the list by meaning. The score is the cosine of the document's best chunk, reduced for a long
    /// document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<ListEvidence>,
    /// The number that orders documents: the sum of `z` times `weight`, adjusted by the weight of the page, and much
    /// higher for a page whose name is the question. 0 for a pinned document that is in no list.
    pub fused: f32,
    /// Whether the title, or the name of the file, is the question.
    pub named: bool,
    /// In source code, how much the document gains because it defines a name in the question.
    #[serde(skip_serializing_if = "is_zero")]
    pub defines: f32,
    /// In source code, how much the document loses because it is a test, an example, or other code that is rarely
    /// meant.
    #[serde(skip_serializing_if = "is_zero")]
    pub aside: f32,
    /// How well the document fits, regardless of the others. If no document has a fit of 1 or more, the answer is
    /// empty, unless the query requests documents that barely fit or the nearest ones.
    pub fit: f32,
}

/// A place in a list.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ListEvidence {
    /// The rank, starting at 1, or `null` if the list does not contain the document.
    pub rank: Option<u32>,
    /// The score in the list, or 0 if the list does not contain the document.
    pub score: f32,
    /// How far the score is above the others in the list, in standard deviations.
    pub z: f32,
    /// The weight of the list for this question.
    pub weight: f32,
}

/// The cost of an answer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cost {
    /// Stored bytes of the blocks that the query needed, by part, whether they were cached or not.
    #[serde(serialize_with = "as_map")]
    pub bytes: Vec<(&'static str, u64)>,
    /// The number of times that blocks were requested from the host.
    pub rounds: u32,
    /// How the vectors were searched, if they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<VectorCost>,
}

impl Cost {
    /// Adds the cost of another answer.
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

    /// Adds the cost of searching other vectors, if they were searched.
    pub(crate) fn add_vectors(&mut self, vectors: Option<VectorCost>) {
        if let Some(vectors) = vectors {
            let sum = self.vectors.get_or_insert(VectorCost { compared: 0, ..vectors });
            sum.compared = sum.compared.saturating_add(vectors.compared);
        }
    }
}

/// Corrects the mistyped words in `text`. Returns `None` if there are none.
pub(crate) fn with_corrections(text: &str, corrections: &[Corrected]) -> Option<String> {
    let mut right = None;
    for Corrected { word, meant } in corrections {
        let now = right.as_deref().unwrap_or(text);
        // The text is read byte by byte, because code that reads characters would make every page larger.
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
