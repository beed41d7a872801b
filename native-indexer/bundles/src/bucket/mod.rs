//! Buckets in object storage: Amazon's, Google's, Microsoft's, and compatible ones. A bundle in a bucket is read block
//! by block, and it is published in a way that never shows readers half of it.

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

/// An object's version, as the storage identifies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The entity tag.
    pub etag: Option<String>,
    /// The version number, if the storage keeps versions.
    pub number: Option<String>,
}

/// An object in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The object's name below the address of the bucket.
    pub name: String,
    /// The object's length in bytes.
    pub bytes: u64,
    /// The time when the object was written.
    pub written: SystemTime,
}

/// The result of a conditional write: the object is written only if its version is the one that the writer knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// The object was written.
    Written(Version),
    /// The object has a different version.
    Changed,
    /// The storage does not support such conditions, or the environment turns them off.
    Unconditional,
}

/// The headers of an object that is served to pages.
#[derive(Clone, Copy, Debug)]
pub struct Headers {
    /// The content type.
    pub content_type: &'static str,
    /// The caching rules.
    pub cache_control: &'static str,
}
