//! The input of a bundle: documents, their chunks, the chunks' vectors, and the site owner's decisions.

use crate::analysis::Analyzer;
use crate::embed::bert_words::NormalizerOptions;
use crate::format::Language;
#[cfg(doc)]
use crate::format::Root;
use crate::format::root::Pin;
use crate::lexical::Synonyms;
use crate::records::{Date, DocumentRecord, SectionStart};
use crate::symbols::Definition;
use crate::vector::graph::Graph;
use crate::vector::rotation::Rotation;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The tag of English, whose rules every reader has.
pub const ENGLISH: &str = "en";

/// A document to write.
///
/// [`crate::bundle`] has an example.
#[derive(Clone, Debug, Default)]
pub struct BundleDocument {
    /// The record of the document.
    pub record: DocumentRecord,
    /// The whole text.
    pub text: String,
    /// The chunks, at least one. They cover the text without gaps or overlaps.
    pub chunks: Vec<BundleChunk>,
    /// The tag of the document's language: `en`, or one of [`BundleOptions::languages`]. Any other tag means the first
    /// of those languages.
    pub language: String,
    /// The document's values in each facet, for filters.
    pub facets: BTreeMap<String, BTreeSet<String>>,
    /// The document's value in each order. An order compares numbers if every document has a number, and text
    /// otherwise.
    pub sort: BTreeMap<String, String>,
    /// The document's weight. The normal weight is 1, and the default, 0, means the same.
    pub weight: f32,
    /// The byte offset in the document's path where areas begin.
    pub area_at: u32,
    /// The date when the document was written or last changed.
    pub date: Option<Date>,
    /// The number of the document that is the latest version of this one, or `None` if there is no other version.
    pub latest: Option<u32>,
    /// The symbols of a piece of source code. `None` for every other document.
    pub code: Option<BundleCode>,
    /// The definitions in the code of a document that is not source code, such as a notebook. They are written if
    /// another document is source code.
    pub definitions: Vec<Definition>,
}

/// The symbols of a piece of source code. Such documents have the value [`CODE`](crate::format::vocabulary::CODE) in
/// the facet [`KIND`](crate::format::vocabulary::KIND).
///
/// ```
/// use nearfind_core::bundle::{BundleCode, Mentions};
/// use nearfind_core::symbols::{Definition, SymbolKind};
///
/// let send = Definition {
///     name: "send".into(),
///     kind: SymbolKind::Method,
///     scope: "Session".into(),
///     lines: (2, 3),
///     signature: 19..34,
/// };
/// let code = BundleCode {
///     symbols: vec![send.qualified()],
///     definitions: vec![send],
///     // Line 7 mentions the first name.
///     mentions: Mentions { names: "connect".into(), places: vec![(0, 7)] },
///     ..BundleCode::default()
/// };
/// assert_eq!(code.symbols, ["Session.send"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleCode {
    /// The names that the code defines, as written. A name inside a class is also listed with the class:
    /// `Session.send`.
    pub symbols: Vec<String>,
    /// Further names that the code defines, for questions that contain them. Their words say little about the code's
    /// subject.
    pub details: Vec<String>,
    /// Whether the code belongs to the same file as the previous document.
    pub continues_file: bool,
    /// The definitions, in the order in which they occur.
    pub definitions: Vec<Definition>,
    /// The mentions.
    pub mentions: Mentions,
}

/// The names that a piece of source code mentions without defining them there.
///
/// [`BundleCode`] has an example.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mentions {
    /// The names, one per line. They are a single string, because a large repository has millions of names.
    pub names: String,
    /// Pairs of a name's number and a line number in the file, starting at 1. Ascending.
    pub places: Vec<(u32, u32)>,
}

/// A chunk to write.
///
/// [`crate::bundle`] has an example.
#[derive(Clone, Debug, Default)]
pub struct BundleChunk {
    /// The chunk's byte range in the document's text.
    pub range: Range<usize>,
    /// The sections, as in the chunk record.
    pub sections: Vec<SectionStart>,
    /// Further words that lead to the chunk but are not shown, such as the names of its columns. May be empty.
    pub context: String,
    /// Text that was written for the chunk and is not shown, such as questions that it answers or a line about its
    /// document. May be empty.
    pub written: String,
}

