//! The bindings in Node.
#![cfg(target_arch = "wasm32")]

mod behaviour;
