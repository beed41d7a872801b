//! The root: everything that a reader must know before it can name the first block. It is part of the manifest.
//!
//! The root is stored as the varint uncompressed length and a raw deflate stream. Every reader loads the root, so
//! everything that only some queries need, or that grows with the number of chunks, is in the part `map` instead.

use super::blocks::{BlockTable, Sealed};
use super::bytes::Cursor;
use super::components::Components;
use super::vocabulary::{ANALYZER, CODE, KIND, LENGTH_CLASSES, MAX_DIMENSIONS, NormalizerOptions};
use super::{FORMAT_VERSION, FormatError, FormatErrorKind, Part, is_readable};

const NAME: &str = "root";
const MAGIC: &[u8; 8] = b"nearfind";
/// Flag: the query encoder knows only general meanings of words.
const GENERAL: u8 = 1;
/// Flag: the model knows only words in Latin letters.
const LATIN_ALONE: u8 = 2;
/// Flag: languages follow.
const LANGUAGES: u8 = 4;
/// Flag: the vectors of all chunks lie close together.
const CROWDED: u8 = 8;
/// How much a document's score by meaning falls each time that its number of chunks grows by a factor of e.
pub(crate) const CHUNK_LENGTH: f32 = 0.01;
/// The value of [`CHUNK_LENGTH`] for crowded vectors, whose cosines spread over a sixth of the range.
const CROWDED_CHUNK_LENGTH: f32 = 0.0015;

/// Returns the value of [`Root::chunk_length`].
pub const fn chunk_length(is_crowded: bool) -> f32 {
    if is_crowded { CROWDED_CHUNK_LENGTH } else { CHUNK_LENGTH }
}

/// The size of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectSummary {
    /// The name, which is unique in the bundle.
    pub name: String,
    /// Number of documents in the project.
    pub documents: u32,
    /// Number of chunks in the project.
    pub chunks: u32,
}

/// A property for filtering documents, such as their version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facet {
    /// The name, which is unique in the bundle.
    pub name: String,
    /// The values that documents have, ascending.
    pub values: Vec<String>,
}

/// Documents that the site owner puts first for a query.
///
/// ```
/// use nearfind_core::analysis::{Analyzer, pin_key};
/// use nearfind_core::format::root::Pin;
///
/// // The first document comes first for this query, however it is written.
/// let pin = Pin { key: pin_key("install"), documents: vec![0] };
/// assert_eq!(pin.key, pin_key(" Install "));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pin {
    /// The key of the query: see [`crate::analysis::pin_key`].
    pub key: String,
    /// Document numbers, in order.
    pub documents: Vec<u32>,
}

/// The storage format of vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorLayout {
    /// Number of components in a vector.
    pub dimensions: u32,
    /// Size of a fine step.
    pub step: f32,
    /// The distribution of the first components, which have coarse codes.
    pub near: Components,
}

