use super::Record;
use crate::format::{FormatError, bytes::Cursor};

/// One document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Number of its project in the manifest.
    pub project: u32,
    /// Canonical id: `<project>/<path>`, or the source's own id.
    pub id: String,
    /// Path inside its source.
    pub path: String,
    /// Where readers find it; empty if nowhere.
    pub url: String,
    /// Title, never empty.
    pub title: String,
    /// One-line description; may be empty.
    pub description: String,
    /// Paths of pages that only lead here or repeat it.
    pub aliases: Vec<String>,
    /// Number of its first chunk.
    pub first_chunk: u32,
    /// Number of its chunks; at least 1.
    pub chunks: u32,
}

impl Record for DocumentRecord {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, FormatError> {
        let record = Self {
            project: cursor.varint("project")?,
            id: cursor.string("id")?.to_owned(),
            path: cursor.string("path")?.to_owned(),
            url: cursor.string("url")?.to_owned(),
            title: cursor.string("title")?.to_owned(),
            description: cursor.string("description")?.to_owned(),
            aliases: (0..cursor.count(1, "aliases")?)
                .map(|_| cursor.string("alias").map(str::to_owned))
                .collect::<Result<_, _>>()?,
            first_chunk: cursor.varint("first chunk")?,
            chunks: cursor.varint("number of chunks")?,
        };
        if record.first_chunk.checked_add(record.chunks).is_none() {
            return Err(FormatError::corrupt(cursor.part(), "chunks of a document"));
        }
        Ok(record)
    }

    #[cfg(feature = "write")]
    fn write(&self, out: &mut Vec<u8>) {
        use crate::format::bytes::{put_string, put_varint};
        put_varint(out, u64::from(self.project));
        for text in [&self.id, &self.path, &self.url, &self.title, &self.description] {
            put_string(out, text);
        }
        put_varint(out, self.aliases.len() as u64);
        for alias in &self.aliases {
            put_string(out, alias);
        }
        put_varint(out, u64::from(self.first_chunk));
        put_varint(out, u64::from(self.chunks));
    }
}
