//! The form of results: they fit a budget, and document text stays apart from the server's own text.

use nearfind_base::terminal::{steers, visible};
use serde::Serialize;

/// Number of characters per token. Models count tokens differently, so this is a low estimate.
const TOKEN_CHARS: usize = 3;
/// Maximum length in characters of a name, title or address on a line.
const LINE_CHARS: usize = 200;
/// Maximum length of a note in characters.
const NOTE_CHARS: usize = 600;

/// The maximum length of a response.
///
/// [`Server`](crate::Server) has an example.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    tokens: usize,
}

impl Budget {
    /// The allowed budgets in tokens.
    pub const TOKENS: std::ops::RangeInclusive<u64> = 1000..=200_000;

    /// Creates a budget of `tokens`.
    pub const fn of_tokens(tokens: usize) -> Self {
        Self { tokens }
    }

    /// Returns the budget in tokens.
    pub const fn tokens(self) -> usize {
        self.tokens
    }

    /// Returns the budget in characters, minus a tenth for the text around documents.
    pub(super) const fn chars(self) -> usize {
        self.tokens * TOKEN_CHARS * 9 / 10
    }

    /// Returns how many of the first `items` fit when they are written as JSON. If there are any items, at least one
    /// counts.
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

/// Returns at most `most` characters from the start of `text`, and whether this is the whole text. If a line ends in
/// the last fifth of these characters, the text is cut there.
pub(super) fn beginning(text: &str, most: usize) -> (&str, bool) {
    let Some((end, _)) = text.char_indices().nth(most) else { return (text, true) };
    let line = text[..end].rfind('\n').map(|at| at + 1).filter(|&at| at * 5 > end * 4);
    (&text[..line.unwrap_or(end)], false)
}

/// Returns a document's name or title as one short line without control characters.
pub(super) fn one_line(text: &str) -> String {
    capped(text, LINE_CHARS)
}

/// Returns `text` as one line of at most `most` characters, without control characters and invisible characters.
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

/// Returns a document's text between fences that the text cannot close. Characters that change the direction of text
/// are shown as their codes.
pub(super) fn fenced(text: &str) -> String {
    fenced_as("markdown", text)
}

/// Like [`fenced`], for a text in `language`, which is empty for lists of lines. Returns nothing for an empty text.
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
    // The language name comes from the index, which a third party may have made.
    let language: String = language.chars().filter(|c| c.is_ascii_alphanumeric() || "_+-#".contains(*c)).collect();
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// Returns a number with its noun, such as `1 file` and `2 files`.
pub(super) fn counted(number: usize, one: &str) -> String {
    let plural = match one.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{one}s"),
    };
    if number == 1 { format!("1 {one}") } else { format!("{number} {plural}") }
}

/// Returns notes as lines.
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
