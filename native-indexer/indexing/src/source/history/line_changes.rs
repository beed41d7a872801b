//! Compares two versions of a file, to find the lines that changed.

use gix::{ObjectId, Repository};
use imara_diff::{Algorithm, Diff, InternedInput};
use nearfind_extract::code::MAX_BYTES;
use std::ops::Range;

/// Git looks for a zero byte in this many bytes at the start of a file. A file with a zero byte there is not text.
const BINARY_BYTES: usize = 8000;

/// Adjacent lines that were replaced, added or removed. Line numbers start at 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The lines in the version before.
    pub before: Range<u32>,
    /// The lines in the version after.
    pub after: Range<u32>,
}

/// Returns the hunks that turn `before` into `after`.
pub(super) fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    diff.hunks().map(|hunk| Hunk { before: hunk.before, after: hunk.after }).collect()
}

/// Returns the text of a blob, or `None` if it is not text or is larger than any file that people write. Line ends
/// become `\n`.
pub(super) fn text_of(repository: &Repository, blob: ObjectId) -> anyhow::Result<Option<String>> {
    if repository.find_header(blob)?.size() > MAX_BYTES {
        return Ok(None);
    }
    let data = repository.find_object(blob)?.detach().data;
    if data[..data.len().min(BINARY_BYTES)].contains(&0) {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&data).replace("\r\n", "\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_told() {
        let hunk = |before: Range<u32>, after: Range<u32>| Hunk { before, after };
        assert_eq!(hunks("a\nb\nc\n", "a\nx\nc\nd\n"), [hunk(1..2, 1..2), hunk(3..3, 3..4)]);
        assert_eq!(hunks("a\nb\n", "b\n"), [hunk(0..1, 0..0)]);
        assert_eq!(hunks("", "a\n"), [hunk(0..0, 0..1)]);
        assert!(hunks("a\nb", "a\nb").is_empty());
    }
}
