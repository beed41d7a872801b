//! Reads rows of values: workbooks and delimited text.

mod cell_text;
mod clock;
mod columns;
mod delimited;
mod header;
mod merged;
mod periods;
mod rows;
mod workbook;
mod worksheet_scan;

pub(super) use delimited::extract as delimited;
pub(super) use workbook::extract as workbook;
