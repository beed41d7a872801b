//! Inserts the text of filled-in form fields into the order of a page, next to their labels or below them.

use super::glyph::{Glyph, MAX_GLYPHS};
use kurbo::Rect;

/// Font size on pages without other text.
const USUAL_SIZE: f32 = 10.0;
/// Maximum number of lines in a field.
const MAX_LINES: usize = 1_000;
/// Distances between a field and its label, in multiples of the font size. A label above the field is chosen if it is
/// within `CLOSE` and the label to the left is not within `BESIDE`, or if it is within `ABOVE` and the label to the
/// left is not within `FAR`. The label to the right of a checkbox must be within `BOX_TO_LABEL`.
const CLOSE: f32 = 1.0;
const BESIDE: f32 = 1.5;
const ABOVE: f32 = 2.5;
const FAR: f32 = 30.0;
const BOX_TO_LABEL: f32 = 3.0;

/// The value of a field, and its position on the page.
#[derive(Debug)]
pub(super) struct Filled {
    text: String,
    place: Rect,
    is_check: bool,
}

impl Filled {
    pub(super) const fn text(text: String, place: Rect) -> Self {
        Self { text, place, is_check: false }
    }

    pub(super) fn check(is_on: bool, place: Rect) -> Self {
        Self { text: if is_on { "☒" } else { "☐" }.to_owned(), place, is_check: true }
    }

    /// Whether the value is anything except an unchecked box.
    pub(super) fn says_something(&self) -> bool {
        self.text != "☐"
    }
}

/// Inserts `filled` among a page's `glyphs`.
pub(super) fn place(glyphs: &mut Vec<Glyph>, mut filled: Vec<Filled>) {
    if filled.is_empty() {
        return;
    }
    let size = usual_size(glyphs);
    // These are lines and boxes to write on.
    let is_blank = |glyph: &Glyph| {
        matches!(glyph.c, '_' | '☐' | '□' | '❏' | '❐' | '❑' | '❒' | '▢')
            && filled.iter().any(|filled| {
                let (x, y) = (f32::midpoint(glyph.x, glyph.end), glyph.y - glyph.size * 0.2);
                filled.place.inflate(1.0, f64::from(size) * 0.3).contains((f64::from(x), f64::from(y)))
            })
    };
    if glyphs.iter().any(is_blank) {
        glyphs.retain(|glyph| !is_blank(glyph));
    }
    let row = |filled: &Filled| (filled.place.y1 / f64::from(size)).round();
    filled.sort_by(|a, b| row(a).total_cmp(&row(b)).then(a.place.x0.total_cmp(&b.place.x0)));
    let mut label = None;
    let mut left = MAX_GLYPHS.saturating_sub(glyphs.len());
    let add = |filled: &Filled| {
        let (at, mut drawn) = Place::of(filled, size).find(glyphs, &mut label).drawn(filled);
        drawn.truncate(left);
        left -= drawn.len();
        (at, drawn)
    };
    let mut added: Vec<(usize, Vec<Glyph>)> = filled.iter().map(add).collect();
    added.sort_by_key(|(at, _)| *at);
    let mut out = Vec::with_capacity(glyphs.len() + added.len());
    let mut added = added.into_iter().peekable();
    for (number, glyph) in glyphs.iter().enumerate() {
        while let Some((_, new)) = added.next_if(|(at, _)| *at <= number) {
            out.extend(new);
        }
        out.push(*glyph);
    }
    out.extend(added.flat_map(|(_, new)| new));
    *glyphs = out;
}

