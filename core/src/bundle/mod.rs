//! Writing and verifying whole bundles, in memory. The host writes the files.

mod verify;
mod writer;

pub use verify::{Finding, verify};
pub use writer::{
    Bundle, BundleChunk, BundleCode, BundleDocument, BundleEncoder, BundleFile, BundleOptions, BundleText,
    BundleVectors, near_components, write_bundle, write_text,
};
