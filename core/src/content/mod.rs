//! The text of a hit, up to a budget, for agents and other programs that read more than an excerpt.

mod sections;
mod truncation;

pub use sections::{DocumentText, Lookup, SectionText, look_up};
pub use truncation::{CUT, TRUNCATION_NOTICE, truncate};

use crate::analysis::Analyzer;
use crate::excerpt::Fences;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Language, Part};
use crate::reader::BundleReader;
use crate::records::{ChunkRecord, DocumentRecord, SectionStart, page};
use crate::search::Hit;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Selects how much of a document's text to return with a hit.
///
/// [`content()`] has an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContentMode {
    /// No text.
    None,
    /// The chunk that was found.
    Chunk,
    /// The parts of the document that answer the query, within a budget.
    #[default]
    Truncated,
    /// The whole document.
    Full,
}

/// Returns the blocks that [`content`] reads for `hit`. The map must be loaded, as it is once a session has its answer.
pub fn content_blocks(reader: &BundleReader, hit: &Hit, mode: ContentMode) -> Result<Vec<BlockId>, FormatError> {
    let map = reader.map()?;
    let blocks = match mode {
        ContentMode::None => return Ok(Vec::new()),
        ContentMode::Chunk => map.page_of(hit.chunk).0.block..map.page_of(hit.chunk).0.block + 1,
        ContentMode::Truncated | ContentMode::Full => pages_of(reader, hit.number)?,
    };
    Ok(blocks.map(|block| BlockId { part: Part::Pages, block }).collect())
}

/// Returns the text for `hit`, or `None` if `mode` asks for no text. A truncated text has at most `most_chars`
/// characters, taken from around the `terms` of the [`Answer`](crate::search::Answer) and followed by `notice`.
///
/// ```
/// use nearfind_core::content::{ContentMode, content, content_blocks};
/// use nearfind_core::search::Query;
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// let answer = ask(&bundle, &mut reader, Query { text: "undo".into(), ..Query::default() });
/// let hit = &answer.hits[0];
/// let blocks = content_blocks(&reader, hit, ContentMode::Full)?;
/// bring(&bundle, &mut reader, blocks);
/// let text = content(&reader, &answer.terms, hit, ContentMode::Full, 0, "")?;
/// assert_eq!(text.as_deref(), Some("Run `git revert` to undo a commit.\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn content(
    reader: &BundleReader,
    terms: &[String],
    hit: &Hit,
    mode: ContentMode,
    most_chars: usize,
    notice: &str,
) -> Result<Option<String>, FormatError> {
    Ok(match mode {
        ContentMode::None => None,
        ContentMode::Chunk => {
            let (page, number) = reader.map()?.page_of(hit.chunk);
            let text = fenced(page::find(reader.block(page.part, page.block)?, number)?.1);
            Some(text.trim_start_matches('\n').to_owned())
        }
        ContentMode::Truncated => {
            let text = text_of(reader, hit.number)?;
            let analyzer = Analyzer::of_text(&text, Language::read_all(&reader.root().languages)?);
            Some(truncate(&text, &analyzer, terms, most_chars, notice))
        }
        ContentMode::Full => Some(text_of(reader, hit.number)?),
    })
}

/// Returns the text of a chunk. Source code is unchanged. If a chunk of other text begins or ends inside fenced code,
/// the missing fences are added.
fn fenced(chunk: ChunkRecord) -> String {
    if chunk.is_source {
        return chunk.text;
    }
    let mut fences = Fences::new(chunk.starts_in_code);
    for line in chunk.text.lines() {
        fences.take(line);
    }
    let mut text = chunk.text;
    if chunk.starts_in_code {
        text.insert_str(0, "```\n");
    }
    if fences.in_code() {
        text.push_str(if text.ends_with('\n') { "```\n" } else { "\n```\n" });
    }
    text
}

/// Returns the number of the line where the chunk of `hit` begins in the document's text, starting at 1. The blocks of
/// the whole document must be loaded: see [`document_blocks`].
pub fn line_of(reader: &BundleReader, hit: &Hit) -> Result<usize, FormatError> {
    let mut at = reader.map()?.chunks_of(hit.number).start;
    let mut lines = 1;
    for_each_chunk(reader, hit.number, &mut |_, chunk| {
        if chunk.is_source && lines == 1 {
            lines = chunk.sections.first().map_or(1, first_line);
        }
        if at < hit.chunk {
            lines += chunk.text.matches('\n').count();
        }
        at += 1;
    })?;
    Ok(lines)
}

