//! Recognizes years and dates that name columns: `Item | 2022 | 2023 | 2024`.

use super::cell_text::is_number;
use std::collections::BTreeSet;

/// Numbers that are years. Other numbers are amounts.
const YEARS: std::ops::RangeInclusive<u32> = 1900..=2100;
/// Minimum number of periods, because a single one is often a value.
const LEAST: usize = 2;

/// Returns the number of columns that periods in `row` name, if `row` may name columns this way. All its numbers must
/// be consecutive years or different dates, and it must also contain text.
pub(super) fn periods(row: &[String]) -> Option<usize> {
    let cells = || row.iter().map(|cell| cell.trim());
    let numbers: Vec<&str> = cells().filter(|cell| is_number(cell)).collect();
    let has_text = cells().any(|cell| cell.chars().any(char::is_alphabetic));
    if numbers.len() < LEAST || !has_text {
        return None;
    }
    let years: Option<Vec<u32>> = numbers.iter().map(|cell| year(cell)).collect();
    let are_periods = if let Some(years) = years {
        years.is_sorted_by(|a, b| a < b) || years.is_sorted_by(|a, b| a > b)
    } else {
        let are_dates = numbers.iter().all(|cell| is_date(cell));
        are_dates && numbers.iter().collect::<BTreeSet<_>>().len() == numbers.len()
    };
    are_periods.then_some(numbers.len())
}

/// Parses a year, such as `2024`, or a two-year period, such as `2024/25`. Returns the first year.
fn year(cell: &str) -> Option<u32> {
    let (first, second) =
        cell.split_once(['/', '-', '–']).map_or((cell, None), |(first, second)| (first, Some(second)));
    let year = digits(first, 4).filter(|year| YEARS.contains(year))?;
    let is_next = |second: &str| match second.len() {
        2 => digits(second, 2) == Some((year + 1) % 100),
        _ => digits(second, 4) == Some(year + 1),
    };
    second.is_none_or(is_next).then_some(year)
}

/// Whether `cell` is a date such as `2024-03-01`, `1.3.2024` or `3/31/24`, possibly with a time, or a month such as
/// `2024-03`.
fn is_date(cell: &str) -> bool {
    let date = cell.split_whitespace().next().unwrap_or_default();
    let parts: Vec<&str> = date.split(['-', '/', '.']).collect();
    let is_small = |part: &str, most: u32| {
        let number = digits(part, 1).or_else(|| digits(part, 2));
        number.is_some_and(|number| (1..=most).contains(&number))
    };
    let is_year = |part: &str| digits(part, 4).is_some_and(|year| YEARS.contains(&year));
    match parts.as_slice() {
        [year, month] => is_year(year) && is_small(month, 12),
        [first, second, third] => {
            is_year(first) && is_small(second, 12) && is_small(third, 31)
                || is_small(first, 31) && is_small(second, 31) && (is_year(third) || digits(third, 2).is_some())
        }
        _ => false,
    }
}

/// Parses a number with exactly `count` digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    let is_plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_and_dates_name_columns_and_amounts_do_not() {
        let periods = |row: &str| periods(&row.split('|').map(str::to_owned).collect::<Vec<_>>());
        for row in ["Item|2022|2023|2024", "|2024|2023|Change", "Item|2022/23|2023/24", "Item|2010-11|2011-12"] {
            assert!(periods(row).is_some(), "{row}");
        }
        for row in
            ["Item|2024-01-01|2024-02-01", "Item|31.1.2024|28.2.2024", "Item|1/31/24|2/28/24", "x|2024-01|2024-02"]
        {
            assert_eq!(periods(row), Some(2), "{row}");
        }
        for row in [
            "Item|2022|2024|2023",
            "Item|2023|2023",
            "Item|2023",
            "2022|2023",
            "Item|1203|2023",
            "Item|2023|12.5",
            "Item|2023|2024-01-01",
            "Item|2024-01-01|2024-01-01",
            "Item|13:05|14:05",
            "Item|-2023|2024",
        ] {
            assert_eq!(periods(row), None, "{row}");
        }
    }
}
