//! Formats cell values as text.

use super::clock::{clock, duration_text, iso_duration_text, iso_moment_text};
use crate::number_format::NumberFormat;
use calamine::{Data, DataRef, ExcelDateTime, Style};
use std::collections::BTreeMap;

/// Integers of this size and above are measurements rather than identifiers. They are written with an exponent, as in
/// Excel.
const MOST_IN_FULL: f64 = 1e21;

/// The formats of a workbook's cells, by style number, filled on demand.
#[derive(Debug, Default)]
pub(super) struct CellFormats(BTreeMap<usize, Option<NumberFormat>>);

impl CellFormats {
    /// Returns the text of a cell. `style` is the number of its style in `styles`.
    pub(super) fn text(&mut self, value: &DataRef<'_>, style: usize, styles: &[Style]) -> String {
        let number = match value {
            DataRef::Float(number) => *number,
            DataRef::Int(number) => *number as f64,
            _ => return text_of_ref(value),
        };
        // Cells may declare any number, so numbers without a style are not cached.
        let Some(of_cell) = styles.get(style) else { return text_of_ref(value) };
        let format = self.0.entry(style).or_insert_with(|| {
            of_cell.number_format.as_ref().and_then(|format| NumberFormat::parse(&format.format_code))
        });
        format.as_ref().and_then(|format| format.show(number)).unwrap_or_else(|| text_of_ref(value))
    }
}

pub(super) fn text_of_ref(value: &DataRef<'_>) -> String {
    match value {
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::String(text) => text.clone(),
        DataRef::DateTimeIso(text) => iso_moment_text(text),
        DataRef::DurationIso(text) => iso_duration_text(text),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number_text(*number),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(date) => date_text(date),
        // Errors of formulas are not the author's text.
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

pub(super) fn text_of(value: &Data) -> String {
    match value {
        Data::String(text) => text.clone(),
        Data::DateTimeIso(text) => iso_moment_text(text),
        Data::DurationIso(text) => iso_duration_text(text),
        Data::Int(number) => number.to_string(),
        Data::Float(number) => number_text(*number),
        Data::Bool(value) => value.to_string(),
        Data::DateTime(date) => date_text(date),
        _ => String::new(),
    }
}

/// Formats a number as people type it: `0.1 + 0.2` as `0.3`, and card and parcel numbers with all digits.
pub(super) fn number_text(number: f64) -> String {
    let size = number.abs();
    if number.fract() == 0.0 && size < MOST_IN_FULL {
        // The text consists of the shortest digits that identify the number, and then zeros. Adding zero removes the
        // sign of a negative zero.
        return (number + 0.0).to_string();
    }
    if !(1e-6..MOST_IN_FULL).contains(&size) {
        return format!("{number:e}");
    }
    let shortest = number.to_string();
    if shortest.len() <= 12 {
        return shortest;
    }
    let text = format!("{number:.10}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn date_text(date: &ExcelDateTime) -> String {
    if date.is_duration() {
        return duration_text(date.as_f64()).unwrap_or_else(|| number_text(date.as_f64()));
    }
    let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
    let time = clock(hour.into(), minute.into(), second.into());
    if date.as_f64() < 1.0 {
        time
    } else if date.as_f64().fract() == 0.0 {
        format!("{year:04}-{month:02}-{day:02}")
    } else {
        format!("{year:04}-{month:02}-{day:02} {time}")
    }
}

/// Whether `cell` is a number, a percentage, an amount or a date.
pub(super) fn is_number(cell: &str) -> bool {
    let cell = cell.trim();
    cell.chars().any(|c| c.is_ascii_digit()) && !cell.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_as_people_type_them() {
        let typed = |number: f64| number_text(number);
        assert_eq!([0.5718, 12.0, -3.25, 0.1 + 0.2, 1e-7].map(typed), ["0.5718", "12", "-3.25", "0.3", "1e-7"]);
        assert_eq!(typed(-0.0), "0");
        assert_eq!(typed(1_234_567_890_123_450.0), "1234567890123450");
        assert_eq!(typed(4_111_111_111_111_111.0), "4111111111111111");
        assert_eq!(typed(-12_345_678_901_234_567_000.0), "-12345678901234567000");
        assert_eq!(typed(6.022e23), "6.022e23");
        assert_eq!(typed(f64::INFINITY), "inf");
    }

    #[test]
    fn times_are_formatted_alike_in_all_types_of_sheets() {
        use calamine::ExcelDateTimeType::{DateTime, TimeDelta};
        let excel = |value: f64, kind| text_of(&Data::DateTime(ExcelDateTime::new(value, kind, false)));
        let days = 30.0 / 24.0 + 5.0 / 1440.0;
        assert_eq!(excel(days, TimeDelta), text_of(&Data::DurationIso("PT30H05M00S".into())));
        assert_eq!(excel(days, TimeDelta), "30:05");
        assert_eq!(excel(9.5 / 24.0, DateTime), text_of_ref(&DataRef::DurationIso("PT09H30M00S".into())));
        let moment = 45352.0 + 13.0 / 24.0 + 5.0 / 1440.0;
        assert_eq!(excel(moment, DateTime), text_of_ref(&DataRef::DateTimeIso("2024-03-01T13:05:00".into())));
        assert_eq!(excel(f64::MAX, TimeDelta), number_text(f64::MAX));
    }
}
