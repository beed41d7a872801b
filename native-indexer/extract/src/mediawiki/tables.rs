//! Reads tables, which are between `{|` and `|}`. Rows begin with `|-`, and cells with `|` or `!`.

use super::inline;
use regex::Regex;
use std::sync::LazyLock;

/// The number of columns or rows that a cell covers.
static SPAN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?i)\b(rowspan|colspan)\s*=\s*["']?\s*(\d{1,3})"#).expect("the pattern is valid"));

/// The kind of a line in a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Caption(&'a str),
    Row,
    /// Cells, and whether they are header cells.
    Cells(&'a str, bool),
    End(&'a str),
    /// A line that continues the previous cell.
    More,
}

/// Returns the kind of `line` inside a table.
pub(super) fn line_of(line: &str) -> Line<'_> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("|}") {
        Line::End(rest)
    } else if let Some(caption) = line.strip_prefix("|+") {
        Line::Caption(after_attributes(caption).1)
    } else if line.starts_with("|-") {
        Line::Row
    } else if let Some(cells) = line.strip_prefix('|') {
        Line::Cells(cells, false)
    } else if let Some(cells) = line.strip_prefix('!') {
        Line::Cells(cells, true)
    } else {
        Line::More
    }
}

/// Converts the cells on a line to HTML. The last cell stays open, because it may continue.
pub(super) fn cells(line: &str, is_head: bool) -> String {
    let name = if is_head { "th" } else { "td" };
    let mut out = String::new();
    let by_bars = line.split("||");
    let parts: Vec<&str> =
        if is_head { by_bars.flat_map(|part| part.split("!!")).collect() } else { by_bars.collect() };
    for (number, cell) in parts.into_iter().enumerate() {
        let (attributes, text) = after_attributes(cell);
        let spans = SPAN.captures_iter(attributes).map(|found| format!(" {}={}", found[1].to_lowercase(), &found[2]));
        if number > 0 {
            out.push_str(&format!("</{name}>"));
        }
        out.push_str(&format!("<{name}{}>{}", spans.collect::<String>(), inline::to_html(text.trim())));
    }
    out
}

/// Returns the attributes of a cell and its text.
fn after_attributes(cell: &str) -> (&str, &str) {
    match cell.split_once('|') {
        // The bar in a link does not separate attributes.
        Some((before, text)) if !before.contains("[[") => (before, text),
        _ => ("", cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_spans_and_lose_their_styles() {
        assert_eq!(cells(" style=\"a\" rowspan=2 | One || [[a|b]]", false), "<td rowspan=2>One</td><td>b");
        assert_eq!(cells("Name !! Size", true), "<th>Name</th><th>Size");
        assert_eq!(line_of(" |- style"), Line::Row);
        assert_eq!(line_of("|}after"), Line::End("after"));
    }
}
