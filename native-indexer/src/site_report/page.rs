//! A page in a report, and the search for pages.

use anyhow::Result;
use nearfind_bundles::library::{Document, Library, Question, QuestionEncoder};
use serde::Serialize;

/// A page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Page {
    /// Canonical id.
    pub document: String,
    /// The page's title.
    pub title: String,
}

pub(super) fn page_of(document: &Document) -> Page {
    Page { document: document.id.clone(), title: document.title.clone() }
}

/// Returns the first pages for a text, in the order in which the search box lists them.
pub(super) fn first_for(library: &Library, encoder: QuestionEncoder, text: &str, limit: usize) -> Result<Vec<Page>> {
    let question = Question { text: text.into(), encoder, near: true, limit, ..Question::default() };
    let reply = library.read(|view| library.ask(view, &question))?;
    Ok(reply.hits.into_iter().map(|found| Page { document: found.hit.document, title: found.hit.title }).collect())
}
