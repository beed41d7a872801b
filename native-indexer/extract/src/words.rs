//! Small texts that every format has: lines, fences, names of languages.

/// Nobody writes a longer one (RFC 5646, 4.4.1).
const MAX_TAG_BYTES: usize = 35;

/// A language as a page names it, in lower case; empty if it cannot be a BCP 47 tag.
pub(crate) fn language_tag(named: &str) -> String {
    let tag = named.trim().to_lowercase();
    let is_tag = tag.len() <= MAX_TAG_BYTES && tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if is_tag { tag } else { String::new() }
}

/// White space runs to one space, ends trimmed.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A fence longer than any run of backticks in `code`.
pub(crate) fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
