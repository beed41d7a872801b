//! Writing and verifying whole bundles, in memory. The host writes the files.

mod code;
mod columns;
mod input;
mod text;
mod verify;
mod writer;

pub use input::{BundleChunk, BundleCode, BundleDocument, BundleEncoder, BundleOptions, BundleVectors, Mentions};
pub use text::{BundleText, Tasks, Together, one_by_one, write_text};
pub use verify::{Finding, verify};
pub use writer::{Bundle, BundleFile, near_components, write_bundle};
