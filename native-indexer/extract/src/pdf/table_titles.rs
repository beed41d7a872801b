//! Finds the titles of pages that are tables, such as financial statements. They are short lines at the top of the
//! page, in bold, in capitals or centered. Usually neither the outline nor the font size shows that they are titles.

use super::headings::{PageHeading, is_in_brackets};
use super::hyphens::Words;
use super::lines::Line;
use super::page::Page;
use crate::words::one_line;
use std::ops::Range;

/// Minimum number of rows on a page that is a table.
const MIN_ROWS: usize = 5;
/// Maximum number of lines from the top of a page to the first row. Column names may be among them.
const MAX_ABOVE: usize = 30;
/// Maximum number of lines in a title, such as the company, the subject of the table, and whose data it contains.
const MAX_LINES: usize = 3;
/// Maximum number of lines above a title, such as a link to the contents.
const MAX_SKIPPED: usize = 2;
/// Maximum number of characters in a line above the first row. Longer lines are text.
const MAX_CHARS: usize = 90;
/// Maximum distance of a centered line from the middle of the page, as a share of the text's width.
const OFF_MIDDLE: f32 = 0.04;
/// Minimum free width on each side of a centered line, as a share of the text's width.
const SIDES: f32 = 0.1;
/// Maximum level of a heading.
const MAX_LEVEL: usize = 6;

/// Adds the titles to the headings of each page, and arranges headings inside these tables below them.
pub(super) fn add(pages: &[Page], found: &mut [Vec<PageHeading>], words: &Words) {
    // The last heading that is not the title of a table, and whether a title hides it.
    let mut around: Option<PageHeading> = None;
    let mut is_hidden = false;
    for (page, headings) in pages.iter().zip(found) {
        let title = title_lines(page);
        let known = title
            .clone()
            .and_then(|lines| headings.iter().rposition(|heading| heading.lines > 0 && lines.contains(&heading.line)));
        match (title, known) {
            (Some(lines), None) => {
                let level = around.as_ref().map_or(1, |around| around.level + 1);
                let at = headings.partition_point(|heading| heading.line < lines.start);
                headings.insert(at, heading(page, lines, level, words));
                around = headings[..at].last().cloned().or(around);
                is_hidden = true;
                below(page, headings, at);
            }
            (Some(lines), Some(at)) => {
                around = headings.last().cloned();
                let known = headings[at].clone();
                let rest = known.line + known.lines..lines.end;
                is_hidden = !rest.is_empty();
                if is_hidden {
                    // Only the company's name was a heading.
                    headings.insert(at + 1, heading(page, rest, known.level + 1, words));
                    around = Some(known);
                }
                below(page, headings, at + usize::from(is_hidden));
            }
            (None, _) => {
                let first = headings.first().map_or(usize::MAX, |heading| heading.line);
                let begins = page.lines.iter().position(|line| line.turn == 0 && !line.is_artifact);
                if let (true, Some(begins), Some(around)) = (is_hidden, begins, &around)
                    && begins < first
                    && !is_row(&page.lines[begins])
                {
                    // Text after the table belongs to the section around it.
                    let resumed = PageHeading { line: begins, lines: 0, is_shown: false, ..around.clone() };
                    headings.insert(0, resumed);
                    is_hidden = false;
                }
                if let Some(last) = headings.last().filter(|last| last.is_shown) {
                    (around, is_hidden) = (Some(last.clone()), false);
                }
            }
        }
    }
}

/// Returns a heading of these lines of `page`.
fn heading(page: &Page, lines: Range<usize>, level: usize, words: &Words) -> PageHeading {
    let mut title = String::new();
    page.lines[lines.clone()].iter().for_each(|line| words.join(&mut title, &one_line(&line.text)));
    PageHeading { line: lines.start, lines: lines.len(), level: level.min(MAX_LEVEL), title, is_shown: true }
}

/// Moves the headings between a table's rows below the table's title, which is the heading `at`.
fn below(page: &Page, headings: &mut [PageHeading], at: usize) {
    let level = headings[at].level;
    for heading in headings.iter_mut().skip(at + 1).take_while(|heading| heading.lines > 0) {
        let before = page.lines[..heading.line].iter().rev().take(2).any(is_row);
        let after = page.lines.iter().skip(heading.line + heading.lines).take(3).any(is_row);
        if !before || !after {
            break;
        }
        heading.level = heading.level.max((level + 1).min(MAX_LEVEL));
    }
}

/// Returns the lines of the title of a page that is a table.
fn title_lines(page: &Page) -> Option<Range<usize>> {
    let upright = || page.lines.iter().filter(|line| line.turn == 0 && !line.is_artifact);
    let rows = upright().filter(|line| is_row(line)).count();
    if rows < MIN_ROWS || rows * 3 < upright().count() {
        return None;
    }
    let left = upright().map(|line| line.x).fold(f32::INFINITY, f32::min);
    let right = upright().map(|line| line.end).fold(f32::NEG_INFINITY, f32::max);
    let first_row = page.lines.iter().take(MAX_ABOVE).position(is_row)?;
    let above = &page.lines[..first_row];
    if above.iter().any(|line| line.text.chars().count() > MAX_CHARS) {
        return None;
    }
    let may_be = |line: &Line| {
        let text = line.text.trim();
        let is_sentence = text.ends_with('.') && text.split_whitespace().count() > 5;
        line.turn == 0
            && !line.is_artifact
            && has_letters(text)
            && !text.contains('\t')
            && !text.ends_with([',', ';', ':'])
            && !is_sentence
            && !is_in_brackets(text)
            && is_set_apart(line, left, right)
    };
    // Dates are below a title, unless they are in its first line.
    let has_digits = |line: &Line| line.text.contains(|c: char| c.is_ascii_digit());
    let start = above.iter().position(may_be)?;
    if above[..start].iter().filter(|line| has_letters(&line.text)).count() > MAX_SKIPPED {
        return None;
    }
    let lines = above[start..].iter().take(MAX_LINES).enumerate();
    let count = lines.take_while(|(number, line)| may_be(line) && (*number == 0 || !has_digits(line))).count();
    (count > 0).then_some(start..start + count)
}

