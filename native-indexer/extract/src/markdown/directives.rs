//! Converts Markdown with directives (MyST, Docusaurus, VitePress, MkDocs) to plain Markdown. The content of directives
//! stays. Their marks and options are removed, so that a search for `grid-item-card` does not find the page.

use crate::directive_names::{Holds, has_title, held_by};
use crate::restructuredtext;

/// An open fence.
struct Open {
    mark: char,
    length: usize,
    holds: Holds,
}

/// The line that opens a directive.
struct Opener<'a> {
    name: &'a str,
    argument: &'a str,
}

/// Returns `text` without the marks of directives and roles. Other lines stay unchanged.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<Open> = Vec::new();
    let mut in_options = false;
    let mut restructured = String::new();
    let mut indented = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let holds = open.last().map_or(Holds::Content, |top| top.holds);
        if let Some(top) = open.last()
            && is_fence(trimmed, top.mark, top.length)
        {
            match top.holds {
                Holds::Code => out.push_str(line),
                Holds::Restructured => out.push_str(&restructuredtext::to_markdown(&std::mem::take(&mut restructured))),
                Holds::Content | Holds::Nothing => out.push('\n'),
            }
            open.pop();
            continue;
        }
        if in_options && is_option(trimmed) {
            continue;
        }
        in_options = false;
        match holds {
            Holds::Nothing => continue,
            Holds::Restructured => {
                restructured.push_str(line);
                continue;
            }
            Holds::Code => {
                out.push_str(line);
                continue;
            }
            Holds::Content => {}
        }
        if indented && (trimmed.is_empty() || line.starts_with("    ")) {
            out.push_str(&without_roles(line.strip_prefix("    ").unwrap_or(line)));
            continue;
        }
        indented = false;
        if let Some(title) = mkdocs_admonition(line) {
            out.push_str(&format!("**{title}**\n\n"));
            indented = true;
            continue;
        }
        let Some((mark, length)) = fence_of(trimmed) else {
            if !is_target(trimmed) {
                out.push_str(&without_roles(line));
            }
            continue;
        };
        let Some(opener) = opener(trimmed.trim_start_matches(mark), mark) else {
            if mark != ':' {
                open.push(Open { mark, length, holds: Holds::Code });
                out.push_str(line);
            }
            continue;
        };
        let holds = held_by(opener.name);
        match holds {
            Holds::Code => {
                let indent = &line[..line.len() - line.trim_start().len()];
                let fence = if mark == ':' { "```".to_owned() } else { mark.to_string().repeat(length) };
                out.push_str(&format!("{indent}{fence}{}\n", language_of(&opener)));
            }
            Holds::Content if !opener.argument.is_empty() && has_title(opener.name) => {
                out.push_str(&format!("**{}**\n\n", opener.argument));
            }
            _ => {}
        }
        open.push(Open { mark, length, holds });
        in_options = true;
    }
    out
}

/// Returns the mark of a fence and its length, if `line` begins with one.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, ':' | '`' | '~'))?;
    let length = line.chars().take_while(|&c| c == mark).count();
    (length >= 3).then_some((mark, length))
}

/// Whether `line` closes a fence of `length` marks.
fn is_fence(line: &str, mark: char, length: usize) -> bool {
    line.len() >= length && line.chars().all(|c| c == mark)
}

/// Parses MyST's `{name} argument` after any mark, or Docusaurus' and VitePress' `name argument` after colons.
fn opener(info: &str, mark: char) -> Option<Opener<'_>> {
    let info = info.trim();
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '+'))
    };
    if let Some(rest) = info.strip_prefix('{') {
        let (name, argument) = rest.split_once('}')?;
        return is_name(name).then_some(Opener { name, argument: argument.trim() });
    }
    let (name, argument) = info.split_once([' ', '[']).unwrap_or((info, ""));
    (mark == ':' && is_name(name)).then_some(Opener { name, argument: argument.trim().trim_end_matches(']') })
}

fn language_of<'a>(opener: &Opener<'a>) -> &'a str {
    match opener.name {
        "pyodide" | "ipython" | "jupyter-execute" | "doctest" | "testcode" => "python",
        "code-cell" => opener.argument.strip_suffix('3').unwrap_or(opener.argument),
        "math" | "mermaid" | "parsed-literal" => "",
        _ => opener.argument,
    }
}

