//! Refuses pages nested too deep, before they are parsed: html5ever needs time quadratic in the depth and has no limit
//! of its own (servo/html5ever#788). Browsers flatten below 512.

use crate::extract::ExtractError;

const MAX_DEPTH: usize = 512;

/// Elements whose end tag may be missing, or that have none: they do not nest by being opened again.
const MAY_STAY_OPEN: &[&str] = &[
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img", "input", "li",
    "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source", "tbody", "td", "tfoot", "th", "thead",
    "tr", "track", "wbr",
];

/// HTML elements that end an `svg` or `math` when they open inside it, and those that hold HTML there: after them `/>`
/// closes nothing, so the count goes on as outside.
const LEAVES_FOREIGN: &[&str] = &[
    "b",
    "big",
    "blockquote",
    "center",
    "code",
    "desc",
    "div",
    "dl",
    "em",
    "font",
    "foreignobject",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "i",
    "listing",
    "menu",
    "nobr",
    "ol",
    "pre",
    "ruby",
    "s",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "title",
    "tt",
    "u",
    "ul",
    "var",
    "annotation-xml",
    "mi",
    "mo",
    "mn",
    "ms",
    "mtext",
];

/// Counts open elements through the raw tags. An upper bound: what it lets through is no deeper.
pub(super) fn check(source: &str) -> Result<(), ExtractError> {
    let mut depth = 0usize;
    let mut foreign = false;
    let mut rest = source;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let closes = rest.starts_with('/');
        let name = rest.trim_start_matches('/');
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len());
        let name = name[..end].to_ascii_lowercase();
        if name.is_empty() || MAY_STAY_OPEN.contains(&name.as_str()) {
            continue;
        }
        match name.as_str() {
            "svg" | "math" => foreign = !closes,
            name if LEAVES_FOREIGN.contains(&name) => foreign = false,
            _ => {}
        }
        if closes {
            depth = depth.saturating_sub(1);
            continue;
        }
        let closes_itself = foreign && rest.find('>').is_some_and(|end| rest[..end].ends_with('/'));
        if !closes_itself {
            depth += 1;
        }
        if depth > MAX_DEPTH {
            return Err(ExtractError::TooDeep(MAX_DEPTH));
        }
        // Markup inside these is text.
        if matches!(name.as_str(), "script" | "style" | "textarea") {
            let close = format!("</{name}");
            let skipped = rest.as_bytes().windows(close.len()).position(|at| at.eq_ignore_ascii_case(close.as_bytes()));
            rest = &rest[skipped.unwrap_or(rest.len())..];
        }
    }
    Ok(())
}
