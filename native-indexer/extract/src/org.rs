//! Org, the outlines of Emacs, to Markdown: headings, blocks of code, tables, links. Drawers, times of planning and comments
//! are for their author.

use crate::words::fence;
use regex::Regex;
use std::sync::LazyLock;

/// `* TODO [#A] Title :tag:`
static HEADLINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\*+)\s+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED|CANCELED|HOLD|STARTED)\s+)?(?:\[#[A-Za-z0-9]\]\s+)?(?:COMMENT\s+)?(.*?)(?:\s+:[\w@#%:]+:)?\s*$")
        .expect("the pattern is valid")
});
/// `[[target][words]]`, `[[target]]`
static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[\[([^\[\]]+)\](?:\[([^\[\]]*)\])?\]").expect("the pattern is valid"));
/// `=code=`, `~code~`
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(^|[\s({'"-])(?:=([^\s=](?:[^=\n]*[^\s=])?)=|~([^\s~](?:[^~\n]*[^\s~])?)~)"#)
        .expect("the pattern is valid")
});
/// The deepest heading of Markdown.
const MAX_LEVEL: usize = 6;

/// The Markdown of a page.
pub(super) fn to_markdown(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let title = source.lines().find_map(|line| keyword(line, "title")).filter(|title| !title.is_empty());
    // With a title, the sections are below it.
    let deeper = usize::from(title.is_some());
    if let Some(title) = title {
        out.push_str(&format!("# {}\n\n", inline(title)));
    }
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if let Some((name, argument)) = block(trimmed) {
            let body = lines.by_ref().take_while(|line| !is_end(line.trim(), &name));
            write_block(&mut out, &name, argument, body);
        } else if trimmed.starts_with(':') && is_drawer(trimmed) {
            lines.by_ref().take_while(|line| !line.trim().eq_ignore_ascii_case(":end:")).for_each(drop);
        } else if trimmed.starts_with("#+") || trimmed == "#" || trimmed.starts_with("# ") || is_planning(trimmed) {
            // A keyword, a comment, a plan.
        } else if let Some(found) = HEADLINE.captures(line) {
            let (stars, title) = (&found[1], &found[2]);
            let level = (stars.len() + deeper).min(MAX_LEVEL);
            out.push_str(&format!("\n{} {}\n\n", "#".repeat(level), inline(title)));
        } else if trimmed.starts_with("|-") {
            // The line below the names of columns; others part rows.
            let columns = trimmed.matches('+').count() + 1;
            let is_below_first =
                out.trim_end().rsplit("\n\n").next().is_some_and(|last| last.starts_with('|') && !last.contains('\n'));
            if is_below_first {
                out.push_str(&format!("|{}\n", "---|".repeat(columns)));
            }
        } else if let Some(verbatim) = trimmed.strip_prefix(": ") {
            out.push_str(&format!("    {verbatim}\n"));
        } else {
            out.push_str(&inline(line));
            out.push('\n');
        }
    }
    out
}

/// The value of `#+name: value`.
fn keyword<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (key, value) = line.trim().strip_prefix("#+")?.split_once(':')?;
    key.eq_ignore_ascii_case(name).then(|| value.trim())
}

/// The name of the block that begins, in lower case, and its arguments.
fn block(line: &str) -> Option<(String, &str)> {
    let begin = line.get(..8).filter(|begin| begin.eq_ignore_ascii_case("#+begin_"))?;
    let rest = line.get(begin.len()..)?;
    let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Some((name.to_lowercase(), argument.trim()))
}

fn is_end(line: &str, name: &str) -> bool {
    let end = line.get(..6).filter(|end| end.eq_ignore_ascii_case("#+end_"));
    end.and_then(|end| line.get(end.len()..)).is_some_and(|rest| rest.trim().eq_ignore_ascii_case(name))
}

fn write_block<'a>(out: &mut String, name: &str, argument: &str, body: impl Iterator<Item = &'a str>) {
    match name {
        "comment" => body.for_each(drop),
        "src" | "example" | "export" => {
            // Lines that look like Org have a comma before them.
            let unescaped = |line: &'a str| match line.trim_start().strip_prefix(',') {
                Some(rest) if rest.starts_with(['*', '#', ',']) => rest,
                _ => line,
            };
            let code = body.map(unescaped).collect::<Vec<_>>().join("\n");
            let language = if name == "src" { argument.split_whitespace().next().unwrap_or_default() } else { "" };
            let fence = fence(&code);
            out.push_str(&format!("\n{fence}{language}\n{code}\n{fence}\n\n"));
        }
        _ => body.for_each(|line| {
            out.push_str(&inline(line));
            out.push('\n');
        }),
    }
}

/// Whether a drawer begins: `:PROPERTIES:`.
fn is_drawer(line: &str) -> bool {
    let name = line.strip_prefix(':').and_then(|rest| rest.strip_suffix(':')).unwrap_or_default();
    !name.is_empty()
        && !name.eq_ignore_ascii_case("end")
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

fn is_planning(line: &str) -> bool {
    ["SCHEDULED:", "DEADLINE:", "CLOSED:", "CLOCK:"].iter().any(|word| line.starts_with(word))
}

/// The text of a line: links are their words, code is code.
fn inline(line: &str) -> String {
    let linked = LINK.replace_all(line, |found: &regex::Captures<'_>| {
        let target = &found[1];
        let words = found.get(2).map_or("", |words| words.as_str());
        match (words, target.contains("://")) {
            ("", _) => target.trim_start_matches("file:").trim_start_matches(['*', '#']).to_owned(),
            (words, true) => format!("[{words}]({target})"),
            (words, false) => words.to_owned(),
        }
    });
    let code = CODE.replace_all(&linked, |found: &regex::Captures<'_>| {
        let code = found.get(2).or_else(|| found.get(3)).map_or("", |code| code.as_str());
        format!("{}`{code}`", &found[1])
    });
    code.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn outlines_are_pages() {
        let source = "#+TITLE: Kettles\n#+AUTHOR: Jane\n# a comment\n* TODO [#A] Care :home:daily:\n:PROPERTIES:\n:CUSTOM_ID: care\n:END:\nSCHEDULED: <2024-05-02 Thu>\n\
                      Run =descale -f= or see [[https://x.org][the guide]] and [[*Parts]].\n** Parts\n| Name | Size |\n|------+------|\n| lid  | 3    |\n|------+------|\n| base | 4    |\n\
                      #+BEGIN_SRC sh -n\n,* run\n#+END_SRC\n#+begin_quote\nSaid.\n#+end_quote\n- [ ] item\n: verbatim\n";
        assert_eq!(
            to_markdown(source),
            "# Kettles\n\n\n## Care\n\nRun `descale -f` or see [the guide](https://x.org) and Parts.\n\n### Parts\n\n| Name | Size |\n|---|---|\n| lid  | 3    |\n| base | 4    |\n\
             \n```sh\n* run\n```\n\nSaid.\n- [ ] item\n    verbatim\n"
        );
        assert_eq!(to_markdown("* One\ntext"), "\n# One\n\ntext\n");
        assert_eq!(to_markdown("#+begin_src\nnever closed"), "\n```\nnever closed\n```\n\n");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[*#+|:=~\\[\\]a \n-]{0,120}") {
            let _ = to_markdown(&text);
        }
    }
}
