//! The whole report.

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
    /// Pages of the bundle.
    pub pages: usize,
    /// How pages are found by their own headings.
    #[serde(flatten)]
    pub by_headings: ByHeadings,
    /// Titles, lengths and folders.
    #[serde(flatten)]
    pub overview: Overview,
    /// Links of the site that lead nowhere; missing if the site was not looked at.
    pub dead_links: Option<Vec<DeadLink>>,
    /// Questions of readers, the most frequent of those without an answer first; missing if none were given.
    pub questions: Option<Vec<AskedQuestion>>,
}

/// Reads all pages of the library, and asks it their headings. `told` hears how many of how many headings were asked.
///
/// # Errors
///
/// If the bundle cannot be read or asked.
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
