//! The input of a bundle: documents, their chunks, the vectors of the chunks, and the decisions of the site's owner.

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
    /// The chunks, at least one. They cover the text without gap or overlap.
    pub chunks: Vec<BundleChunk>,
    /// The tag of its language: `en`, or one of [`BundleOptions::languages`]. Any other tag means the first of those
    /// languages.
    pub language: String,
    /// Its values in each facet, for filters.
    pub facets: BTreeMap<String, BTreeSet<String>>,
    /// Its value in each order. An order compares numbers if every document has a number, and text otherwise.
    pub sort: BTreeMap<String, String>,
    /// Its weight. 1 is the normal weight, and so is 0, the default.
    pub weight: f32,
    /// The byte offset in its path at which areas begin.
    pub area_at: u32,
    /// The date on which it was written or last changed.
    pub date: Option<Date>,
    /// The number of the document that is its latest version, or `None` if there is no other version.
    pub latest: Option<u32>,
    /// The symbols of a piece of source code. `None` for every other document.
    pub code: Option<BundleCode>,
    /// The definitions of code in a document that is not source code, such as a notebook. Written if another document is source code.
    pub definitions: Vec<Definition>,
}

/// The symbols of a piece of source code. Such documents have the value [`CODE`](crate::format::vocabulary::CODE) of
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
    /// The names that it defines, as written. A name inside a class is also listed with the class: `Session.send`.
    pub symbols: Vec<String>,
    /// More names that it defines, for questions that name them; their words say little of what it is about.
    pub details: Vec<String>,
    /// Whether it belongs to the same file as the previous document.
    pub continues_file: bool,
    /// The definitions, in order of their places.
    pub definitions: Vec<Definition>,
    /// The mentions.
    pub mentions: Mentions,
}

/// The names that a piece of source code mentions without defining them there.
///
/// [`BundleCode`] has an example.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mentions {
    /// The names, one per line. A single string, because a large repository has millions.
    pub names: String,
    /// Pairs of the number of a name and a line of the file, from 1. Ascending.
    pub places: Vec<(u32, u32)>,
}

/// A chunk to write.
///
/// [`crate::bundle`] has an example.
#[derive(Clone, Debug, Default)]
pub struct BundleChunk {
    /// Its range of bytes in the document's text.
    pub range: Range<usize>,
    /// The sections, as in the chunk record.
    pub sections: Vec<SectionStart>,
    /// More words by which the chunk is found but which are not shown, such as the names of its columns. May be empty.
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
    /// The chunk at which walks of the graph begin.
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
    /// The words and pieces, ascending.
    pub tokens: Vec<String>,
    /// Their vectors, row-major. Each has [`near_components`](super::near_components) components, and they may have any
    /// common length.
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

/// The decisions of a site's owner.
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
    /// The largest size in bytes of files that queries read by block, for servers without range requests. 0 means no
    /// limit.
    pub file_limit: u32,
    /// The rules of the documents' languages, starting with the language of most documents. Empty for English.
    pub languages: Vec<Arc<Language>>,
    /// Words with the same meaning.
    pub synonyms: Synonyms,
    /// For each project, the prefix of paths at the address where its files are shown. Empty or missing if there is
    /// none.
    pub sources: Vec<String>,
    /// Documents that come first for some queries.
    pub pins: Vec<Pin>,
    /// Whether to write the part `trigrams`, with which an exact text is found without reading everything.
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
