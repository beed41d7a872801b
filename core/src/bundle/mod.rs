//! Writing and verifying whole bundles, in memory. The host writes the files.

mod code;
mod text;
mod verify;
mod writer;

pub use code::{BundleCode, Mentions};
pub use text::{BundleText, Tasks, Together, one_by_one, write_text};
pub use verify::{Finding, verify};
pub use writer::{
    Bundle, BundleChunk, BundleDocument, BundleEncoder, BundleFile, BundleOptions, BundleVectors, near_components,
    write_bundle,
};
