//! Which row names the columns.

use std::collections::BTreeSet;

/// Rows in which a header is looked for: titles and groups may be above it.
pub(super) const ROWS_LOOKED_AT: usize = 20;
/// Bytes of a header that go with each part of a sheet, some 60 tokens.
const MAX_CONTEXT_BYTES: usize = 240;

/// The row of `rows`, the first ones of a sheet, that names its columns: the one with the most distinct texts that two
/// rows at least half as wide follow.
pub(super) fn header_row(rows: &[Vec<String>]) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    for (number, row) in rows.iter().enumerate() {
        let names = distinct_texts(row);
        let width = width(row);
        let following = rows[number + 1..].iter().take(2).filter(|next| self::width(next) * 2 >= width).count();
        // A row with numbers is data.
        let has_numbers = row.iter().any(|cell| is_number(cell));
        if names >= 2 && !has_numbers && following == 2 && best.is_none_or(|(most, _)| names > most) {
            best = Some((names, number));
        }
    }
    best.map(|(_, number)| number)
}

/// The names of columns as one line, cut where a chunk could not bear it.
pub(super) fn context(header: &[String]) -> String {
    let names = header.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
    let mut context = String::new();
    for name in names {
        let comma = if context.is_empty() { "" } else { ", " };
        if context.len() + comma.len() + name.len() > MAX_CONTEXT_BYTES {
            break;
        }
        context.push_str(comma);
        context.push_str(name);
    }
    context
}

fn width(row: &[String]) -> usize {
    row.iter().filter(|cell| !cell.trim().is_empty()).count()
}

fn distinct_texts(row: &[String]) -> usize {
    let texts = row.iter().map(|cell| cell.trim()).filter(|cell| cell.chars().any(char::is_alphabetic));
    texts.collect::<BTreeSet<_>>().len()
}

/// Whether `cell` is a number, a share, an amount or a date.
pub(super) fn is_number(cell: &str) -> bool {
    let cell = cell.trim();
    cell.chars().any(|c| c.is_ascii_digit()) && !cell.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&str]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.split('|').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn the_header_is_below_titles_and_groups() {
        let sheet =
            rows(&["Registry of values||", "Group|Group|", "Name|Meaning|Since", "a|first|2020", "b|second|2021"]);
        assert_eq!(header_row(&sheet), Some(2));
    }

    #[test]
    fn forms_and_data_have_none() {
        assert_eq!(header_row(&rows(&["Name|Jane", "Age|42"])), None);
        assert_eq!(header_row(&rows(&["1|2", "3|4", "5|6"])), None);
        assert_eq!(header_row(&[]), None);
    }

    #[test]
    fn a_wide_header_is_cut() {
        let names: Vec<String> = (0..100).map(|number| format!("column {number}")).collect();
        let context = context(&names);
        assert!(context.len() <= MAX_CONTEXT_BYTES && context.starts_with("column 0, column 1"));
    }
}
