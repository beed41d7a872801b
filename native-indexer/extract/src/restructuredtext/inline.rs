//! Inline markup of reStructuredText: literals, links and roles.

use crate::scripts::Script;

/// Converts a line to Markdown.
pub(super) fn to_markdown(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let before = without_role(&rest[..at]);
        out.push_str(&without_escaped_spaces(before));
        let has_role = before.len() < at;
        let role = rest[before.len()..at].trim_matches(':');
        let behind = &rest[at..];
        if let Some((literal, after)) = behind.strip_prefix("``").and_then(|behind| behind.split_once("``")) {
            out.push_str(&format!("`{literal}`"));
            rest = after;
        } else if let Some((text, after)) = behind[1..].split_once('`') {
            let after_link = after.trim_start_matches('_');
            match link(text).filter(|_| !has_role && after_link.len() < after.len()) {
                Some((text, url)) => out.push_str(&format!("[{text}]({url})")),
                None if has_role || after_link.len() < after.len() => add_role(&mut out, role, text),
                None => out.push_str(&format!("`{text}`")),
            }
            rest = after_link;
        } else {
            out.push('`');
            rest = &behind[1..];
        }
    }
    out.push_str(&without_escaped_spaces(rest));
    out
}

/// Removes escaped spaces, which only separate markup.
fn without_escaped_spaces(text: &str) -> String {
    text.replace("\\ ", "")
}

/// Appends the visible part of `text` in the role called `name`.
pub(crate) fn add_role(out: &mut String, name: &str, text: &str) {
    if let Some(script) = Script::of_role(name) {
        out.push_str(script.separator(out, text.chars()));
    }
    out.push_str(&role_text(text));
}

/// Returns the visible part of a role's text: the `text` in `text <target>`, and the name in `~module.Name` and
/// `!Name`.
fn role_text(text: &str) -> String {
    let shown = link(text).map_or(text, |(text, _)| text);
    shown.trim_start_matches(['~', '!']).to_owned()
}

/// Splits `text <target>`.
fn link(text: &str) -> Option<(&str, &str)> {
    let (text, target) = text.strip_suffix('>')?.rsplit_once('<')?;
    let text = text.trim();
    (!text.is_empty()).then_some((text, target))
}

/// Returns `before` without a role such as `:ref:` or `:py:class:` at its end.
fn without_role(before: &str) -> &str {
    let Some(inner) = before.strip_suffix(':') else { return before };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '+' | '.');
    let name =
        inner.rfind(|c: char| !is_name(c)).map_or(0, |at| at + inner[at..].chars().next().map_or(1, char::len_utf8));
    match inner[name..].strip_prefix(':') {
        Some(role) if !role.is_empty() => &before[..name],
        _ => before,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_markup_becomes_markdown() {
        assert_eq!(to_markdown("a ``b`` `c <d>`_ `e`_ `f`"), "a `b` [c](d) e `f`");
        assert_eq!(to_markdown("use :py:class:`~p.Button`, :ref:`x <y>`: done"), "use p.Button, x: done");
        assert_eq!(to_markdown(r"2\ :sup:`8` and 1010\ :sub:`2`, H\ :sub:`2`\ O"), "2^8 and 1010_2, H2O");
        assert_eq!(to_markdown("é:`a` and ` lone"), "é:`a` and ` lone");
    }
}
