//! Text as it is written, in every document: what neither words nor meaning find, such as punctuation, parts of words and
//! regular expressions.
//!
//! Nothing is built for it: the text is decompressed and scanned, on all cores. A page of an answer says exactly how much
//! there is in all.

use super::View;
use super::documents::{Document, FoundPath};
use super::filters::PathFilter;
use anyhow::{Context as _, Result, ensure};
use nearfind_core::records::SectionStart;
use rayon::prelude::*;
use regex::{Regex, RegexBuilder};
use serde::Serialize;

/// Bytes that a regular expression may take when compiled.
const MAX_REGEX_BYTES: usize = 4 << 20;
/// Documents that are scanned before their texts may be let go of.
const BATCH: usize = 2_048;
/// Bytes of a line that are shown, around its match.
const SHOWN_BYTES: usize = 400;

/// What is looked for.
#[derive(Clone, Debug)]
pub struct ExactPattern(Regex);

impl ExactPattern {
    /// `text` as it is, or as a regular expression. Lines are matched one by one, so it may not span lines.
    pub fn new(text: &str, is_regex: bool, is_case_sensitive: bool) -> Result<Self> {
        ensure!(!text.is_empty(), "there is no text to look for");
        ensure!(!text.contains('\n'), "lines are searched one by one: look for a text of one line");
        let pattern = if is_regex { text.to_owned() } else { regex::escape(text) };
        let built = RegexBuilder::new(&pattern)
            .case_insensitive(!is_case_sensitive)
            .multi_line(true)
            .size_limit(MAX_REGEX_BYTES)
            .build();
        built.map(Self).with_context(|| format!("{text:?} is not a valid regular expression"))
    }
}

