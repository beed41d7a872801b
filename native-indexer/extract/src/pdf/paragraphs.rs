//! Joins lines into paragraphs, across columns and pages.

use super::annotations::Comment;
use super::headings::PageHeading;
use super::hyphens::{Words, is_hyphen};
use super::lines::Line;
use super::page::Page;
use crate::document_writer::DocumentWriter;

/// Maximum distance between lines in a paragraph, in multiples of the usual distance on the page.
const LEADING: f32 = 1.3;
/// Usual distance between lines for a page with a single line, in multiples of the font size.
const USUAL_LEADING: f32 = 1.2;
/// Minimum indentation of a line that begins a paragraph, in multiples of the font size.
const INDENT: f32 = 0.8;
/// Characters that begin list items.
const BULLETS: &str = "•◦▪▫‣●○■□∙⁃➢➤✓✔❖\u{f0b7}\u{f0a7}";

/// Writes `pages` with their headings and labels.
pub(super) fn write(
    pages: &[Page],
    headings: &[Vec<PageHeading>],
    labels: &[String],
    words: &Words,
    writer: &mut DocumentWriter,
) {
    let mut text = Text {
        words,
        open: String::new(),
        last: None,
        lines: 0,
        item: false,
        goes_on: false,
        aside: Vec::new(),
        writer,
    };
    for (number, (page, headings)) in pages.iter().zip(headings).enumerate() {
        let first = page.lines.iter().find(|line| line.turn == 0 && !line.is_artifact);
        let starts_with_heading = headings.first().is_some_and(|heading| heading.line == 0);
        let label = page_label(number, labels.get(number).map_or("", String::as_str), page.is_recognized);
        text.turn_page(first.filter(|_| !starts_with_heading), number, &label);
        let leading = leading(page);
        let right = page.lines.iter().map(|line| line.end).fold(0.0, f32::max);
        let mut headings = headings.iter().peekable();
        let mut at = 0;
        while at < page.lines.len() {
            while let Some(heading) = headings.next_if(|heading| heading.line <= at) {
                text.heading(heading);
                at = at.max(heading.line + heading.lines);
            }
            let Some(line) = page.lines.get(at) else { break };
            // Another heading may follow directly.
            if headings.peek().is_some_and(|heading| heading.line <= at) {
                continue;
            }
            text.line(line, leading, right);
            at += 1;
        }
        headings.for_each(|heading| text.heading(heading));
        text.aside.extend(page.comments.iter().map(Comment::paragraph));
    }
    text.end();
}

struct Text<'a, 'w> {
    words: &'w Words,
    /// The text of the open paragraph or item.
    open: String,
    last: Option<&'a Line>,
    /// Number of lines in the open paragraph.
    lines: usize,
    item: bool,
    /// Whether the open paragraph continues a paragraph on the previous page.
    goes_on: bool,
    /// Headers, footers and comments. They are written after the paragraph that they interrupt.
    aside: Vec<String>,
    writer: &'w mut DocumentWriter,
}

