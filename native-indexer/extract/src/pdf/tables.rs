//! Finds untagged tables: rows with pieces that are aligned in columns.
//!
//! A position without a piece is an empty cell. Detection is conservative, because text in columns must not become a
//! table.

use super::lines::{Line, Piece};
use super::page::Page;
use super::paragraphs::is_enumerator;

/// Minimum number of rows.
const MIN_ROWS: usize = 3;
/// Maximum number of consecutive rows with a single cell.
const MAX_SINGLE: usize = 2;
/// Maximum number of rows in a table. Each row is one bit in a number.
const MAX_ROWS: usize = 128;
/// Maximum number of rows on a page. Pages with more rows are drawings.
const MAX_PAGE_ROWS: usize = 2_000;
/// Maximum number of columns. Tables with more columns are drawings.
const MAX_COLUMNS: usize = 60;
/// Maximum distance between baselines in a row, in multiples of the font size.
const SAME_ROW: f32 = 0.4;
/// Maximum distance between rows, in multiples of the font size.
const ROW_DISTANCE: f32 = 4.0;
/// Minimum gap between columns, in multiples of the font size.
const GUTTER: f32 = 0.3;
/// Maximum distance between aligned sides, in multiples of the font size.
const ALIGNED: f32 = 0.35;
/// Minimum share of cells that are aligned with their column.
const ALIGNED_SHARE: f32 = 0.75;
/// Maximum number of characters in a short cell. Longer cells count as text.
const TEXT_CHARS: usize = 25;
/// Maximum number of characters in an item's mark.
const MARK_CHARS: usize = 3;
/// Minimum share of its column that text must fill if it continues on the next line.
const FILLED: f32 = 0.5;
/// Minimum ratio of the font sizes of a title and the row before it.
const LARGER: f32 = 1.08;
/// Maximum distance between lines in a cell, in multiples of the font size.
const LEADING: f32 = 1.35;

/// Replaces the lines of tables on `pages` with rows.
pub(super) fn find(pages: &mut [Page]) {
    for page in pages.iter_mut().filter(|page| page.lines.iter().any(|line| !line.pieces.is_empty())) {
        let rows = rows(&page.lines);
        let tables = if rows.len() > MAX_PAGE_ROWS { Vec::new() } else { tables(&rows) };
        if !tables.is_empty() {
            page.lines = with_rows(std::mem::take(&mut page.lines), &rows, &tables);
        }
    }
}

/// Lines that are side by side.
struct Row {
    first: usize,
    after: usize,
    pieces: Vec<Piece>,
    y: f32,
    size: f32,
    is_bold: bool,
    /// Whether the row may be part of a table.
    is_plain: bool,
}

fn rows(lines: &[Line]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let is_plain = line.turn == 0 && !line.is_right_to_left && !line.is_artifact;
        let whole = || vec![Piece { text: line.text.clone(), x: line.x, end: line.end }];
        let pieces = if line.pieces.is_empty() { whole() } else { with_marks(&line.pieces) };
        match rows.last_mut() {
            Some(row) if row.is_plain && is_plain && (row.y - line.y).abs() < SAME_ROW * row.size.min(line.size) => {
                row.after += 1;
                row.is_bold &= line.is_bold;
                row.size = row.size.max(line.size);
                row.pieces.extend(pieces);
                row.pieces.sort_by(|a, b| a.x.total_cmp(&b.x));
            }
            _ => rows.push(Row {
                first: number,
                after: number + 1,
                pieces,
                y: line.y,
                size: line.size,
                is_bold: line.is_bold,
                is_plain,
            }),
        }
    }
    rows
}

/// Returns `pieces` with the marks of items joined to the items.
fn with_marks(pieces: &[Piece]) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match out.last_mut() {
            Some(mark) if is_enumerator(&mark.text) => {
                mark.text = format!("{} {}", mark.text, piece.text);
                mark.end = piece.end;
            }
            _ => out.push(piece.clone()),
        }
    }
    out
}

/// Consecutive rows, and the positions of their columns.
struct Table {
    first: usize,
    after: usize,
    columns: Vec<Column>,
}

