//! The options of a run.

use super::corpus::ChunkSize;
use super::shares_folder::SharesFolder;
use crate::config::SearchSettings;
use crate::source::SourceSpec;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_core::format::manifest::Loading;
use nearfind_extract::apart::Readers;
use nearfind_models::provider::{EmbeddingSettings, LanguageSettings};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// The options of a run: what to index and how, and where to write the bundle.
///
/// [`index`](super::index) has an example.
#[derive(Clone, Debug, Default)]
pub struct IndexOptions {
    /// The sources. Each is a project. Repositories have already been fetched.
    pub sources: Vec<SourceSpec>,
    /// Names of projects that are not read again and stay as in the last build.
    pub left_alone: BTreeSet<String>,
    /// Names of projects that could not be fetched, with the reason.
    pub failures: Vec<(String, String)>,
    /// Folder of the bundle.
    pub out: PathBuf,
    /// The file readers.
    pub readers: Arc<Readers>,
    /// Identifies the build of the program, because another build may read files differently.
    pub build: String,
    /// Folder of the caches.
    pub cache: CacheFolder,
    /// Path of the model pack.
    pub model: PathBuf,
    /// The provider that makes the vectors instead of the model, if there is one. The model is then only used for its
    /// tokenizer and the meaning of words.
    pub embedding: Option<EmbeddingSettings>,
    /// The language model that writes texts for passages and documents, if there is one.
    pub writing: Option<LanguageSettings>,
    /// Folder that contains shares of the vectors: see [`super::make_share`]. With shares, only texts for the query
    /// encoder are embedded.
    pub shares: Option<SharesFolder>,
    /// Whether the model pack is a file of the bundle, so that browsers can load it.
    pub ship_model: bool,
    /// When pages load the small encoder, if the model has one. `None` if the small encoder is not a file of the
    /// bundle.
    pub small_encoder: Option<Loading>,
    /// Whether a query encoder is distilled, so that readers without the model can search by meaning.
    pub query_encoder: bool,
    /// Whether exact text is found by trigrams, without reading all text. `None` means `true` if the bundle has a query
    /// encoder, and is therefore for pages, or if it has so much text that reading all of it takes a while.
    pub trigrams: Option<bool>,
    /// Maximum size in bytes of files that queries read ranges from, for servers without range requests. 0 means no
    /// limit.
    pub file_limit: u32,
    /// The size of chunks.
    pub chunk_size: ChunkSize,
    /// How the owner wants the site to be searched.
    pub search: SearchSettings,
    /// Whether the bundle has only the meaning of words, which takes seconds because the model reads nothing.
    pub quick: bool,
    /// Whether changes must be searchable at once. The bundle is then provisional: it keeps the rotation and the query
    /// encoder of the previous bundle, and has no graph. If the model would need long for the new chunks, the query
    /// encoder makes their vectors. A run without this option makes the final bundle.
    pub soon: bool,
    /// Whether an agent or a person waits for the first answers. If so, a draft is written first, even if the model has
    /// little to read. Otherwise, such a draft would only leave files behind.
    pub is_awaited: bool,
    /// Whether everything is read and fitted again, even if nothing has changed. Known vectors are still reused.
    pub full: bool,
}
