//! The program `nearfind`: its command line, measurements with judged questions, reports for owners of sites, and help
//! with the switch from other search tools.

pub mod cli;
pub mod eval;
pub mod migrate;
pub mod site_report;
