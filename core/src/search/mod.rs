//! Asking a bundle: a [`Searcher`] holds what was read, a [`Session`] answers one query step by step.
//!
//! ```text
//! host: Searcher::new(root) → Session::new(query)
//! loop: Session::advance → Need(blocks) → host fetches, Searcher::provide → …
//!                        → Preview(answer) → host shows it → …
//!                        → Done(answer)
//! ```

mod answer;
mod meaning_list;
mod method;
mod query;
mod query_words;
mod ranking;
mod searcher;
mod session;
mod word_list;

pub use answer::{Answer, Corrected, Cost, Hit, ListEvidence, VectorCost, Why};
pub use method::{VectorMethod, choose_method};
pub use query::{Mode, Query, QueryError, Reach, Tier};
pub use searcher::{BlockRequest, Searcher};
pub use session::{Progress, Session};
