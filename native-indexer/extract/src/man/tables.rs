//! Reads tables in manual pages (tbl). Each line is a row, and a cell between `T{` and `T}` may span several lines.

use super::escapes::plain;

/// Maximum number of rows to keep in a table.
const MAX_ROWS: usize = 10_000;

/// A table that is being read.
#[derive(Debug)]
pub(super) struct Table {
    delimiter: char,
    is_format: bool,
    /// Lines of an unfinished format. If it never ends, they are text.
    unread: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The row whose last cell continues on the next line.
    open: Option<Vec<String>>,
}

impl Default for Table {
    fn default() -> Self {
        Self { delimiter: '\t', is_format: true, unread: Vec::new(), rows: Vec::new(), open: None }
    }
}

impl Table {
    pub(super) fn line(&mut self, line: &str) {
        if self.open.is_some() {
            self.go_on(line);
            return;
        }
        let trimmed = line.trim();
        if self.is_format {
            if let Some(tab) = trimmed.split("tab").nth(1).and_then(|rest| rest.trim_start().strip_prefix('(')) {
                self.delimiter = tab.chars().next().unwrap_or('\t');
            }
            // Options end with a semicolon, and column formats end with a period.
            self.is_format = !trimmed.ends_with('.');
            if !self.is_format {
                self.unread.clear();
            } else if self.unread.len() < MAX_ROWS {
                self.unread.push(line.to_owned());
            }
            return;
        }
        if trimmed.starts_with(".T&") {
            self.is_format = true;
            return;
        }
        let is_rule = !trimmed.is_empty() && trimmed.chars().all(|c| matches!(c, '_' | '=' | '-'));
        if is_rule || trimmed.starts_with('.') || self.rows.len() >= MAX_ROWS {
            return;
        }
        self.cells(Vec::new(), line);
    }

    /// Adds the cells on a line to the row's cells so far.
    fn cells(&mut self, mut row: Vec<String>, line: &str) {
        let mut cells = line.split(self.delimiter).peekable();
        while let Some(cell) = cells.next() {
            if cell.trim() == "T{" && cells.peek().is_none() {
                row.push(String::new());
                self.open = Some(row);
                return;
            }
            row.push(plain(cell).trim().to_owned());
        }
        self.rows.push(row);
    }

    /// Continues the last cell, or ends it and adds the cells after it.
    fn go_on(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("T}") {
            let row = self.open.take().unwrap_or_default();
            match rest.strip_prefix(self.delimiter) {
                Some(rest) => self.cells(row, rest),
                None => self.rows.push(row),
            }
            return;
        }
        // A request inside a cell sets the font of its arguments.
        let text = match line.strip_prefix('.') {
            Some(request) => request.split_once(' ').map_or("", |(_, text)| text),
            None => line,
        };
        if let Some(cell) = self.open.as_mut().and_then(|row| row.last_mut()) {
            cell.push(' ');
            cell.push_str(plain(text).trim());
        }
    }

    /// Returns the rows, and the text of an unfinished format.
    pub(super) fn finish(self) -> (Vec<Vec<String>>, String) {
        let unread: Vec<String> = self.unread.iter().map(|line| plain(line)).collect();
        (self.rows.into_iter().chain(self.open).collect(), unread.join(" "))
    }
}
