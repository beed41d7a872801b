//! Questions of readers, as the site's owner collected them: how often each was asked, and whether a page answers it.

use super::page::{Page, first_for};
use anyhow::{Context as _, Result};
use nearfind_base::root_folder::bytes_of;
use nearfind_bundles::library::{Library, QuestionEncoder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Bytes of a log, at most.
const MOST: u64 = 256 << 20;
/// Different questions that are asked, at most, the most frequent ones.
const QUESTIONS: usize = 2_000;
/// Characters of a question; longer ones are pasted texts.
const LENGTH: usize = 200;

/// A question of readers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AskedQuestion {
    /// The question, in lower case.
    pub question: String,
    /// How often it was asked.
    pub times: usize,
    /// The page that answers it best; missing if none fits.
    pub first: Option<Page>,
}

/// A line of a log: text, or JSON as the events of the search box give it.
#[derive(Deserialize)]
struct Line {
    query: String,
}

/// The questions of a log, each with how often it was asked: a question a line, or a JSON object with `query`.
///
/// # Errors
///
/// If the file cannot be read.
pub fn read_questions(path: &Path) -> Result<Vec<(String, usize)>> {
    let bytes = bytes_of(path, MOST).with_context(|| path.display().to_string())?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in String::from_utf8_lossy(&bytes).lines().map(str::trim).filter(|line| !line.is_empty()) {
        let asked = serde_json::from_str(line).map_or_else(|_| line.to_owned(), |Line { query }| query);
        let asked = asked.trim().to_lowercase();
        if !asked.is_empty() && asked.chars().count() <= LENGTH {
            *counts.entry(asked).or_default() += 1;
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts.truncate(QUESTIONS);
    Ok(counts)
}

/// Asks the questions: those without an answer come first, then the most frequent.
///
/// # Errors
///
/// If the bundle cannot be read or asked.
pub fn answers(library: &Library, encoder: QuestionEncoder, counts: &[(String, usize)]) -> Result<Vec<AskedQuestion>> {
    let first = |question: &str| -> Result<Option<Page>> {
        // A text without a word is refused: it finds nothing.
        let is_asked = question.chars().any(char::is_alphanumeric);
        let pages = if is_asked { first_for(library, encoder, question, 1)? } else { Vec::new() };
        Ok(pages.into_iter().next())
    };
    let mut asked = Vec::with_capacity(counts.len());
    for (question, times) in counts {
        asked.push(AskedQuestion { question: question.clone(), times: *times, first: first(question)? });
    }
    asked.sort_by_key(|question| (question.first.is_some(), std::cmp::Reverse(question.times)));
    Ok(asked)
}
