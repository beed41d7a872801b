//! What paragraphs of Word 97 to 2003 are: headings by their style, cells, items of lists.

use super::compound::{number_16, number_32, slice};
use std::collections::BTreeMap;

/// Pages of properties have so many bytes, and their last byte says for how many paragraphs.
const PAGE: usize = 512;
/// Pages beyond this are not read.
const MAX_PAGES: usize = 20_000;
/// Where the header says at which byte of the table the styles are, and the list of pages.
const STYLES: usize = 0xA2;
const PAGES: usize = 0x102;
/// Properties by their number: in a table, at the end of a row, level of the outline, list and depth in it.
const IN_TABLE: u16 = 0x2416;
const ENDS_ROW: u16 = 0x2417;
const OUTLINE_LEVEL: u16 = 0x2640;
const LIST: u16 = 0x460B;
const LIST_DEPTH: u16 = 0x260A;
/// The definition of a table, whose length has two bytes.
const TABLE_DEFINITION: u16 = 0xD608;
/// Numbers of styles that are in every document: headings, tables of contents.
const HEADINGS: std::ops::RangeInclusive<u16> = 1..=9;
const CONTENTS: std::ops::RangeInclusive<u16> = 19..=27;

/// What a paragraph is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// The level of a heading, from 1.
    pub level: Option<usize>,
    pub is_contents: bool,
    pub is_in_table: bool,
    pub ends_row: bool,
    pub is_item: bool,
    /// Lists around that of the item.
    pub depth: usize,
}

/// What paragraphs are, by the byte of the file at which they begin.
#[derive(Debug, Default)]
pub(super) struct Looks {
    by_start: BTreeMap<usize, Look>,
}

impl Looks {
    pub(super) fn read(main: &[u8], table: &[u8]) -> Self {
        let mut looks = Self::default();
        let styles = styles(main, table).unwrap_or_default();
        let place = |at: usize| number_32(main, at).map_or(0, |place| place as usize);
        let list = slice(table, place(PAGES), place(PAGES + 4));
        let pages = list.len().saturating_sub(4) / 8;
        for number in 0..pages.min(MAX_PAGES) {
            let Some(page) = number_32(list, (pages + 1) * 4 + number * 4) else { break };
            let page = slice(main, (page as usize).saturating_mul(PAGE), PAGE);
            let Some(paragraphs) = page.get(PAGE - 1).map(|count| usize::from(*count)) else { continue };
            for paragraph in 0..paragraphs {
                let Some(start) = number_32(page, paragraph * 4) else { break };
                let Some(place) = page.get((paragraphs + 1) * 4 + paragraph * 13) else { break };
                looks.by_start.insert(start as usize, look(page, usize::from(*place) * 2, &styles));
            }
        }
        looks
    }

    /// Whether nothing is known of any paragraph.
    pub(super) fn is_empty(&self) -> bool {
        self.by_start.is_empty()
    }

    /// The paragraph that the byte `at` of the file is in.
    pub(super) fn at(&self, at: usize) -> Look {
        self.by_start.range(..=at).next_back().map(|(_, look)| *look).unwrap_or_default()
    }
}

/// What is written of a paragraph at byte `at` of its page; 0 if nothing is.
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
    let mut at = 2;
    while let Some(name) = number_16(properties, at) {
        at += 2;
        let value = properties.get(at).copied().unwrap_or(0);
        match name {
            IN_TABLE => look.is_in_table = value != 0,
            ENDS_ROW => look.ends_row = value != 0,
            OUTLINE_LEVEL if value < 9 => look.level = Some(usize::from(value) + 1),
            LIST => look.is_item = number_16(properties, at).unwrap_or(0) != 0,
            LIST_DEPTH => look.depth = usize::from(value).min(8),
            _ => {}
        }
        at += match name >> 13 {
            0 | 1 => 1,
            2 | 4 | 5 => 2,
            3 => 4,
            7 => 3,
            _ if name == TABLE_DEFINITION => 1 + usize::from(number_16(properties, at).unwrap_or(0)),
            _ => 1 + usize::from(value),
        };
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

/// By style the number that it has in every document.
fn styles(main: &[u8], table: &[u8]) -> Option<Vec<u16>> {
    let list = slice(table, number_32(main, STYLES)? as usize, number_32(main, STYLES + 4)? as usize);
    let mut at = 2 + usize::from(number_16(list, 0)?);
    let count = usize::from(number_16(list, 2)?);
    let mut styles = Vec::new();
    for _ in 0..count {
        let length = usize::from(number_16(list, at)?);
        let own = number_16(list, at + 2).filter(|_| length > 0).map_or(u16::MAX, |first| first & 0x0FFF);
        // A style that is made from another is that for readers.
        let base = number_16(list, at + 4).filter(|_| length > 3).map_or(0x0FFF, |second| second >> 4);
        let inherited = styles.get(usize::from(base)).copied().unwrap_or(u16::MAX);
        let is_known = HEADINGS.contains(&own) || CONTENTS.contains(&own);
        styles.push(if is_known || !HEADINGS.contains(&inherited) { own } else { inherited });
        // Each begins at an even byte.
        at += 2 + length + (length & 1);
    }
    Some(styles)
}
