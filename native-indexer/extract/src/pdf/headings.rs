//! Finds headings from the outline, or else from tags, or else from font sizes.

use super::hyphens::Words;
use super::lines::Line;
use super::outline::OutlineEntry;
use super::page::Page;
use super::structure_tree::TaggedHeadings;
use crate::words::one_line;
use std::collections::{BTreeMap, HashSet};

/// Maximum number of lines in a heading. Headings that are found by size have fewer lines.
const MAX_LINES: usize = 4;
/// Minimum number of entries in an outline. Shorter outlines consist of bookmarks.
const MIN_OUTLINE: usize = 3;
/// Maximum number of headings on a page whose titles are not in the page's text.
const MAX_UNSEEN: usize = 4;
/// Minimum ratio of the font sizes of a heading and the text.
const LARGER: f32 = 1.15;
/// Maximum number of characters in a heading.
const MAX_CHARS: usize = 120;
/// Maximum number of characters in a bold line that is a heading.
const MAX_BOLD_CHARS: usize = 80;
/// Number of levels that font sizes distinguish.
const MAX_SIZES: usize = 4;
/// Maximum share of lines that may be headings. If more lines look like headings, they are text.
const MAX_SHARE: f32 = 0.25;

/// A heading on a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PageHeading {
    /// Number of the line to insert the heading before.
    pub line: usize,
    /// Number of lines that the heading covers, or 0 if the title is not in the page's text.
    pub lines: usize,
    pub level: usize,
    pub title: String,
    /// Whether the title is written. If not, the section of an earlier heading continues here.
    pub is_shown: bool,
}

/// Returns the headings of each page, sorted by line.
pub(super) fn find(
    pages: &[Page],
    outline: &[OutlineEntry],
    tagged: &TaggedHeadings,
    title: &str,
    words: &Words,
) -> Vec<Vec<PageHeading>> {
    let mut found = if outline.len() >= MIN_OUTLINE {
        by_outline(pages, outline)
    } else {
        let by_tags = by_tags(pages, tagged, words);
        if by_tags.iter().any(|headings| !headings.is_empty()) { by_tags } else { by_size(pages, title, words) }
    };
    found.iter_mut().for_each(|headings| headings.sort_by_key(|heading| heading.line));
    found
}

fn by_outline(pages: &[Page], outline: &[OutlineEntry]) -> Vec<Vec<PageHeading>> {
    let mut found: Vec<Vec<PageHeading>> = vec![Vec::new(); pages.len()];
    for entry in outline {
        let Some(page) = pages.get(entry.page) else { continue };
        let headings = &mut found[entry.page];
        let top = entry.top.map(|top| page.height - top);
        let taken: HashSet<usize> =
            headings.iter().flat_map(|heading| heading.line..heading.line + heading.lines).collect();
        let candidates = (0..page.lines.len()).filter(|line| !taken.contains(line));
        let matches = candidates.filter_map(|line| Some((line, matching_lines(&page.lines[line..], &entry.title)?)));
        let distance = |line: usize| top.map_or(0.0, |top| (page.lines[line].y - top).abs());
        let best = matches.min_by(|(a, _), (b, _)| distance(*a).total_cmp(&distance(*b)));
        // The title may be drawn as an image, or differ from the outline. The whole outline of an excerpt may lead to
        // one page, so the number of such titles is limited.
        if best.is_none() && headings.iter().filter(|heading| heading.lines == 0).count() == MAX_UNSEEN {
            continue;
        }
        let (line, lines) = best.unwrap_or_else(|| {
            let below = |line: &Line| line.turn == 0 && top.is_some_and(|top| line.y >= top);
            let first = top.map_or(Some(0), |_| page.lines.iter().position(below));
            (first.unwrap_or(page.lines.len()), 0)
        });
        headings.push(PageHeading { line, lines, level: entry.level, title: entry.title.clone(), is_shown: true });
    }
    found
}

