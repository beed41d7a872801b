//! Reads PowerPoint 97 to 2003 files ([MS-PPT]), which consist of nested records. The list of slides contains the texts
//! of their outlines. The slides are stored elsewhere in the file. They contain further text boxes, and refer to the
//! texts of their outlines.

use super::little_endian::{number_16, number_32, slice};
use super::pptx::NO_TEXT_ON_SLIDES;
use crate::compound_file::CompoundFile;
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::words::one_line;
use encoding_rs::WINDOWS_1252;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of slides.
const MAX_SLIDES: usize = 2_000;
/// Maximum depth of nested records.
const MAX_DEPTH: usize = 32;
/// Maximum number of objects in all edits.
const MAX_OBJECTS: usize = 2_000_000;
/// Maximum number of edits.
const MAX_EDITS: usize = 10_000;

/// Types of records.
const DOCUMENT: u16 = 0x03E8;
const SLIDE: u16 = 0x03EE;
const SLIDE_ATOM: u16 = 0x03EF;
const NOTES: u16 = 0x03F0;
const SLIDE_PLACE: u16 = 0x03F3;
const SLIDE_SHOW: u16 = 0x03F9;
const OUTLINE_REFERENCE: u16 = 0x0F9E;
const TEXT_KIND: u16 = 0x0F9F;
const WIDE_TEXT: u16 = 0x0FA0;
const NARROW_TEXT: u16 = 0x0FA8;
const SLIDE_LIST: u16 = 0x0FF0;
const EDIT: u16 = 0x0FF5;
const PLACES: u16 = 0x1772;
/// Instances of lists of slides.
const OF_SLIDES: u16 = 0;
const OF_NOTES: u16 = 2;
/// Token in the stream `Current User` of a password-protected file.
const ENCRYPTED: u32 = 0xF3D1_C4DF;
/// Placeholder for the slide number.
const NUMBER_MARK: &str = "*";
/// Flag of a hidden slide.
const IS_HIDDEN: u16 = 4;

/// A record.
#[derive(Clone, Copy)]
struct Record<'b> {
    kind: u16,
    /// Distinguishes records of the same type.
    instance: u16,
    /// Whether the record contains other records.
    is_container: bool,
    body: &'b [u8],
}

/// A text with the type of its box: 0 or 6 for a title, 2 for notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Text {
    kind: u32,
    text: String,
}

/// An entry for a slide or its notes in a list.
#[derive(Default)]
struct Listed {
    place: u32,
    id: u32,
    outline: Vec<Text>,
}

/// Reads a presentation.
pub(super) fn extract(file: &mut CompoundFile<'_>) -> Result<Extracted, ExtractError> {
    let user = file.stream_of_root("Current User")?;
    read(&user, &file.stream_of_root("PowerPoint Document")?)
}

/// Reads the stream with all records. `user` points to the last edit.
fn read(user: &[u8], main: &[u8]) -> Result<Extracted, ExtractError> {
    if number_32(user, 12) == Some(ENCRYPTED) {
        return Err(ExtractError::Encrypted);
    }
    let last_edit = number_32(user, 16).unwrap_or(0);
    let places = places(main, last_edit);
    let document = records(main).find(|record| record.kind == DOCUMENT);
    // The document may have been saved again, so the last edit takes precedence.
    let document = newest_document(main, last_edit, &places).or(document);
    let document = document.ok_or_else(|| ExtractError::Damaged("it has no list of slides".to_owned()))?;
    let list = |which: u16| {
        let found = records(document.body).find(|record| record.kind == SLIDE_LIST && record.instance == which);
        found.map(|list| listed(list.body)).unwrap_or_default()
    };
    let (slides, all_notes) = (list(OF_SLIDES), list(OF_NOTES));
    let record_at = |place: u32, kind: u16| {
        let at = *places.get(&place)? as usize;
        records(main.get(at..)?).next().filter(|record| record.kind == kind)
    };
    let mut writer = DocumentWriter::default();
    let (mut hidden, mut first_title) = (0, String::new());
    for (number, slide) in (1..).zip(&slides).take(MAX_SLIDES) {
        if writer.is_full() {
            break;
        }
        let record = record_at(slide.place, SLIDE);
        if record.is_some_and(is_hidden) {
            hidden += 1;
            continue;
        }
        let (mut texts, mut shown) = (Vec::new(), BTreeSet::new());
        if let Some(record) = record {
            boxes(record.body, &slide.outline, &mut texts, &mut shown, 0);
        }
        let unshown = slide.outline.iter().enumerate().filter(|(number, _)| !shown.contains(number));
        texts.splice(0..0, unshown.map(|(_, text)| text.clone()));
        let at = texts.iter().position(|text| matches!(text.kind, 0 | 6));
        let title = at.map(|at| one_line(&texts.remove(at).text)).unwrap_or_default();
        let colon = if title.is_empty() { "" } else { ": " };
        writer.heading(1, &format!("Slide {number}{colon}{title}"));
        if first_title.is_empty() {
            first_title = title;
        }
        for text in &texts {
            // A slide's body is a list. Other text is not.
            let is_list = matches!(text.kind, 1 | 7 | 8);
            for line in text.text.split('\r').filter(|line| !matches!(line.trim(), "" | NUMBER_MARK)) {
                if is_list { writer.item(0, line) } else { writer.paragraph(line) }
            }
        }
        let notes_id = record.and_then(notes_of).filter(|id| *id != 0);
        let notes = all_notes.iter().find(|notes| Some(notes.id) == notes_id);
        if let Some(record) = notes.and_then(|notes| record_at(notes.place, NOTES)) {
            let (mut texts, mut shown) = (Vec::new(), BTreeSet::new());
            boxes(record.body, &[], &mut texts, &mut shown, 0);
            texts.iter().filter(|text| text.kind == 2).for_each(|text| writer.paragraph(&text.text));
        }
    }
    let mut notes = Vec::new();
    if slides.len() > MAX_SLIDES {
        notes.push(format!("only its first {MAX_SLIDES} of {} slides were read", slides.len()));
    }
    if hidden > 0 {
        notes.push(format!("{hidden} hidden slides were left out"));
    }
    if !slides.is_empty() && first_title.is_empty() && writer.has_headings_alone() {
        notes.push(NO_TEXT_ON_SLIDES.to_owned());
    }
    let mut extracted = writer.finish(notes);
    extracted.title = first_title;
    Ok(extracted)
}