/// Whether `line` is an option: `:name: value`.
fn is_option(line: &str) -> bool {
    let Some((name, _)) = line.strip_prefix(':').and_then(|rest| rest.split_once(':')) else { return false };
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

/// Whether `line` is a link target: `(label)=`.
fn is_target(line: &str) -> bool {
    line.strip_suffix(")=").and_then(|line| line.strip_prefix('(')).is_some_and(|label| !label.contains(['(', ' ']))
}

/// Returns the title of `!!! note "Title"` or `??? note`, or its kind if it has no title.
fn mkdocs_admonition(line: &str) -> Option<&str> {
    let rest =
        line.strip_prefix("!!! ").or_else(|| line.strip_prefix("???")?.trim_start_matches('+').strip_prefix(' '))?;
    let (words, title) = rest.trim().split_once('"').unwrap_or((rest.trim(), ""));
    let is_kind = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let kind = words.split_whitespace().next().filter(|_| words.split_whitespace().all(is_kind))?;
    // These are a kind and a position, such as `inline end`. More words are a sentence.
    let title = title.trim_end_matches('"');
    (words.split_whitespace().count() <= 3).then_some(if title.is_empty() { kind } else { title })
}

/// Replaces `` {name}`text <target>` `` with its text.
fn without_roles(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('{') {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        if let Some((name, text, after)) = role(&behind[1..]) {
            restructuredtext::add_role(&mut out, name, text);
            rest = after;
        } else {
            out.push('{');
            rest = &behind[1..];
        }
    }
    out.push_str(rest);
    out
}

/// Splits `behind`, the text after an opening brace, into the name of a role, its text, and the rest.
fn role(behind: &str) -> Option<(&str, &str, &str)> {
    // Stops at the end of the name, because a line may contain many braces.
    let rest = behind.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '+'));
    let name = &behind[..behind.len() - rest.len()];
    let (text, after) = rest.strip_prefix("}`").filter(|_| !name.is_empty())?.split_once('`')?;
    Some((name, text, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_content_of_directives_stays() {
        let text = ":::{note} Mind this\n:class: wide\n\nUse {py:class}`~panel.Button <x>` here.\n:::\n\n```{code-block} python\n:linenos:\n\nx = {1: `2`}\n```\n\n```{toctree}\nintro\n```\nEnd (a)=\n(here)=\n";
        assert_eq!(
            plain(text),
            "**Mind this**\n\n\nUse panel.Button here.\n\n\n```python\n\nx = {1: `2`}\n```\n\n\nEnd (a)=\n"
        );
    }

    #[test]
    fn superscripts_and_subscripts_stay_apart() {
        assert_eq!(plain("2{sup}`8`, 1010{sub}`2`, H{sub}`2`O\n"), "2^8, 1010_2, H2O\n");
    }

    #[test]
    fn directives_of_other_generators_are_converted() {
        assert_eq!(plain("::: tip Try it\nNow.\n:::\n"), "**Try it**\n\nNow.\n\n");
        assert_eq!(plain("!!! note \"Read\"\n    Body.\n\n    More.\nAfter\n"), "**Read**\n\nBody.\n\nMore.\nAfter\n");
        assert_eq!(plain("???+ warning\n    Body.\n"), "**warning**\n\nBody.\n");
        assert_eq!(plain("??? What is it\n"), "??? What is it\n");
    }

    #[test]
    fn nested_directives_close_in_turn() {
        let text = "::::{tab-set}\n:::{tab-item} Conda\n:sync: a\nconda install x\n:::\n::::\n```{eval-rst}\n.. note::\n   Hi ``you``\n```\n";
        let plain = plain(text);
        assert!(plain.contains("**Conda**\n\nconda install x\n"), "{plain}");
        assert!(plain.contains("Hi `you`") && !plain.contains("note") && !plain.contains(":::"), "{plain}");
    }

    #[test]
    fn plain_code_stays() {
        let text = "```\n:::{note}\n{ref}`x`\n```\n~~~\n!!! note\n~~~\n";
        assert_eq!(plain(text), text);
    }

    proptest! {
        #[test]
        fn text_without_marks_keeps_its_bytes(text in "[a-zé #*>\n.-]{0,200}") {
            prop_assert_eq!(plain(&text), text);
        }

        #[test]
        fn any_text_is_read(text in "[:`~{}a!? \n()=-]{0,120}") {
            let _ = plain(&text);
        }
    }
}
