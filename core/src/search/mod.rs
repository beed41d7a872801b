//! Asking a bundle: a [`Searcher`] holds what was read, a [`Session`] answers one query step by step.
//!
//! ```text
//! host: Searcher::new(root) → Session::new(query)
//! loop: Session::advance → Need(blocks) → host fetches, Searcher::provide → …
//!                        → Preview(answer) → host shows it → …
//!                        → Done(answer)
//! ```

mod answer;
mod candidates;
mod chunk_scores;
mod chunk_vectors;
mod code_signals;
mod completion;
mod filter_counts;
mod fit;
mod lists;
mod meaning_list;
mod meaning_state;
mod method;
mod phrases;
mod query;
mod query_syntax;
mod query_words;
mod ranking;
mod related;
mod scope;
mod searcher;
mod session;
mod suggestions;
mod word_list;

pub use answer::{Answer, Corrected, Cost, Hit, ListEvidence, Passage, VectorCost, Why};
pub use chunk_vectors::{ChunkVectors, chunk_vectors};
pub use code_signals::{CLASS, CODE, KIND};
pub use filter_counts::{FilterCounts, ValueCount, filter_counts};
pub use meaning_list::is_ever_walked;
pub use method::{VectorMethod, choose_method};
pub use query::{
    CATALOG_FILTERS, Filter, LANGUAGE, Mode, PATH, PATH_REGEX, PROJECT, PathPattern, Query, QueryError, Reach, Sort,
    Tier,
};
pub use query_syntax::QueryText;
pub use query_words::{name_terms, pin_key, symbol_terms};
pub use related::{Related, related};
pub use scope::filter_values;
pub use searcher::{BlockRequest, Searcher};
pub use session::{Advance, Session};
pub use suggestions::{Suggestions, suggestions};

/// The score by meaning of a document of so many chunks with its best chunk's cosine.
#[cfg(feature = "write")]
pub fn meaning_score(cosine: f32, chunks: f32) -> f32 {
    meaning_list::score_of(cosine, chunks)
}
