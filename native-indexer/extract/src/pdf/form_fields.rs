//! Reads the values of form fields.

use super::objects::MAX_TYPED_CHARS;
use super::typed::Typed;
use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};
use std::collections::BTreeMap;

/// Maximum depth of nested fields.
const MAX_DEPTH: usize = 32;
/// Maximum number of options in a list.
const MAX_OPTIONS: usize = 1_000;
/// Flag of a password field, whose value viewers do not show.
const PASSWORD: i32 = 1 << 13;
/// Flag of a button that triggers an action and has no value.
const PUSH_BUTTON: i32 = 1 << 16;

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FieldValue {
    Text(String),
    /// Whether a box is checked.
    Check(bool),
    /// A signature. Its text is in the appearance of the field.
    Signature,
}

/// Returns the value of the field that `widget` shows, or `None` if it is empty.
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

/// Returns an entry of a field, which may be inherited from its ancestors.
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

/// Returns the selected options of a list as displayed.
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
        // A short value may be displayed as a long text.
        if joined.len() + part.len() > 4 * MAX_TYPED_CHARS {
            break;
        }
        joined.push_str(if joined.is_empty() { "" } else { ", " });
        joined.push_str(part);
    }
    Some(joined).filter(|values| !values.is_empty())
}
