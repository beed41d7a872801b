//! The program: its command line, measuring bundles against judged questions, reports on what to improve in a site, and migration
//! from other searches.

pub mod cli;
pub mod eval;
pub mod migrate;
pub mod site_report;
