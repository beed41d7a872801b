//! Makes a bundle from sources. This crate contains the configuration, the reading of documents, their division into
//! chunks, and the run itself.

pub mod chunk;
pub mod config;
pub mod page_cache;
#[cfg(feature = "formats")]
pub mod picture_services;
pub mod run;
pub mod source;
