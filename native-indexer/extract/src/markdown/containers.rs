//! Limits the nesting of quotes and lists, because the parsing time grows with it.

use std::borrow::Cow;

/// Maximum number of nested quotes and lists that begin on one line.
const MAX_CONTAINERS: usize = 64;

/// Returns `text` with the same length, but without marks that nest quotes and lists deeper than [`MAX_CONTAINERS`] on
/// one line. The parser visits all open containers on every line.
pub(super) fn shallow(text: &str) -> Cow<'_, str> {
    let mut shallow = Cow::Borrowed(text);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(at) = container_marks(line).nth(MAX_CONTAINERS) {
            shallow.to_mut().replace_range(start + at..=start + at, "x");
        }
        start += line.len();
    }
    shallow
}

/// Returns the positions of the quote and list marks at the beginning of a line.
pub(super) fn container_marks(line: &str) -> impl Iterator<Item = usize> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let mark = at;
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_item = match bytes.get(at + digits)? {
            b'>' => digits == 0,
            b'-' | b'+' | b'*' if digits == 0 => matches!(bytes.get(at + 1), Some(b' ' | b'\t')),
            b'.' | b')' if digits > 0 => matches!(bytes.get(at + digits + 1), Some(b' ' | b'\t')),
            _ => false,
        };
        at += digits + 1;
        is_item.then_some(mark)
    })
}
