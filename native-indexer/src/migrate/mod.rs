//! Helps you switch from another search: finds traces of Pagefind, DocSearch and easyops' local search in a site, and
//! suggests replacements.

mod rules;
mod scan;

pub use scan::{Finding, scan};
