//! The kernels where a quantized transformer spends its time: 8-bit matrix products, attention, layer norms and GELU.
//!
//! Every host computes the same bits. With every kernel, products are exact in 32-bit integers. Everything else is f32
//! arithmetic in a fixed order, without fused multiply-adds and without the platform's math library. A text thus has
//! the same vector in a terminal and in a browser, no matter how texts are batched.
//!
//! The kernels are a separate crate so that they are compiled for speed, while everything else in a web page is
//! compiled for size.

#![allow(clippy::inline_always, reason = "only what is inlined into a function with wider registers gets them")]
#![allow(clippy::needless_range_loop, reason = "registers are counted: rows and lanes are numbers here")]
#![allow(clippy::cast_ptr_alignment, reason = "every load and store is one that needs no alignment")]
#![cfg_attr(test, allow(clippy::float_cmp, reason = "equal bits are what is promised"))]

mod activations;
mod attention;
mod exponential;
mod finish;
mod gelu;
mod group_rows;
mod instruction_set;
mod layer_norm;
mod linear;
mod matmul;
mod panels;
mod shared_bytes;
mod whole_numbers;

pub use activations::Activations;
pub use attention::{AttentionScratch, attention};
pub use finish::Then;
pub use group_rows::{GroupRows, RowBits};
pub use layer_norm::LayerNorm;
pub use linear::Linear;
pub use matmul::Kernel;
pub use panels::{PANEL_CHANNELS, panel_bytes, read_panels, write_panels};
pub use shared_bytes::SharedBytes;

use thiserror::Error;

/// Bytes or sizes that do not match each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0} does not have the size that its shape requires")]
pub struct WrongSize(pub &'static str);
