//! From two ranked lists to one.

mod fusion;

pub use fusion::{Fused, LIST_DOCUMENTS, TIE_MARGIN, fuse};
