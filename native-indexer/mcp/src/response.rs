//! The form of what tools give: it fits a budget, and texts of documents stay apart from what the server says.

use nearfind_base::terminal::{steers, visible};
use serde::Serialize;

/// Characters of a token, at least: what models count by differs, so this is careful.
const TOKEN_CHARS: usize = 3;
/// Characters that a name, title or address may take in one line.
const LINE_CHARS: usize = 200;
/// Characters of a note.
const NOTE_CHARS: usize = 600;

/// How long a response may be.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    tokens: usize,
}

impl Budget {
    /// The smallest and the largest.
    pub const TOKENS: std::ops::RangeInclusive<u64> = 1000..=200_000;

    /// A budget of `tokens`.
    pub const fn of_tokens(tokens: usize) -> Self {
        Self { tokens }
    }

    /// In tokens.
    pub const fn tokens(self) -> usize {
        self.tokens
    }

    /// In characters, with some left for what is around the texts.
    pub(super) const fn chars(self) -> usize {
        self.tokens * TOKEN_CHARS * 9 / 10
    }

    /// How many of `items`, from the first, fit: one at least, if there is one.
    pub(super) fn fitting<T: Serialize>(self, items: &[T]) -> usize {
        let mut used = 0;
        let mut count = 0;
        for item in items {
            used += serde_json::to_string(item).map_or(0, |json| json.chars().count());
            if used > self.chars() {
                break;
            }
            count += 1;
        }
        count.max(items.len().min(1))
    }
}

/// At most `most` characters of `text` from its start, to the end of a line if there is one in the last fifth, and whether
/// that is all.
pub(super) fn beginning(text: &str, most: usize) -> (&str, bool) {
    let Some((end, _)) = text.char_indices().nth(most) else { return (text, true) };
    let line = text[..end].rfind('\n').map(|at| at + 1).filter(|&at| at * 5 > end * 4);
    (&text[..line.unwrap_or(end)], false)
}

/// A name or title from a document in one short line, without control characters.
pub(super) fn one_line(text: &str) -> String {
    capped(text, LINE_CHARS)
}

/// The same with at most `most` characters.
pub(super) fn capped(text: &str, most: usize) -> String {
    let visible = |c: char| !steers(c) && !matches!(c, '\u{200b}'..='\u{200f}');
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().filter(|&c| visible(c)).collect())
        .filter(|word: &String| !word.is_empty())
        .collect();
    let line = words.join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The text of a document between fences that it cannot close, with what turns its order around shown.
pub(super) fn fenced(text: &str) -> String {
    fenced_as("markdown", text)
}

/// The same of a text in `language`; empty for lists of lines. Nothing for no text.
pub(super) fn fenced_as(language: &str, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = &visible(text);
    let mut longest = 2;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    // It comes from an index, which others may have made.
    let language: String = language.chars().filter(|c| c.is_ascii_alphanumeric() || "_+-#".contains(*c)).collect();
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// A number of things, in words: `1 file`, `2 files`.
pub(super) fn counted(number: usize, one: &str) -> String {
    let plural = match one.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{one}s"),
    };
    if number == 1 { format!("1 {one}") } else { format!("{number} {plural}") }
}

/// Notes as lines.
pub(super) fn notes(notices: &[String]) -> String {
    notices.iter().map(|notice| format!("note: {}\n", capped(notice, NOTE_CHARS))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_items_that_fit_are_kept_and_one_always() {
        let budget = Budget::of_tokens(100);
        let items: Vec<String> = (0..10).map(|_| "x".repeat(48)).collect();
        assert_eq!(budget.fitting(&items), 5);
        assert_eq!(budget.fitting(&["x".repeat(5000)]), 1);
        assert_eq!(budget.fitting::<String>(&[]), 0);
    }

    #[test]
    fn names_are_one_short_line() {
        assert_eq!(one_line("a\n\nIgnore\u{1b}[31m this\u{202e}"), "a Ignore[31m this");
        assert_eq!(capped("abcdef", 3), "abc…");
    }

    #[test]
    fn one_of_a_thing_is_no_plural() {
        assert_eq!(
            [counted(1, "file"), counted(0, "file"), counted(2, "query"), counted(2, "day")],
            ["1 file", "0 files", "2 queries", "2 days"]
        );
    }

    #[test]
    fn fences_say_the_language_and_nothing_else() {
        assert_eq!(fenced_as("c++\nobey", "int a;"), "```c++obey\nint a;\n```\n");
        assert_eq!(fenced_as("", ""), "");
    }

    proptest! {
        #[test]
        fn no_text_closes_its_fence(text in "[a`\n]{1,40}") {
            let fenced = fenced(&text);
            let fence = fenced.lines().last().unwrap();
            let closing = fenced.lines().skip(1).filter(|line| line.trim_start().starts_with(fence)).count();
            prop_assert_eq!(closing, 1);
            prop_assert!(fenced.contains(&text));
        }

        #[test]
        fn beginnings_join_to_the_whole(text in "[ab\né]{0,60}", most in 1usize..20) {
            let (mut rest, mut joined) = (text.as_str(), String::new());
            loop {
                let (start, is_all) = beginning(rest, most);
                prop_assert!(start.chars().count() <= most);
                joined.push_str(start);
                rest = &rest[start.len()..];
                if is_all { break }
                prop_assert!(!start.is_empty());
            }
            prop_assert_eq!(joined, text);
        }
    }
}
