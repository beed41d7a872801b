//! Pages whose text is in pictures, and what to do about them.

use super::glyphs::PageGlyphs;

/// A page with fewer glyphs has no text.
const FEW_GLYPHS: usize = 10;
/// The share of a page that pictures of it take.
const PICTURE_SHARE: f64 = 0.5;
/// The share of a page that pictures take, where no page of the document has text.
const ANY_PICTURE: f64 = 0.05;
/// Letters that are drawn as shapes are more shapes than this.
const MANY_SHAPES: usize = 200;

/// What was found out of the pages of a document.
#[derive(Debug, Default)]
pub(super) struct Scans {
    pages: usize,
    with_text: usize,
    /// Pages that are pictures.
    pictures: usize,
    /// Pages that show something, if none has text.
    drawn: usize,
    /// Whether pages that are pictures have some glyphs nevertheless: a stamp, a number.
    has_few: bool,
    known: usize,
    unknown: usize,
}

impl Scans {
    /// Takes account of a page.
    pub(super) fn add(&mut self, page: &PageGlyphs) {
        self.pages += 1;
        self.known += page.drawn;
        self.unknown += page.unknown;
        if page.drawn >= FEW_GLYPHS {
            self.with_text += 1;
        } else if page.picture_share > PICTURE_SHARE {
            self.pictures += 1;
            self.has_few |= page.drawn > 0;
        } else if page.drawn == 0
            && page.unknown == 0
            && (page.picture_share > ANY_PICTURE || page.shapes > MANY_SHAPES)
        {
            self.drawn += 1;
        }
    }

    /// What is missing, and how to get it; `wrong` of the glyphs are certainly not those that are shown.
    pub(super) fn notes(&self, wrong: usize) -> Vec<String> {
        let mut notes = Vec::new();
        let pictures = self.pictures + if self.with_text == 0 { self.drawn } else { 0 };
        if pictures > 0 {
            // `ocrmypdf` refuses documents that have some text unless it is told what to do with it.
            let option = match (self.with_text, self.has_few) {
                (_, true) => "--redo-ocr ",
                (0, false) => "",
                (_, false) => "--skip-text ",
            };
            notes.push(format!(
                "{pictures} of {} pages are pictures without text: run `ocrmypdf {option}in.pdf out.pdf` and index the result",
                self.pages
            ));
        }
        let lost = self.unknown + wrong;
        // Glyphs of annotations are not among those of the page, but some of them may be lost.
        let all = (self.known + self.unknown).max(lost);
        if lost * 5 > all && lost > FEW_GLYPHS {
            let share = lost * 100 / all;
            notes.push(format!(
                "its fonts do not say which characters they show, {share} % of them are lost: run `ocrmypdf --force-ocr in.pdf out.pdf` and index the result"
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{document, show};
    use super::*;
    use crate::pdf::extract;

    const PICTURE: &str = "<< /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 4 >>\nstream\n\0\0\0\0\nendstream";

    fn notes(pages: &[&str], extra: &[&str]) -> Vec<String> {
        extract(&document(pages, "", extra)).unwrap().notes
    }

    #[test]
    fn pages_that_are_pictures_are_named_with_what_to_do() {
        let scan = "q 600 0 0 800 0 0 cm /P Do Q";
        let strips = "q 600 0 0 300 0 0 cm /P Do Q q 600 0 0 300 0 300 cm /P Do Q";
        assert_eq!(
            notes(&[scan, strips], &[PICTURE]),
            ["2 of 2 pages are pictures without text: run `ocrmypdf in.pdf out.pdf` and index the result"]
        );
        let text = show("A page of text", 50, 700, 10);
        assert_eq!(
            notes(&[scan, &text], &[PICTURE]),
            ["1 of 2 pages are pictures without text: run `ocrmypdf --skip-text in.pdf out.pdf` and index the result"]
        );
        let numbered = [scan, "\n", &show("17", 50, 700, 10)].concat();
        let note = notes(&[&numbered], &[PICTURE]).remove(0);
        assert!(note.contains("--redo-ocr"), "{note}");
    }

    #[test]
    fn a_small_picture_counts_where_there_is_no_text_and_in_forms_too() {
        let small = "q 200 0 0 200 0 0 cm /P Do Q";
        assert_eq!(notes(&[small], &[PICTURE]).len(), 1);
        assert!(notes(&[small, &show("A page of text", 50, 700, 10)], &[PICTURE]).is_empty());
        assert!(notes(&[""], &[PICTURE]).is_empty());
        let form = "<< /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /P 101 0 R >> >> /Length 28 >>\nstream\nq 600 0 0 800 0 0 cm /P Do Q\nendstream";
        assert_eq!(notes(&["/P Do"], &[form, PICTURE]).len(), 1);
    }

    #[test]
    fn stamps_without_characters_lose_no_more_than_all() {
        let mut scans = Scans::default();
        scans.add(&PageGlyphs::default());
        let notes = scans.notes(20);
        assert!(notes[0].contains(" 100 % of them are lost"), "{notes:?}");
        scans.add(&PageGlyphs { drawn: 15, ..PageGlyphs::default() });
        assert!(scans.notes(40)[0].contains(" 100 % of them are lost"));
        assert!(Scans::default().notes(0).is_empty());
    }

    #[test]
    fn text_that_fonts_do_not_tell_is_named() {
        let mut scans = Scans::default();
        scans.add(&PageGlyphs { drawn: 60, unknown: 40, ..PageGlyphs::default() });
        let notes = scans.notes(20);
        assert!(notes[0].contains(" 60 % of them are lost: run `ocrmypdf --force-ocr "), "{notes:?}");
        assert!(Scans { unknown: 10, ..scans }.notes(0).is_empty());
    }
}
