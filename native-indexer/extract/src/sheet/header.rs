//! Finds the row that names the columns, and the beginning of further tables below the first.

use super::cell_text::is_number;
use super::columns::Columns;
use super::periods::periods;
use std::collections::BTreeSet;

/// Number of rows to search for a header. Titles and groups may precede the header.
pub(super) const ROWS_LOOKED_AT: usize = 20;
/// Maximum length of the header that is stored with each part of a sheet, about 60 tokens.
const MAX_CONTEXT_BYTES: usize = 240;

/// Returns the number of the row that names the columns, among the first rows of a sheet. It is the row with the most
/// distinct texts among rows that are followed by two rows of at least half their width.
pub(super) fn header_row(rows: &[Vec<String>]) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    for (number, row) in rows.iter().enumerate() {
        let names = distinct_texts(row) + periods(row).unwrap_or(0);
        let width = width(row);
        let following = rows[number + 1..].iter().take(2).filter(|next| self::width(next) * 2 >= width).count();
        let is_data = rows[number + 1..].iter().take(2).any(|next| both_have_periods(row, next));
        if may_name(row) && !is_data && following == 2 && best.is_none_or(|(most, _)| names > most) {
            best = Some((names, number));
        }
    }
    best.map(|(_, number)| number)
}

/// Maximum number of cells in the label of a table.
const MAX_LABEL_CELLS: usize = 2;

/// Returns the row `above` the `names` of a table as the table's label, if it has few cells and there are many names.
pub(super) fn label(above: &[String], names: &[String]) -> Option<String> {
    let cells: Vec<&str> = above.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()).collect();
    let is_label = (1..=MAX_LABEL_CELLS).contains(&cells.len()) && cells.len() * 2 <= width(names);
    is_label.then(|| cells.join(", "))
}

/// Whether another table begins with the first of some rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begins {
    No,
    /// More rows are needed to decide.
    Perhaps,
    /// It is undecided, but the row hardly belongs to the table above, so that table's names do not apply.
    Unsure,
    /// The table begins with its names, or with a label above them.
    Yes {
        is_labelled: bool,
    },
}

/// Decides whether `rows` begin a table other than the table above, which has the names `known` and the columns
/// `columns`. `is_apart` is set if empty rows precede them.
///
/// A table begins with names above numbers, possibly with a label above. If these rows could also belong to the table
/// above, the names must be equal to `known`, or most of them must be above numbers. After an empty row, a one-cell
/// label above names is sufficient if the table above has other columns. Rows that merely differ from the table above
/// are separated from it.
pub(super) fn begins_table(
    rows: &[(usize, Vec<String>)],
    is_apart: bool,
    known: &[String],
    columns: &Columns,
) -> Begins {
    let begins = begins_named_table(rows, is_apart, known, columns);
    let looked_at = 1 + usize::from(rows.first().is_some_and(|(_, first)| width(first) == 1));
    let is_unlike = || is_apart && rows.iter().take(looked_at).any(|(_, row)| columns.differ(row, known));
    if begins == Begins::No && !known.is_empty() && is_unlike() { Begins::Unsure } else { begins }
}

fn begins_named_table(rows: &[(usize, Vec<String>)], is_apart: bool, known: &[String], columns: &Columns) -> Begins {
    let Some((first_number, first)) = rows.first() else { return Begins::Perhaps };
    let is_labelled = width(first) <= MAX_LABEL_CELLS;
    let may_begin = is_labelled || (is_apart && may_name(first));
    if !may_begin {
        return Begins::No;
    }
    let Some((number, names)) = rows.get(usize::from(is_labelled)) else { return Begins::Perhaps };
    // A remark at the end of the table above is not a label.
    let is_remark = !is_apart && *number > first_number + 1;
    if is_labelled && (label(first, names).is_none() || !may_name(names) || is_remark) {
        return Begins::No;
    }
    let Some((_, data)) = rows.get(usize::from(is_labelled) + 1) else { return Begins::Perhaps };
    let named = names.iter().zip(data).filter(|(name, _)| !name.trim().is_empty());
    let numbers = named.filter(|(_, cell)| is_number(cell)).count();
    let is_sure = numbers >= 2 && numbers * 2 >= width(names) || (is_apart && numbers > 0);
    if same_names(names, known) {
        return Begins::Yes { is_labelled };
    }
    if both_have_periods(names, data) {
        return Begins::No;
    }
    let is_text_below_label = is_apart && width(first) == 1 && width(data) * 2 >= width(names);
    if is_sure || is_text_below_label && (columns.is_empty() || columns.differ(names, known)) {
        Begins::Yes { is_labelled }
    } else if is_text_below_label && !known.is_empty() {
        // This is a similar table, or further rows of the table above with their own label.
        Begins::Unsure
    } else {
        Begins::No
    }
}