fn tables(rows: &[Row]) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut first = 0;
    while first < rows.len() {
        let table = longest(rows, first);
        if is_table(&table, rows) {
            first = table.after;
            tables.push(table);
        } else {
            first += 1;
        }
    }
    tables
}

/// Returns the longest table of rows from `first` on that share columns.
fn longest(rows: &[Row], first: usize) -> Table {
    let mut table = Table { first, after: first, columns: Vec::new() };
    let mut single = 0;
    for (number, row) in rows.iter().enumerate().skip(first).take(MAX_ROWS) {
        let is_near = number.checked_sub(1).filter(|_| number > first).map(|before| row.y - rows[before].y);
        let is_near = is_near.is_none_or(|down| down > 0.0 && down < ROW_DISTANCE * row.size);
        // This is the title of the text or table that follows.
        let is_title = row.pieces.len() == 1
            && number.checked_sub(1).filter(|_| number > first).is_some_and(|before| {
                let before = &rows[before];
                (row.is_bold && !before.is_bold) || row.size > before.size * LARGER
            });
        if !row.is_plain || !is_near || is_title || (single == 0 && number == first && row.pieces.len() < 2) {
            break;
        }
        single = if row.pieces.len() == 1 { single + 1 } else { 0 };
        let Some(columns) = with(&table.columns, row, number - first).filter(|_| single <= MAX_SINGLE) else { break };
        if single > 0 && columns.len() > table.columns.len() {
            break;
        }
        table.columns = columns;
        let goes_on = single > 0 && continued(&table.columns, &rows[number - 1], row).is_some();
        if single == 0 || (goes_on && table.after == number) {
            table.after = number + 1;
        }
    }
    table
}

/// A range of positions with aligned pieces.
#[derive(Clone, Copy)]
struct Column {
    x: f32,
    end: f32,
    /// The rows with a piece in this column, with one bit per row.
    rows: u128,
}

/// Adds the pieces of `row`, which has this number in the table, to `columns`. Returns `None` if they do not fit.
fn with(columns: &[Column], row: &Row, number: usize) -> Option<Vec<Column>> {
    let gutter = GUTTER * row.size;
    let mut columns = columns.to_vec();
    for piece in &row.pieces {
        let mut added = Column { x: piece.x, end: piece.end, rows: 1 << number };
        let first = columns.partition_point(|column| column.end + gutter < piece.x);
        let touched = columns[first..].iter().take_while(|column| column.x - gutter < piece.end).count();
        // If no row has pieces in both columns, they are parts of one column with short cells.
        for column in columns.drain(first..first + touched) {
            if column.rows & added.rows != 0 {
                return None;
            }
            (added.x, added.end) = (added.x.min(column.x), added.end.max(column.end));
            added.rows |= column.rows;
        }
        columns.insert(first, added);
    }
    (columns.len() <= MAX_COLUMNS && columns.windows(2).all(|pair| pair[0].end + gutter <= pair[1].x))
        .then_some(columns)
}

/// Returns the number of the column of `piece`.
fn column_of(columns: &[Column], piece: &Piece) -> usize {
    columns.partition_point(|column| column.x <= piece.x).saturating_sub(1)
}

