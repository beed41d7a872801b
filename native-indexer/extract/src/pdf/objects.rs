//! Decodes PDF strings.

use encoding_rs::{Encoding, WINDOWS_1252};
use hayro_syntax::object::Stream;

/// Maximum length of a stream with typed text in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Maximum number of characters in a typed text, such as a field or a comment.
pub(super) const MAX_TYPED_CHARS: usize = 10_000;

/// Decodes a string: UTF-16 or UTF-8 with a byte order mark, or else PDFDocEncoding, which is nearly windows-1252.
pub(super) fn text(bytes: &[u8]) -> String {
    let (encoding, mark) = Encoding::for_bom(bytes).unwrap_or((WINDOWS_1252, 0));
    let (decoded, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
    let text: String = decoded.chars().filter(|c| !c.is_control() || c.is_whitespace()).collect();
    // Escape characters surround language codes in strings.
    text.replace('\u{1b}', "")
}

/// Decodes the beginning of a typed string, up to [`MAX_TYPED_CHARS`] characters.
pub(super) fn beginning(bytes: &[u8]) -> String {
    // A character has at most four bytes.
    text(bytes.get(..4 * MAX_TYPED_CHARS).unwrap_or(bytes)).chars().take(MAX_TYPED_CHARS).collect()
}

/// Decodes a stream that is used as a long string.
pub(super) fn contents(stream: &Stream<'_>) -> String {
    let bytes = stream.decoded_data().ok().filter(|bytes| bytes.len() <= MAX_BYTES);
    bytes.map(|bytes| text(&bytes)).unwrap_or_default()
}
