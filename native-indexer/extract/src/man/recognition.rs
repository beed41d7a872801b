//! Recognizes manual pages, and pages that only include another page.

use crate::text_encoding;
use memchr::memmem;

/// Number of bytes to search for macros. Pages from Perl's documentation begin with a long preamble.
const LOOKED_AT: usize = 64 << 10;

/// Whether `bytes` are a manual page, because other files may also have a number as their extension.
pub(in super::super) fn is_manual(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LOOKED_AT)];
    let begins = |macro_name: &[u8]| {
        start.starts_with(macro_name) || memmem::find(start, &[b"\n", macro_name].concat()).is_some()
    };
    !text_encoding::is_binary(bytes)
        && [&b".TH "[..], b".TH\t", b".Dd", b".Dt", b".so "].iter().any(|name| begins(name))
}

/// Returns the path of the page that this page includes, if it contains nothing else. A path such as `man1/ls.1` in
/// `.so` is relative to the parent folder.
pub(super) fn only_inclusion(text: &str) -> Option<String> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !is_comment(line));
    let page = lines.next()?.strip_prefix(".so ")?.trim();
    let is_only = lines.next().is_none();
    is_only.then(|| if page.contains('/') { format!("../{page}") } else { page.to_owned() })
}

pub(super) fn is_comment(line: &str) -> bool {
    line.starts_with(".\\\"") || line.starts_with("'\\\"") || line.trim_end() == "."
}

#[cfg(test)]
mod tests {
    use super::super::extract;
    use super::*;
    use crate::extraction::Extraction;

    #[test]
    fn other_files_that_end_with_a_number_are_none() {
        assert!(
            is_manual(b".TH A 1\n")
                && is_manual(b"'\\\" t\n.\\\" x\n.Dd May 1, 2020\n")
                && is_manual(b".so man1/ls.1\n")
        );
        assert!(!is_manual(b"2024-05-02 a log\n") && !is_manual(b"\x7fELF\0\n.TH A 1\n"));
        assert_eq!(extract(".\\\" x\n.so man1/ls.1\n"), Extraction::Redirect("../man1/ls.1".to_owned()));
        assert_eq!(extract(".so ls.1\n"), Extraction::Redirect("ls.1".to_owned()));
    }
}
