//! Bundles in folders, in buckets and on web servers: writing and searching them, and research in them.

pub mod bucket;
pub mod bundle_folder;
pub mod library;
pub mod research;
