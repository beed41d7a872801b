//! Everything native: reading sources, building, searching, inspecting and verifying bundles, managing models.

#[macro_use]
mod terminal;

pub mod bucket;
pub mod bundle_folder;
pub mod cache;
pub mod chunk;
pub mod cli;
pub mod config;
pub mod distil;
pub mod eval;
pub mod extract;
pub mod facets;
mod file_names;
mod http_client;
pub mod indexing;
mod installed_files;
pub mod library;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod model;
pub mod progress;
pub mod provider;
mod readable_file;
pub mod research;
pub mod source;
