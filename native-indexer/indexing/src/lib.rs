//! Makes a bundle from sources: the configuration, the documents of sources, their chunks, and the run itself.

pub mod chunk;
pub mod config;
pub mod page_cache;
#[cfg(feature = "formats")]
pub mod picture_services;
pub mod run;
pub mod source;
