//! From two ranked lists to one.

mod fusion;

pub use fusion::{Fused, LIST_DOCUMENTS, Standards, TIE_MARGIN, fuse};