/// Counts, statistics, block tables and the separators of the dictionaries.
///
/// ```
/// use nearfind_core::format::{Part, Root};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let root = small_bundle().root;
/// assert_eq!((root.documents, root.chunks), (3, 3));
/// assert_eq!(root.projects[0].name, "docs");
/// assert!(root.has_code());
/// // The name of a file contains the hash of its content.
/// assert!(root.file_name(Part::Terms, 0).starts_with("terms-"));
/// assert_eq!(Root::parse(&root.to_bytes())?, root);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Root {
    /// Number of documents.
    pub documents: u32,
    /// Number of chunks.
    pub chunks: u32,
    /// Number of tokens in all chunks, for the mean length in BM25.
    pub tokens: u64,
    /// The lengths in tokens that chunk lengths are rounded to: see [`crate::lexical::length_classes`].
    pub chunk_lengths: [u32; LENGTH_CLASSES],
    /// Number of chunks in each block of pages but the last one, which may have fewer.
    pub chunks_per_page: u32,
    /// Projects, in the order of their numbers in document records.
    pub projects: Vec<ProjectSummary>,
    /// The facets for filtering documents. The values of documents are in the map.
    pub facets: Vec<Facet>,
    /// The orders for sorting answers. The places of documents are in the map.
    pub orders: Vec<String>,
    /// Documents that come first for some queries.
    pub pins: Vec<Pin>,
    /// The storage format of vectors.
    pub vectors: VectorLayout,
    /// The chunk where a walk of the graph starts.
    pub graph_entry: u32,
    /// A separator for each block of `terms`, ascending.
    pub term_separators: Vec<String>,
    /// The key of the first word of each block of `spelling`, ascending.
    pub spelling_keys: Vec<String>,
    /// A separator for each block of `tokens` but the first, ascending. Empty without a query encoder.
    pub token_separators: Vec<String>,
    /// The tokens in the first block of `tokens`, ascending.
    pub frequent_tokens: Vec<String>,
    /// The normalization of words before they are looked up in `tokens`.
    pub normalizer: NormalizerOptions,
    /// Scores by meaning that almost no question about another topic reaches. The first is for questions that the query
    /// encoder encoded, the second for questions that the model encoded. 0 if unknown.
    pub floors: [f32; 2],
    /// Whether words count more than the query encoder: it knows only general meanings of words, or was fitted to too few
    /// texts in a language without general texts.
    pub is_general: bool,
    /// Whether the model knows only words in Latin letters, so that questions in a different script cannot be ranked by
    /// meaning.
    pub knows_latin_alone: bool,
    /// How much a document's score by meaning falls each time that its number of chunks grows by a factor of e. It is
    /// smaller if the vectors of all chunks lie close together, because small differences then distinguish them.
    pub chunk_length: f32,
    /// The languages of the documents, starting with the language of most documents, in the form that
    /// [`Language::read_all`](super::Language::read_all) reads. Empty if all documents are in English or in languages
    /// without rules.
    pub languages: Vec<u8>,
    /// Maximum size of files in the parts that are read by block, or 0 if each part is a single file.
    pub file_limit: u32,
    /// The hash of each part's content. For a part whose table is elsewhere, the hash is needed to read the table.
    pub identities: [u64; Part::ALL.len()],
    /// The block table of each part.
    tables: Vec<BlockTable>,
}

/// Whether the block table of `part` is in the map or in the directory.
const fn is_elsewhere(part: Part) -> bool {
    matches!(part, Part::Pages | Part::Codes | Part::Symbols | Part::Trigrams)
}

/// See [`Root::limit_of`]. Few queries read positions, so the files of positions are larger, which keeps the number of
/// files small.
const fn limit_of(part: Part, file_limit: u32) -> u32 {
    match part {
        Part::Positions => file_limit.saturating_mul(4),
        _ if part.is_read_by_block() => file_limit,
        _ => 0,
    }
}

impl Root {
    /// Returns the block table of `part`, which is empty if it is in the map or the directory.
    pub fn table(&self, part: Part) -> &BlockTable {
        &self.tables[part.index()]
    }

    /// Returns the name of a file: `<part>-<identity>.nf`, or `<part>-<identity>-<file>.nf` if the part may have
    /// several files.
    pub fn file_name(&self, part: Part, file: u32) -> String {
        let identity = self.identities[part.index()];
        if self.limit_of(part) == 0 {
            format!("{}-{identity:016x}.nf", part.name())
        } else {
            format!("{}-{identity:016x}-{file}.nf", part.name())
        }
    }

    /// Whether some documents are pieces of source code.
    pub fn has_code(&self) -> bool {
        self.facets.iter().any(|facet| facet.name == KIND && facet.values.iter().any(|value| value == CODE))
    }

    /// Returns the maximum size of files in `part`, or 0 if the part is a single file.
    pub const fn limit_of(&self, part: Part) -> u32 {
        limit_of(part, self.file_limit)
    }

    /// Reads and checks a stored root.
    #[cfg(feature = "inflate")]
    pub fn parse(stored: &[u8]) -> Result<Self, FormatError> {
        let root = Self::parse_raw(&Self::unseal(stored)?.inflate()?)?;
        // Pages read the languages only when they answer a query.
        super::Language::read_all(&root.languages)?;
        Ok(root)
    }

