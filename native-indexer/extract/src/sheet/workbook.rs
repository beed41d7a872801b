//! Reads workbooks: all visible sheets, cell by cell.
//!
//! The cells of the newer Excel formats are streamed. A dense table of a sheet with a single cell at its end would
//! exhaust memory.

use super::cell_text::{CellFormats, text_of, text_of_ref};
use super::merged::MergedCells;
use super::rows::{MAX_COLUMNS, MAX_ROWS, RowWriter};
use super::worksheet_scan::WorksheetScan;
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::kinds::DocumentFormat;
use crate::ocr::PictureReader;
use crate::office::{WorksheetParts, are_binary_sheets_known, workbook_properties};
use calamine::{Dimensions, Ods, OdsError, Reader, SheetType, SheetVisible, Xls, XlsError, Xlsb, Xlsx, XlsxError};
use std::io::Cursor;

/// Maximum number of sheets that are read.
const MAX_SHEETS: usize = 500;

type Bytes<'a> = Cursor<&'a [u8]>;

/// Reads a workbook, and has `pictures` read its pictures.
pub(crate) fn extract(
    format: DocumentFormat,
    bytes: &[u8],
    pictures: Option<&dyn PictureReader>,
) -> Result<Extracted, ExtractError> {
    let input = Cursor::new(bytes);
    let mut extracted = match format {
        DocumentFormat::Xlsb => {
            if !are_binary_sheets_known(bytes)? {
                return Err(ExtractError::UnknownSheets);
            }
            cells_of_xlsb(&mut Xlsb::new(input).map_err(damaged)?, WorksheetParts::of_sheets(bytes, pictures)?)
        }
        DocumentFormat::Xls => {
            let mut book = Xls::new(input).map_err(|error| match error {
                XlsError::Password => ExtractError::Encrypted,
                error => damaged(error),
            })?;
            ranges(&mut book, |book, sheet| book.merge_cells_by_sheet_name(sheet).unwrap_or_default())
        }
        DocumentFormat::Ods => {
            let mut book = Ods::new(input).map_err(|error| match error {
                OdsError::Password => ExtractError::Encrypted,
                error => damaged(error),
            })?;
            ranges(&mut book, |_, _| Vec::new())
        }
        _ => {
            let mut book = Xlsx::new(input).map_err(|error| match error {
                XlsxError::Password => ExtractError::Encrypted,
                error => damaged(error),
            })?;
            // A workbook that exceeds the limits of the scan is read without its results.
            let scan = WorksheetScan::of(bytes).unwrap_or_default();
            cells_of_xlsx(&mut book, scan, WorksheetParts::of_sheets(bytes, pictures)?)
        }
    }?;
    if !matches!(format, DocumentFormat::Xls) {
        workbook_properties(bytes, format)?.give(&mut extracted);
    }
    Ok(extracted)
}

fn damaged(error: impl std::fmt::Display) -> ExtractError {
    ExtractError::Damaged(error.to_string())
}

/// The output for a workbook.
#[derive(Default)]
struct Book {
    writer: DocumentWriter,
    notes: Vec<String>,
}

impl Book {
    /// Returns the names of the sheets to read, and adds notes on the others.
    fn sheets<'a, R: Reader<Bytes<'a>>>(&mut self, book: &R) -> Vec<String> {
        let sheets = book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
        let (shown, hidden): (Vec<_>, Vec<_>) = sheets.partition(|sheet| sheet.visible == SheetVisible::Visible);
        if !hidden.is_empty() {
            let are = if hidden.len() == 1 { "hidden sheet was" } else { "hidden sheets were" };
            self.notes.push(format!("{} {are} left out", hidden.len()));
        }
        if shown.len() > MAX_SHEETS {
            self.notes.push(format!("only its first {MAX_SHEETS} of {} sheets were read", shown.len()));
        }
        shown.into_iter().take(MAX_SHEETS).map(|sheet| sheet.name.clone()).collect()
    }

    /// Writes the sheet called `name`. `next` returns its next cell: row and column, starting at 0, and text.
    fn take(
        &mut self,
        name: &str,
        merged: MergedCells,
        mut next: impl FnMut() -> Result<Option<((u32, u32), String)>, ExtractError>,
    ) -> Result<(), ExtractError> {
        let mut cells = Cells::new(self, name, merged);
        while let Some((place, text)) = next()? {
            if !cells.push(place, text) {
                break;
            }
        }
        let notes = cells.finish(name);
        self.notes.extend(notes);
        Ok(())
    }

    /// Writes the other parts of the last sheet, after its cells.
    fn take_parts(&mut self, parts: WorksheetParts) {
        let notes = parts.write(&mut self.writer);
        self.notes.extend(notes);
    }

    /// Writes the remaining `parts`, which belong to sheets without cells: charts.
    fn take_charts(&mut self, parts: Vec<(String, WorksheetParts)>) {
        for (name, parts) in parts.into_iter().filter(|(_, parts)| !parts.is_empty()) {
            self.writer.mark("", "", "");
            self.writer.heading(1, &name);
            self.take_parts(parts);
        }
    }

