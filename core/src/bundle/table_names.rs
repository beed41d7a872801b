//! Finds the column names that a chunk lacks because its table began in an earlier chunk.

/// Maximum length in bytes of the names that are stored with a chunk.
const MAX_BYTES: usize = 400;
/// A column of the line below the names.
const BELOW: &str = " --- |";

/// Follows the lines of a document and keeps the row that names the columns.
#[derive(Debug, Default)]
pub(super) struct TableNames {
    /// The last row, until a line of a different kind follows.
    row: String,
    /// The row that names the columns of the current table.
    names: String,
}

impl TableNames {
    /// Reads the next line of text that is not code.
    pub(super) fn take(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            self.row.clear();
        } else if !line.starts_with('|') {
            self.forget();
        } else if !is_below_names(line) {
            // A row without text names nothing.
            let has_text = line.contains(|c| !matches!(c, '|' | ' '));
            if has_text { line } else { "" }.clone_into(&mut self.row);
        } else if self.names.is_empty() {
            self.names = std::mem::take(&mut self.row);
        }
    }

    /// Forgets the current table, because a line ended it.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Returns the lines of Markdown to put before `chunk`, the next chunk. The result is empty if the chunk itself
    /// begins with the names.
    pub(super) fn before(&self, chunk: &str) -> String {
        let first = chunk.trim_start().lines().next().unwrap_or_default().trim_end();
        let names = match (first.starts_with('|'), is_below_names(first)) {
            (false, _) => "",
            (true, true) if self.names.is_empty() => &self.row,
            (true, _) => &self.names,
        };
        let (names, columns) = start(names);
        if columns == 0 { String::new() } else { format!("{names}\n|{}\n", BELOW.repeat(columns)) }
    }
}

fn is_below_names(line: &str) -> bool {
    line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Returns as many whole columns of `row` as fit, and their number.
fn start(row: &str) -> (&str, usize) {
    let (mut end, mut columns, mut is_escaped) = (0, 0, false);
    for (at, c) in row.char_indices().skip(1).take_while(|(at, _)| *at < MAX_BYTES) {
        if c == '|' && !is_escaped {
            (end, columns) = (at + 1, columns + 1);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    (&row[..end], columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn after(text: &str, chunk: &str) -> String {
        let mut names = TableNames::default();
        text.lines().for_each(|line| names.take(line));
        names.before(chunk)
    }

    #[test]
    fn a_chunk_that_goes_on_with_a_table_has_its_names() {
        let names = "| Name | Size |\n| --- | --- |\n";
        let table = format!("Text.\n\n{names}| a | 1 |\n\n| b | 2 |\n");
        assert_eq!(after(&table, "| c | 3 |\n"), names);
        assert_eq!(after(&table, "\n| c | 3 |\n"), names, "rows of a sheet are in groups");
        assert_eq!(after("| Name | Size |\n", "| --- | --- |\n| a | 1 |\n"), names);
        assert_eq!(after(&format!("{table}| - | - |\n"), "| c | 3 |\n"), names);
    }

    #[test]
    fn what_begins_or_follows_a_table_has_none() {
        let table = "| Name | Size |\n|---|---|\n| a | 1 |\n";
        assert_eq!(after(table, "Text.\n"), "");
        assert_eq!(after(&format!("{table}\nText.\n"), "| Name | Size |\n|---|---|\n| b | 2 |\n"), "");
        assert_eq!(after("| a | 1 |\n", "| b | 2 |\n"), "");
        assert_eq!(after("| | |\n|---|---|\n| a | 1 |\n", "| b | 2 |\n"), "");
    }

    #[test]
    fn names_are_cut_between_columns() {
        let row = format!("|{}", " a\\|name |".repeat(100));
        let names = after(&format!("{row}\n|{}\n", "-|".repeat(100)), "| x |\n");
        assert!(names.len() < 3 * MAX_BYTES && names.starts_with("| a\\|name | a\\|name |"));
        let columns = names.lines().map(|line| line.replace("\\|", "").matches('|').count()).collect::<Vec<_>>();
        assert_eq!(columns[0], columns[1]);
    }

    proptest! {
        #[test]
        fn any_lines_give_names_or_none(text in "([|a\\\\: é-]{0,12}\n){0,8}", chunk in "[|a\n -]{0,12}") {
            let names = after(&text, &chunk);
            prop_assert!(names.is_empty() || names.lines().count() == 2);
        }
    }
}