/// Returns how many lines at the beginning of `lines` form `title`, or `None` if they do not.
fn matching_lines(lines: &[Line], title: &str) -> Option<usize> {
    let wanted = letters(title);
    let bare = letters(without_number(title));
    if wanted.is_empty() {
        return None;
    }
    let mut found = String::new();
    for (number, line) in lines.iter().take(MAX_LINES).enumerate() {
        found.push_str(&letters(&line.text));
        let own = letters(without_number(&lines[0].text));
        let is_same =
            found == wanted || (number == 0 && !bare.is_empty() && (found == bare || own == wanted || own == bare));
        if is_same || (number > 0 && !bare.is_empty() && found.strip_suffix(&bare).is_some_and(is_short_number)) {
            return Some(number + 1);
        }
        if found.len() > wanted.len() + 12 {
            break;
        }
    }
    None
}

fn is_short_number(text: &str) -> bool {
    text.len() <= 12 && text.chars().any(|c| c.is_ascii_digit())
}

/// Returns the letters and digits of `text` in lower case.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Removes the number at the beginning of `3.2 Scope`, `A.1 Scope` or `Chapter 3: Scope`.
fn without_number(title: &str) -> &str {
    let title = title.trim();
    let word = title.split_whitespace().next().unwrap_or_default();
    let is_number = word.chars().any(|c| c.is_ascii_digit())
        && word
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | ')' | '(' | ':' | '-') || c.is_ascii_uppercase());
    let rest = if is_number { title[word.len()..].trim_start() } else { title };
    for name in ["Chapter ", "Appendix ", "Section ", "Part ", "Annex "] {
        if let Some(numbered) = rest.strip_prefix(name) {
            let number = numbered.split_whitespace().next().unwrap_or_default();
            let rest = numbered[number.len()..].trim_start_matches([' ', ':', '.', '-', '–', '—']);
            if number.chars().count() <= 5 && !rest.is_empty() {
                return rest;
            }
        }
    }
    rest
}

fn by_tags(pages: &[Page], tagged: &TaggedHeadings, words: &Words) -> Vec<Vec<PageHeading>> {
    let headings_of = |(number, page): (usize, &Page)| {
        let mut headings: Vec<PageHeading> = Vec::new();
        let mut last_content = None;
        for (line, text) in page.lines.iter().enumerate() {
            let level = text.content.and_then(|content| tagged.get(&(number, content)).copied());
            let Some(level) = level.filter(|_| has_letters(&text.text)) else { continue };
            match headings.last_mut() {
                Some(last)
                    if last.line + last.lines == line
                        && last.level == level
                        && last.lines < MAX_LINES
                        && (last_content == text.content || follows(&page.lines[line - 1], text)) =>
                {
                    last.lines += 1;
                    words.join(&mut last.title, &one_line(&text.text));
                }
                _ => headings.push(PageHeading { line, lines: 1, level, title: one_line(&text.text), is_shown: true }),
            }
            last_content = text.content;
        }
        headings
    };
    pages.iter().enumerate().map(headings_of).collect()
}

/// Whether `next` is the line below `line`, with the same font size and weight.
fn follows(line: &Line, next: &Line) -> bool {
    let down = next.y - line.y;
    (line.size - next.size).abs() < 0.3 && line.is_bold == next.is_bold && down > 0.0 && down < line.size * 1.6
}

/// Whether brackets enclose the whole of `text`.
pub(super) fn is_in_brackets(text: &str) -> bool {
    let inner = text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.is_some_and(|inner| !inner.contains([')', '(']))
}

fn has_letters(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).count() >= 2
}

/// Converts a font size to half points.
fn rounded(size: f32) -> i32 {
    (size * 2.0).round() as i32
}

/// Returns the font size of most characters.
fn body_size(pages: &[Page]) -> f32 {
    let mut characters: BTreeMap<i32, usize> = BTreeMap::new();
    for line in pages.iter().flat_map(|page| &page.lines) {
        *characters.entry(rounded(line.size)).or_default() += line.text.len();
    }
    characters.into_iter().max_by_key(|(_, count)| *count).map_or(10.0, |(size, _)| size as f32 / 2.0)
}

