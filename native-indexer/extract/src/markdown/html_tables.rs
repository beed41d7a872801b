//! Converts HTML tables in Markdown. Their rows become Markdown rows, so that chunks include the names of their
//! columns.

use super::comments::{code_ranges, is_inside};
use crate::html;
use std::borrow::Cow;

const BEGIN: &str = "<table";
const END: &str = "</table>";
/// Maximum number of tables without an end. After that, the search for tables stops.
const MAX_UNENDED: usize = 100;

/// Returns `text` with its tables as Markdown. Tables that are inside other lines or never end stay unchanged.
pub(super) fn in_markdown(text: &str) -> Cow<'_, str> {
    if !text.contains(BEGIN) {
        return Cow::Borrowed(text);
    }
    let code = code_ranges(text);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut unended = 0;
    while let Some(begin) = text[at..].find(BEGIN).map(|found| at + found).filter(|_| unended < MAX_UNENDED) {
        let line = text[..begin].rfind('\n').map_or(0, |newline| newline + 1);
        let end = end_of(&text[begin..]).map(|length| begin + length);
        unended += usize::from(end.is_none());
        let table = end.filter(|_| text[line..begin].trim().is_empty() && !is_inside(&code, begin));
        let table = table.and_then(|end| Some((end, html::part(&text[begin..end]).ok()?)));
        let Some((end, table)) = table else {
            out.push_str(&text[at..begin + BEGIN.len()]);
            at = begin + BEGIN.len();
            continue;
        };
        out.push_str(&text[at..line]);
        if !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        out.push_str(&format!("{}\n", table.text));
        // The rest of the line is text.
        at = end + (text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len());
        at += usize::from(text[at..].starts_with('\n'));
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Returns the length of the table at the beginning of `text`.
fn end_of(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    loop {
        let end = at + text[at..].find(END)?;
        depth += text[at..end].matches(BEGIN).count();
        depth = depth.saturating_sub(1);
        at = end + END.len();
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_as_rows() {
        let table = "<table>\n<tr><th>Name</th><th>Size</th></tr>\n\n<tr><td>lid</td><td><table><tr><td>3</td></tr></table></td></tr>\n</table>";
        let rows = "| Name | Size |\n| --- | --- |\n| lid | 3 |\n";
        assert_eq!(in_markdown(&format!("# A\nText\n{table}\n\nMore\n")), format!("# A\nText\n\n{rows}\n\nMore\n"));
        assert_eq!(in_markdown(&format!("{table} more\n")), format!("{rows}\nmore\n"));
    }

    #[test]
    fn other_tables_are_kept() {
        for text in [
            "```\n<table></table>\n```\n",
            "Write `<table>` and\n<table>\n",
            "a <table></table>\n",
            "<table><table></table>",
        ] {
            assert_eq!(in_markdown(text), text);
        }
    }

    #[test]
    fn many_beginnings_are_read_in_time() {
        assert_eq!(in_markdown(&"<table\n".repeat(20_000)).len(), 140_000);
        let closed = format!("{}</table>", "<table>\n".repeat(20_000));
        assert_eq!(in_markdown(&closed), closed);
    }
}