impl<'a> Text<'a, '_> {
    fn turn_page(&mut self, first: Option<&Line>, number: usize, label: &str) {
        let goes_on = first.is_some_and(|first| !self.open.is_empty() && !self.item && self.is_unfinished(&first.text));
        let mut rest = String::new();
        if goes_on && self.open.ends_with(is_hyphen) {
            // A hyphenated word that continues on the next page is written there.
            let at = self.open.rfind(' ').map_or(0, |at| at + 1);
            rest = self.open.split_off(at);
        }
        let is_all = goes_on && self.open.is_empty();
        self.write_open();
        if !goes_on {
            self.end();
        }
        self.writer.mark(&format!("page={}", number + 1), label, "");
        self.goes_on = goes_on && !is_all;
        self.open = rest;
        if !goes_on {
            self.last = None;
        }
    }

    /// Whether the open paragraph continues with `next`, the text in the next column or on the next page.
    fn is_unfinished(&self, next: &str) -> bool {
        let ends = self.open.trim_end().ends_with(['.', '!', '?', ':', '。', '！', '？']);
        let begins_inside =
            next.chars().next().is_some_and(|c| c.is_lowercase() || (c.is_alphabetic() && !c.is_uppercase()));
        !ends && begins_inside
    }

    fn heading(&mut self, heading: &PageHeading) {
        self.end();
        self.last = None;
        if heading.is_shown {
            self.writer.heading(heading.level, &heading.title);
        } else {
            self.writer.resume(heading.level, &heading.title);
        }
    }

    fn line(&mut self, line: &'a Line, leading: f32, right: f32) {
        if line.is_artifact {
            self.aside.push(line.text.clone());
            return;
        }
        if let Some(item) = bullet(&line.text).filter(|_| !line.is_row) {
            self.end();
            self.item = true;
            self.open(item, line);
            return;
        }
        let cells: Vec<&str> = line.text.split('\t').collect();
        if line.is_row || (cells.len() > 1 && !is_enumerator(cells[0])) {
            self.end();
            self.last = Some(line);
            self.writer.table_row(&cells);
            return;
        }
        let is_new = self.last.is_none_or(|last| self.begins(last, line, leading, right));
        if is_new && !(self.goes_on && self.lines == 0) {
            self.end();
            self.open(&line.text, line);
        } else {
            self.words.join(&mut self.open, &line.text);
            self.lines += 1;
            self.last = Some(line);
        }
    }

    fn open(&mut self, text: &str, line: &'a Line) {
        text.clone_into(&mut self.open);
        self.lines = 1;
        self.last = Some(line);
    }

    /// Whether `line` begins a paragraph after `last`.
    fn begins(&self, last: &Line, line: &Line, leading: f32, right: f32) -> bool {
        if self.open.is_empty() || last.turn != line.turn {
            return true;
        }
        let size = last.size.max(line.size);
        if (last.size - line.size).abs() > size * 0.1 {
            return true;
        }
        let down = line.y - last.y;
        if down < -size * 0.5 {
            // This is the next column.
            return !self.is_unfinished(&line.text);
        }
        if down < size * 0.5 {
            // The lines are side by side.
            return line.x > last.end + size * 2.0;
        }
        if down > leading.max(size) * LEADING {
            return true;
        }
        let start = |line: &Line| if line.is_right_to_left { -line.end } else { line.x };
        let indent = start(line) - start(last);
        let ends = last.text.ends_with(['.', '!', '?', ':']);
        let is_short = last.end < right - (right - last.x) * 0.2;
        if indent > INDENT * size {
            // An item's lines are indented further than its mark.
            return self.lines > 1 || ends;
        }
        if indent < -INDENT * size {
            return self.item || self.lines > 1;
        }
        ends && is_short && line.text.chars().next().is_some_and(|c| !c.is_lowercase())
    }

    fn end(&mut self) {
        self.write_open();
        for text in std::mem::take(&mut self.aside) {
            self.writer.paragraph(&text);
        }
    }

    fn write_open(&mut self) {
        let text = std::mem::take(&mut self.open).replace('\u{ad}', "");
        if self.item {
            self.writer.item(0, &text);
        } else if self.goes_on {
            self.writer.append(&text);
        } else {
            self.writer.paragraph(&text);
        }
        self.item = false;
        self.goes_on = false;
        self.lines = 0;
    }
}

/// Returns the label of the page with this number, starting at 0, or an empty text if the anchor is enough. The label
/// warns readers of text from OCR, which may contain wrong letters.
fn page_label(number: usize, printed: &str, is_recognized: bool) -> String {
    match (printed, is_recognized) {
        ("", false) => String::new(),
        ("", true) => format!("p. {} (read by OCR)", number + 1),
        (printed, false) => format!("p. {printed} (page {})", number + 1),
        (printed, true) => format!("p. {printed} (page {}, read by OCR)", number + 1),
    }
}

