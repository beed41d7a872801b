//! Bundles in folders, in buckets and on web servers: how they are written, searched and used for research.

pub mod bucket;
pub mod bundle_folder;
pub mod library;
pub mod research;