/// Returns the first line in the anchor of a section of source code, such as 12 for `L12-L34`.
fn first_line(section: &SectionStart) -> usize {
    let numbers = section.anchor.strip_prefix('L').unwrap_or_default();
    numbers.split('-').next().and_then(|first| first.parse().ok()).unwrap_or(1)
}

/// Returns the blocks of the part `pages` that contain the chunks of a document.
fn pages_of(reader: &BundleReader, document: u32) -> Result<Range<u32>, FormatError> {
    let map = reader.map()?;
    let chunks = map.chunks_of(document);
    Ok(map.page_of(chunks.start).0.block..map.page_of(chunks.end - 1).0.block + 1)
}

/// Returns the whole text of a document. Its blocks must be loaded.
fn text_of(reader: &BundleReader, document: u32) -> Result<String, FormatError> {
    let mut text = String::new();
    for_each_chunk(reader, document, &mut |_, chunk| {
        // Blank lines at the start replace text that was left out there, such as front matter.
        text.push_str(if text.is_empty() { chunk.text.trim_start_matches('\n') } else { &chunk.text });
    })?;
    Ok(text)
}

/// Returns the blocks that [`document`] reads. `number` must be below the number of documents, and the map must be
/// loaded.
pub fn document_blocks(reader: &BundleReader, number: u32) -> Result<Vec<BlockId>, FormatError> {
    Ok(pages_of(reader, number)?.map(|block| BlockId { part: Part::Pages, block }).collect())
}

/// Returns a document with its chunks.
pub fn document(reader: &BundleReader, number: u32) -> Result<(DocumentRecord, Vec<ChunkRecord>), FormatError> {
    let mut record = None;
    let mut chunks = Vec::new();
    for_each_chunk(reader, number, &mut |document, chunk| {
        // Only the first block contains the whole record.
        record.get_or_insert_with(|| document.clone());
        chunks.push(chunk);
    })?;
    Ok((record.unwrap_or_default(), chunks))
}

/// Returns the blocks that [`file()`] reads for `documents`, which must not be empty. The map must be loaded.
pub fn file_blocks(reader: &BundleReader, documents: Range<u32>) -> Result<Vec<BlockId>, FormatError> {
    let (first, last) = (pages_of(reader, documents.start)?, pages_of(reader, documents.end - 1)?);
    Ok((first.start..last.end).map(|block| BlockId { part: Part::Pages, block }).collect())
}

/// Returns consecutive documents with their chunks.
pub fn file(
    reader: &BundleReader,
    documents: Range<u32>,
) -> Result<Vec<(DocumentRecord, Vec<ChunkRecord>)>, FormatError> {
    let map = reader.map()?;
    let wanted = map.chunks_of(documents.start).start..map.chunks_of(documents.end - 1).end;
    let mut found: Vec<(u32, (DocumentRecord, Vec<ChunkRecord>))> = Vec::new();
    for id in file_blocks(reader, documents)? {
        let mut chunk = map.chunks_of_page(id.block).start;
        page::for_each(reader.block(id.part, id.block)?, &mut |record, text| {
            if wanted.contains(&chunk) {
                let document = map.document_of(chunk);
                match found.last_mut() {
                    Some((last, (_, chunks))) if *last == document => chunks.push(text),
                    // Only the first block contains the whole record.
                    _ => found.push((document, (record.clone(), vec![text]))),
                }
            }
            chunk += 1;
            chunk < wanted.end
        })?;
    }
    Ok(found.into_iter().map(|(_, document)| document).collect())
}

/// Visits the chunks of a document. Its blocks must be loaded.
fn for_each_chunk(
    reader: &BundleReader,
    document: u32,
    visit: &mut dyn FnMut(&DocumentRecord, ChunkRecord),
) -> Result<(), FormatError> {
    let map = reader.map()?;
    let wanted = map.chunks_of(document);
    for block in pages_of(reader, document)? {
        let mut chunk = map.chunks_of_page(block).start;
        page::for_each(reader.block(Part::Pages, block)?, &mut |document, record| {
            if wanted.contains(&chunk) {
                visit(document, record);
            }
            chunk += 1;
            chunk < wanted.end
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_code_keeps_its_fences() {
        let of = |text: &str, starts_in_code| {
            fenced(ChunkRecord { text: text.into(), starts_in_code, ..ChunkRecord::default() })
        };
        assert_eq!(of("Text.\n\n```python\na = 1\n", false), "Text.\n\n```python\na = 1\n```\n");
        assert_eq!(of("b = 2\n```\n\nText.", true), "```\nb = 2\n```\n\nText.");
        assert_eq!(of("b = 2", true), "```\nb = 2\n```\n");
        assert_eq!(of("```sh\nls\n```\n", false), "```sh\nls\n```\n");
    }
}
