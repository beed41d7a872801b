//! The program: its command line, measuring bundles against judged questions, and what a site's owner may mend.

pub mod cli;
pub mod eval;
pub mod site_report;
