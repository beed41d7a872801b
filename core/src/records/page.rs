//! Blocks of documents. A single block of a few kilobytes contains everything that is needed to show a hit.
//!
//! In a block, each chunk is a tag and a record. After tag 1 or 2, the record of the document precedes the chunk's
//! record: with 1, the document begins there; with 2, it continues from the previous block, and its record is shorter.
//! Tag 0 means that the chunk belongs to the same document as the previous chunk.

use super::{ChunkRecord, DocumentRecord};
#[cfg(feature = "write")]
use crate::format::blocks::{MAX_BLOCK_BYTES, PartWriter};
use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "pages";
const SAME: u8 = 0;
const BEGINS: u8 = 1;
const GOES_ON: u8 = 2;

/// Calls `visit(document, chunk)` for each chunk of a block, until it returns `false`.
pub fn for_each(block: &[u8], visit: &mut dyn FnMut(&DocumentRecord, ChunkRecord) -> bool) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, block);
    let mut document = None;
    while cursor.remaining() > 0 {
        let document = match (cursor.u8("tag")?, document.as_mut()) {
            (SAME, Some(document)) => document,
            (tag @ (BEGINS | GOES_ON), _) => document.insert(DocumentRecord::read(&mut cursor, tag == BEGINS)?),
            _ => return Err(FormatError::corrupt(NAME, "tag")),
        };
        if !visit(document, ChunkRecord::read(&mut cursor)?) {
            break;
        }
    }
    Ok(())
}

/// Calls `visit(document, text)` with the text of each chunk of a block, and with project and path if a document begins
/// or continues there. This is meant for callers that read many texts and nothing else.
pub fn for_each_text<'a>(
    block: &'a [u8],
    visit: &mut dyn FnMut(Option<(u32, &'a str)>, &'a str),
) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, block);
    let mut is_known = false;
    while cursor.remaining() > 0 {
        let document = match cursor.u8("tag")? {
            SAME if is_known => None,
            tag @ (BEGINS | GOES_ON) => Some(DocumentRecord::skim(&mut cursor, tag == BEGINS)?),
            _ => return Err(FormatError::corrupt(NAME, "tag")),
        };
        is_known = true;
        visit(document, ChunkRecord::skim(&mut cursor)?);
    }
    Ok(())
}

/// Returns the `number`-th chunk of a block, with the names of its columns, and its document.
pub fn find(block: &[u8], number: u32) -> Result<(DocumentRecord, ChunkRecord), FormatError> {
    let mut found = None;
    let mut at = 0;
    for_each(block, &mut |document, chunk| {
        if at == number {
            found = Some((document.clone(), chunk.with_names()));
        }
        at += 1;
        found.is_none()
    })?;
    found.ok_or(FormatError::corrupt(NAME, "chunks of a block"))
}

/// Returns how many chunks to put into each block of pages, so that most blocks are close to the best size. For each
/// chunk, `texts` has the number of bytes and whether it is source code.
#[cfg(feature = "write")]
pub fn chunks_per_block(texts: &[(usize, bool)]) -> u32 {
    /// Best uncompressed size of a block. Smaller blocks compress worse and need a longer table, and larger blocks
    /// contain more text that is not needed.
    const BLOCK_BYTES: f64 = 4.0 * 1024.0;
    /// Best size for source code, which is mostly read from local bundles.
    const SOURCE_BLOCK_BYTES: f64 = 12.0 * 1024.0;
    /// A limit that keeps blocks far below the size that a reader refuses.
    const LARGEST: usize = MAX_BLOCK_BYTES as usize / 2;
    let share =
        |&(bytes, is_source): &(usize, bool)| bytes as f64 / if is_source { SOURCE_BLOCK_BYTES } else { BLOCK_BYTES };
    let blocks: f64 = texts.iter().map(share).sum();
    let mut chunks = (texts.len() as f64 / blocks.max(1.0)).round().clamp(1.0, 64.0) as usize;
    let bytes = |block: &[(usize, bool)]| block.iter().map(|(bytes, _)| bytes).sum::<usize>();
    while chunks > 1 && texts.chunks(chunks).any(|block| bytes(block) > LARGEST) {
        chunks -= 1;
    }
    chunks as u32
}

/// Writes documents into blocks.
///
/// ```
/// use nearfind_core::format::Part;
/// use nearfind_core::format::blocks::BlockId;
/// use nearfind_core::records::page::{self, PageWriter};
/// use nearfind_core::records::{ChunkRecord, DocumentRecord, SectionStart};
///
/// let document = DocumentRecord { id: "docs/undo.md".into(), title: "Undo".into(), ..DocumentRecord::default() };
/// let sections = vec![SectionStart::default()];
/// let chunk = |text: &str| ChunkRecord { sections: sections.clone(), text: text.into(), ..ChunkRecord::default() };
/// let mut writer = PageWriter::new(8);
/// writer.push(&document, &[chunk("Run `git revert`. "), chunk("Or reset.")]);
///
/// let block = writer.finish().finish(Part::Pages, 0).decode(BlockId { part: Part::Pages, block: 0 })?;
/// let (record, second) = page::find(&block, 1)?;
/// assert_eq!((record.title.as_str(), second.text.as_str()), ("Undo", "Or reset."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "write")]
#[derive(Debug)]
pub struct PageWriter {
    part: PartWriter,
    block: Vec<u8>,
    chunks_in_block: u32,
    chunks_per_block: u32,
}

