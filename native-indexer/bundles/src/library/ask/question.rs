//! A question, and its reply.

use crate::library::documents::path_filter::PathFilter;
use crate::library::open::content::Content;
use crate::library::open::open_bundle::OpenBundle;
use anyhow::Result;
use nearfind_base::facets::{HISTORY, KIND};
use nearfind_core::content::{ContentMode, TRUNCATION_NOTICE};
use nearfind_core::records::Date;
use nearfind_core::search::{Corrected, Cost, Filter, Hit, Mode, QueryText, Sort, Tier};
use std::sync::Arc;

/// A question with its settings.
///
/// [`Library`](crate::library::Library) has an example.
#[derive(Clone)]
pub struct Question {
    /// The text of the question.
    pub text: QueryText,
    /// Which lists rank the documents.
    pub mode: Mode,
    /// The best encoder to use.
    pub encoder: QuestionEncoder,
    /// Whether to compare vectors as in pages, by the coarse codes of promising documents, instead of all vectors.
    pub near: bool,
    /// Number of documents to skip.
    pub offset: usize,
    /// Maximum number of documents to return.
    pub limit: usize,
    /// Whether to determine [`Reply::has_more`], which requires finding one more document.
    pub looks_further: bool,
    /// Maximum number of passages per document. 0 means 1.
    pub passages: usize,
    /// Filters: see [`Filter`].
    pub filters: Vec<Filter>,
    /// Restricts the paths of documents.
    pub path: Option<PathFilter>,
    /// The reader's language: see [`Query::language`](nearfind_core::search::Query::language).
    pub language: Option<String>,
    /// The order of documents. If it is not set, the best answer comes first.
    pub sort: Option<Sort>,
    /// Whether to also return documents that barely fit.
    pub unfit: bool,
    /// Whether to fill [`Reply::nearest`] if no document fits.
    pub nearest: bool,
    /// The text to return with each document.
    pub content: Content,
    /// How the reranker takes part, if there is one.
    pub rerank: Rerank,
}

/// The question encoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuestionEncoder {
    /// The bundle's own query encoder, as in a page that has loaded no model.
    Table,
    /// The small encoder, as in a page that has loaded it.
    Small,
    /// The model, or the small encoder if the model is not available.
    #[default]
    Model,
}

/// What a reranker does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rerank {
    /// Nothing.
    #[default]
    No,
    /// Order the best documents.
    Best,
    /// Order the best documents, add their neighbors in meaning, and repeat this from the best documents of all.
    MultiHop,
}

impl Question {
    /// Returns the question as it was searched for, with mistyped words corrected.
    pub(crate) fn as_searched(&self, reply: &Reply) -> Self {
        let text = reply.searched.as_deref().map_or_else(|| self.text.clone(), Into::into);
        Self { text, ..self.clone() }
    }
}

impl Default for Question {
    fn default() -> Self {
        Self {
            text: QueryText::default(),
            mode: Mode::default(),
            encoder: QuestionEncoder::Model,
            near: false,
            offset: 0,
            limit: 0,
            looks_further: false,
            passages: 1,
            filters: Vec::new(),
            path: None,
            language: None,
            sort: None,
            unfit: false,
            nearest: false,
            content: Content { mode: ContentMode::None, most_chars: 0, notice: TRUNCATION_NOTICE },
            rerank: Rerank::No,
        }
    }
}

/// The reply to a question.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The mode that was used: search by words, by meaning, or both.
    pub mode: Mode,
    /// The encoder that was used.
    pub tier: Tier,
    /// The documents in order.
    pub hits: Vec<FoundHit>,
    /// If no document fits, the nearest ones, at most [`Reply::MOST_NEAREST`].
    pub nearest: Vec<FoundHit>,
    /// Whether there are more documents.
    pub has_more: bool,
    /// Words that no bundle contains, with their corrections.
    pub corrections: Vec<Corrected>,
    /// The question with its mistyped words corrected, if all bundles were queried with it.
    pub searched: Option<String>,
    /// Phrases in quotes that no document contains.
    pub missing_phrases: Vec<String>,
    /// Notices for readers about how the documents were found.
    pub notices: Vec<String>,
    /// The cost of the query.
    pub cost: Cost,
}

impl Reply {
    /// Maximum number of documents in [`Reply::nearest`].
    pub const MOST_NEAREST: usize = 5;
}

/// A document that was found.
#[derive(Clone, Debug)]
pub struct FoundHit {
    /// The hit from core, with an absolute address.
    pub hit: Hit,
    /// The bundle that contains the document.
    pub bundle: Arc<OpenBundle>,
    /// The text that was requested.
    pub content: Option<String>,
    /// How well the document answers the question, from 0 to 1, if the reranker scored it.
    pub relevance: Option<f32>,
    /// The terms that were searched for.
    pub(crate) terms: Arc<[String]>,
}

/// Properties of a document other than its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// A description on one line. May be empty.
    pub description: String,
    /// The address that shows the document's file.
    pub source_url: Option<String>,
    /// Whether the document is reference material, to look up rather than to read.
    pub is_reference: bool,
    /// The date when the document was written or last changed.
    pub date: Option<Date>,
}

impl FoundHit {
    /// Returns the properties of the document.
    pub fn about(&self) -> Result<About> {
        let (record, _) = self.bundle.document(self.hit.number)?;
        let listed = self.bundle.listed()?.get(self.hit.number as usize);
        Ok(About {
            source_url: self.bundle.source_url(self.hit.number)?,
            description: record.description,
            is_reference: listed.is_some_and(|listed| listed.is_reference),
            date: listed.and_then(|listed| listed.date),
        })
    }

    /// For a commit, returns the day, the start of the hash, the author and the files, on one line. Returns `None` for
    /// other documents.
    pub fn commit(&self) -> Result<Option<String>> {
        self.bundle.bring_map()?;
        if self.bundle.reader().facet_of(KIND, self.hit.number)? != Some(HISTORY) {
            return Ok(None);
        }
        let About { description, date, .. } = self.about()?;
        Ok(Some(date.map(|date| format!("{date}, ")).unwrap_or_default() + &description))
    }

    /// Returns the text of the chunk that was found.
    pub fn chunk(&self) -> Result<Option<String>> {
        self.bundle.content(&[], &self.hit, Content { mode: ContentMode::Chunk, most_chars: 0, notice: "" })
    }

    /// Returns the document's line where the passage begins, starting at 1.
    pub fn line(&self) -> Result<usize> {
        self.bundle.line_of(&self.hit)
    }
}

impl std::fmt::Debug for Question {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Question").field("text", &self.text).finish_non_exhaustive()
    }
}
