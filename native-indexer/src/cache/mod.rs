//! What earlier runs found out, kept by what it depends on: indexing again costs what has changed. Everything here may
//! be deleted at any time.

mod embedding_cache;
mod encoder_cache;
mod folder;
mod page_cache;
mod published_cache;
mod record_log;
mod written_cache;

pub use embedding_cache::EmbeddingCache;
pub(crate) use encoder_cache::document_hashes;
pub use encoder_cache::{EncoderCache, KnownEncoder};
pub use folder::{BUCKETS, BUILDS, CacheFolder, KINDS};
pub use page_cache::{CachedPage, PageCache};
pub use published_cache::{FetchedManifest, PublishedCache};
pub use written_cache::WrittenCache;
