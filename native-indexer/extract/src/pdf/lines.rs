//! Assembles glyphs into lines of text.
//!
//! Producers write related text in succession, including columns. A line continues as long as glyphs follow on its
//! baseline. The order of lines is kept.

use super::glyph::Glyph;
use super::right_to_left;
use super::spacing::{COLUMN, PIECE, SPACE, gap, space_width};
use unicode_normalization::UnicodeNormalization as _;

/// Maximum distance of a glyph from its line's baseline, in multiples of the font size, for subscripts and
/// superscripts.
const OFF_BASELINE: f32 = 0.35;
/// Minimum gap that is a space before a glyph with an explicit position, such as a word or a number on an axis.
const PLACED_SPACE: f32 = 0.1;
/// Minimum gap that is a space between punctuation and a letter. Tightly justified lines have narrow spaces.
const SPACE_AFTER_SIGN: f32 = 0.08;
/// Maximum overlap of a glyph with the previous one, because of kerning or accents.
const BACK: f32 = 0.6;

/// A line of text in reading order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// Words separated by spaces, and cells separated by tabs.
    pub text: String,
    /// Start and end along the line's direction.
    pub x: f32,
    pub end: f32,
    /// Baseline, from the top.
    pub y: f32,
    /// Median font size of the glyphs.
    pub size: f32,
    pub is_bold: bool,
    /// Whether the line is outside the running text, as headers and footers are.
    pub is_artifact: bool,
    /// Clockwise rotation in degrees.
    pub turn: i16,
    /// Identifier of the marked content at the beginning of the line.
    pub content: Option<i32>,
    pub is_right_to_left: bool,
    /// The parts between gaps that are wider than spaces, or empty if there are no such gaps.
    pub pieces: Vec<Piece>,
    /// Whether the line is a table row. Tabs separate its cells, including empty ones.
    pub is_row: bool,
}

/// A part of a line, which may be a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub text: String,
    pub x: f32,
    pub end: f32,
}

/// Returns the lines of a page in the order of `glyphs`.
pub(super) fn lines(glyphs: &[Glyph]) -> Vec<Line> {
    let mut parts: Vec<Part> = Vec::new();
    let mut open = 0;
    let mut reach = Reach::default();
    for (number, glyph) in glyphs.iter().enumerate() {
        // Explicit spaces add no information to the gaps.
        let last = number.checked_sub(1).map(|last| &glyphs[last]);
        let goes_on = last.is_some_and(|last| glyph.is_joined || reach.takes(last, glyph));
        if !goes_on {
            parts.extend(Part::of(&glyphs[open..number]));
            open = number;
            reach = Reach::default();
        }
        reach.add(glyph);
    }
    parts.extend(Part::of(&glyphs[open..]));
    let mut lines = Vec::with_capacity(parts.len());
    let mut parts = parts.into_iter().peekable();
    while let Some(mut part) = parts.next() {
        // In right-to-left scripts, parts of a line that were written separately are joined.
        let mut joined: Vec<Glyph> = Vec::new();
        while let Some(next) = parts.next_if(|next| part.goes_on(next)) {
            if joined.is_empty() {
                joined.extend(part.glyphs);
            }
            joined.extend(next.glyphs);
            part.add(&next);
        }
        lines.extend(line(if joined.is_empty() { part.glyphs } else { &joined }, part.is_right_to_left));
    }
    lines
}

/// Glyphs that were drawn in succession on a baseline.
struct Part<'a> {
    glyphs: &'a [Glyph],
    x: f32,
    end: f32,
    is_right_to_left: bool,
}

impl<'a> Part<'a> {
    /// Returns `None` if no glyph is visible.
    fn of(glyphs: &'a [Glyph]) -> Option<Self> {
        let (mut x, mut end, mut shown, mut from_right) = (f32::INFINITY, f32::NEG_INFINITY, 0usize, 0usize);
        for glyph in glyphs.iter().filter(|glyph| !glyph.c.is_whitespace()) {
            (x, end) = (x.min(glyph.x), end.max(glyph.end));
            shown += 1;
            from_right += usize::from(right_to_left::is_right_to_left(glyph.c));
        }
        (shown > 0).then_some(Self { glyphs, x, end, is_right_to_left: from_right * 4 > shown })
    }

