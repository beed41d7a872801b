use crate::format::{FormatError, bytes::Cursor};
use serde::{Deserialize, Serialize};

/// Marks a chunk that begins inside fenced code.
const FENCED: u8 = 1;
/// Marks a chunk that is source code.
const SOURCE: u8 = 2;
/// Marks a chunk that begins inside a table. The names of the table's columns precede its text.
const NAMED: u8 = 3;

/// A section that begins in a chunk, or continues at its start.
///
/// [`ChunkRecord`] has an example.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionStart {
    /// Byte offset in the chunk where the section begins. 0 for the first section.
    pub at: u32,
    /// The headings above the section and its own heading, joined by ` > `. Empty before the first heading.
    pub title: String,
    /// The section's anchor in the page. Empty if there is none.
    pub anchor: String,
}

/// A chunk with its sections and its text.
///
/// ```
/// use nearfind_core::records::{ChunkRecord, SectionStart};
///
/// let section = |at, title: &str| SectionStart { at, title: title.into(), anchor: title.to_lowercase() };
/// let text = "Undo a commit.\n## Branches\nSwitch to one.\n".to_owned();
/// let chunk = ChunkRecord { sections: vec![section(0, ""), section(15, "Branches")], text, ..ChunkRecord::default() };
/// assert_eq!(chunk.section_at(20).unwrap().anchor, "branches");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChunkRecord {
    /// The sections, ascending. There is at least one.
    pub sections: Vec<SectionStart>,
    /// Whether the chunk's first line is inside fenced code that began earlier.
    pub starts_in_code: bool,
    /// Whether the whole chunk is source code, without any marks.
    pub is_source: bool,
    /// If the chunk begins inside a table, the names of the columns, as lines of Markdown that the chunk's text does
    /// not contain. Otherwise empty.
    pub names: String,
    /// The text. The joined texts of a document's chunks are the document's text.
    pub text: String,
}

impl ChunkRecord {
    /// Returns the section that contains byte `at` of the chunk.
    pub fn section_at(&self, at: usize) -> Option<&SectionStart> {
        let after = self.sections.partition_point(|section| section.at as usize <= at);
        self.sections.get(after.saturating_sub(1))
    }

    /// Moves the names of the columns to the start of the text, so that the chunk can be read by itself.
    pub(super) fn with_names(mut self) -> Self {
        self.sections
            .iter_mut()
            .skip(1)
            .for_each(|section| section.at = section.at.saturating_add(self.names.len() as u32));
        self.text.insert_str(0, &std::mem::take(&mut self.names));
        self
    }

    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, FormatError> {
        let code = cursor.u8("code at the start")?;
        let (starts_in_code, is_source) = (code == FENCED, code == SOURCE);
        let sections = cursor.list(3, "sections", |cursor| {
            let mut section = SectionStart { at: cursor.varint("section start")?, ..SectionStart::default() };
            cursor.string_into(&mut section.title, "section title")?;
            cursor.string_into(&mut section.anchor, "anchor")?;
            Ok(section)
        })?;
        if !sections.is_sorted_by_key(|section| section.at) {
            return Err(FormatError::corrupt(cursor.part(), "order of sections"));
        }
        let names = if code == NAMED { cursor.string("names")?.to_owned() } else { String::new() };
        Ok(Self { sections, starts_in_code, is_source, names, text: cursor.string("text")?.to_owned() })
    }

    /// Reads only the text of a record.
    pub(super) fn skim<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, FormatError> {
        let code = cursor.u8("code at the start")?;
        for _ in 0..cursor.count(3, "sections")? {
            cursor.varint("section start")?;
            cursor.bytes("section title")?;
            cursor.bytes("anchor")?;
        }
        if code == NAMED {
            cursor.bytes("names")?;
        }
        cursor.string("text")
    }

    #[cfg(feature = "write")]
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        use crate::format::bytes::{put_string, put_varint};
        let names = Some(&self.names).filter(|names| !names.is_empty() && !self.is_source && !self.starts_in_code);
        out.push(match names {
            _ if self.is_source => SOURCE,
            Some(_) => NAMED,
            None => u8::from(self.starts_in_code) * FENCED,
        });
        put_varint(out, self.sections.len() as u64);
        for section in &self.sections {
            put_varint(out, u64::from(section.at));
            put_string(out, &section.title);
            put_string(out, &section.anchor);
        }
        names.into_iter().for_each(|names| put_string(out, names));
        put_string(out, &self.text);
    }
}
