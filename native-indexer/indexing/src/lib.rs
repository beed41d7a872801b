//! From sources to a bundle: what the configuration says, what sources hold, how it is chunked, and the run that makes the bundle.

pub mod chunk;
pub mod config;
pub mod page_cache;
pub mod run;
pub mod source;
