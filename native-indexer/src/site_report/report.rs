//! Assembles the whole report.

use super::dead_links::DeadLink;
use super::headings::{ByHeadings, by_headings};
use super::overview::{Overview, overview};
use super::questions::AskedQuestion;
use anyhow::Result;
use nearfind_bundles::library::{Document, FoundPath, Library, QuestionEncoder};
use serde::Serialize;

/// The report on a site.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SiteReport {
    /// Number of pages in the bundle.
    pub pages: usize,
    /// Results of searching for pages with their own headings.
    #[serde(flatten)]
    pub by_headings: ByHeadings,
    /// Titles, lengths and folders.
    #[serde(flatten)]
    pub overview: Overview,
    /// Dead links in the site, or `None` if links were not checked.
    pub dead_links: Option<Vec<DeadLink>>,
    /// Readers' questions. Questions without an answer come first. `None` if there is no log of questions.
    pub questions: Option<Vec<AskedQuestion>>,
}

/// Reads all pages in the library, and searches for their headings. `told` is called with the number of headings
/// searched so far, and the number of all headings.
///
/// # Errors
///
/// Returns an error if the bundle cannot be read or searched.
pub fn report(library: &Library, encoder: QuestionEncoder, told: &dyn Fn(usize, usize)) -> Result<SiteReport> {
    let documents =
        library.read(|view| view.paths(None))?.iter().map(FoundPath::read).collect::<Result<Vec<Document>>>()?;
    Ok(SiteReport {
        pages: documents.len(),
        by_headings: by_headings(library, encoder, &documents, told)?,
        overview: overview(&documents),
        dead_links: None,
        questions: None,
    })
}