/// Iterates over the records in `bytes`.
fn records(bytes: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (head, kind, length) = (number_16(rest, 0)?, number_16(rest, 2)?, number_32(rest, 4)?);
        let body = slice(rest, 8, length as usize);
        rest = rest.get(8 + body.len()..)?;
        Some(Record { kind, instance: head >> 4, is_container: head & 0xF == 0xF, body })
    })
}

/// Returns the byte position of each separately saved object, by its number. Newer edits take precedence.
fn places(main: &[u8], last_edit: u32) -> BTreeMap<u32, u32> {
    let mut places = BTreeMap::new();
    let mut left = MAX_OBJECTS;
    for edit in edits(main, last_edit) {
        let Some(at) = number_32(edit, 12) else { continue };
        let Some(list) = main.get(at as usize..).and_then(|rest| records(rest).next()) else { continue };
        if list.kind != PLACES {
            continue;
        }
        let mut at = 0;
        while let Some(head) = number_32(list.body, at) {
            let (first, count) = (head & 0xF_FFFF, head >> 20);
            at += 4;
            for number in first..first + count {
                let Some(place) = number_32(list.body, at).filter(|_| left > 0) else { return places };
                left -= 1;
                places.entry(number).or_insert(place);
                at += 4;
            }
        }
    }
    places
}

/// Iterates over the edits of a file, from the last to the first.
fn edits(main: &[u8], last: u32) -> impl Iterator<Item = &[u8]> {
    let mut next = Some(last);
    let mut before = u32::MAX;
    std::iter::from_fn(move || {
        // Positions must decrease, so that the iteration ends.
        let at = next.take().filter(|at| *at < before)?;
        before = at;
        let edit = records(main.get(at as usize..)?).next().filter(|record| record.kind == EDIT)?;
        next = number_32(edit.body, 8).filter(|earlier| *earlier != 0);
        Some(edit.body)
    })
    .take(MAX_EDITS)
}

fn newest_document<'b>(main: &'b [u8], last_edit: u32, places: &BTreeMap<u32, u32>) -> Option<Record<'b>> {
    let number = number_32(edits(main, last_edit).next()?, 16)?;
    let at = *places.get(&number)? as usize;
    records(main.get(at..)?).next().filter(|record| record.kind == DOCUMENT)
}

/// Returns the entries of a list of slides.
fn listed(list: &[u8]) -> Vec<Listed> {
    let mut slides: Vec<Listed> = Vec::new();
    let mut kind = u32::MAX;
    for record in records(list) {
        match (record.kind, slides.last_mut()) {
            (SLIDE_PLACE, _) => slides.push(Listed {
                place: number_32(record.body, 0).unwrap_or(0),
                id: number_32(record.body, 12).unwrap_or(0),
                outline: Vec::new(),
            }),
            (TEXT_KIND, _) => kind = number_32(record.body, 0).unwrap_or(u32::MAX),
            (WIDE_TEXT | NARROW_TEXT, Some(last)) => last.outline.push(Text { kind, text: text(record) }),
            _ => {}
        }
    }
    slides
}

