//! Reads PDF: converts positioned glyphs to text with headings and pages.
//!
//! A PDF contains the positions of glyphs and little more. Glyphs become lines, mostly in the producer's order. Lines
//! that repeat from page to page are removed. Lines become paragraphs. Headings come from the outline, or else from the
//! tags, or else from the font size.

mod actual_text;
mod annotations;
mod appearance;
mod attachments;
mod contents;
mod filled_in;
mod form_fields;
mod furniture;
mod glyph;
mod glyphs;
mod headings;
mod hyphens;
mod lines;
mod nonsense;
mod objects;
mod outline;
mod page;
mod paragraphs;
mod reading_order;
mod recognized;
mod rendering;
mod right_to_left;
mod scans;
mod spacing;
mod structure_tree;
mod table_titles;
mod tables;
mod typed;
mod unicode;
mod xfa;

#[cfg(test)]
mod fixtures;

use super::document_writer::DocumentWriter;
use crate::attached::PartReader;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::ocr::PictureReader;
use glyphs::{Document, PageReader};
use hyphens::Words;
use page::Page;
use scans::Scans;

#[cfg(test)]
pub(super) use fixtures::pdf as fixture;

/// Maximum number of pages to read.
const MAX_PAGES: usize = 5_000;

/// Reads a document. `parts` reads attached files, and `pictures`, if given, reads pages without text.
pub(super) fn extract(
    bytes: &[u8],
    parts: PartReader<'_>,
    pictures: Option<&dyn PictureReader>,
) -> Result<Extracted, ExtractError> {
    let document = Document::open(bytes)?;
    let count = document.pages();
    let tagged = document.tagged_headings();
    let mut reader = PageReader::new(&document);
    let mut pages = Vec::new();
    let mut scans = Scans::default();
    let mut is_filled_in = false;
    let mut attachments = document.attachments(&mut reader.attached);
    for number in 0..count.min(MAX_PAGES) {
        let found = reader.page(number);
        let lines = reading_order::arrange(lines::lines(&found.glyphs));
        scans.add(&found, nonsense::makes_no_words(&lines));
        is_filled_in |= found.is_filled_in;
        attachments.extend(found.files);
        let mut page = Page { lines, height: found.height, ..Page::default() };
        page.add_comments(found.comments);
        pages.push(page);
    }
    let mut notes = Vec::new();
    if count > MAX_PAGES {
        notes.push(format!("only its first {MAX_PAGES} of {count} pages were read"));
    }
    scans.judge(reader.wrong_guesses());
    notes.extend(match pictures {
        Some(pictures) => recognized::read(&document, &mut pages, &scans, pictures),
        None => scans.notes(),
    });
    if reader.is_cut() {
        notes.push("only the beginning of the text in its fields and comments was read".to_owned());
    }
    if document.is_shown_by_its_maker_alone() {
        notes.push("it is an XFA form, which only Adobe's viewers show: print it to another PDF there".to_owned());
    }
    let properties = document.properties();
    let words = Words::of(&pages);
    let title = headings::title(&properties.title, &pages, &words);
    furniture::take_out(&mut pages);
    contents::take_out(&mut pages);
    tables::find(&mut pages);
    let mut headings = headings::find(&pages, &document.outline(), &tagged, &title, &words);
    table_titles::add(&pages, &mut headings, &words);
    let labels = document.page_labels(pages.len());
    let mut writer = DocumentWriter::default();
    paragraphs::write(&pages, &headings, &labels, &words, &mut writer);
    if !is_filled_in {
        document.form_values().iter().for_each(|field| writer.row(field));
    }
    notes.extend(attachments::write(attachments, parts, &mut writer));
    let mut extracted = writer.finish(notes);
    extracted.title = title;
    extracted.date = properties.date;
    extracted.language = properties.language;
    Ok(extracted)
}
