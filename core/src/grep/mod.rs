//! Finds lines that contain an exact string or match a regular expression, in all indexed texts.
//!
//! The host's regular expression engine does the matching. This module selects the texts to match. A [`Plan`] lists the
//! sequences of three bytes that a line must contain. The part `trigrams`, if the bundle has it, tells which blocks of
//! pages contain them: the [`Candidates`]. [`scan_block`] collects the lines of each block, and [`joined`] joins the
//! lines that extend over several blocks.

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