fn is_table(table: &Table, rows: &[Row]) -> bool {
    let rows = &rows[table.first..table.after];
    if table.columns.len() < 2 || rows.iter().filter(|row| row.pieces.len() > 1).count() < MIN_ROWS {
        return false;
    }
    let mut columns: Vec<Vec<(&Piece, f32)>> = vec![Vec::new(); table.columns.len()];
    for row in rows {
        row.pieces.iter().for_each(|piece| columns[column_of(&table.columns, piece)].push((piece, row.size)));
    }
    let is_text = |cells: &Vec<(&Piece, f32)>| {
        cells.iter().filter(|(piece, _)| piece.text.chars().count() > TEXT_CHARS).count() * 2 > cells.len()
    };
    let is_mark = |piece: &Piece| piece.text.chars().count() <= MARK_CHARS;
    let (first, last) = (&columns[0], &columns[columns.len() - 1]);
    let share = |cells: &[(&Piece, f32)], is: &dyn Fn(&Piece) -> bool| {
        cells.iter().filter(|(piece, _)| is(piece)).count() as f32 / cells.len().max(1) as f32
    };
    // These are items with marks, names with explanations, numbered lines of code, or columns of text.
    let is_list = columns.len() == 2
        && (share(first, &is_mark) > 0.5 && share(last, &|piece| piece.text.contains(' ')) > 0.3
            || columns.iter().any(&is_text));
    if is_list || columns.iter().filter(|cells| is_text(cells)).count() > 1 {
        return false;
    }
    let aligned: usize = columns.iter().map(|cells| aligned(cells)).sum();
    let cells: usize = columns.iter().map(Vec::len).sum();
    aligned as f32 >= ALIGNED_SHARE * cells as f32
}

/// Returns the number of `cells` that are aligned at the left, at the right, or in the center, whichever is largest.
fn aligned(cells: &[(&Piece, f32)]) -> usize {
    let side = |place: fn(&Piece) -> f32| {
        let mut places: Vec<f32> = cells.iter().map(|(piece, _)| place(piece)).collect();
        places.sort_by(f32::total_cmp);
        let middle = places[places.len() / 2];
        cells.iter().filter(|(piece, size)| (place(piece) - middle).abs() < ALIGNED * size).count()
    };
    if cells.is_empty() {
        return 0;
    }
    side(|piece| piece.x).max(side(|piece| piece.end)).max(side(|piece| f32::midpoint(piece.x, piece.end)))
}

/// Returns `lines` with one line per row of `tables`.
fn with_rows(lines: Vec<Line>, rows: &[Row], tables: &[Table]) -> Vec<Line> {
    let mut lines: Vec<Option<Line>> = lines.into_iter().map(Some).collect();
    let mut out: Vec<Line> = Vec::with_capacity(lines.len());
    let mut tables = tables.iter().peekable();
    let mut number = 0;
    while number < rows.len() {
        let Some(table) = tables.next_if(|table| table.first == number) else {
            let row = &rows[number];
            out.extend(lines[row.first..row.after].iter_mut().filter_map(Option::take));
            number += 1;
            continue;
        };
        let mut made: Vec<(Line, Vec<String>)> = Vec::new();
        for (at, row) in rows.iter().enumerate().take(table.after).skip(table.first) {
            let before = at.checked_sub(1).filter(|_| at > table.first).map(|before| &rows[before]);
            if let (Some((line, cells)), Some(before)) = (made.last_mut(), before)
                && let Some(column) = continued(&table.columns, before, row)
            {
                cells[column].push(' ');
                cells[column].push_str(&row.pieces[0].text);
                line.end = line.end.max(row.pieces[0].end);
                continue;
            }
            let mut cells = vec![String::new(); table.columns.len()];
            for piece in &row.pieces {
                piece.text.clone_into(&mut cells[column_of(&table.columns, piece)]);
            }
            let Some(mut line) = lines[row.first].take() else { continue };
            line.end = row.pieces.iter().map(|piece| piece.end).fold(line.end, f32::max);
            line.x = row.pieces.iter().map(|piece| piece.x).fold(line.x, f32::min);
            line.is_row = true;
            made.push((line, cells));
        }
        out.extend(made.into_iter().map(|(line, cells)| Line { text: cells.join("\t"), ..line }));
        number = table.after;
    }
    out
}

