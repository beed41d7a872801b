//! Bundles where they are: in folders, in buckets and on web servers; writing them there, asking them, and research in them.

pub mod bucket;
pub mod bundle_folder;
pub mod library;
pub mod research;
