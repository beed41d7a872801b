//! Small collections for code that web pages load. The standard library's trees and sorts, compiled once for each type, would be
//! half of the module.

mod best_first;
mod sorted_set;

pub use best_first::best_first;
pub use sorted_set::SortedSet;
