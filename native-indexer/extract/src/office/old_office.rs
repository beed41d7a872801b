//! Documents of Office 97–2003, by what is in the file: its name may say otherwise.

use super::compound::{Compound, number_16, number_32, slice};
use super::properties::{Properties, honest_title};
use super::{old_slides, old_word};
use crate::date::Date;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::plain_text;
use calamine::{ExcelDateTime, ExcelDateTimeType};

/// The stream with the title of the document.
const SUMMARY: &str = "\u{5}SummaryInformation";
/// Properties in it: the title, when it was saved last.
const TITLE: u32 = 2;
const SAVED: u32 = 13;
/// Properties in it beyond this are not looked at.
const MAX_PROPERTIES: u32 = 1_000;
/// Days from 1601, where times of files begin, to the day 0 of workbooks.
const DAYS_BEFORE_1900: f64 = 109_205.0;
const TICKS_A_DAY: f64 = 864e9;

/// Reads a document or a presentation; `None` if it is neither.
pub(crate) fn extract(bytes: &[u8]) -> Option<Result<Extracted, ExtractError>> {
    let mut file = Compound::open(bytes)?;
    let read = if file.has("WordDocument") {
        old_word::extract(&mut file)
    } else if file.has("PowerPoint Document") {
        old_slides::extract(&mut file)
    } else {
        return None;
    };
    Some(read.map(|mut extracted| {
        let own = std::mem::take(&mut extracted.title);
        // Without its summary a document is a document.
        let summary = file.stream(SUMMARY).unwrap_or_default();
        properties(&summary).give(&mut extracted);
        if extracted.title.is_empty() {
            extracted.title = own;
        }
        extracted
    }))
}

/// Reads the summary ([MS-OLEPS]).
fn properties(summary: &[u8]) -> Properties {
    let mut properties = Properties::default();
    let Some(section) = number_32(summary, 44).and_then(|at| summary.get(at as usize..)) else { return properties };
    for number in 0..number_32(section, 4).unwrap_or(0).min(MAX_PROPERTIES) as usize {
        let (name, at) = (number_32(section, 8 + number * 8), number_32(section, 12 + number * 8));
        let Some(value) = at.and_then(|at| section.get((at as usize).checked_add(4)?..)) else { continue };
        match name {
            Some(TITLE) => {
                let length = number_32(value, 0).unwrap_or(0) as usize;
                let text = slice(value, 4, length);
                let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
                properties.title = honest_title(&plain_text::decode(text));
            }
            Some(SAVED) => properties.date = date(value),
            _ => {}
        }
    }
    properties
}

fn date(time: &[u8]) -> Option<Date> {
    let ticks = (u64::from(number_32(time, 4)?) << 32) | u64::from(number_32(time, 0)?);
    let days = ticks as f64 / TICKS_A_DAY - DAYS_BEFORE_1900;
    if !(1.0..2_958_466.0).contains(&days) || number_16(time, 6)? == 0 {
        return None;
    }
    let (year, month, day, ..) = ExcelDateTime::new(days, ExcelDateTimeType::DateTime, false).to_ymd_hms_milli();
    Date::parse(&format!("{year:04}-{month:02}-{day:02}"))
}
