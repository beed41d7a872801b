//! Each page is asked for by its own headings: who types one wants to get there.

use super::page::{Page, first_for, page_of};
use anyhow::Result;
use nearfind_bundles::library::{Document, Library, QuestionEncoder};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Pages of an answer that are looked at.
const FIRST: usize = 10;
/// Pages that may have the same heading: what more have, such as "Options", stands for none of them.
const PAGES: usize = 1;
/// Headings of a page that are asked, at most: those at its top say what it is about.
const OF_A_PAGE: usize = 20;
/// Letters of a heading that says something.
const LETTERS: usize = 3;

/// How pages are found by their own headings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ByHeadings {
    /// Titles and headings that were asked; those of several pages were not.
    pub headings_asked: usize,
    /// Pages that are not among the first ten for any of their headings.
    pub unfound: Vec<Page>,
    /// Headings that lead to another page first, the hardest to find at the start.
    pub elsewhere: Vec<Elsewhere>,
}

/// A heading that another page answers first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Elsewhere {
    /// The heading.
    pub heading: String,
    /// The page that it is on.
    pub page: Page,
    /// At which place of the answer that page is, from 1; missing if it is not among the first ten.
    pub rank: Option<usize>,
    /// The page that comes first.
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

/// The title and the headings of a page, each once. A heading of one word, such as "Parameters", says what it is about on its
/// page alone.
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
