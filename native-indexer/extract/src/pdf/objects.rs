//! Strings of PDF as text.

use encoding_rs::{Encoding, WINDOWS_1252};
use hayro_syntax::object::Stream;

/// More bytes of a stream are no text that was typed.
const MAX_BYTES: usize = 1 << 20;
/// More characters are not typed into a field or a comment.
pub(super) const MAX_TYPED_CHARS: usize = 10_000;

/// The text of a string: UTF-16 or UTF-8 with a mark, else what is nearly windows-1252.
pub(super) fn text(bytes: &[u8]) -> String {
    let (encoding, mark) = Encoding::for_bom(bytes).unwrap_or((WINDOWS_1252, 0));
    let (decoded, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
    let text: String = decoded.chars().filter(|c| !c.is_control() || c.is_whitespace()).collect();
    // A language may be named inside of a string, between escapes.
    text.replace('\u{1b}', "")
}

/// The text of a string that people type, or as much of it as they do.
pub(super) fn beginning(bytes: &[u8]) -> String {
    // No character has more than four bytes.
    text(bytes.get(..4 * MAX_TYPED_CHARS).unwrap_or(bytes)).chars().take(MAX_TYPED_CHARS).collect()
}

/// The text of a stream that is used as a long string.
pub(super) fn contents(stream: &Stream<'_>) -> String {
    let bytes = stream.decoded_data().ok().filter(|bytes| bytes.len() <= MAX_BYTES);
    bytes.map(|bytes| text(&bytes)).unwrap_or_default()
}
