//! Converts tables. A merged cell is repeated in every row and column that it covers, and the head's rows become one
//! row of names, so that each row is understandable by itself.

/// Maximum number of columns in a row.
const MAX_COLUMNS: usize = 1_000;
/// Maximum number of columns and rows that a cell covers.
const MAX_SPAN: usize = 500;
/// Maximum length in bytes of a text that is repeated. A longer text is not a label, and is written once.
const MAX_COPIED_BYTES: usize = 200;
/// Maximum number of rows in a head.
const MAX_HEAD_ROWS: usize = 6;
/// Maximum number of bytes that the cells on a page may repeat in total.
const MAX_COPIES_BYTES: usize = 2 << 20;
/// The cost of an empty cell in bytes.
const BARS: usize = 3;

/// A cell in a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub text: String,
    /// Numbers of columns and rows that the cell covers.
    pub columns: usize,
    pub rows: usize,
    /// Whether the cell names a column or a row.
    pub is_head: bool,
}

/// A line to write.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Text above the names.
    Title(String),
    /// The names of the columns.
    Names(Vec<String>),
    Row(Vec<String>),
}

/// A row of the head.
#[derive(Debug)]
struct HeadRow {
    cells: Vec<String>,
    /// Whether the row contains only one cell.
    is_single: bool,
}

/// The table that is being read.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The cells above that extend into the next row, by column, with the number of remaining rows.
    above: Vec<Option<(usize, String)>>,
    head: Vec<HeadRow>,
    /// Whether the page says where the head is.
    has_head: bool,
    /// Whether rows follow the head.
    is_in_body: bool,
    /// Number of bytes that this table and the tables before it repeated.
    copied: usize,
}

impl Table {
    /// Begins another table on the same page.
    pub(super) fn begin(&mut self) {
        *self = Self { copied: self.copied, ..Self::default() };
    }

    /// Adds the next row, and returns the lines that can be written. `is_in_head` says whether the page declares the
    /// row as part of the head.
    pub(super) fn row(&mut self, cells: Vec<Cell>, is_in_head: bool) -> Vec<Line> {
        // Labels of the rows below them may have their own row.
        let are_labels = !self.head.is_empty() && cells.iter().all(|cell| cell.rows > 1);
        let names_columns = is_in_head || !self.has_head && !are_labels && cells.iter().all(|cell| cell.is_head);
        self.has_head |= is_in_head;
        let names_row = cells.first().is_some_and(|cell| cell.is_head);
        let is_single = matches!(&cells[..], [only] if only.rows <= 1) && self.above.iter().all(Option::is_none);
        let cells = self.filled(cells, is_single);
        if !self.is_in_body && names_columns && self.head.len() < MAX_HEAD_ROWS {
            self.head.push(HeadRow { cells, is_single });
            return Vec::new();
        }
        let begins = !std::mem::replace(&mut self.is_in_body, true);
        let mut lines = if begins { self.head_lines(cells.len()) } else { Vec::new() };
        // Without a head, the first row names the columns, unless it names itself.
        let has_names = lines.iter().any(|line| matches!(line, Line::Names(_)));
        lines.push(if begins && !has_names && !names_row { Line::Names(cells) } else { Line::Row(cells) });
        lines
    }

    /// Returns the lines that are left to write.
    pub(super) fn end(&mut self) -> Vec<Line> {
        if self.is_in_body { Vec::new() } else { self.head_lines(0) }
    }

    /// Returns the head of a table whose rows have `width` columns.
    fn head_lines(&mut self, width: usize) -> Vec<Line> {
        let rows = std::mem::take(&mut self.head);
        let width = rows.iter().map(|row| row.cells.len()).fold(width, usize::max);
        let (titles, names): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.is_single && width > 1);
        let titles = titles.into_iter().filter_map(|row| row.cells.into_iter().next());
        let mut lines: Vec<Line> = titles.filter(|title| !title.is_empty()).map(Line::Title).collect();
        if !names.is_empty() {
            lines.push(Line::Names(joined(&names)));
        }
        lines
    }

    /// Returns the texts of a row by column.
    fn filled(&mut self, cells: Vec<Cell>, is_single: bool) -> Vec<String> {
        let mut above = std::mem::take(&mut self.above);
        let mut below = Vec::new();
        let mut row: Vec<String> = Vec::new();
        let mut cells = cells.into_iter();
        while row.len() < MAX_COLUMNS {
            if let Some((rows, text)) = above.get_mut(row.len()).and_then(Option::take) {
                row.push(self.copy(&text));
                below.push((rows > 1).then_some((rows - 1, text)));
            } else if let Some(cell) = cells.next() {
                let is_label = !is_single && cell.text.len() <= MAX_COPIED_BYTES;
                let columns = if is_single { 1 } else { cell.columns.clamp(1, MAX_SPAN).min(MAX_COLUMNS - row.len()) };
                let rows = if is_single { 1 } else { cell.rows.clamp(1, MAX_SPAN) };
                let label = if is_label { cell.text.clone() } else { String::new() };
                row.push(cell.text);
                below.push((rows > 1).then(|| (rows - 1, label.clone())));
                for _ in 1..columns {
                    if self.copied < MAX_COPIES_BYTES {
                        let copy = self.copy(&label);
                        row.push(copy);
                        below.push((rows > 1).then(|| (rows - 1, label.clone())));
                    }
                }
            } else if above.get(row.len()..).is_some_and(|rest| rest.iter().any(Option::is_some)) {
                // A cell further to the right extends into this row.
                row.push(String::new());
                below.push(None);
            } else {
                break;
            }
        }
        if self.copied < MAX_COPIES_BYTES {
            self.above = below;
        }
        row
    }

    fn copy(&mut self, text: &str) -> String {
        self.copied += text.len() + BARS;
        if self.copied < MAX_COPIES_BYTES { text.to_owned() } else { String::new() }
    }
}

