//! Splits a chunk into passages. The page shows each passage as one block: a paragraph, a list item, a table row or a
//! line of code. The text of two blocks never becomes one passage, because readers would see it joined and browsers
//! could not find it on the page.

use std::ops::Range;

/// Separates the blocks inside a table cell.
const BLOCK_IN_CELL: char = '\u{2028}';

/// A match: the number of the term, and its range.
pub(super) type Match = (usize, Range<usize>);

/// A passage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Passage {
    /// The byte ranges of the chunk that the page shows side by side. A row has two ranges for each cell, the cell and
    /// the name of its column, and both may be empty. Other passages have one range.
    pub parts: Vec<Range<usize>>,
    /// Whether the passage is a table row.
    pub is_row: bool,
    /// Whether the passage is a line of code.
    pub is_code: bool,
    /// Whether the passage is an item of the same list as the previous passage.
    pub continues_list: bool,
}

impl Passage {
    /// Creates a paragraph.
    fn of(part: Range<usize>) -> Self {
        Self { parts: std::iter::once(part).collect(), ..Self::default() }
    }

    pub(super) fn start(&self) -> usize {
        self.parts.first().map_or(0, |part| part.start)
    }

    pub(super) fn end(&self) -> usize {
        self.parts.iter().fold(0, |end, part| end.max(part.end))
    }

    /// Returns the length of the passage's text in bytes.
    pub(super) fn len(&self) -> usize {
        self.parts.iter().map(Range::len).sum()
    }
}

/// Whether `range` lies in one of `parts`.
pub(super) fn holds(parts: &[Range<usize>], range: &Range<usize>) -> bool {
    parts.iter().any(|part| part.start <= range.start && range.end <= part.end)
}

/// Tracks, line by line, whether the text is inside fenced code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fences {
    /// The mark of the open fence. An empty mark means any mark.
    open: Option<String>,
}

impl Fences {
    /// Starts at the beginning of a text, which may be inside code.
    pub(crate) fn new(in_code: bool) -> Self {
        Self { open: in_code.then(String::new) }
    }

    /// Reads the next line and returns whether it is a fence.
    pub(crate) fn take(&mut self, line: &str) -> bool {
        let line = line.trim();
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~')).unwrap_or(' ');
        let length = line.len() - line.trim_start_matches(mark).len();
        if mark == ' ' || length < 3 {
            return false;
        }
        match &self.open {
            Some(open) if line.len() == length && (open.is_empty() || line.starts_with(open.as_str())) => {
                self.open = None;
                true
            }
            Some(_) => false,
            // A language name contains no backtick.
            None if mark == '`' && line[length..].contains(mark) => false,
            None => {
                self.open = Some(line[..length].to_owned());
                true
            }
        }
    }

    pub(crate) const fn in_code(&self) -> bool {
        self.open.is_some()
    }
}

/// Returns the passages of `text` in order. Headings are not passages. In source code, each line is a passage.
pub(super) fn passages(text: &str, in_code: bool, is_source: bool) -> Vec<Passage> {
    let mut found = Found::default();
    let mut fences = Fences::new(in_code);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (at, end) = (start, start + line.trim_end().len());
        start += line.len();
        let was_in_code = is_source || fences.in_code();
        if !is_source && fences.take(line) {
            found.flush();
        } else if was_in_code {
            let indent = line.len() - line.trim_start().len();
            found.add(Passage { is_code: true, ..Passage::of(at + indent..end) });
        } else {
            found.line(line, at, end);
        }
    }
    found.flush();
    found.passages
}

#[derive(Default)]
struct Found {
    passages: Vec<Passage>,
    /// The current paragraph or item.
    open: Option<Passage>,
    /// The row that names the columns of the current table.
    names: Vec<Range<usize>>,
    /// Whether the next item may belong to the same list.
    in_list: bool,
}

impl Found {
    fn flush(&mut self) {
        if let Some(open) = self.open.take() {
            self.add(open);
        }
    }

    fn add(&mut self, passage: Passage) {
        if passage.len() > 0 {
            self.passages.push(passage);
        }
    }

    fn line(&mut self, line: &str, at: usize, end: usize) {
        let marks = quote_marks(line);
        let (indent, content) = (line.len() - line[marks..].trim_start().len(), line[marks..].trim());
        let from = at + indent;
        let is_row = content.starts_with('|');
        if !is_row && !content.is_empty() {
            self.names.clear();
        }
        let is_picture = content.starts_with("![") && content.ends_with(')') && content.matches("](").count() == 1;
        if content.is_empty() || is_picture {
            self.flush();
        } else if is_underline(content) {
            // The line above is a heading, unless this line is a rule.
            self.open = None;
        } else if is_heading(content) {
            self.flush();
            self.in_list = false;
        } else if is_row {
            self.flush();
            self.in_list = false;
            if !content.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) {
                self.add(Passage { parts: cells(content, from, &self.names), is_row, ..Passage::default() });
            } else if self.names.is_empty()
                && content.bytes().any(|byte| byte == b'-')
                && let Some(above) = self.passages.last()
                && above.is_row
            {
                self.names = self.passages.pop().unwrap_or_default().parts;
            }
        } else if let Some(mark) = list_mark(content) {
            self.flush();
            let continues_list = std::mem::replace(&mut self.in_list, true);
            self.open = Some(Passage { continues_list, ..Passage::of(from + mark..end) });
        } else if let Some(open) = &mut self.open {
            open.parts[0].end = end;
        } else {
            // An indented paragraph belongs to the item above.
            self.in_list &= indent > marks;
            self.open = Some(Passage::of(from..end));
        }
        if line.ends_with("  \n") || content.ends_with('\\') {
            self.flush();
        }
    }
}

