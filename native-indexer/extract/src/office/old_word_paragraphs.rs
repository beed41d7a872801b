//! Paragraph properties in Word 97 to 2003: headings by style, table cells, list items, and hidden characters.

use super::little_endian::{number_16, number_32, slice};
use std::collections::BTreeMap;

/// Size of a property page in bytes. The last byte contains the number of its entries.
const PAGE: usize = 512;
/// Maximum number of pages.
const MAX_PAGES: usize = 20_000;
/// Offsets in the header of these positions in the table: the styles, the pages for paragraphs, and the pages for runs.
const STYLES: usize = 0xA2;
const PAGES: usize = 0x102;
const PAGES_OF_RUNS: usize = 0xFA;
/// Character properties: deleted, and hidden.
const IS_DELETED: u16 = 0x0800;
const IS_HIDDEN: u16 = 0x083C;
/// Paragraph properties: in a table, at the end of a row, outline level, list, and depth in the list.
const IN_TABLE: u16 = 0x2416;
const ENDS_ROW: u16 = 0x2417;
const OUTLINE_LEVEL: u16 = 0x2640;
const LIST: u16 = 0x460B;
const LIST_DEPTH: u16 = 0x260A;
/// The definition of a table, which begins with a two-byte length.
const TABLE_DEFINITION: u16 = 0xD608;
/// Numbers of built-in styles: headings, and tables of contents.
const HEADINGS: std::ops::RangeInclusive<u16> = 1..=9;
const CONTENTS: std::ops::RangeInclusive<u16> = 19..=27;

/// The kind of a paragraph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// Heading level, starting at 1, if the paragraph is a heading.
    pub level: Option<usize>,
    pub is_contents: bool,
    pub is_in_table: bool,
    pub ends_row: bool,
    pub is_item: bool,
    /// Number of lists around the item's list.
    pub depth: usize,
}

/// Kinds of paragraphs, by the byte offset in the file where they begin.
#[derive(Debug, Default)]
pub(super) struct Looks {
    by_start: BTreeMap<usize, Look>,
    /// Ranges of hidden characters, by first byte, each with the byte after its end.
    hidden: BTreeMap<usize, usize>,
}

impl Looks {
    pub(super) fn read(main: &[u8], table: &[u8]) -> Self {
        let mut looks = Self::default();
        let styles = styles(main, table).unwrap_or_default();
        for page in pages(main, table, PAGES) {
            for number in 0..entries(page) {
                let Some(start) = number_32(page, number * 4) else { break };
                let Some(place) = page.get((entries(page) + 1) * 4 + number * 13) else { break };
                looks.by_start.insert(start as usize, look(page, usize::from(*place) * 2, &styles));
            }
        }
        for page in pages(main, table, PAGES_OF_RUNS) {
            for number in 0..entries(page) {
                let (Some(start), Some(end)) = (number_32(page, number * 4), number_32(page, number * 4 + 4)) else {
                    break;
                };
                let Some(place) = page.get((entries(page) + 1) * 4 + number) else { break };
                let place = usize::from(*place) * 2;
                let length = page.get(place).filter(|_| place > 0).map_or(0, |length| usize::from(*length));
                let is_hidden = |(name, value): &(u16, &[u8])| {
                    matches!(*name, IS_DELETED | IS_HIDDEN) && value.first().is_some_and(|value| value & 1 == 1)
                };
                if changes(slice(page, place + 1, length)).any(|change| is_hidden(&change)) {
                    looks.hidden.insert(start as usize, end as usize);
                }
            }
        }
        looks
    }

    /// Whether no paragraph is known.
    pub(super) fn is_empty(&self) -> bool {
        self.by_start.is_empty()
    }

    /// Whether the character at byte `at` of the file was deleted or is hidden.
    pub(super) fn hides(&self, at: usize) -> bool {
        self.hidden.range(..=at).next_back().is_some_and(|(_, end)| at < *end)
    }

    /// Returns the kind of the paragraph at byte `at` of the file.
    pub(super) fn at(&self, at: usize) -> Look {
        self.by_start.range(..=at).next_back().map(|(_, look)| *look).unwrap_or_default()
    }
}

/// Returns the property pages in the list that byte `at` of the header points to.
fn pages<'b>(main: &'b [u8], table: &[u8], at: usize) -> impl Iterator<Item = &'b [u8]> {
    let place = |at: usize| number_32(main, at).map_or(0, |place| place as usize);
    let list = slice(table, place(at), place(at + 4));
    let count = list.len().saturating_sub(4) / 8;
    let numbers: Vec<u32> =
        (0..count.min(MAX_PAGES)).filter_map(|number| number_32(list, (count + 1 + number) * 4)).collect();
    numbers.into_iter().map(move |number| slice(main, (number as usize).saturating_mul(PAGE), PAGE))
}

/// Returns the number of entries in a page.
fn entries(page: &[u8]) -> usize {
    page.get(PAGE - 1).map_or(0, |count| usize::from(*count))
}

/// Iterates over properties, each with the bytes from its value on.
fn changes(bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let name = number_16(bytes, at)?;
        let value = bytes.get(at + 2..).unwrap_or_default();
        let first = value.first().map_or(0, |first| usize::from(*first));
        at += 2 + match name >> 13 {
            0 | 1 => 1,
            2 | 4 | 5 => 2,
            3 => 4,
            7 => 3,
            _ if name == TABLE_DEFINITION => 1 + usize::from(number_16(value, 0).unwrap_or(0)),
            _ => 1 + first,
        };
        Some((name, value))
    })
}