    /// Reads the header of a stored root. The caller must then decompress the content.
    pub fn unseal(stored: &[u8]) -> Result<Sealed<'_>, FormatError> {
        Sealed::read(NAME, stored)
    }

    /// Reads and checks a decompressed root.
    pub fn parse_raw(raw: &[u8]) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(NAME, raw);
        if cursor.take(MAGIC.len(), "magic")? != MAGIC {
            return Err(FormatError::corrupt(NAME, "magic"));
        }
        let version = cursor.u32("version")?;
        if !is_readable(u64::from(version)) {
            return Err(
                FormatErrorKind::Version { part: NAME, expected: FORMAT_VERSION, got: u64::from(version) }.into()
            );
        }
        if cursor.string("analyzer")? != ANALYZER {
            return Err(FormatErrorKind::OtherAnalyzer.into());
        }
        let documents = cursor.varint("documents")?;
        let chunks = cursor.varint("chunks")?;
        let tokens = cursor.varint64("tokens")?;
        let mut chunk_lengths = [0; LENGTH_CLASSES];
        for length in &mut chunk_lengths {
            *length = cursor.varint("length of chunks")?;
        }
        let chunks_per_page = cursor.varint("chunks of a page")?;
        let projects = cursor.list(3, "projects", |cursor| {
            let name = cursor.string("project")?.to_owned();
            Ok(ProjectSummary { name, documents: cursor.varint("documents")?, chunks: cursor.varint("chunks")? })
        })?;
        let facets = cursor.list(2, "facets", |cursor| {
            Ok(Facet { name: cursor.string("facet")?.to_owned(), values: read_keys(cursor)? })
        })?;
        let orders = read_keys(&mut cursor)?;
        let pins = cursor.list(2, "pins", |cursor| {
            let key = cursor.string("pin")?.to_owned();
            let count = cursor.count(1, "pinned documents")?;
            Ok(Pin { key, documents: cursor.varints(count, "document")? })
        })?;
        let dimensions = cursor.varint("dimensions")?;
        let step = cursor.finite_f32("step")?;
        let near = cursor.varint("components of coarse codes")?;
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) || near > dimensions || step <= 0.0 {
            return Err(FormatError::corrupt(NAME, "dimensions or step of vectors"));
        }
        let near = Components::read(&mut cursor, near as usize)?;
        let graph_entry = cursor.varint("graph entry")?;
        let file_limit = cursor.varint("limit of a file")?;
        let mut identities = [0; Part::ALL.len()];
        let mut tables = Vec::with_capacity(Part::ALL.len());
        for part in Part::ALL {
            let identity = cursor.u64("identity of a part")?;
            identities[part.index()] = identity;
            tables.push(if is_elsewhere(part) {
                BlockTable::default()
            } else {
                BlockTable::read(&mut cursor, part, identity, limit_of(part, file_limit))?
            });
        }
        let term_separators = read_keys(&mut cursor)?;
        let spelling_keys = read_keys(&mut cursor)?;
        let token_separators = read_keys(&mut cursor)?;
        let frequent_tokens = read_keys(&mut cursor)?;
        let normalizer = NormalizerOptions::from_bits(cursor.u8("normalizer")?);
        let floors = [cursor.finite_f32("floor")?, cursor.finite_f32("floor")?];
        let known = cursor.u8("what the model knows")?;
        let languages =
            if known & LANGUAGES == 0 { Vec::new() } else { cursor.take(cursor.remaining(), "languages")?.to_vec() };
        cursor.finish("bytes after the end")?;
        let root = Self {
            documents,
            chunks,
            tokens,
            chunk_lengths,
            chunks_per_page,
            projects,
            facets,
            orders,
            pins,
            vectors: VectorLayout { dimensions, step, near },
            graph_entry,
            term_separators,
            spelling_keys,
            token_separators,
            frequent_tokens,
            normalizer,
            floors,
            is_general: known & GENERAL != 0,
            knows_latin_alone: known & LATIN_ALONE != 0,
            chunk_length: chunk_length(known & CROWDED != 0),
            languages,
            file_limit,
            identities,
            tables,
        };
        root.validate()?;
        Ok(root)
    }

    fn validate(&self) -> Result<(), FormatError> {
        let ensure = |holds: bool, what| if holds { Ok(()) } else { Err(FormatError::corrupt(NAME, what)) };
        ensure(self.documents <= self.chunks, "more documents than chunks")?;
        ensure(self.chunks_per_page > 0, "chunks of a page")?;
        let of_projects = self.projects.iter().try_fold(0u32, |sum, project| sum.checked_add(project.documents));
        ensure(of_projects == Some(self.documents), "documents of projects")?;
        let mut pinned = self.pins.iter().flat_map(|pin| &pin.documents);
        ensure(pinned.all(|&document| document < self.documents), "pinned document")?;
        ensure(self.term_separators.len() == self.table(Part::Terms).len() as usize, "separators of terms")?;
        ensure(self.spelling_keys.len() == self.table(Part::Spelling).len() as usize, "keys of spelling")?;
        let token_blocks = self.table(Part::Tokens).len() as usize;
        ensure(self.token_separators.len() == token_blocks.saturating_sub(1), "separators of tokens")?;
        ensure(!self.table(Part::Map).is_empty(), "blocks of the map")?;
        ensure(self.table(Part::Rotation).len() <= 1, "blocks of the rotation")?;
        ensure(self.table(Part::Directory).len() <= 1, "blocks of the directory")?;
        ensure(self.graph_entry < self.chunks.max(1), "graph entry")
    }

    /// Returns the root in its stored form, which [`Root::parse`] reads.
    #[cfg(feature = "write")]
    pub fn to_bytes(&self) -> Vec<u8> {
        use super::bytes::{put_string, put_varint};
        let mut out = MAGIC.to_vec();
        out.extend(FORMAT_VERSION.to_le_bytes());
        put_string(&mut out, ANALYZER);
        put_varint(&mut out, u64::from(self.documents));
        put_varint(&mut out, u64::from(self.chunks));
        put_varint(&mut out, self.tokens);
        self.chunk_lengths.iter().for_each(|&length| put_varint(&mut out, u64::from(length)));
        put_varint(&mut out, u64::from(self.chunks_per_page));
        put_varint(&mut out, self.projects.len() as u64);
        for project in &self.projects {
            put_string(&mut out, &project.name);
            put_varint(&mut out, u64::from(project.documents));
            put_varint(&mut out, u64::from(project.chunks));
        }
        put_varint(&mut out, self.facets.len() as u64);
        for facet in &self.facets {
            put_string(&mut out, &facet.name);
            write_keys(&facet.values, &mut out);
        }
        write_keys(&self.orders, &mut out);
        put_varint(&mut out, self.pins.len() as u64);
        for pin in &self.pins {
            put_string(&mut out, &pin.key);
            put_varint(&mut out, pin.documents.len() as u64);
            pin.documents.iter().for_each(|&document| put_varint(&mut out, u64::from(document)));
        }
        put_varint(&mut out, u64::from(self.vectors.dimensions));
        out.extend(self.vectors.step.to_le_bytes());
        put_varint(&mut out, self.vectors.near.len() as u64);
        self.vectors.near.write(&mut out);
        put_varint(&mut out, u64::from(self.graph_entry));
        put_varint(&mut out, u64::from(self.file_limit));
        for part in Part::ALL {
            out.extend(self.identities[part.index()].to_le_bytes());
            if !is_elsewhere(part) {
                self.table(part).write(&mut out);
            }
        }
        for keys in [&self.term_separators, &self.spelling_keys, &self.token_separators, &self.frequent_tokens] {
            write_keys(keys, &mut out);
        }
        out.push(self.normalizer.to_bits());
        self.floors.iter().for_each(|floor| out.extend(floor.to_le_bytes()));
        let has_languages = !self.languages.is_empty();
        let known = [
            (self.is_general, GENERAL),
            (self.knows_latin_alone, LATIN_ALONE),
            (has_languages, LANGUAGES),
            (self.chunk_length < CHUNK_LENGTH, CROWDED),
        ];
        out.push(known.into_iter().map(|(is_so, bit)| u8::from(is_so) * bit).sum());
        out.extend(&self.languages);
        let mut stored = Vec::new();
        put_varint(&mut stored, out.len() as u64);
        stored.extend(super::blocks::deflate(&out));
        stored
    }

    /// Creates a root without documents, which a writer fills.
    #[cfg(feature = "write")]
    pub fn empty(dimensions: u32) -> Self {
        Self {
            documents: 0,
            chunks: 0,
            tokens: 0,
            chunk_lengths: [0; LENGTH_CLASSES],
            chunks_per_page: 1,
            projects: Vec::new(),
            facets: Vec::new(),
            orders: Vec::new(),
            pins: Vec::new(),
            vectors: VectorLayout { dimensions, step: 1.0, near: Components::default() },
            graph_entry: 0,
            term_separators: Vec::new(),
            spelling_keys: Vec::new(),
            token_separators: Vec::new(),
            frequent_tokens: Vec::new(),
            normalizer: NormalizerOptions::UNCASED,
            floors: [0.0; 2],
            is_general: false,
            knows_latin_alone: false,
            chunk_length: CHUNK_LENGTH,
            languages: Vec::new(),
            file_limit: 0,
            identities: [0; Part::ALL.len()],
            tables: vec![BlockTable::default(); Part::ALL.len()],
        }
    }

    /// Stores the identity of a written part and, if it belongs in the root, its table.
    #[cfg(feature = "write")]
    pub fn set_table(&mut self, part: Part, table: &BlockTable) {
        self.identities[part.index()] = table.identity();
        if !is_elsewhere(part) {
            self.tables[part.index()] = table.clone();
        }
    }
}

