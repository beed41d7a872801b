//! Checks readers' questions that the site's owner has collected: how often each was asked, and which page answers it.

use super::page::{Page, first_for};
use anyhow::{Context as _, Result};
use nearfind_base::root_folder::bytes_of;
use nearfind_bundles::library::{Library, QuestionEncoder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum size of a log, in bytes.
const MOST: u64 = 256 << 20;
/// Maximum number of different questions. The most frequent ones are checked.
const QUESTIONS: usize = 2_000;
/// Maximum number of characters in a question. Longer questions are pasted text.
const LENGTH: usize = 200;

/// A question that readers asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AskedQuestion {
    /// The question, in lower case.
    pub question: String,
    /// How often the question was asked.
    pub times: usize,
    /// The best page for the question, or `None` if none fits.
    pub first: Option<Page>,
}

/// A line of a log in JSON, such as an event from the search box. Other lines are plain text.
#[derive(Deserialize)]
struct Line {
    query: String,
}

/// Reads the questions in a log, each with its number of occurrences. A line is a question, or a JSON object with
/// `query`.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
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

/// Searches for each question. Questions without an answer come first. Within each group, the most frequent questions
/// come first.
///
/// # Errors
///
/// Returns an error if the bundle cannot be read or searched.
pub fn answers(library: &Library, encoder: QuestionEncoder, counts: &[(String, usize)]) -> Result<Vec<AskedQuestion>> {
    let first = |question: &str| -> Result<Option<Page>> {
        // Search refuses a text without words.
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
