//! Recognizes pages without readable text: pictures, and glyphs with unknown or wrong characters.

use super::glyphs::PageGlyphs;
use crate::ocr::HOW_TO_READ_PICTURES;

/// Minimum number of glyphs on a page with text.
const FEW_GLYPHS: usize = 10;
/// Minimum share of a page that pictures must cover if the page is a scan.
const PICTURE_SHARE: f64 = 0.5;
/// Minimum share of a page that pictures must cover if no page in the document contains text.
const ANY_PICTURE: f64 = 0.05;
/// Maximum number of shapes on a page without letters drawn as shapes.
const MANY_SHAPES: usize = 200;
/// Minimum share of a page that a scan must cover if a program added a stamp or a number to it.
const STAMPED_SHARE: f64 = 0.9;
/// A stamp contains fewer glyphs than this.
const STAMP_GLYPHS: usize = 200;
/// A text is lost if more than one in this many glyphs is lost.
const LOST_OF: usize = 5;

/// The state of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Read,
    /// The page is a picture.
    Picture,
    /// The page shows pictures or shapes, which count if no page in the document contains text.
    Drawn,
    /// The page is a picture with a few words, which are readable without OCR.
    Stamped,
    /// The page's fonts do not declare the characters of glyphs.
    Lost,
    /// The page's letters do not form words.
    Nonsense,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    state: State,
    known: usize,
    unknown: usize,
    guessed: usize,
    dpi: f64,
}

/// The states of the pages of a document.
#[derive(Debug, Default)]
pub(super) struct Scans {
    pages: Vec<Seen>,
    with_text: usize,
    /// Number of glyphs on pages and in annotations with certainly wrong characters.
    wrong: usize,
}

impl Scans {
    /// Adds a page. `is_nonsense` means that its letters do not form words.
    pub(super) fn add(&mut self, page: &PageGlyphs, is_nonsense: bool) {
        let state = if page.drawn >= FEW_GLYPHS {
            self.with_text += 1;
            match () {
                () if is_lost(page.unknown, page.drawn + page.unknown) => State::Lost,
                () if is_nonsense => State::Nonsense,
                () if page.drawn < STAMP_GLYPHS && page.picture_share > STAMPED_SHARE => State::Stamped,
                () => State::Read,
            }
        } else if is_lost(page.unknown, page.drawn + page.unknown) {
            State::Lost
        } else if page.picture_share > PICTURE_SHARE {
            State::Picture
        } else if page.drawn == 0 && (page.unknown > 0 || page.picture_share > ANY_PICTURE || page.shapes > MANY_SHAPES)
        {
            State::Drawn
        } else {
            State::Read
        };
        let (known, unknown, guessed) = (page.drawn, page.unknown, page.guessed);
        // Glyphs are sharp at any resolution, so the resolution of a picture on the same page does not matter.
        let dpi = if state == State::Lost || state == State::Nonsense { 0.0 } else { page.dpi };
        self.pages.push(Seen { state, known, unknown, guessed, dpi });
    }

    /// Updates the states of pages with information about the whole document. `wrong` is its number of glyphs with
    /// certainly wrong characters.
    pub(super) fn judge(&mut self, wrong: usize) {
        self.wrong = wrong;
        for page in &mut self.pages {
            match page.state {
                State::Drawn if self.with_text > 0 => page.state = State::Read,
                State::Read if wrong > 0 && is_lost(page.guessed, page.known) => {
                    (page.state, page.dpi) = (State::Lost, 0.0);
                }
                _ => {}
            }
        }
    }

    /// Returns the numbers of the pages for OCR, starting at 0.
    pub(super) fn unread(&self) -> Vec<usize> {
        let all = self.pages.iter().enumerate();
        all.filter(|(_, page)| page.state != State::Read).map(|(number, _)| number).collect()
    }

    /// Returns the resolution of the scan on a page in pixels per inch, or 0 if the page consists of glyphs.
    pub(super) fn dpi(&self, number: usize) -> f64 {
        self.pages.get(number).map_or(0.0, |page| page.dpi)
    }

    /// Whether the text of a page without OCR is correct, so that it is kept.
    pub(super) fn keeps_text(&self, number: usize) -> bool {
        self.pages.get(number).is_some_and(|page| page.state == State::Stamped)
    }

