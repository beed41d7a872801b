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
    /// Results of searching for pages by their own headings.
    #[serde(flatten)]
    pub by_headings: ByHeadings,
    /// Titles, lengths and folders.
    #[serde(flatten)]
    pub overview: Overview,
    /// Dead links of the site, or `None` if they were not checked.
    pub dead_links: Option<Vec<DeadLink>>,
    /// Questions of readers, those without an answer first, then the most frequent ones. `None` if none were given.
    pub questions: Option<Vec<AskedQuestion>>,
}

/// Reads all pages of the library, and searches for their headings. `told` is called with the number of headings that
/// have been searched, and the number of all headings.
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