/// What is asked.
#[derive(Clone)]
pub struct ExactQuestion {
    /// What is looked for.
    pub pattern: ExactPattern,
    /// Projects whose documents are searched, as [`View::project`] names them; none for all.
    pub projects: Vec<String>,
    /// The paths that are searched.
    pub path: Option<PathFilter>,
    /// Lines to leave out at the start.
    pub offset: usize,
    /// Lines wanted after them, at most.
    pub limit: usize,
    /// Lines to show before and after each.
    pub context: usize,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct ExactReply {
    /// Lines that match, in all documents.
    pub lines: usize,
    /// Documents that have such lines.
    pub documents: usize,
    /// The lines that were asked for, by project, path and number.
    pub found: Vec<ExactLine>,
    /// What is wrong with bundles that could not be searched.
    pub notices: Vec<String>,
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExactLine {
    /// Project and path.
    pub document: String,
    /// Name of the project.
    pub project: String,
    /// Path inside its source.
    pub path: String,
    /// Title of the document.
    pub title: String,
    /// Where readers find the section; `None` if nowhere.
    pub url: Option<String>,
    /// Headings above the line, joined by ` > `.
    pub section: String,
    /// Its number in the document's text, from 1.
    pub line: usize,
    /// The line, or its part around the match.
    pub text: String,
    /// The lines before it.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

impl View {
    /// Looks for a text in the documents of all bundles.
    pub fn find_exact(&self, question: &ExactQuestion) -> Result<ExactReply> {
        let mut searched = self.paths(None)?;
        searched.retain(|FoundPath { listed, .. }| {
            (question.projects.is_empty() || question.projects.contains(&listed.project))
                && question.path.as_ref().is_none_or(|path| path(&listed.path))
        });
        let (mut lines, mut documents, mut shown) = (0, 0, Vec::new());
        for batch in searched.chunks(BATCH) {
            let matches = |document: &FoundPath| Ok(matching_lines(&document.text()?, &question.pattern.0));
            let found: Vec<Vec<usize>> = batch.par_iter().map(matches).collect::<Result<_>>()?;
            for (document, numbers) in batch.iter().zip(found) {
                documents += usize::from(!numbers.is_empty());
                let wanted = |at: usize| (question.offset..question.offset + question.limit).contains(&at);
                let chosen: Vec<usize> =
                    (lines..).zip(&numbers).filter(|(at, _)| wanted(*at)).map(|(_, number)| *number).collect();
                lines += numbers.len();
                if !chosen.is_empty() {
                    shown.extend(show(&document.read()?, &chosen, question));
                }
            }
            self.bundles.iter().for_each(|bundle| bundle.forget_texts());
        }
        Ok(ExactReply { lines, documents, found: shown, notices: self.problems.clone() })
    }
}

/// The numbers, from 0, of the lines of `text` that match.
fn matching_lines(text: &str, pattern: &Regex) -> Vec<usize> {
    // Most documents have none: the whole text is searched at once, and its lines only if there may be one.
    if !pattern.is_match(text) {
        return Vec::new();
    }
    text.lines().enumerate().filter(|(_, line)| pattern.is_match(line)).map(|(number, _)| number).collect()
}

/// Lines of a document by their numbers from 0, with what is around them.
fn show(document: &Document, numbers: &[usize], question: &ExactQuestion) -> Vec<ExactLine> {
    let text = document.text();
    let lines: Vec<&str> = text.lines().collect();
    let sections = sections(document);
    let show_one = |&number: &usize| {
        let at = lines[number].as_ptr() as usize - text.as_ptr() as usize;
        let section = sections.iter().rev().find(|(start, _)| *start <= at).map(|(_, section)| *section);
        let anchored = |url: &String| match section.map(|section| section.anchor.as_str()) {
            Some(anchor) if !anchor.is_empty() => format!("{url}#{anchor}"),
            _ => url.clone(),
        };
        let around = |lines: &[&str]| lines.iter().map(|line| shortened(line, 0)).collect();
        ExactLine {
            document: document.id.clone(),
            project: document.project.clone(),
            path: document.path.clone(),
            title: document.title.clone(),
            url: document.url.as_ref().map(anchored),
            section: section.map(|section| section.title.clone()).unwrap_or_default(),
            line: number + 1,
            text: shortened(lines[number], question.pattern.0.find(lines[number]).map_or(0, |found| found.start())),
            before: around(&lines[number.saturating_sub(question.context)..number]),
            after: around(&lines[number + 1..(number + 1 + question.context).min(lines.len())]),
        }
    };
    numbers.iter().map(show_one).collect()
}

/// The sections of a document, each with the byte of the text at which it begins.
fn sections(document: &Document) -> Vec<(usize, &SectionStart)> {
    let mut start = 0;
    let mut sections = Vec::new();
    for chunk in &document.chunks {
        sections.extend(chunk.sections.iter().map(|section| (start + section.at as usize, section)));
        start += chunk.text.len();
    }
    sections
}

/// A line, or of a long one the part around byte `at`.
fn shortened(line: &str, at: usize) -> String {
    if line.len() <= SHOWN_BYTES {
        return line.to_owned();
    }
    let start = line.floor_char_boundary(at.saturating_sub(SHOWN_BYTES / 4));
    let end = line.floor_char_boundary((start + SHOWN_BYTES).min(line.len()));
    let mark = |cut: bool| if cut { "…" } else { "" };
    format!("{}{}{}", mark(start > 0), &line[start..end], mark(end < line.len()))
}

impl std::fmt::Debug for ExactQuestion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ExactQuestion").field("pattern", &self.pattern).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str, pattern: &str, is_regex: bool, is_case_sensitive: bool) -> Vec<usize> {
        matching_lines(text, &ExactPattern::new(pattern, is_regex, is_case_sensitive).unwrap().0)
    }

    #[test]
    fn literals_are_literal_and_case_counts_where_asked_for() {
        let text = "a.b\nA.B\naxb\n";
        assert_eq!(lines(text, "a.b", false, false), [0, 1]);
        assert_eq!(lines(text, "a.b", false, true), [0]);
        assert_eq!(lines(text, "a.b", true, true), [0, 2]);
        assert_eq!(lines(text, "^a|B$", true, true), [0, 1, 2]);
    }

    #[test]
    fn what_cannot_be_looked_for_is_refused() {
        for (pattern, is_regex) in [("", false), ("a\nb", false), ("(", true), ("a{99999}{999}", true)] {
            assert!(ExactPattern::new(pattern, is_regex, false).is_err(), "{pattern:?}");
        }
    }

    #[test]
    fn a_long_line_is_shown_around_its_match() {
        let line = format!("{}needle{}", "é".repeat(4000), "x".repeat(4000));
        let shown = shortened(&line, line.find("needle").unwrap());
        assert!(shown.contains("needle") && shown.starts_with('…') && shown.ends_with('…') && shown.len() < 420);
    }

    proptest! {
        /// The oracle looks at every line.
        #[test]
        fn every_line_with_the_text_is_found(text in "[ab.\n]{0,40}", pattern in "[ab.]{1,3}") {
            let expected: Vec<usize> =
                text.lines().enumerate().filter(|(_, line)| line.contains(&pattern)).map(|(number, _)| number).collect();
            prop_assert_eq!(lines(&text, &pattern, false, true), expected);
        }
    }
}
