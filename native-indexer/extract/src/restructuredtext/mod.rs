//! Converts reStructuredText to Markdown, as far as documentation needs it: sections, directives, literal blocks, links
//! and roles. No Rust parser supports Sphinx directives, which make up most of the markup in documentation.

mod inline;
mod sections;

pub(super) use inline::add_role;

use crate::directive_names::{Holds, has_title, held_by, is_inclusion};
use sections::Sections;

/// Returns the file that a page includes, if the page contains nothing else except a title.
pub(super) fn only_inclusion(source: &str) -> Option<&str> {
    let mut target = None;
    let lines: Vec<&str> = source.lines().collect();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some(directive) = directive(line) {
            let includes = is_inclusion(directive.name);
            // The path is the last word, because the first may name a project.
            let path = directive.argument.split_whitespace().last().filter(|_| includes && target.is_none())?;
            target = Some(path);
            at += 1 + body_lines(&lines[at + 1..], indent_of(line));
        } else if let Some(heading) = sections::heading(&lines[at..]) {
            at += heading.lines;
        } else if line.trim().is_empty() {
            at += 1;
        } else {
            return None;
        }
    }
    target
}

/// Converts a page or the content of a directive to Markdown.
pub(super) fn to_markdown(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    write_blocks(source, &mut Sections::default(), 0, &mut out);
    out
}

/// Maximum depth of nested directives. Deeper directives are kept as text.
const DEEPEST: usize = 12;

fn write_blocks(source: &str, sections: &mut Sections, depth: usize, out: &mut String) {
    let lines: Vec<&str> = source.lines().collect();
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        if let Some(heading) = sections::heading(&lines[at..]).filter(|_| depth == 0) {
            let level = sections.level_of(&heading);
            out.push_str(&format!("\n{} {}\n\n", "#".repeat(level), inline::to_markdown(heading.title)));
            at += heading.lines;
            continue;
        }
        if let Some(rest) = line.trim_start().strip_prefix("..").filter(|rest| rest.is_empty() || rest.starts_with(' '))
        {
            let count = body_lines(&lines[at + 1..], indent_of(line));
            let body = &lines[at + 1..at + 1 + count];
            match directive(line) {
                Some(directive) if depth < DEEPEST => write_directive(&directive, body, sections, depth, out),
                // Footnotes and citations are text. Targets, substitutions and comments are not.
                _ if rest.trim_start().starts_with('[') => {
                    out.push_str(&format!("{}\n", inline::to_markdown(rest.trim_start())));
                    body.iter().for_each(|line| out.push_str(&format!("{}\n", inline::to_markdown(line.trim_start()))));
                }
                _ => {}
            }
            at += 1 + count;
            continue;
        }
        if line.trim_start().starts_with(">>> ") {
            let count = lines[at..].iter().take_while(|line| !line.trim().is_empty()).count();
            write_code("python", &lines[at..at + count], out);
            at += count;
            continue;
        }
        at += 1;
        // Indentation is removed, because it would mark code in Markdown.
        let Some(lead) = line.trim_end().strip_suffix("::") else {
            out.push_str(&format!("{}\n", inline::to_markdown(line.trim_start())));
            continue;
        };
        if !lead.trim().is_empty() {
            out.push_str(&format!("{}:\n", inline::to_markdown(lead.trim_start())));
        }
        let count = body_lines(&lines[at..], indent_of(line));
        write_code("", &lines[at..at + count], out);
        at += count;
    }
}

/// The name and the argument of a directive.
struct Directive<'a> {
    name: &'a str,
    argument: &'a str,
}

/// Returns the directive that begins on `line`.
fn directive(line: &str) -> Option<Directive<'_>> {
    let rest = line.trim_start().strip_prefix(".. ")?;
    let (name, argument) = rest.trim_start().split_once("::")?;
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '+' | '.'));
    is_name.then(|| Directive { name: name.rsplit(':').next().unwrap_or(name), argument: argument.trim() })
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns how many of `lines` are indented more than `indent`, including blank lines between them.
fn body_lines(lines: &[&str], indent: usize) -> usize {
    let mut count = 0;
    for (at, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        if indent_of(line) <= indent {
            break;
        }
        count = at + 1;
    }
    count
}

