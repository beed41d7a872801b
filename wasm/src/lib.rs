//! nearfind-core for JavaScript. This thin layer converts values and keeps state, and has no algorithms of its own.
//!
//! The crate is built four times: with the `search` feature for `BundleSearcher`, with `grep` for `LineSearcher`, with
//! `embed` for `ModelEncoder` and `PassageReranker` over quantized packs, and with `embed-onnx` for the same types over
//! any pack.

#[cfg(any(feature = "search", feature = "grep"))]
mod bundles;
#[cfg(feature = "embed")]
mod embed;
mod error;
#[cfg(feature = "grep")]
mod grep;
#[cfg(feature = "search")]
mod search;

#[cfg(feature = "embed")]
pub use embed::{ModelEncoder, PassageReranker};
#[cfg(feature = "grep")]
pub use grep::{GrepRequest, LineSearcher};
#[cfg(feature = "search")]
pub use search::{BundleSearcher, StartOptions};

/// This allocator is half the size of the standard library's.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Reports a panic on the console, because WASM by itself only reports `unreachable`. The smaller modules have no panic
/// messages, which would make up a sixth of their size.
#[cfg(feature = "embed-onnx")]
#[wasm_bindgen::prelude::wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&format!("nearfind: {panic}").into())));
}
