//! Buckets of object storage: those of Amazon, Google and Microsoft, and compatible ones. A bundle in a bucket is read
//! block by block, and is published such that readers never get half of it.

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

/// A version of an object, as the storage identifies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its entity tag.
    pub etag: Option<String>,
    /// Its number, if the storage keeps versions.
    pub number: Option<String>,
}

/// An object in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its name below the address of the bucket.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The time at which it was written.
    pub written: SystemTime,
}

/// The result of writing an object on the condition that its version is the one that the writer knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// It was written.
    Written(Version),
    /// There is another version.
    Changed,
    /// The storage does not support such conditions, or is configured without them by the environment.
    Unconditional,
}

/// The headers of an object for pages.
#[derive(Clone, Copy, Debug)]
pub struct Headers {
    /// The type of its content.
    pub content_type: &'static str,
    /// How long it may be cached.
    pub cache_control: &'static str,
}
