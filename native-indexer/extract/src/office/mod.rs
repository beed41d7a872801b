//! Reads documents that are archives of XML: Word, PowerPoint, OpenDocument and EPUB. Also reads the older formats of
//! Word and PowerPoint.

mod alt_text;
mod binary_sheets;
mod chapter_pictures;
mod chart;
mod code_pages;
mod docx;
mod epub;
mod fields;
mod figures;
mod grid;
mod little_endian;
mod numbering;
mod old_office;
mod old_slides;
mod old_word;
mod old_word_paragraphs;
mod open_document;
mod open_document_heads;
mod package;
mod pictures;
mod pptx;
mod properties;
mod remarks;
mod running_heads;
mod script_runs;
mod story;
mod styles;
mod taken_in;
mod worksheet_parts;
mod xml;

#[cfg(test)]
mod fixtures;

use super::kinds::DocumentFormat;
use crate::error::ExtractError;
pub(super) use binary_sheets::are_known as are_binary_sheets_known;
pub(super) use package::Package;
pub(super) use properties::{Properties, honest_title};

#[cfg(test)]
pub(super) use docx::extract as docx;
pub(super) use docx::extract_with as docx_with;
pub(super) use epub::extract as epub;
#[cfg(test)]
pub(super) use fixtures::{archive, docx as docx_fixture, docx_bytes};
pub(super) use numbering::roman;
pub(super) use old_office::extract as old_office;
pub(super) use open_document::extract as open_document;
#[cfg(test)]
pub(super) use pptx::extract as pptx;
pub(super) use pptx::extract_with as pptx_with_pictures;
pub(super) use worksheet_parts::WorksheetParts;
pub(crate) use xml::parse as parse_xml;

/// Returns the metadata of a workbook.
pub(super) fn workbook_properties(bytes: &[u8], format: DocumentFormat) -> Result<Properties, ExtractError> {
    let mut package = Package::open(bytes)?;
    match format {
        DocumentFormat::Ods => Properties::read(&mut package, "meta.xml"),
        _ => Properties::of_office(&mut package),
    }
}