#[cfg(feature = "write")]
impl PageWriter {
    /// Creates a writer of blocks with `chunks_per_block` chunks.
    pub fn new(chunks_per_block: u32) -> Self {
        Self { part: PartWriter::default(), block: Vec::new(), chunks_in_block: 0, chunks_per_block }
    }

    /// Appends a document with its chunks.
    pub fn push(&mut self, document: &DocumentRecord, chunks: &[ChunkRecord]) {
        for (number, chunk) in chunks.iter().enumerate() {
            if number > 0 && self.chunks_in_block > 0 {
                self.block.push(SAME);
            } else {
                let begins = number == 0;
                self.block.push(if begins { BEGINS } else { GOES_ON });
                document.write(&mut self.block, begins);
            }
            chunk.write(&mut self.block);
            self.chunks_in_block += 1;
            if self.chunks_in_block == self.chunks_per_block {
                self.part.push(&std::mem::take(&mut self.block));
                self.chunks_in_block = 0;
            }
        }
    }

    /// Returns the part.
    pub fn finish(mut self) -> PartWriter {
        self.part.push(&self.block);
        self.part
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::{Part, blocks::BlockId};
    use crate::records::SectionStart;
    use proptest::prelude::*;

    #[test]
    fn no_block_is_longer_than_a_reader_takes() {
        let long = MAX_BLOCK_BYTES as usize / 4;
        let texts: Vec<_> = (0..1000).map(|number| (if number / 3 == 5 { long } else { 10 }, false)).collect();
        assert_eq!(chunks_per_block(&texts[..15]), 15);
        assert!(chunks_per_block(&texts) <= 2);
    }

    proptest! {
        #[test]
        fn every_chunk_is_found_with_its_document(documents in prop::collection::vec((".{0,30}", prop::collection::vec("[a-zé ]{0,2000}", 1..12)), 1..12), per_block in 1u32..9) {
            let mut writer = PageWriter::new(per_block);
            let mut expected = Vec::new();
            for (number, (title, texts)) in documents.iter().enumerate() {
                let document = DocumentRecord { project: number as u32, title: title.clone(), ..DocumentRecord::default() };
                let section = SectionStart { at: 0, title: title.clone(), anchor: String::new() };
                let names = |text: &String| if text.len().is_multiple_of(6) { format!("| {number} |\n| --- |\n") } else { String::new() };
                let later = SectionStart { at: 1, ..section.clone() };
                let chunks: Vec<_> = texts.iter().map(|text| ChunkRecord { sections: vec![section.clone(), later.clone()], starts_in_code: text.len() % 3 == 1, is_source: text.len() % 3 == 2, names: names(text), text: text.clone() }).collect();
                writer.push(&document, &chunks);
                expected.extend(chunks.into_iter().map(|chunk| (document.clone(), chunk)));
            }
            let part = writer.finish().finish(Part::Pages, 0);
            let (mut at, mut skimmed) = (0, 0);
            for block in 0..part.table.len() {
                let raw = part.decode(BlockId { part: Part::Pages, block }).unwrap();
                let count = per_block.min((expected.len() - at) as u32);
                for number in 0..count {
                    let (document, mut chunk) = expected[at].clone();
                    if chunk.names.is_empty() {
                        prop_assert_eq!(&find(&raw, number).unwrap(), &(document, chunk));
                    } else {
                        chunk.sections[1].at += chunk.names.len() as u32;
                        chunk.text = std::mem::take(&mut chunk.names) + &chunk.text;
                        prop_assert_eq!(&find(&raw, number).unwrap(), &(document, chunk));
                    }
                    at += 1;
                }
                prop_assert!(find(&raw, count).is_err());
                let (mut project, mut same) = (None, true);
                for_each_text(&raw, &mut |document, text| {
                    project = document.map(|(project, _)| project).or(project);
                    let (known, chunk) = &expected[skimmed];
                    same &= project == Some(known.project) && text == chunk.text;
                    skimmed += 1;
                }).unwrap();
                prop_assert!(same && skimmed == at);
            }
            prop_assert_eq!(at, expected.len());
        }

        #[test]
        fn blocks_are_about_as_long_as_pays(texts in prop::collection::vec((1usize..3000, any::<bool>()), 1..200)) {
            let chunks = chunks_per_block(&texts) as usize;
            let blocks = texts.len().div_ceil(chunks) as f64;
            let bytes = texts.iter().map(|(bytes, _)| bytes).sum::<usize>() as f64 / blocks;
            prop_assert!(chunks == 64 || texts.len() < 2 * chunks || (1500.0..20_000.0).contains(&bytes), "{chunks} {bytes}");
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(0u8..8, 0..96)) {
            let _ = for_each(&bytes, &mut |_, _| true);
            let _ = for_each_text(&bytes, &mut |_, _| {});
        }
    }
}
