//! Small pieces of text for all formats: single lines, fences and language tags.

/// Maximum length of a language tag in bytes (RFC 5646, 4.4.1).
const MAX_TAG_BYTES: usize = 35;

/// Returns the language that a page declares, in lower case, or an empty text if it cannot be a BCP 47 tag.
pub(crate) fn language_tag(named: &str) -> String {
    let tag = named.trim().to_lowercase();
    let is_tag = tag.len() <= MAX_TAG_BYTES && tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if is_tag { tag } else { String::new() }
}

/// Replaces each run of white space with a single space, and trims the ends.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a fence that is longer than any run of backticks in `code`.
pub(crate) fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
