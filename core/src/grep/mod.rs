//! Lines with an exact text or that match a regular expression, in all that is indexed.
//!
//! The host's engine matches; here is what brings texts before it. A [`Plan`] says which sequences of three bytes a line
//! must have to match; the part `trigrams`, where a bundle has it, says which blocks of pages have those, [`Candidates`];
//! and [`scan_block`] takes the lines of each block, which [`joined`] puts together again where blocks cut them.

mod candidates;
mod expression;
mod lines;
mod plan;
mod session;
mod shown;
mod trigrams;

pub use candidates::{Candidates, Search};
pub use expression::plan_of_expression;
pub use lines::{BlockLines, FoundLine, Matcher, joined, scan_block};
pub use plan::Plan;
pub use session::{Engine, GrepAnswer, GrepSession, GrepStep, Wanted, by_file};
pub use shown::{Shown, ShownLine, shortened, show_lines};
pub use trigrams::{StoredBlocks, Trigram, fold, for_each as for_each_trigram, trigrams_of};

#[cfg(feature = "write")]
pub use trigrams::{TrigramWriter, WrittenTrigrams};
