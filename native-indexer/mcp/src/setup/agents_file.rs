//! The advice for agents in a repository: a block in `AGENTS.md` or `CLAUDE.md`, between two marks.

use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- nearfind: begin -->";
const END: &str = "<!-- nearfind: end -->";
/// The advice.
const ADVICE: &str = "\
## Searching this repository

The MCP server `nearfind` has an index of the code and documentation here, which follows edits. Prefer its
tools to reading many files:

- `search` for questions and for names that you are not sure of; `symbol` for a definition, its callers and what it calls.
- `grep` for every line with exact text or a pattern, with the function around it.
- `get_document` for the lines that a result names, as in `src/a.py:12-40`; `outline` for what is in a file or folder.
";

/// Returns the file that agents read in the repository at `root`: `AGENTS.md`, unless there is only a `CLAUDE.md`.
pub fn agents_file(root: &Path) -> PathBuf {
    let (agents, claude) = (root.join("AGENTS.md"), root.join("CLAUDE.md"));
    if !agents.exists() && claude.exists() { claude } else { agents }
}

/// Returns `text` with or without the block, or `None` if nothing changes. Fails if the block has no end.
pub fn with_block(text: &str, is_wanted: bool) -> Result<Option<String>> {
    let block = format!("{BEGIN}\n{ADVICE}{END}\n");
    let after = match text.find(BEGIN) {
        None if is_wanted => {
            let gap = if text.is_empty() || text.ends_with("\n\n") {
                ""
            } else if text.ends_with('\n') {
                "\n"
            } else {
                "\n\n"
            };
            format!("{text}{gap}{block}")
        }
        None => return Ok(None),
        Some(start) => {
            let end = text[start..].find(END).map(|end| start + end + END.len());
            ensure!(end.is_some(), "{BEGIN} has no {END}; correct the file by hand");
            let end = end.unwrap_or_default();
            let rest = text[end..].strip_prefix('\n').unwrap_or(&text[end..]);
            let before = &text[..start];
            if is_wanted {
                format!("{before}{block}{rest}")
            } else {
                let before = if rest.is_empty() {
                    before.strip_suffix("\n\n").map_or(before, |_| &before[..start - 1])
                } else {
                    before
                };
                format!("{before}{rest}")
            }
        }
    };
    Ok(Some(after).filter(|after| after != text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_and_goes() {
        for text in ["", "# Rules\n\nBe brief.\n", "# Rules\n"] {
            let with = with_block(text, true).unwrap().unwrap();
            assert!(with.starts_with(text) && with.contains("`search`"));
            assert_eq!(with_block(&with, true).unwrap(), None);
            assert_eq!(with_block(&with, false).unwrap().as_deref(), Some(text));
            assert_eq!(with_block(text, false).unwrap(), None);
        }
        let around = format!("a\n\n{BEGIN}\nold\n{END}\nb\n");
        assert_eq!(with_block(&around, false).unwrap().as_deref(), Some("a\n\nb\n"));
        assert!(with_block(&around, true).unwrap().unwrap().ends_with(&format!("{END}\nb\n")));
        assert!(with_block(BEGIN, true).is_err());
    }
}