fn write_directive(directive: &Directive<'_>, body: &[&str], sections: &mut Sections, depth: usize, out: &mut String) {
    let is_option = |line: &&&str| line.trim_start().starts_with(':') && line.trim_start()[1..].contains(':');
    let options = body.iter().take_while(is_option).count();
    let body = &body[options..];
    let Directive { name, argument } = *directive;
    out.push('\n');
    match held_by(name) {
        Holds::Nothing => {}
        Holds::Code => {
            let language = if matches!(name, "ipython" | "doctest" | "testcode") { "python" } else { argument };
            write_code(language.split(' ').next().unwrap_or_default(), body, out);
        }
        _ if name == "autosummary" => {
            let names = body.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
            names.for_each(|name| out.push_str(&format!("- `{}`\n", name.trim_start_matches('~'))));
        }
        _ => {
            let is_object = name.starts_with("auto")
                || matches!(
                    name,
                    "class"
                        | "function"
                        | "method"
                        | "attribute"
                        | "data"
                        | "exception"
                        | "option"
                        | "envvar"
                        | "property"
                );
            if is_object && !argument.is_empty() {
                out.push_str(&format!("`{argument}`\n\n"));
            } else if !argument.is_empty() && has_title(name) {
                // Text that follows without a blank line belongs to the same paragraph.
                let goes_on = options == 0 && body.first().is_some_and(|line| !line.trim().is_empty());
                let end = if goes_on { "\n" } else { "\n\n" };
                out.push_str(&format!("**{}**{end}", inline::to_markdown(argument)));
            }
            write_blocks(&dedented(body), sections, depth + 1, out);
        }
    }
    out.push('\n');
}

fn write_code(language: &str, lines: &[&str], out: &mut String) {
    let code = dedented(lines);
    let code = code.trim_matches('\n');
    if code.trim().is_empty() {
        return;
    }
    let fence = crate::words::fence(code);
    out.push_str(&format!("\n{fence}{language}\n{code}\n{fence}\n\n"));
}

/// Returns `lines` without their common indentation.
fn dedented(lines: &[&str]) -> String {
    let indent = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent_of(line)).min().unwrap_or(0);
    lines.iter().map(|line| format!("{}\n", line.get(indent..).unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::Extraction;
    use proptest::prelude::*;

    fn extract(source: &str) -> Extraction {
        crate::extract("page.rst", source.as_bytes()).unwrap()
    }

    #[test]
    fn sections_directives_and_literal_blocks() {
        let source = "=====\nTitle\n=====\n\nSee :ref:`the guide <g>` and ``x``::\n\n    code here\n\nPart\n----\n\n.. note:: Careful\n   :class: x\n\n   Do `this <https://x.org>`_.\n\n   .. code-block:: python\n      :linenos:\n\n      y = 1\n\n.. _target:\n.. a comment\n   of two lines\n\nSub\n~~~\n\nEnd.\n";
        let markdown = to_markdown(source);
        for expected in [
            "# Title\n",
            "See the guide and `x`:\n",
            "```\ncode here\n```",
            "## Part\n",
            "**Careful**",
            "Do [this](https://x.org).",
            "```python\ny = 1\n```",
            "### Sub\n",
        ] {
            assert!(markdown.contains(expected), "{expected} in {markdown}");
        }
        assert!(
            !markdown.contains("target") && !markdown.contains("comment") && !markdown.contains("linenos"),
            "{markdown}"
        );
    }

    #[test]
    fn a_page_that_only_includes_another_redirects_to_it() {
        let stub = "Annotating your Data\n____________________\n\n.. notebook:: holoviews ../../examples/01-Data.ipynb\n    :offset: 1\n";
        assert_eq!(extract(stub), Extraction::Redirect("../../examples/01-Data.ipynb".into()));
        assert!(matches!(extract(&format!("{stub}\nAnd more.\n")), Extraction::Document(_)));
        assert!(matches!(extract("Title\n=====\n"), Extraction::Document(_)));
    }

    #[test]
    fn names_of_documented_interfaces_stay() {
        let source = "API\n===\n\n.. currentmodule:: d\n.. autosummary::\n\n   Canvas.line\n\n.. autoclass:: Canvas\n   :members:\n";
        let Extraction::Document(extracted) = extract(source) else { panic!("a document") };
        assert_eq!(extracted.title, "API");
        assert!(
            extracted.text.contains("- `Canvas.line`") && extracted.text.contains("`Canvas`\n"),
            "{}",
            extracted.text
        );
    }

    #[test]
    fn deep_nesting_is_limited() {
        let source: String = (0..2000).map(|depth| format!("{}.. note::\n", " ".repeat(depth))).collect();
        assert!(to_markdown(&source).len() < source.len());
    }

    proptest! {
        #[test]
        fn any_text_is_read(source in "[a:.`_ \n=~<>*|-]{0,200}") {
            let _ = extract(&source);
        }
    }
}
