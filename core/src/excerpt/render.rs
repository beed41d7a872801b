//! Removes Markdown marks from a passage to make it readable.
//!
//! The result is plain text. The host must escape anything in it that looks like markup.

use super::passages::{Match, Passage, quote_marks};
use serde::Serialize;
use std::ops::Range;

/// Maximum length of an excerpt, in bytes of the chunk.
pub const EXCERPT_BYTES: usize = 280;
/// Separates parts that the page shows side by side.
const BETWEEN: &str = " · ";
/// Separates the name of a column from the cell of a row.
const AFTER_NAME: &str = ": ";

/// An excerpt of a chunk.
///
/// ```
/// use nearfind_core::search::Query;
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let answer = ask(&bundle, &mut open(&bundle), Query { text: "undo".into(), ..Query::default() });
/// let excerpt = &answer.hits[0].excerpt;
/// let [start, end] = excerpt.highlights[0];
/// assert_eq!(&excerpt.text[start as usize..end as usize], "undo");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    /// Readable text of one block of the page, on one line. ` · ` separates the cells of a row and the items of a list,
    /// and the name of its column precedes each cell.
    pub text: String,
    /// The ranges `[start, end)` of the matches in `text`, ascending, in UTF-16 code units as in JavaScript.
    pub highlights: Vec<[u32; 2]>,
    /// Byte offset in the chunk where the excerpt begins.
    #[serde(skip)]
    pub start: usize,
}

/// Renders the parts of `passage` inside `window`, with `matches` highlighted.
pub(super) fn render(chunk: &str, passage: &Passage, window: &Range<usize>, matches: &[Match]) -> Excerpt {
    let excerpt = Excerpt { start: window.start, ..Excerpt::default() };
    let mut writer = Writer { excerpt, units: 0, open: None, in_code: false };
    for (number, part) in passage.parts.iter().enumerate() {
        if passage.is_row && number % 2 == 1 {
            continue;
        }
        writer.in_code = passage.is_code;
        let (start, end) = (part.start.max(window.start), part.end.min(window.end));
        if start < end {
            if !writer.excerpt.text.is_empty() {
                writer.push_str(BETWEEN);
            }
            if passage.is_row
                && let Some(name) = passage.parts.get(number + 1).filter(|name| !name.is_empty())
            {
                writer.part(chunk, name.clone(), &[]);
                writer.push_str(AFTER_NAME);
            }
            writer.part(chunk, start..end, matches);
        }
    }
    let mut excerpt = writer.excerpt;
    excerpt.text.truncate(excerpt.text.trim_end().len());
    excerpt
}

struct Writer {
    excerpt: Excerpt,
    /// Length of the text in UTF-16 code units.
    units: u32,
    /// The start of the current highlight.
    open: Option<u32>,
    /// Whether the current part is code. Every mark in code is shown.
    in_code: bool,
}

impl Writer {
    fn part(&mut self, chunk: &str, part: Range<usize>, matches: &[Match]) {
        let is_code = self.in_code;
        let end = part.end;
        let mut at = part.start;
        while at < end {
            let rest = &chunk[at..end];
            let Some(c) = rest.chars().next() else { break };
            let is_match = matches.iter().any(|(_, range)| range.contains(&at));
            if self.open.is_some() && !is_match {
                self.close();
            }
            if c == '\n' {
                self.space();
                at += 1 + quote_marks(&rest[1..]);
                continue;
            }
            if c == '`' && !is_code {
                self.in_code ^= !chunk[..at].ends_with('`');
                at += 1;
                continue;
            }
            let hidden = if self.in_code { 0 } else { hidden(chunk, at, end) };
            if hidden > 0 {
                at += hidden;
                continue;
            }
            if c.is_whitespace() {
                self.space();
            } else {
                if self.open.is_none() && is_match {
                    self.open = Some(self.units);
                }
                self.excerpt.text.push(c);
                self.units += c.len_utf16() as u32;
            }
            at += c.len_utf8();
        }
        self.close();
    }

    fn close(&mut self) {
        if let Some(from) = self.open.take().filter(|from| *from < self.units) {
            self.excerpt.highlights.push([from, self.units]);
        }
    }

    fn space(&mut self) {
        if !self.excerpt.text.is_empty() && !self.excerpt.text.ends_with(' ') {
            self.push_str(" ");
        }
    }

    fn push_str(&mut self, text: &str) {
        self.excerpt.text.push_str(text);
        self.units += text.encode_utf16().count() as u32;
    }
}

/// Returns the number of bytes at `at` that readers do not see: emphasis marks, link marks and link targets, images,
/// and escapes.
fn hidden(chunk: &str, at: usize, end: usize) -> usize {
    let rest = &chunk[at..end];
    // Returns the end of a link, given the end of the link's text, both relative to `at`.
    let link_end = |text: usize| rest[text..].find([')', '\n']).map_or(0, |close| text + close + 1);
    match rest.as_bytes() {
        [b'*', b'*', ..] | [b'\\', b'|' | b'\n' | b'#', ..] => 1,
        [b'*', ..] => usize::from(chunk[..at].ends_with('*')),
        [b'!', b'[', ..] => link_text(&rest[2..]).map_or(0, |text| link_end(2 + text)),
        [b'[', ..] => usize::from(link_text(&rest[1..]).is_some()),
        [b']', b'(', ..] if chunk[..at].contains('[') && !rest[..link_end(0)].ends_with('\n') => link_end(0),
        _ => 0,
    }
}

/// Returns the length in bytes of a link's text, if `rest` begins after the mark that opens a link.
fn link_text(rest: &str) -> Option<usize> {
    let close = rest.find(['[', ']', '\n'])?;
    rest[close..].starts_with("](").then_some(close)
}