fn by_size(pages: &[Page], title: &str, words: &Words) -> Vec<Vec<PageHeading>> {
    let body = body_size(pages);
    let mut found: Vec<Vec<PageHeading>> = Vec::with_capacity(pages.len());
    let mut sizes: BTreeMap<i32, usize> = BTreeMap::new();
    let title = letters(title);
    for page in pages {
        let mut headings: Vec<PageHeading> = Vec::new();
        for (number, line) in page.lines.iter().enumerate() {
            if let Some(last) = headings.last_mut()
                && last.line + last.lines == number
                && last.lines < MAX_LINES
                && number_depth(&line.text).is_none()
                && follows(&page.lines[number - 1], line)
            {
                last.lines += 1;
                words.join(&mut last.title, &one_line(&line.text));
            } else if is_heading(page, number, body) {
                let title = one_line(&line.text);
                let level = rounded(line.size) as usize;
                headings.push(PageHeading { line: number, lines: 1, level, title, is_shown: true });
            }
        }
        // A heading that is too long, or that ends like a sentence, was text in a large font.
        headings.retain(|heading| {
            let chars = heading.title.chars().count();
            chars <= MAX_CHARS
                && heading.lines < MAX_LINES
                && !(chars > MAX_BOLD_CHARS && heading.title.ends_with(['.', ',', ';']))
        });
        for heading in headings.iter().filter(|heading| letters(&heading.title) != title) {
            *sizes.entry(heading.level as i32).or_default() += 1;
        }
        found.push(headings);
    }
    let lines: usize = pages.iter().map(|page| page.lines.len()).sum();
    let headings: usize = found.iter().map(Vec::len).sum();
    if headings as f32 > lines as f32 * MAX_SHARE {
        return vec![Vec::new(); pages.len()];
    }
    let ranks: Vec<i32> = sizes.into_keys().rev().collect();
    for heading in found.iter_mut().flatten() {
        let rank = ranks.iter().position(|size| heading.level as i32 >= *size).unwrap_or(MAX_SIZES);
        heading.level = number_depth(&heading.title).unwrap_or(rank + 1).clamp(1, MAX_SIZES);
    }
    found
}

/// Whether a line looks like a heading, given the font size `body` of the text.
fn is_heading(page: &Page, number: usize, body: f32) -> bool {
    let line = &page.lines[number];
    let chars = line.text.chars().count();
    let cells = line.text.matches('\t').count();
    if line.turn != 0 || line.is_artifact || line.is_row || chars > MAX_CHARS || !has_letters(&line.text) || cells > 1 {
        return false;
    }
    // Text in brackets continues the heading above it.
    if is_in_brackets(&line.text) {
        return false;
    }
    let is_numbered = number_depth(&line.text).is_some();
    if cells == 1 && !is_numbered {
        return false;
    }
    if line.size >= body * LARGER {
        return true;
    }
    let ends_sentence = line.text.ends_with(['.', ',', ';', ':']);
    if !line.is_bold || chars > MAX_BOLD_CHARS || ends_sentence || line.size < body * 0.95 {
        return false;
    }
    // The bold words must be on their own line, and must not begin a bold paragraph.
    let is_apart = |other: Option<&Line>| {
        other.is_none_or(|other| {
            let apart = (other.y - line.y).abs();
            !other.is_bold || apart > line.size * 1.6 || apart < line.size * 0.3
        })
    };
    let before = number.checked_sub(1).and_then(|before| page.lines.get(before));
    let is_alone = |other: Option<&Line>| other.is_none_or(|other| (other.y - line.y).abs() > line.size * 0.5);
    let next = page.lines.get(number + 1);
    is_alone(before) && is_alone(next) && (is_numbered || (is_apart(before) && is_apart(next)))
}

/// Returns the depth of the number at the beginning of a heading: 2 for `3.2 Scope`.
fn number_depth(text: &str) -> Option<usize> {
    let (number, rest) = text.trim().split_once(char::is_whitespace)?;
    let parts: Vec<&str> = number.trim_end_matches('.').split('.').collect();
    let is_number =
        parts.iter().all(|part| !part.is_empty() && part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit()));
    let begins = rest.trim_start().chars().next().is_some_and(char::is_uppercase);
    (is_number && begins).then_some(parts.len())
}

/// Returns the document's title: the title in its metadata if the first pages contain it, and otherwise the text in the
/// largest font on the first page.
pub(super) fn title(said: &str, pages: &[Page], words_of_all: &Words) -> String {
    let shown: HashSet<String> =
        pages.iter().take(2).flat_map(|page| &page.lines).flat_map(|line| words(&line.text)).collect();
    let said_words = words(said);
    let known = said_words.iter().filter(|word| shown.contains(*word)).count();
    if !said_words.is_empty() && (known * 2 > said_words.len() || shown.is_empty()) {
        return said.to_owned();
    }
    let largest = pages.first().and_then(|page| largest_text(page, body_size(pages), words_of_all));
    largest.unwrap_or_else(|| said.to_owned())
}

