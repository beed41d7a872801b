//! Small collections for code that web pages load. The standard library's trees and sorts are compiled once for each
//! type, and would make up half of the module.

mod best_first;
mod sorted_set;

pub use best_first::best_first;
pub use sorted_set::SortedSet;
