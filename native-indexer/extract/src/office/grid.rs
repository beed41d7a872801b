//! Tables with merged cells. The text of a cell is repeated in each column and row that it covers, so that each row is
//! complete, for example with its year.

/// Maximum number of cells in a row.
const MAX_CELLS: usize = 1_000;
/// Maximum number of columns that a cell covers. Word allows 63.
const MAX_COLUMNS: usize = 100;
/// Maximum length in bytes of a text that is repeated. A longer text is not a label, and is written once.
const MAX_COPIED_BYTES: usize = 200;

/// A cell as stored in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub text: String,
    /// Number of columns that the cell covers.
    pub columns: usize,
    pub part: Part,
}

/// Which part of a merged cell a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The first part, or a cell that is not merged.
    First,
    /// Covered by the cell on its left.
    Right,
    /// Covered by the cell above.
    Below,
}

/// The state of a table's columns while its rows are read.
#[derive(Debug, Default)]
pub(super) struct Grid {
    /// Texts in the previous row, by column.
    above: Vec<String>,
}

impl Grid {
    /// Returns the texts of the next row by column, or nothing if all its cells are empty.
    pub(super) fn row(&mut self, cells: Vec<Cell>) -> Vec<String> {
        // A cell that spans the whole width is a title, which is written once.
        let is_title = cells.iter().filter(|cell| cell.part != Part::Right).count() == 1;
        let is_empty = cells.iter().all(|cell| cell.text.trim().is_empty());
        let mut row: Vec<String> = Vec::new();
        for cell in cells {
            let is_blank = cell.text.trim().is_empty();
            let at = row.len();
            match cell.part {
                Part::First if is_title || is_blank || cell.text.len() > MAX_COPIED_BYTES => {
                    let others = columns(&cell) - 1;
                    row.push(cell.text);
                    row.resize(at + 1 + others, String::new());
                }
                Part::First => row.resize(at + columns(&cell), cell.text),
                // Some programs write text into covered cells.
                _ if !is_blank => row.push(cell.text),
                Part::Right => {
                    let left = row.last().filter(|left| !is_title && left.len() <= MAX_COPIED_BYTES);
                    row.push(left.cloned().unwrap_or_default());
                }
                Part::Below => {
                    let covered = at..at + columns(&cell);
                    row.extend(covered.map(|column| self.above.get(column).cloned().unwrap_or_default()));
                }
            }
            if row.len() >= MAX_CELLS {
                row.truncate(MAX_CELLS);
                break;
            }
        }
        let is_label = |text: &String| text.len() <= MAX_COPIED_BYTES;
        self.above = row.iter().map(|text| if is_label(text) { text.clone() } else { String::new() }).collect();
        if is_empty { Vec::new() } else { row }
    }
}

fn columns(cell: &Cell) -> usize {
    cell.columns.clamp(1, MAX_COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a row in a short notation: a cell is its text, `text*2` covers two columns, and `<` and `^` are covered.
    fn row(grid: &mut Grid, notation: &str) -> String {
        let cell = |cell: &str| {
            let part = match cell {
                "<" => Part::Right,
                "^" => Part::Below,
                _ => Part::First,
            };
            let (text, columns) =
                cell.split_once('*').map_or((cell, 1), |(text, count)| (text, count.parse().unwrap()));
            Cell { text: text.trim_matches(['<', '^']).to_owned(), columns, part }
        };
        grid.row(notation.split(' ').map(cell).collect()).join(",")
    }

    #[test]
    fn merged_cells_are_repeated_in_all_places_that_they_cover() {
        let mut grid = Grid::default();
        assert_eq!(row(&mut grid, "Region Year*2 Other"), "Region,Year,Year,Other");
        assert_eq!(row(&mut grid, "^ Spring Autumn x"), "Region,Spring,Autumn,x");
        assert_eq!(row(&mut grid, "North 1 2"), "North,1,2");
        assert_eq!(row(&mut grid, "^ 3 4"), "North,3,4");
        assert_eq!(row(&mut grid, "South < 4"), "South,South,4");
        assert_eq!(row(&mut grid, "^ ^ 5"), "South,South,5");
        assert_eq!(row(&mut grid, "^ ^ ^"), "");
        assert_eq!(row(&mut grid, "Title*3"), "Title,,");
    }

    #[test]
    fn long_texts_are_not_repeated_and_columns_are_limited() {
        let mut grid = Grid::default();
        let long = "long".repeat(100);
        assert_eq!(row(&mut grid, &format!("{long}*2 x")), format!("{long},,x"));
        assert_eq!(row(&mut grid, "^ ^ y"), ",,y");
        let wide = grid.row(vec![Cell { text: "a".into(), columns: usize::MAX, part: Part::First }; 500]);
        assert_eq!(wide.len(), MAX_CELLS);
    }
}
