//! The program `nearfind`: its command line, measurements with judged questions, reports for site owners, and help with
//! switching from other search tools.

pub mod cli;
pub mod eval;
pub mod migrate;
pub mod site_report;
