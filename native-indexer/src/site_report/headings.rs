//! Searches for each page with its own headings, because readers who type a heading want to find its page.

use super::page::{Page, first_for, page_of};
use anyhow::Result;
use nearfind_bundles::library::{Document, Library, QuestionEncoder};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Number of results that are inspected for each heading.
const FIRST: usize = 10;
/// Maximum number of pages that share a heading. A heading that several pages share, such as "Options", identifies none
/// of them.
const PAGES: usize = 1;
/// Maximum number of headings per page. The first headings describe the page best.
const OF_A_PAGE: usize = 20;
/// Minimum number of letters and digits in a heading.
const LETTERS: usize = 3;

/// Results of searching for pages with their own headings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ByHeadings {
    /// Number of titles and headings that were searched for. Titles and headings that several pages share are excluded.
    pub headings_asked: usize,
    /// Pages that are not among the first ten results for any of their headings.
    pub unfound: Vec<Page>,
    /// Headings with another page as the first result. Those whose own page is hardest to find come first.
    pub elsewhere: Vec<Elsewhere>,
}

/// A heading that finds a different page first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Elsewhere {
    /// The heading.
    pub heading: String,
    /// The page with the heading.
    pub page: Page,
    /// Rank of that page, starting at 1. `None` if the page is not among the first ten results.
    pub rank: Option<usize>,
    /// The first result.
    pub first: Page,
}

pub(super) fn by_headings(
    library: &Library,
    encoder: QuestionEncoder,
    documents: &[Document],
    told: &dyn Fn(usize, usize),
) -> Result<ByHeadings> {
    let all: Vec<Vec<String>> = documents.iter().map(headings_of).collect();
    let mut pages: BTreeMap<String, usize> = BTreeMap::new();
    all.iter().flatten().for_each(|heading| *pages.entry(heading.to_lowercase()).or_default() += 1);
    let is_own = |heading: &&String| pages.get(&heading.to_lowercase()).is_none_or(|count| *count <= PAGES);
    let own = |headings: &'_ [String]| headings.iter().filter(is_own).take(OF_A_PAGE).cloned().collect::<Vec<_>>();
    let total = all.iter().map(|headings| own(headings).len()).sum();
    let mut found = ByHeadings::default();
    for (document, headings) in documents.iter().zip(&all) {
        let page = page_of(document);
        let own = own(headings);
        let mut is_found = own.is_empty();
        for heading in &own {
            let first = first_for(library, encoder, heading, FIRST)?;
            let rank = first.iter().position(|found| found.document == page.document);
            is_found |= rank.is_some();
            found.headings_asked += 1;
            told(found.headings_asked, total);
            if let Some(other) = first.first().filter(|_| rank != Some(0)) {
                found.elsewhere.push(elsewhere(heading, &page, rank, other));
            }
        }
        if !is_found {
            found.unfound.push(page);
        }
    }
    found.elsewhere.sort_by_key(|heading| std::cmp::Reverse(heading.rank.unwrap_or(FIRST + 1)));
    Ok(found)
}

fn elsewhere(heading: &str, page: &Page, rank: Option<usize>, first: &Page) -> Elsewhere {
    Elsewhere { heading: heading.to_owned(), page: page.clone(), rank: rank.map(|rank| rank + 1), first: first.clone() }
}

/// Returns the title and the headings of a page, each once. Single words such as "Parameters" are excluded, because
/// they need the context of the page.
fn headings_of(document: &Document) -> Vec<String> {
    let sections = document.chunks.iter().flat_map(|chunk| &chunk.sections);
    let last = |title: &str| title.rsplit(" > ").next().unwrap_or(title).trim().to_owned();
    let mut known = BTreeSet::new();
    let is_plain_word = |heading: &str| heading.chars().all(char::is_alphabetic);
    std::iter::once(document.title.trim().to_owned())
        .chain(sections.map(|section| last(&section.title)).filter(|heading| !is_plain_word(heading)))
        .filter(|heading| heading.chars().filter(|c| c.is_alphanumeric()).count() >= LETTERS)
        .filter(|heading| known.insert(heading.to_lowercase()))
        .collect()
}
