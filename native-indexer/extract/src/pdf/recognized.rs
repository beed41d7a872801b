//! Reads pages without text by OCR: renders them as pictures, and converts the result to lines.

use super::glyphs::Document;
use super::lines::Line;
use super::page::Page;
use super::rendering;
use super::scans::Scans;
use crate::ocr::{Picture, PictureReader};

/// Maximum number of pages to render before they are read in parallel.
const MAX_PICTURES: usize = 16;
/// When rendered pictures reach this size in bytes, they are read before another picture is rendered.
const MAX_PICTURE_BYTES: usize = 64 << 20;
/// Font size of lines in a document without other lines, in points.
const USUAL_SIZE: f32 = 10.0;
/// Distance between lines, in multiples of the font size.
const LEADING: f32 = 1.2;
/// Width of a character, in multiples of the font size.
const CHARACTER: f32 = 0.5;

/// Reads the pages that `scans` found without text with `pictures`. Returns notes for a report, about pages that were
/// not read.
pub(super) fn read(
    document: &Document,
    pages: &mut [Page],
    scans: &Scans,
    pictures: &dyn PictureReader,
) -> Vec<String> {
    let unread = scans.unread();
    let size = usual_size(pages);
    let mut failures: Vec<(usize, String)> = Vec::new();
    let (mut read, mut is_limited) = (0, false);
    let mut waiting = unread.iter().copied().peekable();
    while waiting.peek().is_some() && !is_limited {
        let mut drawn: Vec<(usize, Picture)> = Vec::new();
        while drawn.len() < MAX_PICTURES
            && drawn.iter().map(|(_, picture)| picture.bytes.len()).sum::<usize>() < MAX_PICTURE_BYTES
        {
            let Some(number) = waiting.next() else { break };
            let Some(page) = document.page(number) else { continue };
            match rendering::picture(page, scans.dpi(number)) {
                Ok(picture) => drawn.push((number, picture)),
                Err(problem) => failures.push((number, problem)),
            }
        }
        let (numbers, drawn): (Vec<usize>, Vec<Picture>) = drawn.into_iter().unzip();
        if numbers.is_empty() {
            continue;
        }
        let texts = pictures.read(drawn);
        is_limited = texts.len() < numbers.len();
        read += texts.len();
        for (number, text) in numbers.into_iter().zip(texts) {
            match text {
                Ok(text) => {
                    let lines = lines(&text, size);
                    if !scans.keeps_text(number) && !lines.is_empty() {
                        pages[number].lines.clear();
                    }
                    pages[number].lines.extend(lines);
                    pages[number].is_recognized = true;
                }
                Err(problem) => failures.push((number, problem)),
            }
        }
    }
    failures.sort_unstable();
    notes(&failures, unread.len(), read, is_limited)
}

fn notes(failures: &[(usize, String)], unread: usize, read: usize, is_limited: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some((number, problem)) = failures.first() {
        let more = match failures.len() {
            1 => String::new(),
            pages => format!(", and {} more", pages - 1),
        };
        notes.push(format!("page {} could not be read by OCR: {problem}{more}", number + 1));
    }
    if is_limited {
        notes.push(format!("OCR read {read} of its {unread} pages without text: raise `pages` in [ocr]"));
    }
    notes
}

