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

/// What to index, and where to.
#[derive(Clone, Debug, Default)]
pub struct IndexOptions {
    /// Sources, each a project. Repositories were fetched.
    pub sources: Vec<SourceSpec>,
    /// Projects that stay as the last build had them.
    pub left_alone: BTreeSet<String>,
    /// Projects that could not be fetched, with the reason.
    pub failures: Vec<(String, String)>,
    /// Folder of the bundle.
    pub out: PathBuf,
    /// What reads files.
    pub readers: Arc<Readers>,
    /// What tells this program from another build of it, which may read files otherwise.
    pub build: String,
    /// What is kept from one run to the next.
    pub cache: CacheFolder,
    /// The model's pack.
    pub model: PathBuf,
    /// What makes the vectors in place of the model, of which the words are used then.
    pub embedding: Option<EmbeddingSettings>,
    /// What writes for passages and documents, if something is to.
    pub writing: Option<LanguageSettings>,
    /// A folder with shares of the vectors, see [`super::make_share`]: then nothing else is embedded but texts for the query encoder.
    pub shares: Option<SharesFolder>,
    /// Whether the model pack becomes a file of the bundle, so that browsers find it.
    pub ship_model: bool,
    /// When pages load the small encoder, if the model has one and it becomes a file of the bundle.
    pub small_encoder: Option<Loading>,
    /// Whether a query encoder is distilled, so that readers have meaning without the model.
    pub query_encoder: bool,
    /// Whether exact texts are found by trigrams rather than by reading everything; by default, where the bundle is for pages, or
    /// has more text than is read in no time.
    pub trigrams: Option<bool>,
    /// Largest size of the files that queries read in part, for servers without range requests; 0 for no limit.
    pub file_limit: u32,
    /// How large chunks are.
    pub chunk_size: ChunkSize,
    /// What the site's owner decides about its search.
    pub search: SearchSettings,
    /// Whether the bundle is to have the meaning of words alone, which takes seconds: the model reads nothing.
    pub quick: bool,
    /// Whether what has changed is to be found at once: the bundle keeps the rotation and the query encoder of the one before, has no
    /// graph, and chunks that the model would take long for have the query encoder's vectors. A run without it makes the bundle as it
    /// should be.
    pub soon: bool,
    /// Whether everything is read and fitted again, even if nothing has changed. Vectors are not made again.
    pub full: bool,
}
