//! Coming from another search: what a site uses of Pagefind, DocSearch and easyops' local search, and what takes its place.

mod rules;
mod scan;

pub use scan::{Finding, scan};