/// Returns the names of the columns, each with the names above it.
fn joined(rows: &[HeadRow]) -> Vec<String> {
    let width = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let name = |column| {
        let mut names: Vec<&str> = rows.iter().filter_map(|row| row.cells.get(column)).map(String::as_str).collect();
        names.retain(|name| !name.is_empty());
        names.dedup();
        names.join(" ")
    };
    (0..width).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a table in a short notation: bars separate cells, `#` precedes a head, and `2x3` after a text is its
    /// numbers of columns and rows.
    fn lines(rows: &[&str]) -> Vec<String> {
        let mut table = Table::default();
        let cell = |text: &str| {
            let (text, is_head) = text.strip_prefix('#').map_or((text, false), |text| (text, true));
            let span = text.rsplit_once(' ').and_then(|(text, span)| Some((text, span.split_once('x')?)));
            let (text, columns, rows) =
                span.map_or((text, 1, 1), |(text, (c, r))| (text, c.parse().unwrap(), r.parse().unwrap()));
            Cell { text: text.to_owned(), columns, rows, is_head }
        };
        let mut found: Vec<Line> =
            rows.iter().flat_map(|row| table.row(row.split('|').map(cell).collect(), false)).collect();
        found.extend(table.end());
        let line = |line| match line {
            Line::Title(title) => title,
            Line::Names(names) => format!("{}:", names.join("|")),
            Line::Row(cells) => cells.join("|"),
        };
        found.into_iter().map(line).collect()
    }

    #[test]
    fn names_of_several_levels_are_joined() {
        let rows = ["#Sales 4x1", "#Region 1x2|#2023 2x1|#Note 1x2", "#Cars|#Vans", "North 1x2|1|2|a", "3|4|b 2x1"];
        assert_eq!(lines(&rows), ["Sales", "Region|2023 Cars|2023 Vans|Note:", "North|1|2|a", "North|3|4|b|b"]);
    }

    #[test]
    fn a_table_of_named_rows_has_no_names_of_columns() {
        assert_eq!(lines(&["#Berlin 2x1", "#Country|Germany", "#Area|891"]), ["Berlin", "Country|Germany", "Area|891"]);
        assert_eq!(lines(&["a|b", "1|2"]), ["a|b:", "1|2"]);
        assert_eq!(lines(&["#a|#b"]), ["a|b:"]);
        assert_eq!(lines(&["#Name", "x"]), ["Name:", "x"]);
    }

    #[test]
    fn cells_reach_down_on_both_sides_of_others() {
        assert_eq!(lines(&["#a|#b|#c", "x|y|z 1x2", "1", "2|3|4"]), ["a|b|c:", "x|y|z", "1||z", "2|3|4"]);
        let long = "long".repeat(100);
        assert_eq!(lines(&["#a|#b", &format!("{long} 1x2|y"), "z"]), ["a|b:", &format!("{long}|y"), "|z"]);
    }

    #[test]
    fn labels_of_rows_are_not_in_the_head() {
        assert_eq!(
            lines(&["#Year|#Month|#Cost", "#2025 1x3", "May|3", "June|4"]),
            ["Year|Month|Cost:", "2025", "2025|May|3", "2025|June|4"]
        );
        let mut table = Table::default();
        let head = |text: &str| vec![Cell { text: text.into(), columns: 1, rows: 1, is_head: true }; 2];
        assert!(table.row(head("Name"), true).is_empty());
        let names = Line::Names(vec!["Name".into(), "Name".into()]);
        assert_eq!(table.row(head("Part"), false), [names, Line::Row(vec!["Part".into(), "Part".into()])]);
    }

    #[test]
    fn what_is_repeated_is_bounded() {
        let cell = |text: &str| Cell { text: text.into(), columns: usize::MAX, rows: usize::MAX, is_head: false };
        let (mut table, mut bytes) = (Table::default(), 0);
        for _ in 0..1_000 {
            table.begin();
            for _ in 0..50 {
                for line in table.row(vec![cell(&"a".repeat(200)), cell("b")], false) {
                    let (Line::Names(cells) | Line::Row(cells)) = line else { panic!("{line:?}") };
                    bytes += cells.iter().map(|cell| cell.len() + BARS).sum::<usize>();
                }
            }
        }
        assert!(bytes <= 2 * MAX_COPIES_BYTES + 1_000 * 50 * 210, "{bytes}");
    }
}