/// Whether a row may name columns, because it contains texts, but no numbers except years or dates.
fn may_name(row: &[String]) -> bool {
    periods(row).is_some() || distinct_texts(row) >= 2 && !row.iter().any(|cell| is_number(cell))
}

/// Whether a row and one below it both have years or dates, which are therefore values.
fn both_have_periods(row: &[String], below: &[String]) -> bool {
    periods(row).is_some() && periods(below).is_some()
}

fn same_names(names: &[String], known: &[String]) -> bool {
    let trimmed = |row: &[String]| row.iter().map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    !known.is_empty() && trimmed(names) == trimmed(known)
}

/// Returns the column names as one line, cut to a length that fits into a chunk.
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
    fn years_and_dates_name_columns() {
        let sheet = rows(&["Accounts|||", "Item|2022|2023|2024", "Revenue|1|2|3", "Costs|4|5|6"]);
        assert_eq!(header_row(&sheet), Some(1));
        let sheet = rows(&["|2024-02-01|2024-01-01", "Revenue|1|2", "Costs|4|5"]);
        assert_eq!(header_row(&sheet), None, "no text names the first column");
        let sheet = rows(&["Item|2024-02-01|2024-01-01", "Revenue|1|2", "Costs|4|5"]);
        assert_eq!(header_row(&sheet), Some(0));
        let lives = ["Ada|1901|1952", "Bob|1910|1961", "Cleo|1920|1971"];
        assert_eq!(header_row(&rows(&lives)), None);
        assert_eq!(header_row(&rows(&["Name|Born|Died", lives[0], lives[1], "Dan|1999|"])), Some(0));
    }

    #[test]
    fn forms_and_data_have_no_header() {
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

    #[test]
    fn labels_have_few_cells_above_many_names() {
        let label = |above: &str, names: &str| label(&rows(&[above])[0], &rows(&[names])[0]);
        assert_eq!(
            label("In millions|||June 2023", "|Sales|Profit|Loss|Taxes").as_deref(),
            Some("In millions, June 2023")
        );
        assert_eq!(label("Group|Group|", "Name|Meaning|Since"), None);
        assert_eq!(label("||", "Name|Meaning"), None);
    }

    #[test]
    fn another_table_begins_with_a_label_and_names() {
        let begins = |sheet: &[&str], is_apart, known: &str| {
            let numbered: Vec<_> = rows(sheet).into_iter().enumerate().collect();
            begins_table(&numbered, is_apart, &rows(&[known])[0], &Columns::default())
        };
        let labelled = Begins::Yes { is_labelled: true };
        assert_eq!(begins(&["June 2022||", "|Sales|Profit", "Zone|3|4"], false, "|a|b"), labelled);
        assert_eq!(begins(&["June 2022||", "|Sales|Profit"], false, "|a|b"), Begins::Perhaps);
        assert_eq!(begins(&["Hats||", "Cap|red|n/a", "Hood|blue|12"], false, "Name|Color|Price"), Begins::No);
        assert_eq!(begins(&["Hats||", "Cap|red|n/a", "Hood|blue|12"], true, "Name|Color|Price"), labelled);
        assert_eq!(begins(&["Hats||", "Name|Color|Cut", "Hood|blue|wide"], false, "Name|Color|Cut"), labelled);
        assert_eq!(begins(&["Zone|Sales|Profit", "EUR|3|4"], true, ""), Begins::Yes { is_labelled: false });
        assert_eq!(begins(&["Zone|Sales|Profit", "EUR|3|4"], false, ""), Begins::No);
        assert_eq!(begins(&["EUR|3|4", "AOA|5|6"], true, ""), Begins::No);
    }
}
