//! Answers queries. A [`BundleReader`](crate::reader::BundleReader) holds the loaded blocks, and a [`Session`] answers
//! one query step by step.
//!
//! ```text
//! host: BundleReader::new(root) → Session::new(query)
//! loop: Session::advance → Need(blocks) → host fetches, BundleReader::provide → …
//!                        → Preview(answer) → host shows it → …
//!                        → Done(answer)
//! ```

mod lists;
mod query;
mod related;
mod session;
mod suggestions;

pub use crate::format::vocabulary::{CLASS, CODE, KIND};
pub use lists::chunk_vectors::{ChunkVectors, chunk_vectors};
pub use lists::filter_counts::{FilterCounts, ValueCount, filter_counts};
pub use lists::found::{Corrected, VectorCost};
pub use lists::meaning_list::is_ever_walked;
pub use lists::method::{VectorMethod, choose_method};
pub use query::query_settings::{
    CATALOG_FILTERS, Filter, LANGUAGE, Mode, PATH, PATH_REGEX, PROJECT, PathPattern, Query, QueryError, Reach, Sort,
    Tier,
};
pub use query::query_syntax::QueryText;
pub use query::scope::filter_values;
pub use related::{Related, related};
pub use session::answer::{Answer, Cost, Hit, ListEvidence, Passage, Why};
pub use session::steps::{Advance, Session};
pub use suggestions::{Suggestions, suggestions};

/// Returns the score by meaning of a document with `chunks` chunks, computed from the cosine of its best chunk: see
/// [`Root::chunk_length`](crate::format::root::Root::chunk_length).
#[cfg(feature = "write")]
pub fn meaning_score(cosine: f32, chunks: f32, length: f32) -> f32 {
    lists::meaning_list::score_of(cosine, chunks, length)
}