/// The vectors of a bundle.
///
/// [`crate::bundle`] has an example.
#[derive(Clone, Debug)]
pub struct BundleVectors<'a> {
    /// A rotated vector for each chunk, row-major, in chunk order.
    pub rotated: &'a [f32],
    /// The rotation.
    pub rotation: &'a Rotation,
    /// The neighbors of each chunk. Empty for a bundle that has only the data for pages, without fine codes.
    pub graph: &'a Graph,
    /// The chunk where walks of the graph begin.
    pub graph_entry: u32,
    /// The query encoder, if there is one.
    pub encoder: Option<&'a BundleEncoder>,
    /// See [`Root::knows_latin_alone`].
    pub knows_latin_alone: bool,
}

/// The query encoder to write: a table of token vectors.
///
/// ```
/// use nearfind_core::bundle::{BundleEncoder, near_components};
/// use nearfind_core::embed::bert_words::NormalizerOptions;
///
/// // A table of two words, for vectors of two components.
/// let encoder = BundleEncoder {
///     tokens: vec!["commit".into(), "undo".into()],
///     vectors: vec![1.0, 0.0, 0.0, 1.0],
///     frequent: vec!["undo".into()],
///     normalizer: NormalizerOptions::UNCASED,
///     floors: [0.3, 0.4],
///     is_general: false,
/// };
/// assert_eq!(encoder.vectors.len(), encoder.tokens.len() * near_components(2));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BundleEncoder {
    /// The words and word pieces, ascending.
    pub tokens: Vec<String>,
    /// The vectors of the tokens, row-major. Each vector has [`near_components`](super::near_components) components.
    /// The vectors may have any length, as long as it is the same for all of them.
    pub vectors: Vec<f32>,
    /// The tokens that most queries need, ascending.
    pub frequent: Vec<String>,
    /// The normalization of words.
    pub normalizer: NormalizerOptions,
    /// See [`Root::floors`].
    pub floors: [f32; 2],
    /// See [`Root::is_general`].
    pub is_general: bool,
}

/// The site owner's decisions.
///
/// [`crate::bundle`] has an example that writes a bundle.
///
/// ```
/// use nearfind_core::analysis::pin_key;
/// use nearfind_core::bundle::BundleOptions;
/// use nearfind_core::format::root::Pin;
/// use nearfind_core::lexical::Synonyms;
///
/// let options = BundleOptions {
///     synonyms: Synonyms::new(&[vec!["repo".into(), "repository".into()]]),
///     pins: vec![Pin { key: pin_key("install"), documents: vec![0] }],
///     trigrams: true,
///     ..BundleOptions::default()
/// };
/// // Without languages, all documents are in English.
/// assert!(options.languages.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct BundleOptions {
    /// The maximum size in bytes of files that queries read by block, for servers without range requests. 0 means no
    /// limit.
    pub file_limit: u32,
    /// The rules of the documents' languages, starting with the language of most documents. Empty for English.
    pub languages: Vec<Arc<Language>>,
    /// Words with the same meaning.
    pub synonyms: Synonyms,
    /// For each project, the base address of its files. Followed by a file's path, it is the file's address. Empty or
    /// missing if there is none.
    pub sources: Vec<String>,
    /// Documents that come first for some queries.
    pub pins: Vec<Pin>,
    /// Whether to write the part `trigrams`, which finds exact text without reading everything.
    pub trigrams: bool,
}

impl BundleOptions {
    /// Returns the rules for documents in the language with this tag.
    pub(crate) fn analyzer_of(&self, tag: &str) -> Analyzer {
        let of_tag = self.languages.iter().find(|language| language.tag == tag);
        let language = of_tag.or(self.languages.first()).filter(|_| tag != ENGLISH);
        language.map_or(Analyzer::ENGLISH, |language| Analyzer::of(Arc::clone(language)))
    }
}