/// Returns the column of a cell in `before` that continues in `row`.
fn continued(columns: &[Column], before: &Row, row: &Row) -> Option<usize> {
    let [piece] = row.pieces.as_slice() else { return None };
    let column = column_of(columns, piece);
    let Column { x, end, .. } = *columns.get(column)?;
    let above = before.pieces.iter().find(|above| column_of(columns, above) == column)?;
    let is_close = row.y - before.y < LEADING * row.size;
    let is_text = piece.text.chars().any(char::is_alphabetic) && above.text.chars().any(char::is_alphabetic);
    (column > 0 && is_close && is_text && above.end - above.x > FILLED * (end - x)).then_some(column)
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::lines::tests::glyphs;
    use super::*;
    use proptest::prelude::*;

    /// Returns the lines of a page, with `|` between cells.
    fn found(pieces: &[(&str, f32, f32)]) -> Vec<String> {
        let glyphs: Vec<_> = pieces.iter().flat_map(|(text, x, y)| glyphs(text, *x, *y, 10.0)).collect();
        let mut pages = [Page { lines: lines(&glyphs), height: 800.0, ..Page::default() }];
        find(&mut pages);
        let text = |line: &Line| if line.is_row { line.text.replace('\t', "|") } else { line.text.clone() };
        pages[0].lines.iter().map(text).collect()
    }

    #[test]
    fn empty_cells_are_kept() {
        let pieces = [
            ("Code", 0.0, 20.0),
            ("Expected", 60.0, 20.0),
            ("Actual", 110.0, 20.0),
            ("A-1", 0.0, 40.0),
            ("450", 60.0, 40.0),
            ("A-2", 0.0, 60.0),
            ("156", 110.0, 60.0),
            ("- 24", 110.0, 80.0),
            ("A-3", 0.0, 100.0),
            ("9", 110.0, 100.0),
            ("The whole of it is below this.", 0.0, 120.0),
        ];
        let rows =
            ["Code|Expected|Actual", "A-1|450|", "A-2||156", "||- 24", "A-3||9", "The whole of it is below this."];
        assert_eq!(found(&pieces), rows);
    }

    #[test]
    fn cells_may_continue_below_and_short_cells_do_not_split_columns() {
        let pieces = [
            ("Name", 0.0, 20.0),
            ("Ann", 60.0, 20.0),
            ("Year", 150.0, 20.0),
            ("2020", 200.0, 20.0),
            ("Claim", 0.0, 34.0),
            ("99", 110.0, 34.0),
            ("Make", 150.0, 34.0),
            ("no data", 200.0, 34.0),
            ("at all", 200.0, 46.0),
            ("Mail", 0.0, 60.0),
            ("ann@mail.org", 60.0, 60.0),
            ("Trim", 150.0, 60.0),
            ("small", 200.0, 60.0),
        ];
        assert_eq!(
            found(&pieces),
            ["Name|Ann|Year|2020", "Claim|99|Make|no data at all", "Mail|ann@mail.org|Trim|small"]
        );
    }

    #[test]
    fn text_in_columns_and_lists_are_not_tables() {
        let left = ["The text of this column goes on", "and on until it comes to an", "end that comes rather late."];
        let right =
            ["Another one is beside it, and is", "as long as the first of them is", "so that lines are on a level."];
        let columns: Vec<_> = (0..3)
            .flat_map(|row| [(left[row], 0.0, 12.0 * row as f32), (right[row], 170.0, 12.0 * row as f32)])
            .collect();
        assert!(found(&columns).iter().all(|line| !line.contains('|')));
        let list: Vec<_> =
            (0..3).flat_map(|row| [("1.", 0.0, 12.0 * row as f32), ("an item", 20.0, 12.0 * row as f32)]).collect();
        assert!(found(&list).iter().all(|line| !line.contains('|')));
        let code: Vec<_> =
            (0..3).flat_map(|row| [("7", 0.0, 12.0 * row as f32), ("let x = 1;", 15.0, 12.0 * row as f32)]).collect();
        assert!(found(&code).iter().all(|line| !line.contains('|')));
    }

    proptest! {
        #[test]
        fn no_piece_is_lost(places in prop::collection::vec((0u8..8, 0u8..8), 1..40)) {
            let pieces: Vec<_> = places.iter().map(|(x, y)| ("ab", f32::from(*x) * 25.0, f32::from(*y) * 14.0)).collect();
            let letters = found(&pieces).concat().chars().filter(|c| c.is_alphabetic()).count();
            prop_assert_eq!(letters, 2 * places.len());
        }
    }
}
