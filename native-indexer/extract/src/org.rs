//! Converts Org, the outline format of Emacs, to Markdown: headings, code blocks, tables and links. Drawers, planning
//! times and comments are only for the author, and are left out.

use crate::words::fence;
use regex::Regex;
use std::sync::LazyLock;

/// A headline: `* TODO [#A] Title :tag:`.
static HEADLINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\*+)\s+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED|CANCELED|HOLD|STARTED)\s+)?(?:\[#[A-Za-z0-9]\]\s+)?(?:COMMENT\s+)?(.*?)(?:\s+:[\w@#%:]+:)?\s*$")
        .expect("the pattern is valid")
});
/// A link: `[[target][words]]` or `[[target]]`.
static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[\[([^\[\]]+)\](?:\[([^\[\]]*)\])?\]").expect("the pattern is valid"));
/// Code: `=code=` or `~code~`.
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(^|[\s({'"-])(?:=([^\s=](?:[^=\n]*[^\s=])?)=|~([^\s~](?:[^~\n]*[^\s~])?)~)"#)
        .expect("the pattern is valid")
});
/// Name of the block that is left out.
const COMMENT: &str = "comment";
/// Names of blocks that end only with their own name. Other blocks end with the end of any block.
const BLOCKS: [&str; 7] = [COMMENT, "src", "example", "export", "quote", "verse", "center"];
/// The lowest level of headings in Markdown.
const MAX_LEVEL: usize = 6;

/// Converts a page to Markdown.
pub(super) fn to_markdown(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let title = source.lines().find_map(|line| keyword(line, "title")).filter(|title| !title.is_empty());
    // If there is a title, the sections are one level below it.
    let deeper = usize::from(title.is_some());
    if let Some(title) = title {
        out.push_str(&format!("# {}\n\n", inline(title)));
    }
    let mut lines = Lines { rest: source };
    let mut end_of_drawer = End::of(|line| line.eq_ignore_ascii_case(":end:"));
    let mut ends = BLOCKS.map(|name| End::of(move |line| is_end(line, name)));
    let mut end_of_others = End::of(is_any_end);
    let mut table = TableSoFar::default();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        let is_row = line.starts_with('|') && !trimmed.starts_with("|-");
        if is_row {
            table.add_row(&out);
        } else if !trimmed.starts_with("|-") {
            table = TableSoFar::default();
        }
        if let Some((name, argument)) = block(trimmed) {
            // Without an end, the line does not begin a block, so nothing after it becomes code or is left out.
            let known = BLOCKS.iter().position(|known| *known == name);
            let has_end = match known.and_then(|place| ends.get_mut(place)) {
                Some(end) => end.is_ahead(lines.rest),
                None => end_of_others.is_ahead(lines.rest),
            };
            if has_end {
                let body = lines.by_ref().take_while(|line| {
                    let line = line.trim();
                    if known.is_some() { !is_end(line, &name) } else { !is_any_end(line) }
                });
                write_block(&mut out, &name, argument, body);
            }
        } else if trimmed.starts_with(':') && is_drawer(trimmed) {
            // Without an end, the line does not begin a drawer, so nothing after it is left out.
            if end_of_drawer.is_ahead(lines.rest) {
                lines.by_ref().take_while(|line| !line.trim().eq_ignore_ascii_case(":end:")).for_each(drop);
            } else {
                out.push_str(&format!("{}\n", inline(line)));
            }
        } else if trimmed.starts_with("#+") || trimmed == "#" || trimmed.starts_with("# ") || is_planning(trimmed) {
            // These are keywords, comments and planning times, which are left out.
        } else if let Some(found) = HEADLINE.captures(line) {
            let (stars, title) = (&found[1], &found[2]);
            let level = (stars.len() + deeper).min(MAX_LEVEL);
            out.push_str(&format!("\n{} {}\n\n", "#".repeat(level), inline(title)));
        } else if trimmed.starts_with("|-") {
            // The first rule is below the column names. Other rules only separate rows.
            let columns = trimmed.matches('+').count() + 1;
            if table.take_first() {
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

/// Iterates over the lines of a page, and provides the rest of the text.
struct Lines<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }
}

/// Finds the ends of blocks or drawers. A headline ends the search, because they cannot continue in another section.
struct End<F> {
    is_end: F,
    /// The last end or headline that was found: the length of the text after it, and whether it was an end. With this,
    /// the page is searched only once.
    found: Option<(usize, bool)>,
}

impl<F: Fn(&str) -> bool> End<F> {
    const fn of(is_end: F) -> Self {
        Self { is_end, found: None }
    }

    /// Whether there is an end in `rest` before the next headline.
    fn is_ahead(&mut self, rest: &str) -> bool {
        if let Some((_, is_end)) = self.found.filter(|(left, _)| *left < rest.len()) {
            return is_end;
        }
        let mut lines = Lines { rest };
        while let Some(line) = lines.next() {
            let is_end = (self.is_end)(line.trim());
            if is_end || is_headline(line) {
                self.found = Some((lines.rest.len(), is_end));
                return is_end;
            }
        }
        self.found = Some((0, false));
        false
    }
}

fn is_headline(line: &str) -> bool {
    line.starts_with('*') && line.trim_start_matches('*').starts_with(char::is_whitespace)
}

/// The state of a table. The rule below its first row separates the names of columns from the other rows.
#[derive(Debug, Default)]
struct TableSoFar {
    has_begun: bool,
    is_at_first: bool,
}

impl TableSoFar {
    /// Adds a row, given the text that was written before it.
    fn add_row(&mut self, written: &str) {
        self.is_at_first = !self.has_begun && (written.is_empty() || written.ends_with("\n\n"));
        self.has_begun = true;
    }

    /// Whether the last row is the first row of its table. Returns `true` only once.
    const fn take_first(&mut self) -> bool {
        std::mem::replace(&mut self.is_at_first, false)
    }
}

/// Returns the value in `#+name: value`.
fn keyword<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (key, value) = line.trim().strip_prefix("#+")?.split_once(':')?;
    key.eq_ignore_ascii_case(name).then(|| value.trim())
}

/// Returns the lowercase name and the arguments of the block that begins on `line`.
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

/// Whether `line` ends a block of any name.
fn is_any_end(line: &str) -> bool {
    line.get(..6).is_some_and(|end| end.eq_ignore_ascii_case("#+end_"))
}

fn write_block<'a>(out: &mut String, name: &str, argument: &str, body: impl Iterator<Item = &'a str>) {
    match name {
        COMMENT => body.for_each(drop),
        "src" | "example" | "export" => {
            // A comma escapes lines that look like Org.
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

/// Whether `line` begins a drawer, such as `:PROPERTIES:`.
fn is_drawer(line: &str) -> bool {
    let name = line.strip_prefix(':').and_then(|rest| rest.strip_suffix(':')).unwrap_or_default();
    !name.is_empty()
        && !name.eq_ignore_ascii_case("end")
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

fn is_planning(line: &str) -> bool {
    ["SCHEDULED:", "DEADLINE:", "CLOSED:", "CLOCK:"].iter().any(|word| line.starts_with(word))
}

/// Converts the links and the code of a line to Markdown.
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
        assert_eq!(to_markdown("#+begin_src\nnever closed\n* Next\n#+end_src"), "never closed\n\n# Next\n\n");
        assert_eq!(to_markdown("#+begin_note\nsaid\n#+end_note\nmore"), "said\nmore\n");
    }

    #[test]
    fn what_has_no_end_is_not_passed_over() {
        let text = "* A\n:note:\nAll that follows\n* B\n:END:\n";
        assert_eq!(to_markdown(text), "\n# A\n\n:note:\nAll that follows\n\n# B\n\n:END:\n");
        let text = "* A\n#+begin_comment\nAll that follows\n* B\n#+begin_comment\nno\n#+end_comment\nMore\n";
        assert_eq!(to_markdown(text), "\n# A\n\nAll that follows\n\n# B\n\nMore\n");
        let text = ":a:\nno\n:end:\none\n:b:\nno\n:end:\n:c:\ntwo";
        assert_eq!(to_markdown(text), "one\n:c:\ntwo\n");
    }

    #[test]
    fn many_tables_and_open_drawers_take_no_time() {
        assert!(to_markdown(&"|a|\n|-\n".repeat(500_000)).starts_with("|a|\n|---|\n|a|\n|a|\n"));
        assert!(to_markdown(&":a:\n#+begin_comment\n".repeat(300_000)).starts_with(":a:\n:a:\n"));
        let blocks: String = (0..100_000).map(|number| format!("#+begin_{number}\n#+begin_src\n")).collect();
        assert_eq!(to_markdown(&blocks), "");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[*#+|:=~\\[\\]a \n-]{0,120}") {
            let _ = to_markdown(&text);
        }
    }
}