    fn goes_on(&self, next: &Part<'_>) -> bool {
        if !self.is_right_to_left && !next.is_right_to_left {
            return false;
        }
        let first = |part: &Part<'_>| part.glyphs.iter().find(|glyph| !glyph.c.is_whitespace()).copied();
        let (Some(a), Some(b)) = (first(self), first(next)) else { return false };
        let size = a.size.max(b.size);
        a.turn == b.turn
            && a.is_artifact == b.is_artifact
            && (a.y - b.y).abs() < OFF_BASELINE * size
            && (next.end <= self.x + size || next.x >= self.end - size)
    }

    fn add(&mut self, next: &Part<'_>) {
        (self.x, self.end) = (self.x.min(next.x), self.end.max(next.end));
        self.is_right_to_left = true;
    }
}

/// The extent of an open line.
#[derive(Default)]
struct Reach {
    from: f32,
    to: f32,
    y: f32,
    size: f32,
    is_right_to_left: bool,
    is_open: bool,
}

impl Reach {
    fn takes(&self, last: &Glyph, next: &Glyph) -> bool {
        let em = last.size.max(next.size);
        let is_level = (next.y - self.y).abs() < OFF_BASELINE * em || (next.y - last.y).abs() < 0.05 * em;
        if next.turn != last.turn || !is_level || next.is_artifact != last.is_artifact {
            return false;
        }
        if self.is_right_to_left || right_to_left::is_right_to_left(next.c) {
            let apart = (self.from - next.end).max(next.x - self.to);
            return apart < COLUMN * 2.0 * em;
        }
        next.x > last.end - BACK * em
    }

    fn add(&mut self, glyph: &Glyph) {
        if !self.is_open {
            (self.from, self.to, self.y, self.size) = (glyph.x, glyph.end, glyph.y, glyph.size);
            self.is_open = true;
        }
        // A subscript or superscript at the beginning does not determine the baseline.
        if glyph.size > self.size * 1.2 {
            (self.y, self.size) = (glyph.y, glyph.size);
        }
        self.from = self.from.min(glyph.x);
        self.to = self.to.max(glyph.end);
        self.is_right_to_left |= right_to_left::is_right_to_left(glyph.c);
    }
}

fn line(glyphs: &[Glyph], is_right_to_left: bool) -> Option<Line> {
    let shown: Vec<&Glyph> = glyphs.iter().filter(|glyph| !glyph.c.is_whitespace()).collect();
    let first = shown.first()?;
    let space = space_width(glyphs);
    let text = if is_right_to_left { right_to_left::text(glyphs, space) } else { left_to_right(glyphs, space) };
    let text = tidy(&text);
    if text.is_empty() {
        return None;
    }
    let mut sizes: Vec<f32> = shown.iter().map(|glyph| glyph.size).collect();
    sizes.sort_by(f32::total_cmp);
    let size = sizes[sizes.len() / 2];
    let base = shown.iter().find(|glyph| (glyph.size - size).abs() < 0.1).unwrap_or(first);
    Some(Line {
        text,
        x: shown.iter().map(|glyph| glyph.x).fold(f32::INFINITY, f32::min),
        end: shown.iter().map(|glyph| glyph.end).fold(f32::NEG_INFINITY, f32::max),
        y: base.y,
        size,
        is_bold: shown.iter().filter(|glyph| glyph.is_bold).count() * 2 > shown.len(),
        is_artifact: first.is_artifact,
        turn: first.turn,
        content: first.content,
        is_right_to_left,
        pieces: if is_right_to_left { Vec::new() } else { pieces(glyphs, space) },
        is_row: false,
    })
}

/// Returns the parts of a line between wide gaps, if there are several.
fn pieces(glyphs: &[Glyph], space: f32) -> Vec<Piece> {
    let shown = |glyph: &&Glyph| !glyph.c.is_whitespace() || glyph.is_joined;
    let is_gap = |last: &Glyph, next: &Glyph| {
        !next.is_joined && next.x - last.end > (PIECE + space - SPACE) * last.size.min(next.size)
    };
    let mut last: Option<&Glyph> = None;
    let mut starts = vec![0];
    for (number, glyph) in glyphs.iter().enumerate().filter(|(_, glyph)| shown(glyph)) {
        if last.is_some_and(|last| is_gap(last, glyph)) {
            starts.push(number);
        }
        last = Some(glyph);
    }
    if starts.len() == 1 {
        return Vec::new();
    }
    starts.push(glyphs.len());
    let part = |range: &[usize]| {
        let part = &glyphs[range[0]..range[1]];
        let shown = || part.iter().filter(shown);
        Piece {
            text: tidy(&left_to_right(part, space)),
            x: shown().map(|glyph| glyph.x).fold(f32::INFINITY, f32::min),
            end: shown().map(|glyph| glyph.end).fold(f32::NEG_INFINITY, f32::max),
        }
    };
    starts.windows(2).map(part).filter(|piece| !piece.text.is_empty()).collect()
}