/// Collects the texts of the boxes in `bytes`. A reference to the outline is replaced with its text, and the number of
/// the text is added to `shown`.
fn boxes(bytes: &[u8], outline: &[Text], texts: &mut Vec<Text>, shown: &mut BTreeSet<usize>, depth: usize) {
    let mut kind = u32::MAX;
    for record in records(bytes).take(if depth > MAX_DEPTH { 0 } else { usize::MAX }) {
        match record.kind {
            TEXT_KIND => kind = number_32(record.body, 0).unwrap_or(u32::MAX),
            WIDE_TEXT | NARROW_TEXT => texts.push(Text { kind, text: text(record) }),
            OUTLINE_REFERENCE => {
                let number = number_32(record.body, 0).map_or(usize::MAX, |number| number as usize);
                if let Some(text) = outline.get(number).filter(|_| shown.insert(number)) {
                    texts.push(text.clone());
                }
            }
            _ if record.is_container => boxes(record.body, outline, texts, shown, depth + 1),
            _ => {}
        }
    }
}

fn text(record: Record<'_>) -> String {
    let text = if record.kind == WIDE_TEXT {
        let units = record.body.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect()
    } else {
        WINDOWS_1252.decode_without_bom_handling(record.body).0.into_owned()
    };
    // This is a line break inside a paragraph.
    text.replace('\u{b}', " ")
}

fn is_hidden(slide: Record<'_>) -> bool {
    let show = records(slide.body).find(|record| record.kind == SLIDE_SHOW);
    show.and_then(|show| number_16(show.body, 10)).is_some_and(|flags| flags & IS_HIDDEN != 0)
}

/// Returns the id of a slide's notes.
fn notes_of(slide: Record<'_>) -> Option<u32> {
    let atom = records(slide.body).find(|record| record.kind == SLIDE_ATOM)?;
    number_32(atom.body, 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(kind: u16, instance: u16, is_container: bool, body: &[u8]) -> Vec<u8> {
        let head = (instance << 4) | if is_container { 0xF } else { 0 };
        let length = (body.len() as u32).to_le_bytes();
        [&head.to_le_bytes()[..], &kind.to_le_bytes(), &length, body].concat()
    }

    fn numbers(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn wide(text: &str) -> Vec<u8> {
        record(WIDE_TEXT, 0, false, &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>())
    }

    fn of_kind(kind: u32, text: Vec<u8>) -> Vec<u8> {
        [record(TEXT_KIND, 0, false, &numbers(&[kind])), text].concat()
    }

    /// Returns a presentation with a slide with notes and a hidden slide, and the stream that points to its last edit.
    fn presentation() -> (Vec<u8>, Vec<u8>) {
        let atom = |notes: u32| record(SLIDE_ATOM, 0, false, &numbers(&[0, 0, 0, 0, notes, 0]));
        let outlined = |number: u32| record(0xF00D, 0, true, &record(OUTLINE_REFERENCE, 0, false, &numbers(&[number])));
        let own = record(0xF00D, 0, true, &of_kind(4, record(NARROW_TEXT, 0, false, b"Beside\r*")));
        let shown = record(SLIDE, 0, true, &[atom(7), outlined(1), own, outlined(0)].concat());
        let hidden = record(SLIDE_SHOW, 0, false, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0]);
        let hidden = record(SLIDE, 0, true, &[atom(0), hidden, of_kind(4, wide("gone"))].concat());
        let notes = record(NOTES, 0, true, &of_kind(2, wide("Say hello.")));
        let place = |place: u32, id: u32| record(SLIDE_PLACE, 0, false, &numbers(&[place, 0, 0, id, 0]));
        let outline = [of_kind(0, wide("Fees\u{b}2024")), of_kind(1, wide("One\rTwo"))].concat();
        let slides = record(SLIDE_LIST, OF_SLIDES, true, &[place(2, 256), outline, place(3, 257)].concat());
        let list_of_notes = record(SLIDE_LIST, OF_NOTES, true, &place(4, 7));
        let document = record(DOCUMENT, 0, true, &[slides, list_of_notes].concat());
        let (mut main, mut at) = (Vec::new(), vec![1 | (4 << 20)]);
        for object in [document, shown, hidden, notes] {
            at.push(main.len() as u32);
            main.extend(object);
        }
        let places = main.len() as u32;
        main.extend(record(PLACES, 0, false, &numbers(&at)));
        let edit = main.len() as u32;
        main.extend(record(EDIT, 0, false, &numbers(&[0, 0, 0, places, 1, 0, 0])));
        let user = record(0x0FF6, 0, false, &numbers(&[20, 0xE391_C05F, edit]));
        (user, main)
    }

    #[test]
    fn slides_have_their_outlines_boxes_and_notes() {
        let (user, main) = presentation();
        let extracted = read(&user, &main).unwrap();
        assert_eq!(extracted.text, "# Slide 1: Fees 2024\n\n- One\n- Two\n\nBeside\n\nSay hello.\n");
        assert_eq!((extracted.title.as_str(), extracted.notes.len()), ("Fees 2024", 1));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(changes in prop::collection::vec((0usize..600, any::<u8>()), 0..30), edit: u32) {
            let (mut user, mut main) = presentation();
            for (at, byte) in changes {
                if let Some(place) = main.get_mut(at) {
                    *place = byte;
                }
            }
            let _ = read(&user, &main);
            user[16..20].copy_from_slice(&edit.to_le_bytes());
            let _ = read(&user, &main);
        }
    }
}
