//! What a bundle is written of: documents with their chunks, the meaning of these, and what the owner of the site decides.

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

/// The tag of the language whose rules every reader has.
pub const ENGLISH: &str = "en";

/// A document to be written.
#[derive(Clone, Debug, Default)]
pub struct BundleDocument {
    /// Its record.
    pub record: DocumentRecord,
    /// Its whole text.
    pub text: String,
    /// Its chunks, which cover the text without gap or overlap; at least one.
    pub chunks: Vec<BundleChunk>,
    /// The tag of its language: `en`, or one of [`BundleOptions::languages`], whose first does for any other.
    pub language: String,
    /// What it can be filtered by: the values of each facet that it has.
    pub facets: BTreeMap<String, BTreeSet<String>>,
    /// What answers can be sorted by: numbers if every document has a number, else texts.
    pub sort: BTreeMap<String, String>,
    /// How much it counts: 1 is as much as others; 0, as by default, too.
    pub weight: f32,
    /// Byte of its path at which the part begins that tells areas apart.
    pub area_at: u32,
    /// When it was written or last changed.
    pub date: Option<Date>,
    /// The number of the document that is its latest version; `None` if there is no other.
    pub latest: Option<u32>,
    /// What a piece of source code has beside its text; `None` for every other document.
    pub code: Option<BundleCode>,
}

/// What a piece of source code has beside its text. Such documents have the value [`CODE`](crate::format::vocabulary::CODE) of the facet
/// [`KIND`](crate::format::vocabulary::KIND).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleCode {
    /// Names that it defines, as they are written; a name in a class also with that in front: `Session.send`.
    pub symbols: Vec<String>,
    /// Whether it is of the same file as the document before.
    pub continues_file: bool,
    /// What it defines, by place.
    pub definitions: Vec<Definition>,
    /// What it mentions.
    pub mentions: Mentions,
}

/// Names that a piece of source code mentions, where it does not define them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mentions {
    /// The names, each on a line: there are millions in a large repository.
    pub names: String,
    /// Numbers of names, with lines of the file, from 1; ascending.
    pub places: Vec<(u32, u32)>,
}

/// A chunk to be written.
#[derive(Clone, Debug, Default)]
pub struct BundleChunk {
    /// Its bytes in the document's text.
    pub range: Range<usize>,
    /// Sections, as in the chunk record.
    pub sections: Vec<SectionStart>,
    /// Words that it is also found by and that are not shown: the names of its columns. May be empty.
    pub context: String,
    /// What somebody wrote for it and is not shown: questions that it answers, a line on its document. May be empty.
    pub written: String,
}

/// The meaning of a bundle.
#[derive(Clone, Debug)]
pub struct BundleVectors<'a> {
    /// A rotated vector for each chunk, row-major, in chunk order.
    pub rotated: &'a [f32],
    /// The rotation.
    pub rotation: &'a Rotation,
    /// Neighbours of each chunk; none for a bundle of what pages fetch alone, without fine codes.
    pub graph: &'a Graph,
    /// Where walks of the graph begin.
    pub graph_entry: u32,
    /// The query encoder, if there is one.
    pub encoder: Option<&'a BundleEncoder>,
    /// See [`Root::knows_latin_alone`].
    pub knows_latin_alone: bool,
}

/// The table of token vectors to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct BundleEncoder {
    /// Words and pieces, ascending.
    pub tokens: Vec<String>,
    /// Their vectors, [`near_components`](super::near_components) each, row-major, of any common length.
    pub vectors: Vec<f32>,
    /// The tokens that most queries need, ascending.
    pub frequent: Vec<String>,
    /// How words are normalized.
    pub normalizer: NormalizerOptions,
    /// See [`Root::floors`].
    pub floors: [f32; 2],
    /// See [`Root::is_general`].
    pub is_general: bool,
}

/// What the owner of a site decides.
#[derive(Clone, Debug, Default)]
pub struct BundleOptions {
    /// Largest size of the files that queries read by block, for servers without range requests; 0 for no limit.
    pub file_limit: u32,
    /// The rules of the languages of the documents, that of most documents first; none for English.
    pub languages: Vec<Arc<Language>>,
    /// Words that mean the same.
    pub synonyms: Synonyms,
    /// What precedes a path where the files of each project are shown; empty, or missing, for nowhere.
    pub sources: Vec<String>,
    /// Documents that come first for some queries.
    pub pins: Vec<Pin>,
    /// Whether exact texts are found without reading everything: by the part `trigrams`.
    pub trigrams: bool,
}

impl BundleOptions {
    /// The rules for documents in the language with this tag.
    pub(crate) fn analyzer_of(&self, tag: &str) -> Analyzer {
        let of_tag = self.languages.iter().find(|language| language.tag == tag);
        let language = of_tag.or(self.languages.first()).filter(|_| tag != ENGLISH);
        language.map_or(Analyzer::ENGLISH, |language| Analyzer::of(Arc::clone(language)))
    }
}
