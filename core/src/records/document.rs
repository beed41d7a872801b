use crate::format::{FormatError, bytes::Cursor};
use serde::Serialize;

/// The record of a document.
///
/// [`crate::bundle`] has an example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentRecord {
    /// The number of the document's project in the root.
    pub project: u32,
    /// The canonical id: `<project>/<path>`, or an id that the source defines.
    pub id: String,
    /// The document's path inside its source.
    pub path: String,
    /// The address for readers. Empty if there is none.
    pub url: String,
    /// The title, which is never empty.
    pub title: String,
    /// All versions of the page, the latest first. Empty if there is only one.
    pub versions: Vec<DocumentVersion>,
    /// Metadata to show, set by the authors: names and values, ascending by name.
    pub meta: Vec<(String, String)>,
    /// A one-line description. May be empty. Only the block with the document's first chunk contains it.
    pub description: String,
    /// Paths of pages that redirect to the document or repeat it. Only the block with the document's first chunk
    /// contains them.
    pub aliases: Vec<String>,
}

/// A version of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DocumentVersion {
    /// The version's name, such as `2.1` or `stable`.
    pub version: String,
    /// The canonical id of the page in this version.
    pub document: String,
    /// The address for readers. Empty if there is none.
    pub url: String,
}

impl DocumentRecord {
    pub(super) fn read(cursor: &mut Cursor<'_>, whole: bool) -> Result<Self, FormatError> {
        let mut record = Self { project: cursor.varint("project")?, ..Self::default() };
        cursor.string_into(&mut record.id, "id")?;
        cursor.string_into(&mut record.path, "path")?;
        cursor.string_into(&mut record.url, "url")?;
        cursor.string_into(&mut record.title, "title")?;
        record.versions = cursor.list(3, "versions", |cursor| {
            let mut version = DocumentVersion::default();
            cursor.string_into(&mut version.version, "version")?;
            cursor.string_into(&mut version.document, "id of a version")?;
            cursor.string_into(&mut version.url, "url of a version")?;
            Ok(version)
        })?;
        record.meta = cursor.list(2, "metadata", |cursor| {
            let mut meta = (String::new(), String::new());
            cursor.string_into(&mut meta.0, "name of metadata")?;
            cursor.string_into(&mut meta.1, "metadata")?;
            Ok(meta)
        })?;
        if whole {
            cursor.string_into(&mut record.description, "description")?;
            record.aliases = cursor.list(1, "aliases", |cursor| Ok(cursor.string("alias")?.to_owned()))?;
        }
        Ok(record)
    }

    /// Reads only the project and the path of a record.
    pub(super) fn skim<'a>(cursor: &mut Cursor<'a>, whole: bool) -> Result<(u32, &'a str), FormatError> {
        let project = cursor.varint("project")?;
        cursor.bytes("id")?;
        let path = cursor.string("path")?;
        cursor.bytes("url")?;
        cursor.bytes("title")?;
        for _ in 0..cursor.count(3, "versions")? * 3 {
            cursor.bytes("version")?;
        }
        for _ in 0..cursor.count(2, "metadata")? * 2 {
            cursor.bytes("metadata")?;
        }
        if whole {
            cursor.bytes("description")?;
            for _ in 0..cursor.count(1, "aliases")? {
                cursor.bytes("alias")?;
            }
        }
        Ok((project, path))
    }

    #[cfg(feature = "write")]
    pub(super) fn write(&self, out: &mut Vec<u8>, whole: bool) {
        use crate::format::bytes::{put_string, put_varint};
        put_varint(out, u64::from(self.project));
        for text in [&self.id, &self.path, &self.url, &self.title] {
            put_string(out, text);
        }
        put_varint(out, self.versions.len() as u64);
        for version in &self.versions {
            for text in [&version.version, &version.document, &version.url] {
                put_string(out, text);
            }
        }
        put_varint(out, self.meta.len() as u64);
        for text in self.meta.iter().flat_map(|(name, value)| [name, value]) {
            put_string(out, text);
        }
        if whole {
            put_string(out, &self.description);
            put_varint(out, self.aliases.len() as u64);
            for alias in &self.aliases {
                put_string(out, alias);
            }
        }
    }
}