fn largest_text(page: &Page, body: f32, words: &Words) -> Option<String> {
    let upright = || page.lines.iter().filter(|line| line.turn == 0 && has_letters(&line.text));
    let size = upright().map(|line| line.size).fold(0.0, f32::max);
    if size < body * LARGER {
        return None;
    }
    let mut lines = upright()
        .skip_while(|line| line.size < size * 0.97)
        .take_while(|line| line.size >= size * 0.97)
        .take(MAX_LINES)
        .map(|line| one_line(&line.text));
    let mut title = lines.next()?;
    lines.for_each(|line| words.join(&mut title, &line));
    (title.chars().count() <= MAX_CHARS * 2).then_some(title)
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::lines::tests::glyphs;
    use super::*;

    fn page(lines_at: &[(&str, f32, f32)]) -> Page {
        let glyphs: Vec<_> = lines_at.iter().flat_map(|(text, y, size)| glyphs(text, 50.0, *y, *size)).collect();
        Page { lines: lines(&glyphs), height: 800.0, ..Page::default() }
    }

    fn entry(title: &str, level: usize, top: Option<f32>) -> OutlineEntry {
        OutlineEntry { title: title.into(), level, page: 0, top }
    }

    #[test]
    fn titles_of_the_outline_are_found_on_their_page() {
        let page = page(&[
            ("3.2 Scope of", 100.0, 14.0),
            ("the work", 116.0, 14.0),
            ("Text that says scope.", 140.0, 10.0),
            ("Terms", 300.0, 12.0),
            ("Terms", 500.0, 12.0),
        ]);
        let outline =
            [entry("Scope of the work", 1, None), entry("Terms", 2, Some(310.0)), entry("Picture", 2, Some(670.0))];
        let found = find(&[page], &outline, &TaggedHeadings::new(), "", &Words::default());
        let found: Vec<_> =
            found[0].iter().map(|heading| (heading.line, heading.lines, heading.title.as_str())).collect();
        assert_eq!(found, [(0, 2, "Scope of the work"), (2, 0, "Picture"), (4, 1, "Terms")]);
    }

    #[test]
    fn tagged_lines_are_headings() {
        let mut page = page(&[("A heading", 100.0, 10.0), ("on two lines", 112.0, 10.0), ("Text", 140.0, 10.0)]);
        page.lines[0].content = Some(1);
        page.lines[1].content = Some(1);
        page.lines[2].content = Some(2);
        let tagged = TaggedHeadings::from([((0, 1), 2)]);
        let found = find(&[page], &[], &tagged, "", &Words::default());
        assert_eq!(
            found[0],
            [PageHeading { line: 0, lines: 2, level: 2, title: "A heading on two lines".into(), is_shown: true }]
        );
    }

    #[test]
    fn larger_lines_are_headings_by_size() {
        let text: Vec<(String, f32)> =
            (0..20).map(|n| (format!("This is body text number {n}"), 100.0 + 12.0 * n as f32)).collect();
        let mut all: Vec<(&str, f32, f32)> =
            vec![("The Title", 20.0, 24.0), ("Chapter", 60.0, 18.0), ("1.1 Part", 80.0, 14.0)];
        all.extend(text.iter().map(|(text, y)| (text.as_str(), *y, 10.0)));
        let pages = [page(&all)];
        assert_eq!(title("Microsoft", &pages, &Words::default()), "The Title");
        assert_eq!(title("The title, revised", &pages, &Words::default()), "The title, revised");
        let found = find(&pages, &[], &TaggedHeadings::new(), "The Title", &Words::default());
        let found: Vec<_> = found[0].iter().map(|heading| (heading.level, heading.title.as_str())).collect();
        assert_eq!(found, [(1, "The Title"), (1, "Chapter"), (2, "1.1 Part")]);
    }

    #[test]
    fn numbers_determine_levels() {
        assert_eq!(number_depth("3.2 Scope"), Some(2));
        assert_eq!(number_depth("1.\tIntro"), Some(1));
        assert_eq!((number_depth("2024 was a year"), number_depth("Scope")), (None, None));
    }
}