    /// Returns notes for a report, about text that is missing without OCR, and about how to get it.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let all = self.pages.len();
        let count = |states: &[State]| self.pages.iter().filter(|page| states.contains(&page.state)).count();
        let pictures = count(&[State::Picture, State::Drawn]);
        if pictures > 0 {
            notes.push(format!("{pictures} of {all} pages are pictures without text: {HOW_TO_READ_PICTURES}"));
        }
        let sum = |of: fn(&Seen) -> usize| self.pages.iter().map(of).sum::<usize>();
        let lost = sum(|page| page.unknown) + self.wrong;
        // Annotation glyphs do not count as page glyphs, but may be lost too.
        let glyphs = sum(|page| page.known + page.unknown).max(lost);
        if is_lost(lost, glyphs) {
            let share = lost * 100 / glyphs;
            notes.push(format!(
                "its fonts do not say which characters they show, so {share} % of them are lost: {HOW_TO_READ_PICTURES}"
            ));
        }
        let nonsense = count(&[State::Nonsense]);
        if nonsense > 0 {
            notes.push(format!("the text of {nonsense} of {all} pages is not made of words: {HOW_TO_READ_PICTURES}"));
        }
        notes
    }
}

/// Whether the text of `all` glyphs is useless because `lost` of them are lost.
const fn is_lost(lost: usize, all: usize) -> bool {
    lost * LOST_OF > all && lost > FEW_GLYPHS
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{document, extract, show};
    use super::*;

    const PICTURE: &str = "<< /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 4 >>\nstream\n\0\0\0\0\nendstream";

    fn notes(pages: &[&str], extra: &[&str]) -> Vec<String> {
        extract(&document(pages, "", extra)).unwrap().notes
    }

    #[test]
    fn pages_that_are_pictures_are_named_with_what_to_do() {
        let scan = "q 600 0 0 800 0 0 cm /P Do Q";
        let strips = "q 600 0 0 300 0 0 cm /P Do Q q 600 0 0 300 0 300 cm /P Do Q";
        let note = |pictures: usize| format!("{pictures} of 2 pages are pictures without text: {HOW_TO_READ_PICTURES}");
        assert_eq!(notes(&[scan, strips], &[PICTURE]), [note(2)]);
        let text = show("A page of text", 50, 700, 10);
        assert_eq!(notes(&[scan, &text], &[PICTURE]), [note(1)]);
        let numbered = [scan, "\n", &show("17", 50, 700, 10)].concat();
        assert_eq!(notes(&[&numbered, &text], &[PICTURE]), [note(1)]);
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

    fn judged(pages: &[PageGlyphs], wrong: usize) -> Scans {
        let mut scans = Scans::default();
        pages.iter().for_each(|page| scans.add(page, false));
        scans.judge(wrong);
        scans
    }

    #[test]
    fn stamps_without_characters_lose_no_more_than_all() {
        let notes = judged(&[PageGlyphs::default()], 20).notes();
        assert!(notes[0].contains(" 100 % of them are lost"), "{notes:?}");
        let scans = judged(&[PageGlyphs::default(), PageGlyphs { drawn: 15, ..PageGlyphs::default() }], 40);
        assert!(scans.notes()[0].contains(" 100 % of them are lost"));
        assert!(Scans::default().notes().is_empty());
    }

    #[test]
    fn text_that_fonts_do_not_tell_is_named_and_can_be_read() {
        let page = PageGlyphs { drawn: 60, unknown: 40, ..PageGlyphs::default() };
        let scans = judged(&[page], 20);
        let notes = scans.notes();
        assert!(notes[0].contains(&format!(" 60 % of them are lost: {HOW_TO_READ_PICTURES}")), "{notes:?}");
        assert_eq!(scans.unread(), [0]);
        let guessed = PageGlyphs { drawn: 60, guessed: 30, ..PageGlyphs::default() };
        let right = PageGlyphs { drawn: 60, guessed: 3, ..PageGlyphs::default() };
        assert_eq!(judged(&[guessed, right], 33).unread(), [0]);
        assert!(judged(&[PageGlyphs { drawn: 60, unknown: 10, ..PageGlyphs::default() }], 0).notes().is_empty());
    }
}
