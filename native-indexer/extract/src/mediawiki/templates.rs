//! Replaces templates with their arguments.
//!
//! The text of a template, `{{…}}`, is on another page. Its arguments are on this page, and are often the content that
//! readers look for, such as the values of an infobox or the text of a notice.

use super::kept::{Kept, without_signs};
use super::verbatim::Verbatim;

/// Maximum depth of nested templates. Deeper braces are text.
const MAX_DEPTH: usize = 30;

/// An open template or parameter.
struct Open {
    /// `{{` for a template, or `{{{` for a parameter.
    braces: &'static str,
    parts: Vec<String>,
    /// Number of open links in the last part. A bar inside a link does not separate parts.
    links: usize,
}

impl Open {
    fn last(&mut self) -> &mut String {
        if self.parts.is_empty() {
            self.parts.push(String::new());
        }
        let last = self.parts.len() - 1;
        &mut self.parts[last]
    }
}

/// Returns `source` without comments. Templates are replaced with their arguments, and code is set aside in `kept`.
pub(super) fn resolved(source: &str, kept: &mut Kept) -> String {
    let source = without_signs(source);
    let mut verbatim = Verbatim::of(&source);
    let mut open: Vec<Open> = vec![Open { braces: "", parts: vec![String::new()], links: 0 }];
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let plain = rest.find(['<', '{', '}', '|', '[', ']']).unwrap_or(rest.len());
        let depth = open.len();
        let Some(top) = open.last_mut() else { break };
        if plain > 0 {
            top.last().push_str(&rest[..plain]);
            at += plain;
        } else if rest.starts_with('<') {
            if let Some((shown, end)) = verbatim.element(&source, at, kept) {
                top.last().push_str(&shown);
                at = end;
            } else {
                top.last().push('<');
                at += 1;
            }
        } else if rest.starts_with("{{{") && !rest.starts_with("{{{{") && depth <= MAX_DEPTH {
            open.push(Open { braces: "{{{", parts: Vec::new(), links: 0 });
            at += 3;
        } else if rest.starts_with("{{") && depth <= MAX_DEPTH {
            open.push(Open { braces: "{{", parts: Vec::new(), links: 0 });
            at += 2;
        } else if top.braces == "{{{" && rest.starts_with("}}}") || top.braces == "{{" && rest.starts_with("}}") {
            at += top.braces.len();
            if let (Some(done), Some(below)) = (open.pop(), open.last_mut()) {
                let shown = if done.braces == "{{{" { parameter(&done.parts) } else { arguments(&done.parts) };
                below.last().push_str(&shown);
            }
        } else if rest.starts_with('|') && !top.braces.is_empty() && top.links == 0 {
            // The first part may be empty.
            top.last();
            top.parts.push(String::new());
            at += 1;
        } else {
            if rest.starts_with("[[") {
                top.links += 1;
            } else if rest.starts_with("]]") {
                top.links = top.links.saturating_sub(1);
            }
            let length = if rest.starts_with("[[") || rest.starts_with("]]") { 2 } else { 1 };
            top.last().push_str(&rest[..length]);
            at += length;
        }
    }
    // Unclosed braces are text.
    let mut out = String::new();
    for left in open {
        out.push_str(left.braces);
        out.push_str(&left.parts.join("|"));
    }
    out
}

/// Returns the default of a parameter: `{{{name|default}}}`.
fn parameter(parts: &[String]) -> String {
    parts.get(1).cloned().unwrap_or_default()
}

/// Returns the arguments of a template: as a list if they are on separate lines, or else separated by commas.
fn arguments(parts: &[String]) -> String {
    let name = parts.first().map_or("", |name| name.trim());
    match name {
        "!" => return "|".to_owned(),
        "=" => return "=".to_owned(),
        _ => {}
    }
    let arguments = parts.get(1..).unwrap_or_default();
    let in_lines = arguments.iter().any(|argument| argument.trim_end_matches(' ').ends_with('\n'));
    let shown = arguments.iter().filter_map(|argument| shown(argument, in_lines));
    if in_lines {
        format!("\n{}\n", shown.map(|line| format!("* {line}\n")).collect::<String>())
    } else {
        shown.collect::<Vec<_>>().join(", ")
    }
}

/// Returns the text of an argument. For `name = value`, this is the value, or the name and the value if arguments are
/// on separate lines. Returns `None` if the value is empty.
fn shown(argument: &str, in_lines: bool) -> Option<String> {
    let name_and_value = argument.split_once('=').filter(|(name, _)| is_name(name));
    let value = name_and_value.map_or(argument, |(_, value)| value).trim();
    if value.is_empty() {
        return None;
    }
    Some(match name_and_value {
        Some((name, _)) if in_lines && name.parse::<u32>().is_err() => format!("{}: {value}", name.trim()),
        _ => value.to_owned(),
    })
}

fn is_name(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.len() < 60
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.'))
}
