//! Asking a bundle: a [`Searcher`] holds what was read, a [`Session`] answers one query step by step.
//!
//! ```text
//! host: Searcher::open(manifest, root) → Session::new(query)
//! loop: Session::advance → Need(blocks) → host fetches, Searcher::provide → …
//!                        → Done(answer)
//! ```

mod answer;
mod method;
mod query;
mod ranking;
mod searcher;
mod session;

pub use answer::{Answer, Cost, Hit, ListEvidence, VectorCost, Why};
pub use method::{VectorMethod, choose_method};
pub use query::{Mode, Query, QueryError};
pub use searcher::{BlockRequest, Searcher};
pub use session::{Progress, Session};
