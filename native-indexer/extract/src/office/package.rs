//! Reads a document's archive: parts by name, and relationships between parts.

use super::xml;
use crate::error::ExtractError;
use nearfind_base::file_names::joined;
use std::io::{Cursor, Read as _};
use zip::ZipArchive;

/// Maximum number of parts.
const MAX_PARTS: usize = 20_000;
/// Maximum unpacked size of a part.
const MAX_PART_BYTES: u64 = 64 << 20;
/// Maximum unpacked size of all parts of a file.
const MAX_UNPACKED_BYTES: u64 = 256 << 20;

/// The parts of a document.
pub(crate) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    unpacked: u64,
    /// Maximum number of bytes to unpack.
    most: u64,
}

/// A reference from a part to another part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Relationship {
    pub id: String,
    /// The last segment of its type, such as `styles` or `slide`.
    pub kind: String,
    /// The name of the target part.
    pub target: String,
}

impl<'a> Package<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, ExtractError> {
        Self::open_within(bytes, MAX_UNPACKED_BYTES)
    }

    /// Opens an archive, and limits the number of unpacked bytes to `most`, because a document inside another one
    /// shares the outer document's limit.
    pub(super) fn open_within(bytes: &'a [u8], most: u64) -> Result<Self, ExtractError> {
        let archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|_| ExtractError::Damaged("it is not a zip archive, or its end is missing".to_owned()))?;
        if archive.len() > MAX_PARTS {
            return Err(ExtractError::Damaged(format!("it has more than {MAX_PARTS} parts")));
        }
        Ok(Self { archive, unpacked: 0, most: most.min(MAX_UNPACKED_BYTES) })
    }

    /// Returns the number of bytes unpacked so far.
    pub(super) const fn unpacked(&self) -> u64 {
        self.unpacked
    }

    /// Whether most of the bytes that may be unpacked are left.
    pub(super) const fn has_room(&self) -> bool {
        self.unpacked < self.most / 3
    }

    /// Returns the bytes of the part called `name`, or `None` if it does not exist.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, ExtractError> {
        let Some(index) = self.index_of(name) else { return Ok(None) };
        let damaged = || ExtractError::Damaged(format!("{name} cannot be unpacked"));
        let part = match self.archive.by_index(index) {
            Err(zip::result::ZipError::UnsupportedArchive(reason))
                if reason == zip::result::ZipError::PASSWORD_REQUIRED =>
            {
                return Err(ExtractError::Encrypted);
            }
            part => part.map_err(|_| damaged())?,
        };
        // The declared length may be wrong, so the unpacked bytes are counted.
        let most = MAX_PART_BYTES.min(self.most.saturating_sub(self.unpacked));
        let mut bytes = Vec::new();
        part.take(most + 1).read_to_end(&mut bytes).map_err(|_| damaged())?;
        // The bytes of a refused part were unpacked too.
        self.unpacked += bytes.len() as u64;
        if bytes.len() as u64 > most {
            let limit = if most < MAX_PART_BYTES { self.most } else { MAX_PART_BYTES };
            return Err(ExtractError::UnpacksTooLarge(limit >> 20));
        }
        Ok(Some(bytes))
    }

    /// Returns the text of the part called `name`, in any encoding.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, ExtractError> {
        Ok(self.part(name)?.map(|bytes| crate::text_encoding::decode(&bytes).0.into_owned()))
    }

    /// Returns the names of all parts with the text `part` in their name.
    pub(crate) fn names(&self, part: &str) -> Vec<String> {
        self.archive.file_names().filter_map(Result::ok).filter(|name| name.contains(part)).map(Into::into).collect()
    }

    /// Returns the index of a part. Some producers do not preserve case in references.
    fn index_of(&self, name: &str) -> Option<usize> {
        let name = name.trim_start_matches('/');
        self.archive.index_for_name(name).or_else(|| {
            (0..self.archive.len()).find(|index| {
                let other = self.archive.name_for_index(*index).and_then(Result::ok);
                other.is_some_and(|other| other.replace('\\', "/").eq_ignore_ascii_case(name))
            })
        })
    }

    /// Returns the relationships of the part called `part`, or of the document if it is `""`.
    pub(super) fn relationships(&mut self, part: &str) -> Result<Vec<Relationship>, ExtractError> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let slash = if folder.is_empty() { "" } else { "/" };
        let place = format!("{folder}{slash}_rels/{name}.rels");
        let Some(text) = self.text(&place)? else { return Ok(Vec::new()) };
        let document = xml::parse(&place, &text)?;
        let elements = document.root_element().children().filter(|node| node.tag_name().name() == "Relationship");
        let inside = elements.filter(|node| node.attribute("TargetMode") != Some("External"));
        Ok(inside
            .map(|node| Relationship {
                id: node.attribute("Id").unwrap_or_default().to_owned(),
                kind: node.attribute("Type").unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned(),
                target: resolve(folder, node.attribute("Target").unwrap_or_default()),
            })
            .collect())
    }

    /// Returns the name of the main part. The part is found by its relationship, because its name is arbitrary.
    pub(super) fn main_part(&mut self) -> Result<String, ExtractError> {
        let found = self.relationships("")?.into_iter().find(|relationship| relationship.kind == "officeDocument");
        found
            .map(|relationship| relationship.target)
            .ok_or_else(|| ExtractError::Damaged("nothing in it says which part is the document".to_owned()))
    }
}

/// Resolves `target`, relative to `folder`.
pub(super) fn resolve(folder: &str, target: &str) -> String {
    joined(folder, &target.split('#').next().unwrap_or_default().replace('\\', "/"))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::archive;
    use super::*;

    #[test]
    fn names_are_resolved() {
        assert_eq!(resolve("word", "styles.xml"), "word/styles.xml");
        assert_eq!(resolve("ppt/slides", "../notes/n1.xml"), "ppt/notes/n1.xml");
        assert_eq!(resolve("word", "/custom/x.xml#id"), "custom/x.xml");
        assert_eq!(resolve("", "../../a"), "a");
    }

    #[test]
    fn parts_that_unpack_to_too_much_are_refused() {
        let zeros = "0".repeat((MAX_PART_BYTES + 1) as usize);
        let bytes = archive(&[("big.xml", &zeros), ("small.xml", "<a/>")]);
        let mut package = Package::open(&bytes).unwrap();
        assert_eq!(package.part("big.xml"), Err(ExtractError::UnpacksTooLarge(64)));
        assert_eq!(package.text("SMALL.xml"), Ok(Some("<a/>".to_owned())));
        assert_eq!(package.part("none.xml"), Ok(None));
    }

    #[test]
    fn nested_archives_share_the_limit() {
        let bytes = archive(&[("a.xml", "<a>1</a>"), ("b.xml", "<b>2</b>")]);
        let mut package = Package::open_within(&bytes, 10).unwrap();
        assert!(package.part("a.xml").unwrap().is_some());
        assert!(package.part("b.xml").is_err());
        assert!(package.part("a.xml").is_err());
        assert!(package.unpacked() >= 10);
    }

    #[test]
    fn damage_is_reported() {
        assert!(matches!(Package::open(b"PK\x03\x04"), Err(ExtractError::Damaged(_))));
        let mut bytes = archive(&[("a.xml", &"<a/>".repeat(100))]);
        bytes[40..60].fill(0xff);
        assert!(matches!(
            Package::open(&bytes).and_then(|mut package| package.part("a.xml")),
            Err(ExtractError::Damaged(_))
        ));
    }
}
