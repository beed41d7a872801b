//! Blocks of documents: everything that showing a hit needs lies in one block of a few kilobytes.
//!
//! Block: for each chunk a tag, then its record. Tag 1 and 2 stand where a document begins in the block, and its record
//! follows: 1 if it begins there, 2, with a shorter record, if it goes on from the block before. Tag 0: the same document.

use super::{ChunkRecord, DocumentRecord};
use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "pages";
const SAME: u8 = 0;
const BEGINS: u8 = 1;
const GOES_ON: u8 = 2;

/// Calls `visit(document, chunk)` for each chunk of a block, until it answers `false`.
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

/// Calls `visit(document, text)` with the text of each chunk of a block, and with its project and path where a document begins or goes
/// on in the block: for those who read many texts and nothing beside.
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

/// The `number`-th chunk of a block and its document.
pub fn find(block: &[u8], number: u32) -> Result<(DocumentRecord, ChunkRecord), FormatError> {
    let mut found = None;
    let mut at = 0;
    for_each(block, &mut |document, chunk| {
        if at == number {
            found = Some((document.clone(), chunk));
        }
        at += 1;
        found.is_none()
    })?;
    found.ok_or(FormatError::corrupt(NAME, "chunks of a block"))
}

/// Writes documents into blocks.
#[cfg(feature = "write")]
#[derive(Debug, Default)]
pub struct PageWriter {
    part: crate::format::blocks::PartWriter,
    block: Vec<u8>,
    chunks_in_block: u32,
    chunks_of_blocks: Vec<u32>,
}

#[cfg(feature = "write")]
impl PageWriter {
    /// Raw size at which a block ends. Smaller blocks compress worse and need a longer table, larger ones carry more text
    /// that nobody asked for.
    const BLOCK_BYTES: usize = 5 << 10;
    /// The same for source code, which is mostly read where it is at hand.
    const SOURCE_BLOCK_BYTES: usize = 14 << 10;

    /// Appends a document with its chunks.
    pub fn push(&mut self, document: &DocumentRecord, chunks: &[ChunkRecord]) {
        let mut begun = false;
        let mut in_block = false;
        for chunk in chunks {
            let mut entry = Vec::new();
            chunk.write(&mut entry);
            let most = if chunk.is_source { Self::SOURCE_BLOCK_BYTES } else { Self::BLOCK_BYTES };
            if self.chunks_in_block > 0 && self.block.len() + entry.len() > most {
                self.flush();
                in_block = false;
            }
            if in_block {
                self.block.push(SAME);
            } else {
                self.block.push(if begun { GOES_ON } else { BEGINS });
                document.write(&mut self.block, !begun);
            }
            (begun, in_block) = (true, true);
            self.block.extend(entry);
            self.chunks_in_block += 1;
        }
    }

    fn flush(&mut self) {
        self.part.push(&self.block);
        self.chunks_of_blocks.push(self.chunks_in_block);
        self.block.clear();
        self.chunks_in_block = 0;
    }

    /// The part and the number of chunks in each of its blocks.
    pub fn finish(mut self) -> (crate::format::blocks::PartWriter, Vec<u32>) {
        if self.chunks_in_block > 0 {
            self.flush();
        }
        (self.part, self.chunks_of_blocks)
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::{Part, blocks::BlockId};
    use crate::records::SectionStart;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_chunk_is_found_with_its_document(documents in prop::collection::vec((".{0,30}", prop::collection::vec("[a-zé ]{0,2000}", 1..12)), 1..12)) {
            let mut writer = PageWriter::default();
            let mut expected = Vec::new();
            for (number, (title, texts)) in documents.iter().enumerate() {
                let document = DocumentRecord { project: number as u32, title: title.clone(), ..DocumentRecord::default() };
                let section = SectionStart { at: 0, title: title.clone(), anchor: String::new() };
                let chunks: Vec<_> = texts.iter().map(|text| ChunkRecord { sections: vec![section.clone()], starts_in_code: text.len() % 3 == 1, is_source: text.len() % 3 == 2, text: text.clone() }).collect();
                writer.push(&document, &chunks);
                expected.extend(chunks.into_iter().map(|chunk| (document.clone(), chunk)));
            }
            let (part, counts) = writer.finish();
            let part = part.finish(Part::Pages, 0);
            let (mut at, mut skimmed) = (0, 0);
            for (block, count) in counts.iter().enumerate() {
                let raw = part.decode(BlockId { part: Part::Pages, block: block as u32 }).unwrap();
                for number in 0..*count {
                    prop_assert_eq!(&find(&raw, number).unwrap(), &expected[at]);
                    at += 1;
                }
                prop_assert!(find(&raw, *count).is_err());
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
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(0u8..8, 0..96)) {
            let _ = for_each(&bytes, &mut |_, _| true);
            let _ = for_each_text(&bytes, &mut |_, _| {});
        }
    }
}
