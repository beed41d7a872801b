//! Small collections for code that travels in a web page: the standard library's trees and sorts, made anew for every
//! type, would be half of the module.

mod best_first;
mod sorted_set;

pub use best_first::best_first;
pub use sorted_set::SortedSet;