/// Returns the median font size of labels on the page, so that filled-in text does not become a heading.
fn usual_size(glyphs: &[Glyph]) -> f32 {
    let mut sizes: Vec<f32> = glyphs.iter().filter(|glyph| is_label(glyph)).map(|glyph| glyph.size).collect();
    sizes.sort_by(f32::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(USUAL_SIZE)
}

fn is_label(glyph: &Glyph) -> bool {
    glyph.turn == 0 && !glyph.c.is_whitespace()
}

/// The position of a field and of its text.
struct Place {
    x: f32,
    end: f32,
    top: f32,
    /// The vertical center of its first line, and its baseline.
    middle: f32,
    y: f32,
    size: f32,
    is_check: bool,
    /// The field is inserted before this glyph.
    at: usize,
}

impl Place {
    fn of(filled: &Filled, size: f32) -> Self {
        let Rect { x0, y0, x1, y1 } = filled.place;
        let (x, top, end, bottom) = (x0 as f32, y0 as f32, x1 as f32, y1 as f32);
        let has_lines = bottom - top > size * 2.5;
        let middle = if has_lines { top + size * 0.7 } else { f32::midpoint(top, bottom) };
        Self { x, end, top, middle, y: middle + size * 0.35, size, is_check: filled.is_check, at: 0 }
    }

    /// Finds the glyph to insert the field before. `row` is the label of the previous field, in case both share it.
    fn find(mut self, glyphs: &[Glyph], row: &mut Option<usize>) -> Self {
        let is_level =
            |glyph: &Glyph| (glyph.y - glyph.size * 0.35 - self.middle).abs() < glyph.size.max(self.size) * 0.6;
        let labels = || glyphs.iter().enumerate().filter(|(_, glyph)| is_label(glyph));
        let level = || labels().filter(|(_, glyph)| is_level(glyph));
        let left = level().filter(|(_, glyph)| f32::midpoint(glyph.x, glyph.end) < self.x);
        let left = left.max_by(|(_, a), (_, b)| a.end.total_cmp(&b.end));
        let goes_on = left.is_some() && *row == left.map(|(at, _)| at);
        *row = None;
        let to_left = left.map_or(f32::INFINITY, |(_, glyph)| (self.x - glyph.end) / self.size);
        if self.is_check {
            let right = level().filter(|(_, glyph)| f32::midpoint(glyph.x, glyph.end) > self.end);
            let right = right.min_by(|(_, a), (_, b)| a.x.total_cmp(&b.x));
            let to_right = right.map_or(f32::INFINITY, |(_, glyph)| (glyph.x - self.end) / self.size);
            if let Some((at, glyph)) = right.filter(|_| to_right < BOX_TO_LABEL && to_right <= to_left.max(1.0)) {
                (self.at, self.y) = (at, glyph.y);
                return self;
            }
        }
        let over = |glyph: &Glyph| glyph.y <= self.y - self.size * 0.6;
        let above = labels().filter(|(_, glyph)| over(glyph) && glyph.x > self.x - self.size && glyph.x < self.end);
        let above = above.max_by(|(_, a), (_, b)| a.y.total_cmp(&b.y));
        let to_above = above.map_or(f32::INFINITY, |(_, glyph)| (self.top - glyph.y).max(0.0) / self.size);
        // A field in a row of fields belongs to the row, not to the heading of its column.
        let is_below =
            !self.is_check && !goes_on && (to_above < CLOSE && to_left > BESIDE || to_left > FAR && to_above < ABOVE);
        if is_below && let Some((at, _)) = above {
            self.at = end_of_words(glyphs, at);
        } else if let Some((at, glyph)) = left.filter(|_| to_left < FAR) {
            (self.at, self.y) = (at + 1, glyph.y);
            *row = Some(at);
        } else {
            // The field follows the nearest text above, wherever that text is on its line.
            let before = labels().filter(|(_, glyph)| over(glyph)).max_by(|(_, a), (_, b)| a.y.total_cmp(&b.y));
            self.at = before.map_or(0, |(at, _)| end_of_words(glyphs, at));
        }
        self
    }

    /// Returns the text as glyphs, and the number of the glyph to insert them before.
    fn drawn(self, filled: &Filled) -> (usize, Vec<Glyph>) {
        let mut glyphs = Vec::new();
        for (number, line) in filled.text.split(['\r', '\n']).filter(|line| !line.trim().is_empty()).enumerate() {
            let end = (self.x + self.size * 0.5 * line.chars().count() as f32).min(self.end.max(self.x));
            let first = Glyph {
                c: ' ',
                x: self.x,
                end: if self.is_check { self.end } else { end },
                y: self.y + self.size * 1.2 * number as f32,
                size: self.size,
                is_bold: false,
                turn: 0,
                is_placed: true,
                is_joined: false,
                is_artifact: false,
                content: None,
            };
            // The letters stay in the order of typing in every script, because their positions are unknown.
            let line = line.trim().chars().filter(|c| !c.is_control()).chain([' ']);
            glyphs.push(Glyph { end: self.x, ..first });
            glyphs.extend(line.enumerate().map(|(at, c)| Glyph { c, is_joined: at > 0, ..first }));
            if number == MAX_LINES {
                break;
            }
        }
        (self.at, glyphs)
    }
}

/// Returns the number of the glyph after the words that continue from `at`.
fn end_of_words(glyphs: &[Glyph], at: usize) -> usize {
    let pairs = glyphs[at..].windows(2);
    let goes_on = |pair: &&[Glyph]| {
        let (last, next) = (&pair[0], &pair[1]);
        let apart = next.x - last.end;
        next.turn == 0 && (next.y - last.y).abs() < last.size * 0.4 && apart.abs() < last.size * 2.0
    };
    at + 1 + pairs.take_while(goes_on).count()
}
