//! What was filled into the fields of a form.

use super::objects::{contents, text};
use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};

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
pub(super) fn value(widget: &Dict<'_>) -> Option<FieldValue> {
    let flags = inherited(widget, "Ff").and_then(Object::into_i32).unwrap_or(0);
    let kind = inherited(widget, "FT")?.into_name()?;
    match kind.as_str() {
        "Tx" if flags & PASSWORD == 0 => said(inherited(widget, "V")?).map(FieldValue::Text),
        "Ch" => chosen(widget).map(FieldValue::Text),
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

fn said(value: Object<'_>) -> Option<String> {
    let said = match value {
        Object::String(said) => text(said.as_bytes()),
        Object::Stream(stream) => contents(&stream),
        Object::Name(name) => name.as_str().to_owned(),
        _ => String::new(),
    };
    Some(said.trim().to_owned()).filter(|said| !said.is_empty())
}

/// What is chosen from a list, as it is shown.
fn chosen(widget: &Dict<'_>) -> Option<String> {
    let values: Vec<String> = match inherited(widget, "V")? {
        Object::Array(values) => values.iter::<Object<'_>>().take(MAX_OPTIONS).filter_map(said).collect(),
        value => said(value).into_iter().collect(),
    };
    let options = inherited(widget, "Opt").and_then(Object::into_array);
    let shown = |value: &str| {
        let mut pairs = options.iter().flat_map(Array::iter::<Object<'_>>).take(MAX_OPTIONS).filter_map(|option| {
            let mut pair = option.into_array()?.iter::<PdfString<'_>>().collect::<Vec<_>>().into_iter();
            Some((text(pair.next()?.as_bytes()), text(pair.next()?.as_bytes())))
        });
        pairs.find(|(written, _)| written.trim() == value).map(|(_, shown)| shown.trim().to_owned())
    };
    let values: Vec<String> = values.into_iter().map(|value| shown(&value).unwrap_or(value)).collect();
    Some(values.join(", ")).filter(|values| !values.is_empty())
}
