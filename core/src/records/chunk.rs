use super::Record;
use crate::format::{FormatError, bytes::Cursor};

/// Bytes of one row of the chunk map.
pub const CHUNK_MAP_ROW: u64 = 8;

/// Document and length of one chunk: what ranking needs of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkMapRow {
    /// Document number.
    pub document: u32,
    /// Tokens, for BM25.
    pub tokens: u32,
}

impl ChunkMapRow {
    /// Reads a row.
    pub fn from_bytes(row: [u8; CHUNK_MAP_ROW as usize]) -> Self {
        let (numbers, _) = row.as_chunks::<4>();
        Self { document: u32::from_le_bytes(numbers[0]), tokens: u32::from_le_bytes(numbers[1]) }
    }

    /// Appends a row.
    #[cfg(feature = "write")]
    pub fn write(self, out: &mut Vec<u8>) {
        out.extend(self.document.to_le_bytes());
        out.extend(self.tokens.to_le_bytes());
    }
}

/// A section that begins in a chunk, or is continued at its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SectionStart {
    /// Byte in the chunk at which it begins; 0 for the first.
    pub at: u32,
    /// Headings above and its own, joined by ` > `; empty before the first heading.
    pub title: String,
    /// Anchor in the page; empty if it has none.
    pub anchor: String,
}

/// One chunk: a range of the text part, and its sections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChunkRecord {
    /// First byte in the raw stream of the text part. The chunks of a document follow each other without a gap.
    pub text_start: u64,
    /// Length in bytes.
    pub text_bytes: u32,
    /// At least one, ascending.
    pub sections: Vec<SectionStart>,
}

impl ChunkRecord {
    /// The section that holds byte `at` of the chunk.
    pub fn section_at(&self, at: usize) -> Option<&SectionStart> {
        let after = self.sections.partition_point(|section| section.at as usize <= at);
        self.sections.get(after.saturating_sub(1))
    }
}

impl Record for ChunkRecord {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, FormatError> {
        let text_start = cursor.varint64("text start")?;
        let text_bytes = cursor.varint("text length")?;
        let count = cursor.count(3, "sections")?;
        let sections = (0..count)
            .map(|_| {
                Ok(SectionStart {
                    at: cursor.varint("section start")?,
                    title: cursor.string("section title")?.to_owned(),
                    anchor: cursor.string("anchor")?.to_owned(),
                })
            })
            .collect::<Result<Vec<_>, FormatError>>()?;
        if !sections.is_sorted_by_key(|section| section.at) {
            return Err(FormatError::corrupt(cursor.part(), "order of sections"));
        }
        Ok(Self { text_start, text_bytes, sections })
    }

    #[cfg(feature = "write")]
    fn write(&self, out: &mut Vec<u8>) {
        use crate::format::bytes::{put_string, put_varint};
        put_varint(out, self.text_start);
        put_varint(out, u64::from(self.text_bytes));
        put_varint(out, self.sections.len() as u64);
        for section in &self.sections {
            put_varint(out, u64::from(section.at));
            put_string(out, &section.title);
            put_string(out, &section.anchor);
        }
    }
}
