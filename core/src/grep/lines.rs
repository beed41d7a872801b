//! Finds the lines of a block of pages. Chunks may end anywhere, so a line can continue in the next chunk and in the
//! next block. Each block keeps the parts of lines at its ends, and the lines are joined once the adjacent blocks are
//! available.

use crate::format::FormatError;
use crate::reader::BundleReader;
use crate::records::page;

/// Appends the numbers of the matching lines in a text, from 0 and ascending.
pub type Matcher<'a> = &'a mut dyn FnMut(&str, &mut Vec<u32>);

/// A matching line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundLine {
    /// The chunk where the line begins.
    pub chunk: u32,
    /// The number of line feeds before the line in that chunk.
    pub line: u32,
}

/// A part of a line that extends beyond its block.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LinePart {
    /// The position where the part begins.
    place: FoundLine,
    text: String,
    /// Whether the part includes the end of the line.
    is_end: bool,
}

/// The matching lines of a block.
#[derive(Debug)]
pub struct BlockLines {
    block: u32,
    /// The text at the start of the block up to the first line feed, if its file began in an earlier block.
    head: Option<LinePart>,
    found: Vec<FoundLine>,
    /// The text at the end of the block, if its line continues in the next block.
    tail: Option<LinePart>,
}

/// Collects the matching lines of a block of pages with the raw bytes `raw`, and the parts of lines that begin or end
/// outside it. The map must be loaded. `accepts` decides by project number and path which lines to search.
pub fn scan_block(
    reader: &BundleReader,
    block: u32,
    raw: &[u8],
    accepts: &mut dyn FnMut(u32, &str) -> bool,
    matcher: Matcher<'_>,
) -> Result<BlockLines, FormatError> {
    let map = reader.map()?;
    let begins_file = |chunk: u32| {
        let document = map.document_of(chunk);
        let is_first = map.chunks_of(document).start == chunk;
        is_first && (document == 0 || map.file_of(document) != map.file_of(document - 1))
    };
    let chunks = map.chunks_of_page(block);
    let mut lines = BlockLines { block, head: None, found: Vec::new(), tail: None };
    let mut chunk = chunks.start;
    let mut is_accepted = true;
    let mut is_head = chunks.start < chunks.end && !begins_file(chunks.start);
    let mut open =
        is_head.then(|| LinePart { place: FoundLine { chunk, line: 0 }, text: String::new(), is_end: false });
    page::for_each_text(raw, &mut |document, mut text| {
        if chunk >= chunks.end {
            return;
        }
        if let Some((project, path)) = document {
            is_accepted = accepts(project, path);
        }
        if begins_file(chunk) {
            lines.end_line(&mut open, &mut is_head, matcher);
        }
        let mut line = 0;
        if is_accepted && let Some(part) = &mut open {
            if part.text.is_empty() {
                part.place.chunk = chunk;
            }
            let end = text.find('\n').map_or(text.len(), |at| at + 1);
            part.text.push_str(&text[..end]);
            text = &text[end..];
            if part.text.ends_with('\n') {
                lines.end_line(&mut open, &mut is_head, matcher);
                line = 1;
            }
        }
        if is_accepted && open.is_none() {
            let end = text.rfind('\n').map_or(0, |at| at + 1);
            let mut numbers = Vec::new();
            matcher(&text[..end], &mut numbers);
            lines.found.extend(numbers.into_iter().map(|number| FoundLine { chunk, line: line + number }));
            if end < text.len() {
                line += text[..end].matches('\n').count() as u32;
                let place = FoundLine { chunk, line };
                open = Some(LinePart { place, text: text[end..].to_owned(), is_end: false });
            }
        }
        chunk += 1;
    })?;
    if chunks.end < reader.root().chunks && !begins_file(chunks.end) {
        // If all chunks of the block are empty, only the next block shows where the line begins.
        let part = open.filter(|part| is_accepted && !part.text.is_empty());
        if is_head { lines.head = part } else { lines.tail = part }
    } else {
        lines.end_line(&mut open, &mut is_head, matcher);
    }
    Ok(lines)
}

impl BlockLines {
    /// Whether the block may contribute to a matching line.
    pub fn may_match(&self) -> bool {
        !self.found.is_empty() || self.head.is_some() || self.tail.is_some()
    }

    /// Ends the open line: matches it, or keeps it if it may have begun in the previous block.
    fn end_line(&mut self, open: &mut Option<LinePart>, is_head: &mut bool, matcher: Matcher<'_>) {
        let Some(part) = open.take() else { return };
        if std::mem::take(is_head) {
            self.head = Some(LinePart { is_end: true, ..part });
        } else if is_match(&part.text, matcher) {
            self.found.push(part.place);
        }
    }
}

/// Joins the lines of scanned blocks, which must be in ascending order. A line that began in a block that was not
/// scanned is skipped: it lacks the trigrams of a match, or else that block would have been scanned.
pub fn joined(
    reader: &BundleReader,
    blocks: Vec<BlockLines>,
    matcher: Matcher<'_>,
) -> Result<Vec<FoundLine>, FormatError> {
    let inside_lines = reader.directory()?.map_or(&[][..], |directory| &directory.inside_lines);
    let begins_inside = |block: u32| inside_lines.binary_search(&block).is_ok();
    let mut found = Vec::new();
    let mut before: Option<u32> = None;
    let mut state = Between::Ended;
    for BlockLines { block, head, found: lines, tail } in blocks {
        if before.is_none_or(|before| before + 1 != block) {
            state = if begins_inside(block) { Between::Unknown } else { Between::Ended };
        }
        if let Some(head) = head {
            let is_end = head.is_end;
            state = match state {
                Between::Ended => Between::Open(head),
                Between::Open(mut line) => {
                    line.text.push_str(&head.text);
                    Between::Open(line)
                }
                Between::Unknown => Between::Unknown,
            };
            if is_end
                && let Between::Open(line) = std::mem::replace(&mut state, Between::Ended)
                && is_match(&line.text, matcher)
            {
                found.push(line.place);
            }
        }
        found.extend(lines);
        state = tail.map_or(state, Between::Open);
        before = Some(block);
    }
    Ok(found)
}

/// The state between two blocks.
enum Between {
    /// A line has ended.
    Ended,
    /// A line continues.
    Open(LinePart),
    /// A line that began in a block that was not scanned continues.
    Unknown,
}

/// Whether a line matches.
fn is_match(line: &str, matcher: Matcher<'_>) -> bool {
    let mut numbers = Vec::new();
    if !line.is_empty() {
        matcher(line, &mut numbers);
    }
    !numbers.is_empty()
}
