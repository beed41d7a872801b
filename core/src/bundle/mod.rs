//! Writing and verifying whole bundles, in memory. The host writes the files.

mod code;
mod verify;
mod writer;

pub use code::{BundleCode, Mentions};
pub use verify::{Finding, verify};
pub use writer::{
    Bundle, BundleChunk, BundleDocument, BundleEncoder, BundleFile, BundleOptions, BundleText, BundleVectors,
    near_components, write_bundle, write_text,
};
