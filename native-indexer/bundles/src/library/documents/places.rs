//! Places in a document by the names that people use: a heading, `page 34`, `slide 4`, or a sheet.

use crate::library::documents::anchor::lines_of;
use crate::library::documents::lookup::Document;
use anyhow::{Result, bail};
use nearfind_core::records::SectionStart;

/// Maximum number of places in an error.
const MAX_NAMED: usize = 12;
/// The suffix of the names of places whose text was read from a picture, in lower case.
const READ_BY_OCR: &str = " (read by ocr)";

impl Document {
    /// Returns the byte offset in the document's text where `place` begins. If there is no such place, the error lists
    /// some places.
    pub fn byte_of(&self, place: &str) -> Result<usize> {
        let mut best: Option<(usize, usize)> = None;
        let mut at = 0;
        let mut known: Vec<&str> = Vec::new();
        for chunk in &self.chunks {
            for section in &chunk.sections {
                let found = (likeness(section, place), at + section.at as usize);
                // Among equal sections, the first counts, because a section that continues in another chunk begins in
                // the first chunk.
                if found.0 > 0 && best.is_none_or(|(likeness, _)| found.0 > likeness) {
                    best = Some(found);
                }
                let name = if section.title.is_empty() { section.anchor.as_str() } else { section.title.as_str() };
                if known.last() != Some(&name) && !name.is_empty() {
                    known.push(name);
                }
            }
            at += chunk.text.len();
        }
        if let Some((_, byte)) = best {
            return Ok(byte);
        }
        let more = if known.len() > MAX_NAMED { ", …" } else { "" };
        let named = known.into_iter().take(MAX_NAMED).collect::<Vec<_>>().join("; ");
        bail!("{} has no {place:?}: it has {named}{more}", self.path)
    }

    /// For source code, returns the byte offset where `place` begins. This may be lines such as `L12-L34`, or the name
    /// of a piece.
    pub fn byte_of_code(&self, place: &str) -> Option<usize> {
        let place = place.trim().trim_start_matches('#');
        let is_called = |name: &str| name == place || name.rsplit('.').next() == Some(place);
        let named = self.pieces.iter().find(|(name, _)| name == place);
        let named = named.or_else(|| self.pieces.iter().find(|(name, _)| is_called(name)));
        if let Some((_, byte)) = named {
            return Some(*byte);
        }
        let (line, _) = lines_of(place).filter(|_| !self.pieces.is_empty())?;
        let text = self.text();
        let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        starts.nth(line.saturating_sub(1))
    }
}

/// Returns how certain it is that `place` means `section`, or 0 if it does not.
fn likeness(section: &SectionStart, place: &str) -> usize {
    let place = plain(place);
    let title = plain(&section.title);
    let number = place.strip_prefix("page").or_else(|| place.strip_prefix("p.")).unwrap_or(&place).trim();
    let is_page = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let last = title.rsplit(" > ").next().unwrap_or_default();
    if title == place || plain(&section.anchor) == place.trim_start_matches('#') || last == place {
        6
    } else if is_page && section.anchor == format!("page={number}") {
        5
    } else if title.ends_with(&format!(", p. {number}")) {
        // The page number printed on the page.
        4
    } else if [": ", ", "].iter().any(|end| last.strip_prefix(place.as_str()).is_some_and(|rest| rest.starts_with(end)))
    {
        // `Slide 4: Title`, `Values, rows 2–9`.
        3
    } else if rows(&title).is_some_and(|(first, last)| row(&place).is_some_and(|row| (first..=last).contains(&row))) {
        2
    } else {
        usize::from(place.len() > 2 && !is_page && title.contains(&place))
    }
}

/// Returns `text` in lower case. Leaves out the note that the text was read by OCR, and the page's position if it
/// follows the printed page number.
fn plain(text: &str) -> String {
    let text = text.trim().to_lowercase();
    let text = text.strip_suffix(READ_BY_OCR).unwrap_or(&text);
    let printed = text.rsplit_once(" (page ").filter(|(printed, rest)| printed.contains("p. ") && rest.ends_with(')'));
    printed.map_or(text, |(printed, _)| printed).to_owned()
}

/// Returns the first and last row of a title such as `values, rows 2–9`.
fn rows(title: &str) -> Option<(u32, u32)> {
    let (_, numbers) = title.rsplit_once("row")?;
    let numbers = numbers.trim_start_matches('s').trim();
    let (first, last) = numbers.split_once('–').unwrap_or((numbers, numbers));
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// Returns the number in a text such as `row 7`.
fn row(place: &str) -> Option<u32> {
    place.strip_prefix("row")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(title: &str, anchor: &str) -> SectionStart {
        SectionStart { at: 0, title: title.into(), anchor: anchor.into() }
    }

    #[test]
    fn places_are_called_as_people_do() {
        let is = |section: &SectionStart, place: &str| likeness(section, place) > 0;
        let page = section("Intro > Scope, p. iv (page 6)", "page=6");
        for place in
            ["page 6", "p. 6", "6", "page=6", "p. iv", "page iv", "p. iv (page 6)", "Scope", "intro > scope, p. iv"]
        {
            assert!(is(&page, place), "{place}");
        }
        assert!(!is(&page, "page 60") && !is(&page, "7"));
        let scanned = section("Intro, p. iv (page 6, read by OCR)", "page=6");
        for place in ["page 6", "p. iv", "intro, p. iv (page 6, read by OCR)"] {
            assert!(is(&scanned, place), "{place}");
        }
        assert!(is(&section("p. 3 (read by OCR)", "page=3"), "p. 3 (read by OCR)"));
        let slide = section("Slide 4: Costs", "");
        assert!(is(&slide, "slide 4") && is(&slide, "costs") && !is(&slide, "slide 40"));
        let rows = section("Values, rows 101–108", "");
        assert!(is(&rows, "values") && is(&rows, "row 105") && !is(&rows, "row 109"));
    }
}