fn is_row(line: &Line) -> bool {
    (line.is_row || line.text.contains('\t')) && line.text.contains(|c: char| c.is_ascii_digit())
}

fn has_letters(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).count() >= 3
}

/// Whether `line` is bold, in capitals, or centered between `left` and `right`.
fn is_set_apart(line: &Line, left: f32, right: f32) -> bool {
    let width = right - left;
    let off = ((line.x + line.end) - (left + right)).abs() / 2.0;
    let is_in_middle = off < width * OFF_MIDDLE && line.x > left + width * SIDES && line.end < right - width * SIDES;
    let is_in_capitals = !line.text.chars().any(char::is_lowercase) && line.text.chars().any(char::is_uppercase);
    line.is_bold || is_in_capitals || is_in_middle
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::lines::tests::glyphs;
    use super::super::tables;
    use super::*;

    /// Returns a page whose lines are cells at `x`, one below the other.
    fn page(lines_at: &[&[(&str, f32)]]) -> Page {
        let row = |(number, cells): (usize, &&[(&str, f32)])| {
            let y = 100.0 + 14.0 * number as f32;
            cells.iter().flat_map(move |(text, x)| glyphs(text, *x, y, 10.0)).collect::<Vec<_>>()
        };
        let glyphs: Vec<_> = lines_at.iter().enumerate().flat_map(row).collect();
        let mut pages = [Page { lines: lines(&glyphs), height: 800.0, ..Page::default() }];
        tables::find(&mut pages);
        let [page] = pages;
        page
    }

    fn statement() -> Page {
        let mut all: Vec<&[(&str, f32)]> = vec![
            &[("ACME INC.", 160.0)],
            &[("BALANCE SHEETS", 150.0)],
            &[("(in millions)", 150.0)],
            &[("December 31,", 250.0)],
        ];
        all.extend([
            &[("Cash at hand", 50.0), ("1,234", 250.0), ("2,345", 320.0)][..],
            &[("Receivables", 50.0), ("3,234", 250.0), ("4,345", 320.0)],
            &[("Inventories", 50.0), ("5,234", 250.0), ("6,345", 320.0)],
            &[("LIABILITIES", 50.0)],
            &[("Accounts due", 50.0), ("7,234", 250.0), ("8,345", 320.0)],
            &[("Debt of all", 50.0), ("9,234", 250.0), ("1,345", 320.0)],
            &[("Total of it", 50.0), ("9,934", 250.0), ("1,445", 320.0)],
        ]);
        page(&all)
    }

    fn titled(line: usize, level: usize, title: &str) -> PageHeading {
        PageHeading { line, lines: 1, level, title: title.into(), is_shown: true }
    }

    fn shown(headings: &[Vec<PageHeading>]) -> Vec<Vec<(usize, usize, &str, bool)>> {
        let mut all = Vec::new();
        for page in headings {
            all.push(
                page.iter().map(|found| (found.line, found.level, found.title.as_str(), found.is_shown)).collect(),
            );
        }
        all
    }

    #[test]
    fn the_top_of_a_page_of_rows_is_a_heading_until_the_next_page_of_text() {
        let text = page(&[&[("Item 8", 50.0)], &[("Text that says something", 50.0)]]);
        let more = page(&[&[("More text that says something", 50.0)]]);
        let mut found = vec![vec![titled(0, 2, "Item 8")], Vec::new(), Vec::new(), Vec::new()];
        add(&[text, statement(), statement(), more], &mut found, &Words::default());
        let title = (0, 3, "ACME INC. BALANCE SHEETS", true);
        assert_eq!(
            shown(&found),
            [vec![(0, 2, "Item 8", true)], vec![title], vec![title], vec![(0, 2, "Item 8", false)]]
        );
    }

    #[test]
    fn headings_among_the_rows_are_below_the_title() {
        let page = statement();
        let at = page.lines.iter().position(|line| line.text.contains("LIABILITIES")).unwrap();
        let mut found = vec![vec![titled(1, 2, "BALANCE SHEETS"), titled(at, 1, "LIABILITIES")]];
        add(&[page], &mut found, &Words::default());
        assert_eq!(shown(&found), [[(1, 2, "BALANCE SHEETS", true), (at, 3, "LIABILITIES", true)]]);
    }

    #[test]
    fn the_rest_of_a_title_is_below_the_heading_that_is_known() {
        let mut found = vec![vec![titled(0, 2, "ACME INC.")]];
        add(&[statement()], &mut found, &Words::default());
        assert_eq!(shown(&found), [[(0, 2, "ACME INC.", true), (1, 3, "BALANCE SHEETS", true)]]);
    }

    #[test]
    fn pages_of_text_have_no_such_title() {
        let rows: &[&[(&str, f32)]] = &[
            &[("TITLE", 160.0)],
            &[("a", 50.0), ("1,234", 250.0)],
            &[("b", 50.0), ("3,234", 250.0)],
            &[("c", 50.0), ("4,234", 250.0)],
        ];
        assert_eq!(title_lines(&page(rows)), None);
        assert_eq!(title_lines(&page(&[&[("TITLE", 160.0)], &[("Text", 50.0)]])), None);
    }
}