/// Returns the length in bytes of the quote marks at the start of a line.
pub(super) fn quote_marks(line: &str) -> usize {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[indent..];
    let quoted = rest.trim_start_matches('>');
    if quoted.len() < rest.len() && quoted.starts_with([' ', '\n']) { line.len() - quoted.len() } else { 0 }
}

fn is_heading(line: &str) -> bool {
    let level = line.len() - line.trim_start_matches('#').len();
    (1..=6).contains(&level) && (line.len() == level || line[level..].starts_with(' '))
}

fn is_underline(line: &str) -> bool {
    line.len() > 1 && (line.bytes().all(|c| c == b'=') || line.bytes().all(|c| c == b'-'))
}

/// Returns the length in bytes of the mark of a list item and the space after it.
fn list_mark(line: &str) -> Option<usize> {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let sign = line[digits..].chars().next()?;
    let is_mark = if digits == 0 { matches!(sign, '-' | '*' | '+') } else { digits < 10 && matches!(sign, '.' | ')') };
    (is_mark && line[digits + 1..].starts_with(' ')).then_some(digits + 2)
}

/// Returns the cells of the row at `at`, and the blocks inside them, each followed by the name of its column from
/// `names`.
fn cells(row: &str, at: usize, names: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    // `names` has an empty name after each cell.
    let mut names = names.iter().step_by(2);
    let mut name = names.next();
    let (mut start, mut escaped) = (1, false);
    for (here, c) in row.char_indices().skip(1).chain([(row.len(), '|')]) {
        if (c == '|' && !escaped) || c == BLOCK_IN_CELL {
            let cell = &row[start..here];
            let from = at + start + (cell.len() - cell.trim_start().len());
            cells.push(from..from + cell.trim().len());
            cells.push(name.cloned().unwrap_or_default());
            name = if c == '|' { names.next() } else { None };
            start = (here + c.len_utf8()).min(row.len());
        }
        escaped = c == '\\' && !escaped;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the text of the parts of each passage. The empty cell at the end of a row is left out.
    fn texts(text: &str) -> Vec<Vec<&str>> {
        let of = |passage: Passage| {
            let mut texts: Vec<_> = passage.parts.into_iter().map(|part| &text[part]).collect();
            texts.truncate(texts.len() - if passage.is_row { 2 } else { 0 });
            texts
        };
        passages(text, false, false).into_iter().map(of).collect()
    }

    #[test]
    fn each_block_is_a_passage_and_headings_are_none() {
        let text = "# Title\n\nOne line\nand more.\n\n- item\n  goes on\n- next\n\n1. first\n\n| a | b \\| c |\n| --- | --- |\n| x\u{2028}y | |\n\nName\n====\n\n> quoted\n> text\n\nbroken  \nline\n";
        let expected: [&[&str]; 8] = [
            &["One line\nand more."],
            &["item\n  goes on"],
            &["next"],
            &["first"],
            // The cells of a row, each before the name of its column.
            &["x", "a", "y", "", "", "b \\| c"],
            &["quoted\n> text"],
            &["broken"],
            &["line"],
        ];
        assert_eq!(texts(text), expected);
    }

    #[test]
    fn lines_of_code_stand_alone() {
        let text = "```rust\nlet a = 1;\n\n    # not a heading\n```\ntext\n~~~~\n```\n~~~~\n";
        assert_eq!(texts(text), [["let a = 1;"], ["# not a heading"], ["text"], ["```"]]);
        let cut = "let b = 2;\n```\nThen text.\n";
        let found = passages(cut, true, false);
        assert_eq!(found.iter().map(|passage| passage.is_code).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn names_of_columns_go_with_the_rows_of_their_table() {
        let table = "| a | b |\n|---|---|\n| 1 | |\n\n| - | - |\n| 3 | 4 | 5 |\n";
        let rows: [&[&str]; 2] = [&["1", "a", "", "b"], &["3", "a", "4", "b", "5", ""]];
        assert_eq!(texts(table), rows, "also across empty lines, as the rows of a sheet may be");
        let without: [&[&str]; 3] = [&["1", ""], &["Text."], &["2", ""]];
        assert_eq!(texts("| 1 |\n\nText.\n\n| 2 |\n"), without);
        assert_eq!(texts("Text.\n\n| | |\n|---|---|\n| 1 | 2 |\n")[1], ["1", "", "2", ""], "a table without names");
        assert_eq!(texts(&format!("{table}\nText.\n\n| 2 |\n"))[3], ["2", ""], "another table");
    }

    #[test]
    fn items_know_their_list() {
        let found = passages("- a\n- b\n\ntext\n\n- c\n", false, false);
        assert_eq!(found.iter().map(|passage| passage.continues_list).collect::<Vec<_>>(), [false, true, false, false]);
    }

    proptest! {
        #[test]
        fn passages_are_in_order_and_on_characters(text in "[a-cé`~*#|> \n.\\\\1=-]{0,200}", in_code in any::<bool>()) {
            let mut end = 0;
            for passage in passages(&text, in_code, false) {
                prop_assert!(passage.start() >= end && passage.len() > 0);
                prop_assert!(passage.parts.iter().all(|part| text.get(part.clone()).is_some_and(|part| part.trim() == part || !passage.is_row)));
                end = passage.end();
            }
        }
    }
}
