//! From two ranked lists to one.

mod fusion;

pub use fusion::{Fused, RRF_K, TIE_MARGIN, fuse};