fn left_to_right(glyphs: &[Glyph], space: f32) -> String {
    let mut text = String::new();
    let mut last: Option<&Glyph> = None;
    for glyph in glyphs {
        if let Some(last) = last.filter(|_| !glyph.is_joined) {
            let usual = if matches!(last.c, '.' | ',' | ';' | ':' | '!' | '?' | ')') && glyph.c.is_alphabetic() {
                SPACE_AFTER_SIGN
            } else if glyph.is_placed {
                PLACED_SPACE
            } else {
                SPACE
            };
            let space = space - SPACE + usual;
            text.push_str(gap(glyph.x - last.end, last.size.min(glyph.size), space));
        }
        text.push(if glyph.c.is_whitespace() { ' ' } else { glyph.c });
        last = Some(glyph);
    }
    text
}

/// Reduces each gap between words to one space or tab, removes gaps at both ends, and replaces ligatures and
/// presentation forms with letters.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut between: Option<char> = None;
    for c in text.chars() {
        if c.is_whitespace() {
            between = if c == '\t' || between == Some('\t') { Some('\t') } else { Some(' ') };
            continue;
        }
        if let Some(between) = between.take().filter(|_| !out.is_empty()) {
            out.push(between);
        }
        if is_presentation_form(c) {
            let letters: String = std::iter::once(c).nfkc().collect();
            out.push_str(letters.trim());
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether `c` is a ligature, or the form of a letter at a certain position in a word.
const fn is_presentation_form(c: char) -> bool {
    matches!(c, '\u{fb00}'..='\u{fb06}' | '\u{fb13}'..='\u{fb17}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns the glyphs of `text` from `x` on. Their width is half the font size.
    pub(in crate::pdf) fn glyphs(text: &str, x: f32, y: f32, size: f32) -> Vec<Glyph> {
        let at = |number: usize| x + size * 0.5 * number as f32;
        let glyph = |(number, c): (usize, char)| Glyph {
            c,
            x: at(number),
            end: at(number + 1),
            y,
            size,
            is_bold: false,
            turn: 0,
            is_placed: false,
            is_joined: false,
            is_artifact: false,
            content: None,
        };
        text.chars().enumerate().map(glyph).collect()
    }

    fn texts(glyphs: &[Glyph]) -> Vec<String> {
        lines(glyphs).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn gaps_are_spaces_and_columns() {
        let page = [
            glyphs("One", 0.0, 10.0, 10.0),
            glyphs("two", 17.0, 10.0, 10.0),
            glyphs("cell", 80.0, 10.0, 10.0),
            glyphs("next", 0.0, 22.0, 10.0),
            glyphs("2", 20.5, 18.9, 6.0),
        ];
        assert_eq!(texts(&page.concat()), ["One two\tcell", "next2"]);
    }

    #[test]
    fn narrow_gaps_are_spaces_after_punctuation_only() {
        let mut page = glyphs("died),thewal.org3,5", 0.0, 10.0, 10.0);
        // Gaps before `the`, `w`, `o` and `5` of an eighth of the font size, which may also be kerning.
        for at in [6, 9, 13, 18] {
            page[at..].iter_mut().for_each(|glyph| (glyph.x, glyph.end) = (glyph.x + 1.2, glyph.end + 1.2));
        }
        assert_eq!(texts(&page), ["died), thewal. org3,5"]);
    }

    #[test]
    fn columns_are_separate_lines() {
        let page =
            [glyphs("left", 0.0, 10.0, 10.0), glyphs("below", 0.0, 22.0, 10.0), glyphs("right", 200.0, 10.0, 10.0)];
        assert_eq!(texts(&page.concat()), ["left", "below", "right"]);
    }

    #[test]
    fn letter_spaced_text_is_one_word() {
        let mut page = glyphs("TITLE PAGE", 0.0, 10.0, 10.0);
        page.retain(|glyph| glyph.c != ' ');
        for (number, glyph) in page.iter_mut().enumerate() {
            let shift = 3.0 * number as f32;
            (glyph.x, glyph.end) = (glyph.x + shift, glyph.end + shift);
        }
        assert_eq!(texts(&page), ["TITLE PAGE"]);
    }

    #[test]
    fn ligatures_become_letters() {
        assert_eq!(texts(&glyphs("o\u{fb03}ce ²", 0.0, 0.0, 10.0)), ["office ²"]);
    }
}