/// Reads ascending keys: a varint count, and each key relative to the previous one.
pub(crate) fn read_keys(cursor: &mut Cursor<'_>) -> Result<Vec<String>, FormatError> {
    let count = cursor.count(2, "keys")?;
    let mut key = Vec::new();
    let mut keys: Vec<String> = Vec::with_capacity(count);
    for _ in 0..count {
        cursor.shared_prefix(&mut key)?;
        let text = std::str::from_utf8(&key).map_err(|_| FormatError::corrupt(NAME, "key"))?;
        if keys.last().is_some_and(|last| last.as_str() >= text) {
            return Err(FormatError::corrupt(NAME, "order of keys"));
        }
        keys.push(text.to_owned());
    }
    Ok(keys)
}

#[cfg(feature = "write")]
pub(crate) fn write_keys(keys: &[String], out: &mut Vec<u8>) {
    super::bytes::put_varint(out, keys.len() as u64);
    let mut previous = "";
    for key in keys {
        super::bytes::put_shared_prefix(out, previous, key);
        previous = key;
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::blocks::PartWriter;
    use proptest::prelude::*;

    fn small() -> Root {
        let mut root = Root::empty(4);
        let mut map = PartWriter::default();
        map.push(b"a map");
        root.set_table(Part::Map, &map.finish(Part::Map, 0).table);
        root
    }

    fn stored(raw: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        crate::format::bytes::put_varint(&mut bytes, raw.len() as u64);
        bytes.extend(crate::format::blocks::deflate(raw));
        bytes
    }

    fn raw(root: &Root) -> Vec<u8> {
        let bytes = root.to_bytes();
        Root::unseal(&bytes).unwrap().inflate().unwrap()
    }

    #[test]
    fn a_root_round_trips() {
        let mut root = small();
        root.vectors.near = Components { centers: vec![3, -400], spreads: vec![9, 0] };
        root.projects.push(ProjectSummary { name: "docs".into(), documents: 2, chunks: 2 });
        (root.documents, root.chunks) = (2, 2);
        root.facets.push(Facet { name: "version".into(), values: vec!["1.0".into(), "2.0".into()] });
        root.orders.push("date".into());
        root.pins.push(Pin { key: "instal".into(), documents: vec![1, 0] });
        assert_eq!(Root::parse(&root.to_bytes()).unwrap(), root);
    }

    #[test]
    fn a_newer_version_is_named() {
        let mut bytes = raw(&small());
        bytes[8] = 9;
        let refused = Root::parse(&stored(&bytes)).unwrap_err();
        assert_eq!(refused, FormatErrorKind::Version { part: "root", expected: FORMAT_VERSION, got: 9 }.into());
    }

    #[test]
    fn another_analyzer_is_named() {
        let mut bytes = raw(&small());
        bytes[13] = b'x';
        assert_eq!(Root::parse(&stored(&bytes)).unwrap_err(), FormatErrorKind::OtherAnalyzer.into());
    }

    proptest! {
        #[test]
        fn a_damaged_root_is_read_or_refused(cut in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), value in any::<u8>()) {
            let mut bytes = raw(&small());
            let at = at.index(bytes.len());
            bytes[at] = value;
            bytes.truncate(cut.index(bytes.len() + 1));
            let _ = Root::parse(&stored(&bytes));
            let _ = Root::parse(&bytes);
        }
    }
}
