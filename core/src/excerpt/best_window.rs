//! The window of a chunk with the most of the query's words, cleaned of Markdown's marks for reading.
//!
//! The text stays text: what looks like markup in it is the host's to escape.

use crate::analysis::Analyzer;
use serde::Serialize;
use std::ops::Range;

/// Bytes of a chunk that an excerpt shows at most.
pub const EXCERPT_BYTES: usize = 280;
/// How far before the first match an excerpt may begin to catch the start of its line or sentence.
const LEAD_BYTES: usize = 80;

/// A passage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    /// Readable text: one line, marks of headings, emphasis and code dropped.
    pub text: String,
    /// `[start, end)` of each match in `text`, in UTF-16 code units as JavaScript counts, ascending.
    pub highlights: Vec<[u32; 2]>,
    /// Byte of the chunk at which the passage begins.
    #[serde(skip)]
    pub start: usize,
}

/// A match: the number of the term, and where it stands.
type Match = (usize, Range<usize>);

/// The best passage of `chunk` for the terms of a query; without a match, its beginning.
pub fn best_excerpt(chunk: &str, terms: &[String]) -> Excerpt {
    let matches: Vec<Match> =
        Analyzer::tokens_that_begin(chunk, &|first| terms.iter().any(|term| term.starts_with(first)))
            .into_iter()
            .filter_map(|token| Some((terms.iter().position(|term| *term == token.term)?, token.range)))
            .collect();
    let start = match best_run(&matches, terms.len()) {
        Some(first) => window_start(chunk, matches[first].1.start),
        None => 0,
    };
    let end = window_end(chunk, start);
    let shown: Vec<_> = matches
        .iter()
        .map(|(_, range)| range.clone())
        .filter(|range| range.start >= start && range.end <= end)
        .collect();
    render(chunk, start..end, &shown)
}

/// The match at which a window holds the most different terms, then the most matches; the earliest of equals.
fn best_run(matches: &[Match], terms: usize) -> Option<usize> {
    let mut inside = vec![0usize; terms];
    let mut end = 0;
    let mut best: Option<((usize, usize), usize)> = None;
    for (first, (term, range)) in matches.iter().enumerate() {
        while end < matches.len() && matches[end].1.end <= range.start + EXCERPT_BYTES - LEAD_BYTES {
            inside[matches[end].0] += 1;
            end += 1;
        }
        let different = inside.iter().filter(|count| **count > 0).count();
        let value = (different, end.saturating_sub(first));
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, first));
        }
        inside[*term] = inside[*term].saturating_sub(1);
        end = end.max(first + 1);
    }
    best.map(|(_, first)| first)
}

/// The start of the line or sentence of `first`, if it is near; else a word start near it.
fn window_start(chunk: &str, first: usize) -> usize {
    let from = chunk.floor_char_boundary(first.saturating_sub(LEAD_BYTES));
    let lead = &chunk[from..first];
    if from == 0 && !lead.contains('\n') {
        return 0;
    }
    let line = lead.rfind('\n').map(|at| at + 1);
    let sentence = lead.rfind(". ").map(|at| at + 2);
    let word = lead.find(' ').map(|at| at + 1);
    from + line.max(sentence).or(word).unwrap_or(lead.len())
}

fn window_end(chunk: &str, start: usize) -> usize {
    if chunk.len() - start <= EXCERPT_BYTES {
        return chunk.len();
    }
    let end = chunk.floor_char_boundary(start + EXCERPT_BYTES);
    let passage = &chunk[start..end];
    start + passage.rfind(char::is_whitespace).filter(|&at| at > passage.len() / 2).unwrap_or(passage.len())
}

