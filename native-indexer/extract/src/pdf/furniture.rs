//! Removes running headers and footers, which repeat from page to page at the same height.
//!
//! The first occurrence of each is kept, because it may be the only mention of a report's number or a journal's volume.
//! Lines with only a page number are all removed.

use super::lines::Line;
use super::page::Page;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Height of the regions at the top and the bottom, as a share of the text's height.
const EDGE: f32 = 0.12;
/// Maximum difference between equal heights, in points.
const SAME_HEIGHT: f32 = 4.0;
/// Minimum number of repetitions.
const MIN_PAGES: usize = 3;
/// Number of characters at the beginning or the end that must repeat, because the rest may name a chapter.
const MIN_COMMON: usize = 6;

/// A height, and the text of a line or a part of it.
type Key = (i32, String);

/// Removes repeated running lines from `pages`.
pub(super) fn take_out(pages: &mut [Page]) {
    let edges: Vec<Vec<usize>> = pages.iter().map(edge_lines).collect();
    let running = running(pages, &edges);
    let mut kept: HashSet<String> = HashSet::new();
    for (page, edge) in pages.iter_mut().zip(edges) {
        let edge: HashSet<usize> = edge.into_iter().collect();
        let mut number = 0;
        page.lines.retain_mut(|line| {
            let is_edge = edge.contains(&number);
            number += 1;
            let is_running = line.is_artifact || (is_edge && keys(line).iter().any(|key| running.contains(key)));
            let shape = shape(&line.text);
            line.is_artifact = is_running;
            !is_running || (!is_folio(&shape) && kept.insert(shape))
        });
    }
}

/// Returns the numbers of the lines near the top or the bottom of a page's text.
fn edge_lines(page: &Page) -> Vec<usize> {
    let upright = || page.lines.iter().filter(|line| line.turn == 0);
    let top = upright().map(|line| line.y).fold(f32::INFINITY, f32::min);
    let bottom = upright().map(|line| line.y).fold(f32::NEG_INFINITY, f32::max);
    // If a page has few lines, its text is not high enough to have edges.
    let height = (bottom - top).max(page.height * 0.5);
    let is_edge = |line: &Line| line.turn == 0 && (line.y < top + height * EDGE || line.y > bottom - height * EDGE);
    page.lines.iter().enumerate().filter(|(_, line)| is_edge(line)).map(|(number, _)| number).collect()
}

/// Returns the keys that repeat on more than half of all pages, of the odd pages, or of the even pages.
fn running(pages: &[Page], edges: &[Vec<usize>]) -> HashSet<Key> {
    let mut counts: HashMap<Key, [usize; 2]> = HashMap::new();
    for (number, (page, edge)) in pages.iter().zip(edges).enumerate() {
        let found: BTreeSet<Key> = edge.iter().flat_map(|line| keys(&page.lines[*line])).collect();
        for key in found {
            counts.entry(key).or_default()[number % 2] += 1;
        }
    }
    let with_text = |side: usize| {
        pages.iter().enumerate().filter(|(number, page)| number % 2 == side && !page.lines.is_empty()).count()
    };
    let sides = [with_text(0), with_text(1)];
    let is_running = |counts: &[usize; 2]| {
        let all = counts[0] + counts[1];
        let often = all * 2 > sides[0] + sides[1] || (0..2).any(|side| counts[side] * 2 > sides[side]);
        all >= MIN_PAGES && often
    };
    counts.into_iter().filter(|(_, counts)| is_running(counts)).map(|(key, _)| key).collect()
}

/// Returns the keys of a line: the whole line, its beginning and its end, each with its height.
fn keys(line: &Line) -> Vec<Key> {
    let shape = shape(&line.text);
    let height = (line.y / SAME_HEIGHT).round() as i32;
    let chars: Vec<char> = shape.chars().collect();
    let mut keys = Vec::new();
    // Similar heights may be rounded differently.
    for height in [height, height - 1] {
        keys.push((height, shape.clone()));
        if chars.len() > MIN_COMMON {
            keys.push((height, format!("{}…", chars[..MIN_COMMON].iter().collect::<String>())));
            keys.push((height, format!("…{}", chars[chars.len() - MIN_COMMON..].iter().collect::<String>())));
        }
    }
    keys.retain(|(_, key)| is_folio(key) || key.chars().filter(|c| c.is_alphabetic()).count() >= 3);
    keys
}

/// Replaces each number in `text`, including Roman numerals, with `#`.
fn shape(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_roman = !letters.is_empty() && letters.len() <= 7 && letters.chars().all(|c| "ivxlc".contains(c));
        if is_roman {
            return "#".to_owned();
        }
        let mut out = String::new();
        for c in word.chars() {
            if !c.is_ascii_digit() {
                out.push(c);
            } else if !out.ends_with('#') {
                out.push('#');
            }
        }
        out
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether `shape` contains only a page number.
fn is_folio(shape: &str) -> bool {
    let rest: String = shape.to_lowercase().replace("page", "").replace("of", "");
    shape.contains('#') && !rest.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::lines::tests::glyphs;
    use super::*;

    fn page(lines_at: &[(&str, f32)]) -> Page {
        let glyphs: Vec<_> = lines_at.iter().flat_map(|(text, y)| glyphs(text, 50.0, *y, 10.0)).collect();
        Page { lines: lines(&glyphs), height: 800.0, ..Page::default() }
    }

    fn texts(pages: &[Page]) -> Vec<Vec<&str>> {
        pages.iter().map(|page| page.lines.iter().map(|line| line.text.as_str()).collect()).collect()
    }

    #[test]
    fn repeated_headers_and_page_numbers_are_removed() {
        let body = ["alpha", "beta", "gamma", "delta"];
        let mut pages: Vec<Page> = (0..4)
            .map(|number| {
                let folio = format!("Page {}", number + 1);
                let header = format!("Report 12 {}", ["Scope", "Terms", "Use", "End"][number]);
                page(&[(&header, 30.0), (body[number], 100.0), ("The end of every page", 700.0), (&folio, 770.0)])
            })
            .collect();
        take_out(&mut pages);
        assert_eq!(
            texts(&pages),
            [
                vec!["Report 12 Scope", "alpha", "The end of every page"],
                vec!["Report 12 Terms", "beta"],
                vec!["Report 12 Use", "gamma"],
                vec!["Report 12 End", "delta"]
            ]
        );
    }

    #[test]
    fn lines_that_repeat_in_the_middle_or_only_twice_stay() {
        let mut pages: Vec<Page> =
            (0..4).map(|_| page(&[("Top of it all now", 30.0), ("Note", 400.0), ("z", 770.0)])).collect();
        pages.truncate(2);
        take_out(&mut pages);
        assert_eq!(texts(&pages)[1], ["Top of it all now", "Note", "z"]);
    }
}