/// Returns the median font size of lines on `pages`, because larger lines would become headings.
fn usual_size(pages: &[Page]) -> f32 {
    let mut sizes: Vec<f32> = pages.iter().flat_map(|page| &page.lines).map(|line| line.size).collect();
    sizes.sort_by(f32::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(USUAL_SIZE)
}

/// Returns the lines of `text` with positions below each other. Empty lines become gaps, which separate paragraphs.
fn lines(text: &str, size: f32) -> Vec<Line> {
    let mut lines = Vec::new();
    for (number, text) in text.lines().enumerate() {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            continue;
        }
        lines.push(Line {
            x: 0.0,
            end: text.chars().count() as f32 * CHARACTER * size,
            y: (number + 1) as f32 * LEADING * size,
            size,
            is_bold: false,
            is_artifact: false,
            turn: 0,
            content: None,
            is_right_to_left: false,
            pieces: Vec::new(),
            is_row: false,
            text,
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{document, extract_with as extract, show};
    use super::*;
    use crate::ocr::{HOW_TO_READ_PICTURES, Recognized};
    use std::cell::RefCell;

    const PICTURE: &str = "<< /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 4 >>\nstream\n\0\0\0\0\nendstream";
    const SCAN: &str = "q 600 0 0 800 0 0 cm /P Do Q";

    /// Returns the next text for each picture, and keeps the pictures.
    struct Texts {
        texts: RefCell<Vec<Recognized>>,
        pictures: RefCell<Vec<Picture>>,
    }

    impl Texts {
        fn new(texts: &[Result<&str, &str>]) -> Self {
            let owned = texts.iter().rev().map(|text| text.map(str::to_owned).map_err(str::to_owned)).collect();
            Self { texts: RefCell::new(owned), pictures: RefCell::default() }
        }
    }

    impl PictureReader for Texts {
        fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized> {
            let texts = pictures.iter().map_while(|_| self.texts.borrow_mut().pop()).collect();
            self.pictures.borrow_mut().extend(pictures);
            texts
        }
    }

    #[test]
    fn scanned_pages_are_read_in_their_place_and_say_so() {
        let typed = show("A typed page of text.", 50, 700, 10);
        let texts = Texts::new(&[Ok("A scanned para-\ngraph of two lines.\n\nAnother.\n\x0c"), Ok("The end.\n")]);
        let bytes = document(&[SCAN, &typed, SCAN], "", &[PICTURE]);
        let extracted = extract(&bytes, Some(&texts)).unwrap();
        assert_eq!(
            extracted.text,
            "A scanned paragraph of two lines.\n\nAnother.\n\nA typed page of text.\n\nThe end.\n"
        );
        let marks: Vec<_> = extracted.marks.iter().map(|mark| (mark.anchor.as_str(), mark.label.as_str())).collect();
        assert_eq!(marks, [("page=1", "p. 1 (read by OCR)"), ("page=2", ""), ("page=3", "p. 3 (read by OCR)")]);
        assert!(extracted.notes.is_empty() && extracted.headings.is_empty(), "{extracted:?}");
        let pictures = texts.pictures.borrow();
        // Black pixels of a 2 × 2 picture, enlarged to the minimum resolution for OCR.
        assert_eq!((pictures.len(), pictures[0].dpi), (2, 100));
        assert!(pictures[0].bytes.starts_with(b"P5\n833 1111\n255\n\0\0\0"));
    }

    #[test]
    fn a_picture_with_few_words_beside_it_keeps_them() {
        let stamped = [SCAN, "\n", &show("Filed on May 2 2024, page 1 of 9", 50, 780, 8)].concat();
        let extracted =
            extract(&document(&[&stamped], "", &[PICTURE]), Some(&Texts::new(&[Ok("The order.")]))).unwrap();
        assert!(
            extracted.text.contains("Filed on May 2") && extracted.text.contains("The order."),
            "{}",
            extracted.text
        );
        assert!(extract(&document(&[&stamped], "", &[PICTURE]), None).unwrap().notes.is_empty());
    }

    #[test]
    fn text_that_makes_no_words_is_replaced() {
        let garbled = "Hyhubrqh lv shuplwwhg wr frsb dqg glvwulexwh yhuedwlp frslhv ri wklv olfhqvh grfxphqw ";
        let page: String = (0..6).map(|line| show(garbled, 50, 700 - 12 * line, 10)).collect();
        let bytes = document(&[&page], "", &["<< >>"]);
        let extracted = extract(&bytes, Some(&Texts::new(&[Ok("Everyone is permitted.")]))).unwrap();
        assert_eq!(extracted.text, "Everyone is permitted.\n");
        let notes = extract(&bytes, None).unwrap().notes;
        assert_eq!(notes, [format!("the text of 1 of 1 pages is not made of words: {HOW_TO_READ_PICTURES}")]);
    }

    #[test]
    fn pages_that_fail_and_pages_beyond_the_limit_are_named() {
        let bytes = document(&[SCAN, SCAN, SCAN, SCAN], "", &[PICTURE]);
        let extracted = extract(&bytes, Some(&Texts::new(&[Ok("One."), Err("it hangs"), Err("it hangs")]))).unwrap();
        assert_eq!(extracted.text, "One.\n");
        assert_eq!(
            extracted.notes,
            [
                "page 2 could not be read by OCR: it hangs, and 1 more".to_owned(),
                "OCR read 3 of its 4 pages without text: raise `pages` in [ocr]".to_owned(),
            ]
        );
    }
}
