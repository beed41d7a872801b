//! Errors in the form that JavaScript expects: an `Error` with a stable `code`.

use wasm_bindgen::JsValue;

/// Creates an `Error` with the message of `error` and the property `code`.
pub(crate) fn js_error(code: &str, error: &impl std::fmt::Display) -> JsValue {
    let value = js_sys::Error::new(&error.to_string());
    // Setting a property of a fresh object cannot fail.
    let _ = js_sys::Reflect::set(&value, &"code".into(), &code.into());
    value.into()
}
