//! The program: its command line, measuring bundles against judged questions, what a site's owner may
//! mend, and coming from other searches.

pub mod cli;
pub mod eval;
pub mod migrate;
pub mod site_report;
