//! Names and dates of documents. They are read only if a query filters by them or looks up a document by name.
//!
//! Each project of the root has a string: the base address of its files, which their paths are appended to, or an empty
//! string. Then, each document has, in order, the varint number of bytes that its path shares with the previous path,
//! the rest of the path as a string, the varint byte offset in the path where areas begin, the varint date `yyyymmdd`
//! or 0, the varint number of aliases, and each alias as a string.

use super::Date;
use crate::format::FormatError;
use crate::format::bytes::Cursor;
use crate::format::root::Root;

const NAME: &str = "catalog";

/// The entry of a document.
///
/// [`Catalog`] has an example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogEntry {
    /// The document's path inside its source.
    pub path: String,
    /// The byte offset in the path where areas begin.
    pub area_at: u32,
    /// The date when the document was written or last changed.
    pub date: Option<Date>,
    /// Paths of pages that redirect to the document or repeat it.
    pub aliases: Vec<String>,
}

impl CatalogEntry {
    /// Returns the folder at `depth` after the start of areas, if the document is in one.
    pub fn area(&self, depth: usize) -> Option<&str> {
        let (mut start, mut passed) = (self.area_at as usize, 0);
        for (at, byte) in self.path.bytes().enumerate().skip(start) {
            if byte == b'/' {
                if passed == depth {
                    return self.path.get(start..at);
                }
                (start, passed) = (at + 1, passed + 1);
            }
        }
        None
    }
}

/// The entries of all documents, by number.
///
/// ```
/// use nearfind_core::records::{Catalog, CatalogEntry};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let root = small_bundle().root;
/// let paths = ["guide/branch.md", "guide/undo.md", "session.py"];
/// let entries = paths.map(|path| CatalogEntry { path: path.into(), ..CatalogEntry::default() });
/// let sources = ["https://git.example.org/docs/blob/main/".to_owned(), String::new()];
/// let catalog = Catalog::parse(&Catalog::to_bytes(&sources, entries.iter()), &root)?;
/// assert_eq!(catalog.find(&root, "guide/undo.md"), Some(1));
/// assert_eq!(catalog.entry(1).unwrap().area(0), Some("guide"));
/// assert_eq!(catalog.source_url(0, 1).unwrap(), "https://git.example.org/docs/blob/main/guide/undo.md");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// By project, the base address of its files, which their paths are appended to.
    sources: Vec<String>,
    entries: Vec<CatalogEntry>,
}

impl Catalog {
    /// Reads the joined blocks of the catalog of the bundle with this `root`.
    pub fn parse(raw: &[u8], root: &Root) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(NAME, raw);
        let mut sources = Vec::new();
        for _ in &root.projects {
            sources.push(cursor.string("place of sources")?.to_owned());
        }
        let mut entries: Vec<CatalogEntry> = Vec::new();
        let mut path = Vec::new();
        for _ in 0..root.documents {
            cursor.shared_prefix(&mut path)?;
            let path = str::from_utf8(&path).map_err(|_| FormatError::corrupt(NAME, "path"))?.to_owned();
            let area_at = cursor.varint("area")?;
            let date = Date::from_number(cursor.varint("date")?);
            let mut aliases = Vec::new();
            for _ in 0..cursor.count(1, "aliases")? {
                aliases.push(cursor.string("alias")?.to_owned());
            }
            entries.push(CatalogEntry { path, area_at, date, aliases });
        }
        cursor.finish("bytes after the end")?;
        Ok(Self { sources, entries })
    }

    /// Returns the uncompressed bytes, which [`Catalog::parse`] reads.
    #[cfg(feature = "write")]
    pub fn to_bytes<'a>(sources: &[String], entries: impl Iterator<Item = &'a CatalogEntry>) -> Vec<u8> {
        use crate::format::bytes::{put_shared_prefix, put_string, put_varint};
        let mut out = Vec::new();
        sources.iter().for_each(|source| put_string(&mut out, source));
        let mut before = "";
        for entry in entries {
            put_shared_prefix(&mut out, before, &entry.path);
            put_varint(&mut out, u64::from(entry.area_at));
            put_varint(&mut out, u64::from(entry.date.map_or(0, Date::number)));
            put_varint(&mut out, entry.aliases.len() as u64);
            entry.aliases.iter().for_each(|alias| put_string(&mut out, alias));
            before = &entry.path;
        }
        out
    }

    /// Returns the entry of `document`.
    pub fn entry(&self, document: u32) -> Option<&CatalogEntry> {
        self.entries.get(document as usize)
    }

    /// Returns the address that shows the file of a document in `project`, for example in a repository, if there is
    /// one.
    pub fn source_url(&self, project: u32, document: u32) -> Option<String> {
        let base = self.sources.get(project as usize).filter(|base| !base.is_empty())?;
        Some(format!("{base}{}", self.entry(document)?.path))
    }

    /// Returns the document with this `name`, which may be its id, its path or an alias, in this order of preference.
    /// The name of its project may precede an alias. Returns `None` if several documents have the name in the same way.
    pub fn find(&self, root: &Root, name: &str) -> Option<u32> {
        let projects = root
            .projects
            .iter()
            .flat_map(|project| std::iter::repeat_n(project.name.as_str(), project.documents as usize));
        let mut best: Option<(u8, u32)> = None;
        let mut is_one = false;
        for ((number, project), entry) in (0..).zip(projects).zip(&self.entries) {
            let Some(kind) = kind_of_name(project, entry, name) else { continue };
            match best {
                Some((known, _)) if known < kind => {}
                Some((known, _)) if known == kind => is_one = false,
                _ => (best, is_one) = (Some((kind, number)), true),
            }
        }
        best.filter(|_| is_one).map(|(_, number)| number)
    }
}