/// Reads the properties of a paragraph at byte `at` of its page, or of a paragraph without properties if `at` is 0.
fn look(page: &[u8], at: usize, styles: &[u16]) -> Look {
    let Some(length) = page.get(at).filter(|_| at > 0).map(|length| usize::from(*length)) else {
        return of_style(0, styles);
    };
    let (start, length) = match length {
        0 => (at + 2, page.get(at + 1).map_or(0, |length| usize::from(*length) * 2)),
        length => (at + 1, length * 2 - 1),
    };
    let properties = slice(page, start, length);
    let mut look = of_style(number_16(properties, 0).unwrap_or(0), styles);
    for (name, value) in changes(properties.get(2..).unwrap_or_default()) {
        let first = value.first().copied().unwrap_or(0);
        match name {
            IN_TABLE => look.is_in_table = first != 0,
            ENDS_ROW => look.ends_row = first != 0,
            OUTLINE_LEVEL if first < 9 => look.level = Some(usize::from(first) + 1),
            LIST => look.is_item = number_16(value, 0).unwrap_or(0) != 0,
            LIST_DEPTH => look.depth = usize::from(first).min(8),
            _ => {}
        }
    }
    look
}

fn of_style(style: u16, styles: &[u16]) -> Look {
    let number = styles.get(usize::from(style)).copied().unwrap_or(u16::MAX);
    Look {
        level: HEADINGS.contains(&number).then_some(usize::from(number)),
        is_contents: CONTENTS.contains(&number),
        ..Look::default()
    }
}

/// Returns the number of the corresponding built-in style for each style.
fn styles(main: &[u8], table: &[u8]) -> Option<Vec<u16>> {
    let list = slice(table, number_32(main, STYLES)? as usize, number_32(main, STYLES + 4)? as usize);
    let mut at = 2 + usize::from(number_16(list, 0)?);
    let count = usize::from(number_16(list, 2)?);
    let mut styles = Vec::new();
    for _ in 0..count {
        let length = usize::from(number_16(list, at)?);
        let own = number_16(list, at + 2).filter(|_| length > 0).map_or(u16::MAX, |first| first & 0x0FFF);
        // A style that is derived from a heading counts as that heading.
        let base = number_16(list, at + 4).filter(|_| length > 3).map_or(0x0FFF, |second| second >> 4);
        let inherited = styles.get(usize::from(base)).copied().unwrap_or(u16::MAX);
        let is_known = HEADINGS.contains(&own) || CONTENTS.contains(&own);
        styles.push(if is_known || !HEADINGS.contains(&inherited) { own } else { inherited });
        // Entries begin at even bytes.
        at += 2 + length + (length & 1);
    }
    Some(styles)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a page with these entries: byte ranges in the text, and their properties.
    fn page(entries: &[(u32, u32, &[u8])], bytes_of_each: usize) -> Vec<u8> {
        let mut page = vec![0; PAGE];
        let mut free = PAGE - 2;
        for (number, (start, end, properties)) in entries.iter().enumerate() {
            page[number * 4..number * 4 + 4].copy_from_slice(&start.to_le_bytes());
            page[number * 4 + 4..number * 4 + 8].copy_from_slice(&end.to_le_bytes());
            free = (free - properties.len() - 2) & !1;
            page[(entries.len() + 1) * 4 + number * bytes_of_each] = (free / 2) as u8;
            page[free + 1..=free + properties.len()].copy_from_slice(properties);
            page[free] = if bytes_of_each == 1 { properties.len() } else { properties.len().div_ceil(2) } as u8;
        }
        page[PAGE - 1] = entries.len() as u8;
        page
    }

    #[test]
    fn styles_and_properties_determine_the_kind_of_a_paragraph() {
        let mut main = vec![0; 3 * PAGE];
        let heading: &[u8] = &[1, 0, 0];
        let row: &[u8] = &[0, 0, 0x16, 0x24, 1, 0x17, 0x24, 1, 0];
        let item: &[u8] = &[0, 0, 0x0A, 0x26, 2, 0x0B, 0x46, 7, 0];
        main[PAGE..2 * PAGE].copy_from_slice(&page(&[(100, 110, heading), (110, 120, row), (120, 130, item)], 13));
        main[2 * PAGE..].copy_from_slice(&page(&[(100, 104, &[0x3C, 0x08, 1]), (104, 130, &[0x3C, 0x08, 0])], 1));
        let numbers = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let style =
            |number: u16| [&6u16.to_le_bytes()[..], &number.to_le_bytes(), &0xFFF0u16.to_le_bytes(), &[0, 0]].concat();
        let styles = [&[4, 0, 2, 0, 0, 0][..], &style(0), &style(3)].concat();
        let lists = [numbers(&[100, 130, 1]), numbers(&[100, 130, 2])].concat();
        for (at, value) in [
            (STYLES, 24),
            (STYLES + 4, styles.len()),
            (PAGES, 0),
            (PAGES + 4, 12),
            (PAGES_OF_RUNS, 12),
            (PAGES_OF_RUNS + 4, 12),
        ] {
            main[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes());
        }
        let looks = Looks::read(&main, &[lists, styles].concat());
        assert_eq!(looks.at(105).level, Some(3));
        assert!(looks.at(119).is_in_table && looks.at(119).ends_row && !looks.at(119).is_item);
        assert!(looks.at(125).is_item && looks.at(125).depth == 2);
        assert!(looks.hides(103) && !looks.hides(104) && !looks.hides(99));
    }
}
