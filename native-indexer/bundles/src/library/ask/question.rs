//! A question, and what answers it.

use crate::library::documents::path_filter::PathFilter;
use crate::library::open::content::Content;
use crate::library::open::open_bundle::OpenBundle;
use anyhow::Result;
use nearfind_base::facets::{HISTORY, KIND};
use nearfind_core::content::{ContentMode, TRUNCATION_NOTICE};
use nearfind_core::records::Date;
use nearfind_core::search::{Corrected, Cost, Filter, Hit, Mode, QueryText, Sort, Tier};
use std::sync::Arc;

/// What is asked.
#[derive(Clone)]
pub struct Question {
    /// The question.
    pub text: QueryText,
    /// Which lists rank.
    pub mode: Mode,
    /// What encodes the question at best.
    pub encoder: QuestionEncoder,
    /// Whether vectors are compared as in pages, by the coarse codes of promising documents, and not all of them.
    pub near: bool,
    /// Documents to leave out at the start.
    pub offset: usize,
    /// Documents wanted after them, at most.
    pub limit: usize,
    /// Whether [`Reply::has_more`] is wanted: it costs a document more.
    pub looks_further: bool,
    /// Passages of each document, at most; 0 stands for 1.
    pub passages: usize,
    /// Filters, see [`Filter`].
    pub filters: Vec<Filter>,
    /// The paths that may answer.
    pub path: Option<PathFilter>,
    /// The reader's language, see [`Query::language`](nearfind_core::search::Query::language).
    pub language: Option<String>,
    /// What documents are sorted by, in place of how well they answer.
    pub sort: Option<Sort>,
    /// Whether documents are wanted too that hardly fit.
    pub unfit: bool,
    /// Whether [`Reply::nearest`] is wanted where no document fits.
    pub nearest: bool,
    /// The text that goes with each.
    pub content: Content,
    /// What a reranker is to do, if there is one.
    pub rerank: Rerank,
}

/// What encodes questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuestionEncoder {
    /// The bundle's own table, as a page that has loaded nothing.
    Table,
    /// The small encoder, as a page that has loaded it.
    Small,
    /// The model; the small encoder where the model is not at hand.
    #[default]
    Model,
}

/// What a reranker is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rerank {
    /// Nothing.
    #[default]
    No,
    /// Order the best.
    Best,
    /// Order the best, look at what is near them by meaning, and again from the best of all.
    MultiHop,
}

impl Question {
    /// The question as it was searched for, where words were mistyped.
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

/// What was found.
#[derive(Clone, Debug)]
pub struct Reply {
    /// What answered: words, meaning or both.
    pub mode: Mode,
    /// What encoded the question.
    pub tier: Tier,
    /// Documents in their order.
    pub hits: Vec<FoundHit>,
    /// Where no document fits, those that come nearest, at most [`Reply::MOST_NEAREST`].
    pub nearest: Vec<FoundHit>,
    /// Whether there are more after them.
    pub has_more: bool,
    /// Words that no bundle has, and what they were taken for.
    pub corrections: Vec<Corrected>,
    /// The question with its mistyped words corrected, if all bundles were asked that.
    pub searched: Option<String>,
    /// Phrases in quotes that no document has.
    pub missing_phrases: Vec<String>,
    /// What readers should know of how this was found.
    pub notices: Vec<String>,
    /// What it cost.
    pub cost: Cost,
}

impl Reply {
    /// Documents in [`Reply::nearest`], at most.
    pub const MOST_NEAREST: usize = 5;
}

/// A document that was found.
#[derive(Clone, Debug)]
pub struct FoundHit {
    /// As core gives it, its address made whole.
    pub hit: Hit,
    /// The bundle that it is in.
    pub bundle: Arc<OpenBundle>,
    /// The text that was asked for.
    pub content: Option<String>,
    /// How well it answers by the reranker, 0 to 1, if that scored it.
    pub relevance: Option<f32>,
    /// The words that were searched for.
    pub(crate) terms: Arc<[String]>,
}

/// What is known of a document beside its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// One line on it; may be empty.
    pub description: String,
    /// Where its file is shown.
    pub source_url: Option<String>,
    /// Whether it is looked up rather than read.
    pub is_reference: bool,
    /// When it was written or last changed.
    pub date: Option<Date>,
}

impl FoundHit {
    /// What is known of the document beside its text.
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

    /// Of a commit the day, the start of its hash, its author and files, on one line; `None` of any other document.
    pub fn commit(&self) -> Result<Option<String>> {
        self.bundle.bring_map()?;
        if self.bundle.reader().facet_of(KIND, self.hit.number)? != Some(HISTORY) {
            return Ok(None);
        }
        let About { description, date, .. } = self.about()?;
        Ok(Some(date.map(|date| format!("{date}, ")).unwrap_or_default() + &description))
    }

    /// The text of the chunk that was found.
    pub fn chunk(&self) -> Result<Option<String>> {
        self.bundle.content(&[], &self.hit, Content { mode: ContentMode::Chunk, most_chars: 0, notice: "" })
    }

    /// The line of the document, from 1, on which the passage begins.
    pub fn line(&self) -> Result<usize> {
        self.bundle.line_of(&self.hit)
    }
}

impl std::fmt::Debug for Question {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Question").field("text", &self.text).finish_non_exhaustive()
    }
}