/// Returns how `name` names a document of `project`: by its id (0), by its path (1), or by an alias with (2) or without
/// (3) its project.
fn kind_of_name(project: &str, entry: &CatalogEntry, name: &str) -> Option<u8> {
    let inside = name.strip_prefix(project).and_then(|rest| rest.strip_prefix('/'));
    let is_alias = |name: &str| entry.aliases.iter().any(|alias| alias == name);
    if inside == Some(&entry.path) {
        Some(0)
    } else if entry.path == name {
        Some(1)
    } else if inside.is_some_and(is_alias) {
        Some(2)
    } else {
        is_alias(name).then_some(3)
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::root::ProjectSummary;
    use proptest::prelude::*;

    fn root(documents: &[u32]) -> Root {
        let mut root = Root::empty(2);
        root.documents = documents.iter().sum();
        root.projects = (0..)
            .zip(documents)
            .map(|(number, &documents)| ProjectSummary { name: format!("p{number}"), documents, chunks: documents })
            .collect();
        root
    }

    fn entry(path: &str, aliases: &[&str]) -> CatalogEntry {
        let aliases = aliases.iter().map(|alias| (*alias).to_owned()).collect();
        CatalogEntry { path: path.to_owned(), aliases, ..CatalogEntry::default() }
    }

    proptest! {
        #[test]
        fn catalogs_round_trip_and_hostile_ones_are_refused(paths in prop::collection::vec("[aé/]{0,6}", 1..9), at in any::<prop::sample::Index>(), value in any::<u8>()) {
            let entries: Vec<CatalogEntry> = (0..).zip(&paths).map(|(number, path)| CatalogEntry {
                area_at: number,
                date: Date::from_number(number * 20_240_501),
                ..entry(path, &["x.md"])
            }).collect();
            let mut raw = Catalog::to_bytes(&["https://x.org/blob/".to_owned()], entries.iter());
            let root = root(&[paths.len() as u32]);
            let catalog = Catalog::parse(&raw, &root).unwrap();
            prop_assert_eq!(&catalog.entries, &entries);
            let at = at.index(raw.len());
            raw[at] = value;
            if let Ok(damaged) = Catalog::parse(&raw, &root) {
                damaged.entries.iter().for_each(|entry| assert!(entry.area(0).is_none_or(|area| area.len() < 99)));
            }
            raw.truncate(at);
            prop_assert!(Catalog::parse(&raw, &root).is_err());
        }
    }

    #[test]
    fn areas_are_folders_below_the_docs() {
        let entry = |path: &str, area_at| CatalogEntry { area_at, ..entry(path, &[]) };
        let deep = entry("doc/how_to/callbacks/a/b.md", 4);
        assert_eq!((deep.area(0), deep.area(1)), (Some("how_to"), Some("callbacks")));
        assert_eq!(entry("doc/index.md", 4).area(0), None);
        assert_eq!(entry("doc/index.md", 400).area(0), None);
    }

    #[test]
    fn documents_are_found_by_id_path_and_alias() {
        let entries = vec![
            entry("doc/a.md", &["old/a.md"]),
            entry("examples/reference/Button.ipynb", &["reference/Button.md"]),
            entry("doc/a.md", &["reference/Button.md"]),
        ];
        let catalog = Catalog { sources: vec!["https://x.org/".into(), String::new()], entries };
        assert_eq!(catalog.source_url(0, 0).as_deref(), Some("https://x.org/doc/a.md"));
        assert_eq!(catalog.source_url(1, 2), None);
        let root = root(&[2, 1]);
        let find = |name| catalog.find(&root, name);
        assert_eq!(find("p0/doc/a.md"), Some(0));
        assert_eq!(find("p1/doc/a.md"), Some(2));
        // Two documents have the same name.
        assert_eq!(find("doc/a.md"), None);
        assert_eq!(find("examples/reference/Button.ipynb"), Some(1));
        assert_eq!(find("p0/reference/Button.md"), Some(1));
        assert_eq!(find("reference/Button.md"), None);
        assert_eq!(find("old/a.md"), Some(0));
        assert_eq!(find("nothing"), None);
    }
}