/// Returns the text after the bullet of an item.
fn bullet(line: &str) -> Option<&str> {
    let first = line.chars().next()?;
    let rest = &line[first.len_utf8()..];
    let is_dash = matches!(first, '-' | '–' | '*') && rest.starts_with([' ', '\t']);
    (BULLETS.contains(first) || is_dash).then(|| rest.trim_start()).filter(|rest| !rest.is_empty())
}

/// Whether a cell is the number or the bullet of an item, such as `1.`, `(a)` or `iv)`.
pub(super) fn is_enumerator(cell: &str) -> bool {
    let inner = cell.trim_matches(['(', ')', '.', '[', ']']);
    inner.len() <= 4 && inner != cell && inner.chars().all(char::is_alphanumeric)
        || bullet(&format!("{cell} x")).is_some()
}

/// Returns the usual distance between lines on `page`, in points.
fn leading(page: &Page) -> f32 {
    let pairs = page.lines.windows(2).filter(|pair| pair[0].turn == 0 && pair[1].turn == 0);
    let mut distances: Vec<f32> = pairs
        .filter(|pair| (pair[0].size - pair[1].size).abs() < 0.3)
        .map(|pair| pair[1].y - pair[0].y)
        .filter(|down| *down > 1.0 && *down < 60.0)
        .collect();
    distances.sort_by(f32::total_cmp);
    let size = page.lines.first().map_or(10.0, |line| line.size);
    // The distance at one third of the sorted distances, because distances between paragraphs are larger.
    distances.get(distances.len() / 3).copied().unwrap_or(size * USUAL_LEADING)
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::lines::tests::glyphs;
    use super::*;

    fn page(lines_at: &[(&str, f32, f32)]) -> Page {
        let glyphs: Vec<_> = lines_at.iter().flat_map(|(text, x, y)| glyphs(text, *x, *y, 10.0)).collect();
        Page { lines: lines(&glyphs), height: 800.0, ..Page::default() }
    }

    fn text(pages: &[Page]) -> String {
        let mut writer = DocumentWriter::default();
        write(pages, &vec![Vec::new(); pages.len()], &[], &Words::of(pages), &mut writer);
        writer.finish(Vec::new()).text
    }

    #[test]
    fn lines_are_joined_and_paragraphs_parted() {
        let pages = [page(&[
            ("A paragraph with an exam-", 0.0, 12.0),
            ("ple and a well-", 0.0, 24.0),
            ("known word, well and known.", 0.0, 36.0),
            ("After a gap.", 0.0, 60.0),
            ("Indented at its begin-", 10.0, 72.0),
            ("ning here.", 0.0, 84.0),
            ("• an item", 0.0, 108.0),
            ("that goes on", 8.0, 120.0),
            ("• another", 0.0, 132.0),
        ])];
        assert_eq!(
            text(&pages),
            "A paragraph with an example and a well-known word, well and known.\n\nAfter a gap.\n\nIndented at its beginning here.\n\n- an item that goes on\n- another\n"
        );
    }

    #[test]
    fn paragraphs_go_on_over_columns_and_pages() {
        let pages = [
            page(&[
                ("The first", 0.0, 12.0),
                ("column goes", 0.0, 24.0),
                ("on to the", 200.0, 12.0),
                ("next pa-", 200.0, 24.0),
            ]),
            page(&[
                ("ge and ends. The pages end.", 0.0, 12.0),
                ("Page two has a page, and", 0.0, 48.0),
                ("it has three lines", 0.0, 60.0),
                ("or four of them.", 0.0, 72.0),
            ]),
        ];
        assert_eq!(
            text(&pages),
            "The first column goes on to the next page and ends. The pages end.\n\nPage two has a page, and it has three lines or four of them.\n"
        );
    }

    #[test]
    fn cells_are_rows() {
        let pages = [page(&[
            ("Name", 0.0, 12.0),
            ("Size", 100.0, 12.0),
            ("a", 0.0, 24.0),
            ("1", 100.0, 24.0),
            ("(a)", 0.0, 48.0),
            ("Text", 60.0, 48.0),
        ])];
        assert_eq!(text(&pages), "| Name | Size |\n| a | 1 |\n\n(a)\tText\n");
    }
}