    fn finish(self) -> Extracted {
        self.writer.finish(self.notes)
    }
}

/// Assembles the cells of a sheet into rows.
struct Cells<'a> {
    rows: RowWriter<'a>,
    number: u32,
    row: Vec<String>,
    merged: MergedCells,
    is_cut: bool,
    has_more_columns: bool,
}

impl<'a> Cells<'a> {
    fn new(book: &'a mut Book, name: &str, merged: MergedCells) -> Self {
        // The mark separates the name of the sheet from the last rows of the previous one.
        book.writer.mark("", "", "");
        book.writer.heading(1, name);
        let (row, is_cut, has_more_columns) = (Vec::new(), false, false);
        Self { rows: RowWriter::new(&mut book.writer), number: 0, row, merged, is_cut, has_more_columns }
    }

    /// Adds the next cell. Returns whether more are accepted.
    fn push(&mut self, (row, column): (u32, u32), text: String) -> bool {
        if row != self.number {
            self.end_row();
            self.number = row;
        }
        let column = column as usize;
        if column >= MAX_COLUMNS {
            self.has_more_columns |= !text.is_empty();
        } else if !text.is_empty() {
            if self.row.len() <= column {
                self.row.resize(column + 1, String::new());
            }
            self.row[column] = text;
        }
        !self.is_cut
    }

    fn end_row(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        if row.is_empty() {
            return;
        }
        self.merged.fill(self.number, &mut row);
        self.is_cut |= !self.rows.push(self.number as usize + 1, row);
    }

    /// Writes the last rows. Returns notes for a report on what was not read.
    fn finish(mut self, name: &str) -> Vec<String> {
        self.end_row();
        self.rows.finish();
        let mut notes = Vec::new();
        if self.is_cut {
            notes.push(format!("only the first {MAX_ROWS} rows of the sheet {name:?} were read"));
        }
        if self.has_more_columns {
            notes.push(format!("only the first {MAX_COLUMNS} columns of the sheet {name:?} were read"));
        }
        notes
    }
}

fn cells_of_xlsx(
    book: &mut Xlsx<Bytes<'_>>,
    scan: WorksheetScan,
    mut parts: Vec<(String, WorksheetParts)>,
) -> Result<Extracted, ExtractError> {
    let mut out = Book::default();
    out.notes.extend(scan.note());
    let mut formats = CellFormats::default();
    for name in out.sheets(book) {
        let merged =
            if scan.has_merged_cells { book.merge_cells_by_sheet_name(&name).unwrap_or_default() } else { Vec::new() };
        let mut reader = book.worksheet_cells_reader(&name).map_err(damaged)?;
        out.take(&name, MergedCells::of(merged), || {
            let Some((cell, style)) = reader.next_cell_with_style_id().map_err(damaged)? else { return Ok(None) };
            let text = formats.text(cell.get_value(), style, reader.styles());
            Ok(Some((cell.get_position(), text)))
        })?;
        if let Some(place) = parts.iter().position(|(sheet, _)| *sheet == name) {
            out.take_parts(parts.remove(place).1);
        }
    }
    out.take_charts(parts);
    Ok(out.finish())
}

fn cells_of_xlsb(book: &mut Xlsb<Bytes<'_>>, parts: Vec<(String, WorksheetParts)>) -> Result<Extracted, ExtractError> {
    let mut out = Book::default();
    for name in out.sheets(book) {
        let mut reader = book.worksheet_cells_reader(&name).map_err(damaged)?;
        out.take(&name, MergedCells::default(), || {
            let cell = reader.next_cell().map_err(damaged)?;
            Ok(cell.map(|cell| (cell.get_position(), text_of_ref(cell.get_value()))))
        })?;
    }
    out.take_charts(parts);
    Ok(out.finish())
}

