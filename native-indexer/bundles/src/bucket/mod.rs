//! Buckets of object storage: those of Amazon, Google and Microsoft, and compatible ones. A bundle in a bucket is read block by
//! block, and is published so that readers never meet half of it.

#[cfg(feature = "network")]
mod object_storage;
mod publication;
#[cfg(not(feature = "network"))]
mod without_buckets;

#[cfg(feature = "network")]
pub use object_storage::Bucket;
pub use publication::{Publication, PublishReport, mirror};
#[cfg(not(feature = "network"))]
pub use without_buckets::Bucket;

use std::time::SystemTime;

/// A version of an object, as the storage tells it from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its entity tag.
    pub etag: Option<String>,
    /// Its number, where the storage keeps versions.
    pub number: Option<String>,
}

/// An object in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its name below the address of the bucket.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// When it was written.
    pub written: SystemTime,
}

/// What becomes of an object that is written only over the version that the writer knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// It was written.
    Written(Version),
    /// Another version is there.
    Changed,
    /// The storage, or what the environment says of it, has no such conditions.
    Unconditional,
}

/// The headers of an object that a page may read.
#[derive(Clone, Copy, Debug)]
pub struct Headers {
    /// What it is.
    pub content_type: &'static str,
    /// How long others may keep it.
    pub cache_control: &'static str,
}
