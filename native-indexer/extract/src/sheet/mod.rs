//! Rows of values: workbooks and delimited text.

mod delimited;
mod header;
mod merged;
mod rows;
mod workbook;

pub(super) use delimited::extract as delimited;
pub(super) use workbook::extract as workbook;