/// Reads a workbook in a format that the library reads by whole sheets. These files are small, or the limits of the
/// reading process end it.
fn ranges<'a, R: Reader<Bytes<'a>>>(
    book: &mut R,
    merged: impl Fn(&R, &str) -> Vec<Dimensions>,
) -> Result<Extracted, ExtractError>
where
    R::Error: std::fmt::Display,
{
    let mut out = Book::default();
    for name in out.sheets(book) {
        let range = book.worksheet_range(&name).map_err(damaged)?;
        let (top, left) = range.start().unwrap_or_default();
        let mut used = range.used_cells();
        let merged = MergedCells::of(merged(book, &name));
        out.take(&name, merged, || {
            let next = used.next();
            Ok(next.map(|(row, column, value)| ((top + row as u32, left + column as u32), text_of(value))))
        })?;
    }
    Ok(out.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::office::archive;

    /// Returns a workbook with a visible sheet of these `rows`, and a hidden sheet.
    fn xlsx(rows: &str, after: &str) -> Vec<u8> {
        archive(&[
            ("[Content_Types].xml", r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#),
            (
                "_rels/.rels",
                r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
            ),
            (
                "xl/workbook.xml",
                r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Accepted Values" sheetId="1" r:id="r1"/><sheet name="Secret" sheetId="2" state="hidden" r:id="r1"/></sheets></workbook>"#,
            ),
            (
                "xl/_rels/workbook.xml.rels",
                r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#,
            ),
            (
                "xl/styles.xml",
                r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#,
            ),
            (
                "xl/worksheets/sheet1.xml",
                &format!(
                    r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData>{after}</worksheet>"#
                ),
            ),
        ])
    }

    fn text(place: &str, text: &str) -> String {
        format!(r#"<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>"#)
    }

    #[test]
    fn sheets_are_rows_with_dates_and_merged_cells() {
        let rows = format!(
            r#"<row r="1">{}{}{}</row><row r="2">{}{}<c r="C2" s="1"><v>46082</v></c></row><row r="3"><c r="A3"/>{}<c r="C3"><v>0.30000000000000004</v></c></row>"#,
            text("A1", "Region"),
            text("B1", "Value"),
            text("C1", "Since"),
            text("A2", "North"),
            text("B2", "x"),
            text("B3", "y"),
        );
        let bytes = xlsx(&rows, r#"<mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>"#);
        let extracted = extract(DocumentFormat::Xlsx, &bytes, None).unwrap();
        assert_eq!(
            extracted.text,
            "# Accepted Values\n\n| Region | Value | Since |\n| --- | --- | --- |\n| North | x | 2026-03-01 |\n| North | y | 0.3 |\n"
        );
        assert_eq!(extracted.notes, ["1 hidden sheet was left out"]);
        assert_eq!(
            (extracted.marks[1].label.as_str(), extracted.marks[1].context.as_str()),
            ("rows 1–3", "Region, Value, Since")
        );
    }

    #[test]
    fn merged_cells_are_read_across_and_down_in_headers_too() {
        let rows = format!(
            r#"<row r="1">{}{}<c r="C1"/>{}</row><row r="2"><c r="A2"/>{}{}{}</row><row r="3">{}<c r="B3"><v>11</v></c>{}<c r="D3"/></row><row r="4"><c r="A4"/><c r="B4"><v>21</v></c><c r="C4"/></row>"#,
            text("A1", "Region"),
            text("B1", "Year 2024"),
            text("D1", "Year 2025"),
            text("B2", "Spring"),
            text("C2", "Autumn"),
            text("D2", "Winter"),
            text("A3", "Northland"),
            text("C3", "closed"),
        );
        let merged = r#"<mergeCells><mergeCell ref="B1:C1"/><mergeCell ref="A1:A2"/><mergeCell ref="A3:A4"/><mergeCell ref="C3:D4"/></mergeCells>"#;
        let extracted = extract(DocumentFormat::Xlsx, &xlsx(&rows, merged), None).unwrap();
        assert_eq!(
            extracted.text,
            "# Accepted Values\n\n| Region | Year 2024 | Year 2024 | Year 2025 |\n\n| Region | Spring | Autumn | Winter |\n| --- | --- | --- | --- |\n| Northland | 11 | closed | closed |\n| Northland | 21 | closed | closed |\n"
        );
    }

    #[test]
    fn merging_all_of_a_sheet_makes_no_rows() {
        let rows = format!(r#"<row r="1">{}</row><row r="2"><c r="A2"/></row>"#, text("A1", "near"));
        let merged = r#"<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>"#;
        let extracted = extract(DocumentFormat::Xlsx, &xlsx(&rows, merged), None).unwrap();
        assert_eq!(extracted.text, "# Accepted Values\n\n| near |\n");
    }

    #[test]
    fn two_cells_far_apart_are_two_cells() {
        let rows =
            format!(r#"<row r="1">{}</row><row r="1048576">{}</row>"#, text("A1", "near"), text("XFD1048576", "far"));
        let extracted = extract(DocumentFormat::Xlsx, &xlsx(&rows, ""), None).unwrap();
        assert_eq!(extracted.text, "# Accepted Values\n\n| near |\n");
        assert!(extracted.notes.iter().any(|note| note.contains("first 1000 columns")), "{:?}", extracted.notes);
    }

    #[test]
    fn the_name_of_a_sheet_is_at_no_row_of_the_sheet_before() {
        let mut book = Book::default();
        for name in ["Stacked", "Years"] {
            let mut cells = vec![((1, 0), "b".to_owned()), ((0, 0), "a".to_owned())];
            book.take(name, MergedCells::default(), || Ok(cells.pop())).unwrap();
        }
        let extracted = book.finish();
        let marks = extracted.marks.iter();
        let places: Vec<_> = marks.map(|mark| (&extracted.text[mark.at..][..3], mark.label.as_str())).collect();
        assert_eq!(places, [("# S", ""), ("| a", "rows 1–2"), ("# Y", ""), ("| a", "rows 1–2")]);
    }

    #[test]
    fn what_is_no_workbook_is_damaged() {
        for format in [DocumentFormat::Xlsx, DocumentFormat::Xlsb, DocumentFormat::Xls, DocumentFormat::Ods] {
            assert!(
                matches!(extract(format, b"PK\x03\x04 nothing", None), Err(ExtractError::Damaged(_))),
                "{format:?}"
            );
        }
    }
}
