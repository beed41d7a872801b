//! What was filled into the fields of a form.

use super::objects::MAX_TYPED_CHARS;
use super::typed::Typed;
use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};
use std::collections::BTreeMap;

/// Fields inside of fields beyond this are not read.
const MAX_DEPTH: usize = 32;
/// Lines of a list beyond this are not read.
const MAX_OPTIONS: usize = 1_000;
/// Text that viewers do not show.
const PASSWORD: i32 = 1 << 13;
/// A button that does something, and has no value.
const PUSH_BUTTON: i32 = 1 << 16;

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FieldValue {
    Text(String),
    /// Whether a box is checked.
    Check(bool),
    /// A signature, which shows what its appearance says.
    Signature,
}

/// The value of the field that `widget` shows; none if it is empty.
pub(super) fn value(widget: &Dict<'_>, typed: &mut Typed) -> Option<FieldValue> {
    let flags = inherited(widget, "Ff").and_then(Object::into_i32).unwrap_or(0);
    let kind = inherited(widget, "FT")?.into_name()?;
    match kind.as_str() {
        "Tx" if flags & PASSWORD == 0 => typed.value(&inherited(widget, "V")?).map(FieldValue::Text),
        "Ch" => chosen(widget, typed).map(FieldValue::Text),
        "Btn" if flags & PUSH_BUTTON == 0 => {
            let state = widget.get::<Name<'_>>("AS").or_else(|| inherited(widget, "V")?.into_name());
            Some(FieldValue::Check(state.is_some_and(|state| state.as_str() != "Off")))
        }
        "Sig" => inherited(widget, "V")?.into_dict().map(|_| FieldValue::Signature),
        _ => None,
    }
}

/// What a field says of itself or has from those that it is in.
fn inherited<'a>(field: &Dict<'a>, key: &str) -> Option<Object<'a>> {
    let mut field = field.clone();
    for _ in 0..MAX_DEPTH {
        if let Some(found) = field.get::<Object<'_>>(key) {
            return Some(found);
        }
        field = field.get::<Dict<'_>>("Parent")?;
    }
    None
}

/// What is chosen from a list, as it is shown.
fn chosen(widget: &Dict<'_>, typed: &mut Typed) -> Option<String> {
    let values: Vec<String> = match inherited(widget, "V")? {
        Object::Array(values) => {
            let mut read = Vec::new();
            for value in values.iter::<Object<'_>>().take(MAX_OPTIONS) {
                read.extend(typed.value(&value));
                if typed.is_full() {
                    break;
                }
            }
            read
        }
        value => typed.value(&value).into_iter().collect(),
    };
    let mut shown = BTreeMap::new();
    let options = inherited(widget, "Opt").and_then(Object::into_array);
    for option in options.iter().flat_map(Array::iter::<Object<'_>>).take(MAX_OPTIONS) {
        if typed.is_full() {
            break;
        }
        let Some(pair) = option.into_array() else { continue };
        let mut pair = pair.iter::<PdfString<'_>>();
        if let (Some(written), Some(as_shown)) = (pair.next(), pair.next()) {
            let (written, as_shown) = (typed.text(&written), typed.text(&as_shown));
            shown.entry(written.trim().to_owned()).or_insert_with(|| as_shown.trim().to_owned());
        }
    }
    let mut joined = String::new();
    for value in &values {
        let part = shown.get(value).unwrap_or(value);
        // A short value may be shown as a long line.
        if joined.len() + part.len() > 4 * MAX_TYPED_CHARS {
            break;
        }
        joined.push_str(if joined.is_empty() { "" } else { ", " });
        joined.push_str(part);
    }
    Some(joined).filter(|values| !values.is_empty())
}
