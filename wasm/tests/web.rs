//! The bindings in a browser.
#![cfg(target_arch = "wasm32")]

mod behaviour;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