fn render(chunk: &str, window: Range<usize>, matches: &[Range<usize>]) -> Excerpt {
    let mut excerpt = Excerpt { start: window.start, ..Excerpt::default() };
    let mut units = 0u32;
    let mut open: Option<u32> = None;
    let mut line_start = window.start == 0 || chunk[..window.start].ends_with('\n');
    let mut rest = window.start;
    while rest < window.end {
        if line_start {
            rest += line_marks(&chunk[rest..window.end]);
            line_start = false;
            continue;
        }
        let Some(c) = chunk[rest..window.end].chars().next() else { break };
        if let Some(from) = open.take_if(|_| matches.iter().all(|range| !range.contains(&rest))) {
            excerpt.highlights.push([from, units]);
        }
        if open.is_none() && matches.iter().any(|range| range.contains(&rest)) {
            open = Some(units);
        }
        let mark =
            c == '`' || (c == '*' && chunk[rest..].starts_with("**")) || chunk[..rest].ends_with('*') && c == '*';
        let shown = if c.is_whitespace() { ' ' } else { c };
        if !mark && !(shown == ' ' && (excerpt.text.is_empty() || excerpt.text.ends_with(' '))) {
            excerpt.text.push(shown);
            units += shown.len_utf16() as u32;
        }
        line_start = c == '\n';
        rest += c.len_utf8();
    }
    if let Some(from) = open {
        excerpt.highlights.push([from, units]);
    }
    excerpt.text.truncate(excerpt.text.trim_end().len());
    excerpt.highlights.retain(|[from, to]| from < to);
    excerpt
}

/// Bytes of heading marks, quote marks or a code fence at the start of a line.
fn line_marks(line: &str) -> usize {
    let end = line.find('\n').unwrap_or(line.len());
    let trimmed = line[..end].trim_start();
    let indent = end - trimmed.len();
    if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
        return end;
    }
    let without = trimmed.trim_start_matches('#');
    let level = trimmed.len() - without.len();
    if (1..=6).contains(&level) && without.starts_with(' ') {
        return indent + level;
    }
    if trimmed.starts_with("> ") { indent + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn highlighted(excerpt: &Excerpt) -> Vec<String> {
        let units: Vec<u16> = excerpt.text.encode_utf16().collect();
        let cut = |[from, to]: &[u32; 2]| String::from_utf16(&units[*from as usize..*to as usize]).unwrap();
        excerpt.highlights.iter().map(cut).collect()
    }

    #[test]
    fn the_passage_with_most_of_the_words_is_shown() {
        let filler = "Nothing of interest stands here at all. ".repeat(20);
        let chunk = format!("A cell is a cell.\n{filler}\n## Format cells\n\nUse `formatters` to format a **cell**.\n");
        let excerpt = best_excerpt(&chunk, &["cell", "format", "formatt"].map(String::from));
        assert_eq!(excerpt.text, "Format cells Use formatters to format a cell.");
        assert_eq!(highlighted(&excerpt), ["Format", "cells", "formatters", "format", "cell"]);
    }

    #[test]
    fn without_a_match_the_beginning_is_shown() {
        let excerpt = best_excerpt("# Title\n\n```rust\nlet x = 1;\n```\n", &[]);
        assert_eq!(excerpt, Excerpt { text: "Title let x = 1;".into(), ..Excerpt::default() });
    }

    #[test]
    fn offsets_are_utf16() {
        let excerpt = best_excerpt("🦀🦀 crab", &["crab"].map(String::from));
        assert_eq!(excerpt.highlights, [[5, 9]]);
    }

    proptest! {
        #[test]
        fn any_text_gives_an_excerpt_with_ranges_inside(text in "[a-c🦀é`*# \n.>]{0,800}") {
            let excerpt = best_excerpt(&text, &["a", "b", "ab"].map(String::from));
            let length = excerpt.text.encode_utf16().count() as u32;
            let mut last = 0;
            for [from, to] in &excerpt.highlights {
                prop_assert!(last <= *from && from < to && *to <= length);
                last = *to;
            }
            prop_assert!(excerpt.text.len() <= EXCERPT_BYTES);
        }
    }
}
