//! The program: its command line, and measuring bundles against judged questions.

pub mod cli;
pub mod eval;
