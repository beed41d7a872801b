//! Converts tables: rows of cells between bars, such as `|_. names |\2. two columns |`.

use super::inline;
use regex::Regex;
use std::sync::LazyLock;

/// The attributes of a cell: `_` for a header cell, the numbers of columns and rows that it covers, its alignment, and
/// its style.
static CELL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(_?)((?:\\\d{1,3}|/\d{1,3}|[<>=^~-]|\([^)\n]*\)|\{[^}\n]*\}|\[[^\]\n]*\])*)\.(?:\s|$)")
        .expect("the pattern is valid")
});
/// The attributes of a row.
static ROW: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\{[^}\n]*\}|\([^)\n]*\)|\[[^\]\n]*\]|[<>=^~-])+\.\s*\|").expect("the pattern is valid")
});

/// Whether a line is a row, or the beginning of a row.
pub(super) fn is_row(line: &str) -> bool {
    line.starts_with('|') || ROW.is_match(line)
}

/// Converts the rows of a table to HTML.
pub(super) fn to_html(rows: &[String]) -> String {
    let mut out = "<table>".to_owned();
    for row in rows {
        // A line such as `|^.` separates the head from the body.
        if matches!(row.trim(), "|^." | "|-." | "|~.") {
            continue;
        }
        let row = row.find('|').map_or("", |at| &row[at + 1..]).trim_end();
        out.push_str("<tr>");
        row.strip_suffix('|').unwrap_or(row).split('|').for_each(|text| out.push_str(&cell(text)));
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
    out
}

fn cell(text: &str) -> String {
    let (mut name, mut spans, mut rest) = ("td", String::new(), text);
    if let Some(found) = CELL.captures(text).filter(|found| !found[1].is_empty() || !found[2].is_empty()) {
        if !found[1].is_empty() {
            name = "th";
        }
        for (sign, attribute) in [('\\', "colspan"), ('/', "rowspan")] {
            if let Some((_, number)) = found[2].split_once(sign) {
                let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
                spans.push_str(&format!(" {attribute}={digits}"));
            }
        }
        rest = &text[found.get(0).map_or(0, |whole| whole.end())..];
    }
    format!("<{name}{spans}>{}</{name}>", inline::to_html(rest.trim()))
}
