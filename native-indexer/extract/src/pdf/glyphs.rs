//! Reads the glyphs, pictures and annotations of pages with the PDF interpreter `hayro`.

use super::actual_text;
use super::annotations::{self, Added, Comment};
use super::appearance;
use super::attachments::{self, AttachedFile, Budget};
use super::filled_in::{self, Filled};
use super::glyph::{Glyph, MAX_GLYPHS};
use super::objects::{beginning, text};
use super::outline::{self, OutlineEntry};
use super::structure_tree::{self, TaggedHeadings};
use super::typed::Typed;
use super::unicode::Fallbacks;
use super::xfa;
use crate::date::Date;
use crate::error::ExtractError;
use crate::office::honest_title;
use crate::words::language_tag;
use hayro_interpret::font::{Glyph as Drawn, GlyphRun};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, RenderContent, SoftMask, interpret_page,
};
use hayro_syntax::object::{self, Dict};
use hayro_syntax::page::Page;
use hayro_syntax::{LoadPdfError, Pdf};
use kurbo::{Affine, BezPath, Point, Rect};

/// Maximum depth of nested marked content. Deeper marks are ignored.
const MAX_MARKS: usize = 64;
/// An angle that differs by less than this from a multiple of 90 degrees is rounded to that multiple, because the line
/// is only crooked.
const STRAIGHT: f64 = 5.0;
const POINTS_OF_INCH: f64 = 72.0;
/// Maximum distance of text outside its page, as a share of the page's width or height.
const MARGIN: f64 = 0.02;

/// The content that was drawn on a page.
#[derive(Debug, Default)]
pub(super) struct PageGlyphs {
    pub glyphs: Vec<Glyph>,
    /// Number of glyphs that the page draws itself, before its annotations.
    pub drawn: usize,
    /// Number of glyphs with an unknown character.
    pub unknown: usize,
    /// Number of characters that were guessed from their codes.
    pub guessed: usize,
    pub height: f32,
    /// Share of the page that all its pictures cover. Scanners may cut a page into strips.
    pub picture_share: f64,
    /// Resolution of the page's largest picture in pixels per inch, or 0 without pictures.
    pub dpi: f64,
    /// Share of the page that the largest picture covers.
    pub largest_picture: f64,
    /// Number of shapes that are drawn on the page.
    pub shapes: usize,
    /// Files that are attached to the page.
    pub files: Vec<AttachedFile>,
    /// Readers' comments.
    pub comments: Vec<Comment>,
    /// Whether a field is filled in, or text is typed on the page.
    pub is_filled_in: bool,
}

/// The metadata of a document.
#[derive(Debug, Default)]
pub(super) struct PdfProperties {
    pub title: String,
    pub date: Option<Date>,
    pub language: String,
}

/// An open document.
pub(super) struct Document {
    pdf: Pdf,
}

impl Document {
    /// Returns the page with this number, counted from 0.
    pub(super) fn page(&self, number: usize) -> Option<&Page<'_>> {
        self.pdf.pages().get(number)
    }

    pub(super) fn open(bytes: &[u8]) -> Result<Self, ExtractError> {
        let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
            LoadPdfError::Decryption(_) => ExtractError::Encrypted,
            LoadPdfError::Invalid => ExtractError::Damaged("no pages can be found in it".to_owned()),
        })?;
        if pdf.pages().is_empty() {
            return Err(ExtractError::Damaged("it has no pages".to_owned()));
        }
        Ok(Self { pdf })
    }

    pub(super) fn pages(&self) -> usize {
        self.pdf.pages().len()
    }

    /// Returns the metadata.
    pub(super) fn properties(&self) -> PdfProperties {
        let metadata = self.pdf.metadata();
        let title = metadata.title.as_ref().map(|title| text(title)).unwrap_or_default();
        let said = metadata.modification_date.or(metadata.creation_date);
        let date = said.and_then(|date| Date::parse(&format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)));
        let language = self.catalog().get::<object::String<'_>>("Lang").map(|lang| text(lang.as_bytes()));
        PdfProperties { title: honest_title(&title), date, language: language_tag(&language.unwrap_or_default()) }
    }

    /// Returns the outline, which viewers show as a table of contents.
    pub(super) fn outline(&self) -> Vec<OutlineEntry> {
        outline::read(&self.pdf, &self.catalog())
    }

    /// Returns the headings according to the tags.
    pub(super) fn tagged_headings(&self) -> TaggedHeadings {
        structure_tree::read(&self.pdf, &self.catalog())
    }

    /// Returns the labels of the first `count` pages, which are printed as page numbers. A label is empty if it equals
    /// the page's number.
    pub(super) fn page_labels(&self, count: usize) -> Vec<String> {
        super::outline::page_labels(&self.catalog(), count)
    }

    /// Returns the files that are attached to the document.
    pub(super) fn attachments(&self, budget: &mut Budget) -> Vec<AttachedFile> {
        attachments::files(&self.catalog(), budget)
    }

    /// Returns the names and values in the document's XFA form, which may not appear on its pages.
    pub(super) fn form_values(&self) -> Vec<[String; 2]> {
        xfa::values(&self.catalog())
    }

    /// Whether only Adobe's viewers can show the pages of the document's XFA form. Other viewers show a page with a
    /// message.
    pub(super) fn is_shown_by_its_maker_alone(&self) -> bool {
        self.catalog().get::<bool>("NeedsRendering").unwrap_or(false)
    }

    fn catalog(&self) -> Dict<'_> {
        self.pdf.xref().get(self.pdf.xref().root_id()).unwrap_or_default()
    }
}

/// Reads the pages of a document, and reuses information about fonts from page to page.
pub(super) struct PageReader<'a> {
    pdf: &'a Pdf,
    cache: InterpreterCache<'a>,
    fallbacks: Fallbacks,
    typed: Typed,
    pub(super) attached: Budget,
}

impl<'a> PageReader<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Self {
            pdf: &document.pdf,
            cache: InterpreterCache::new(),
            fallbacks: Fallbacks::default(),
            typed: Typed::default(),
            attached: Budget::default(),
        }
    }

    /// Whether any typed text on the pages so far was left out.
    pub(super) const fn is_cut(&self) -> bool {
        self.typed.is_cut()
    }

    /// Returns the number of characters on the pages so far that are wrong: see [`Fallbacks::wrong_guesses`].
    pub(super) const fn wrong_guesses(&self) -> usize {
        self.fallbacks.wrong_guesses()
    }

    /// Reads the page with this number, counted from 0.
    pub(super) fn page(&mut self, number: usize) -> PageGlyphs {
        let Some(page) = self.pdf.pages().get(number) else { return PageGlyphs::default() };
        let (width, height) = page.render_dimensions();
        let area = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let transform = Affine::new(page.initial_transform(true).as_coeffs());
        // Annotations are read separately, because their drawings do not show which text belongs where.
        let settings = InterpreterSettings { render_content: RenderContent::PAGE, ..InterpreterSettings::default() };
        let guesses_before = self.fallbacks.guesses();
        let mut context = Context::new(transform, area, &self.cache, self.pdf.xref(), settings);
        let mut device = Reading {
            found: PageGlyphs { height, ..PageGlyphs::default() },
            area,
            marks: Vec::new(),
            unread_marks: 0,
            page,
            knows_page: false,
            fallbacks: &mut self.fallbacks,
        };
        interpret_page(page, &mut context, &mut device);
        device.found.drawn = device.found.glyphs.len();
        let mut filled = Vec::new();
        let mut comments = Vec::new();
        let mut files = Vec::new();
        for added in annotations::read(page, &mut self.typed, &mut self.attached) {
            match added {
                Added::Text(text, place) => filled.push(Filled::text(text, transform.transform_rect_bbox(place))),
                Added::Check(is_on, place) => filled.push(Filled::check(is_on, transform.transform_rect_bbox(place))),
                Added::Drawn(annotation, place) => {
                    // If the appearance cannot be drawn, it is left out, as viewers do.
                    _ = appearance::draw(&annotation, place, page, (transform, area), &self.cache, &mut device);
                }
                Added::File(file) => files.push(file),
                Added::Comment(comment) => comments.push(comment),
            }
        }
        let mut found = device.found;
        found.guessed = self.fallbacks.guesses() - guesses_before;
        take_out_repeated(&mut found.glyphs);
        found.is_filled_in = filled.iter().any(Filled::says_something);
        filled_in::place(&mut found.glyphs, filled);
        found.comments = comments;
        found.files = files;
        found
    }
}

/// Removes glyphs that repeat a glyph at the same position. Some producers draw a regular font twice to make it bold.
fn take_out_repeated(glyphs: &mut Vec<Glyph>) {
    // Positions are compared in half points, which is the maximum offset of such repetitions.
    let place = |at: f32| u64::from(((at * 2.0).round() as i32 as u32) & 0xf_ffff);
    let key = |glyph: &Glyph| u64::from(u32::from(glyph.c)) << 40 | place(glyph.x) << 20 | place(glyph.y);
    let shown = |glyph: &Glyph| !glyph.c.is_whitespace() && !glyph.is_joined;
    let all = glyphs.iter().enumerate().filter(|(_, glyph)| shown(glyph));
    let mut keys: Vec<(u64, usize)> = all.map(|(number, glyph)| (key(glyph), number)).collect();
    keys.sort_unstable();
    let mut repeated: Vec<usize> =
        keys.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).collect();
    if repeated.is_empty() {
        return;
    }
    repeated.sort_unstable();
    let mut number = 0;
    let mut next = repeated.into_iter().peekable();
    glyphs.retain(|_| {
        let is_repeated = next.next_if_eq(&number).is_some();
        number += 1;
        !is_repeated
    });
}

/// Marked content that is still open.
struct OpenMark {
    is_artifact: bool,
    content: Option<i32>,
    /// The replacement text, and the number of glyphs before it.
    actual: Option<(String, usize)>,
}

struct Reading<'p, 'a> {
    found: PageGlyphs,
    area: Rect,
    marks: Vec<OpenMark>,
    /// Number of open marks beyond `MAX_MARKS`.
    unread_marks: usize,
    page: &'p Page<'a>,
    /// Whether the fonts of the page were inspected for fallbacks.
    knows_page: bool,
    fallbacks: &'p mut Fallbacks,
}

/// The common properties of glyphs that are drawn together.
#[derive(Clone, Copy)]
struct Run {
    is_vertical: bool,
    is_bold: bool,
    /// Whether this glyph is the first in the run, which has an explicit position.
    is_placed: bool,
}

/// A font's information about a code.
struct Known {
    code: u32,
    said: Option<BfString>,
    /// Advance width in thousandths of the font size.
    advance: f64,
}

impl Known {
    fn of(glyph: &Drawn<'_>) -> Self {
        let advance = match glyph {
            Drawn::Outline(glyph) => glyph.advance_width(),
            Drawn::Type3(glyph) => glyph.advance_width(),
        };
        Self { code: glyph.char_code(), said: glyph.as_unicode(), advance: f64::from(advance.unwrap_or(500.0)) }
    }
}

impl Reading<'_, '_> {
    fn glyph(&mut self, drawn: &Drawn<'_>, known: &Known, transform: Affine, run: Run) {
        let origin = transform * Point::ZERO;
        // One unit is a thousandth of the font size.
        let [right, down, ..] = transform.as_coeffs();
        let size = transform.as_coeffs()[2].hypot(transform.as_coeffs()[3]) * 1000.0;
        let length = known.advance * right.hypot(down);
        let Run { is_vertical, is_bold, is_placed } = run;
        let (width, height) = (self.area.width() * MARGIN, self.area.height() * MARGIN);
        let is_shown = self.area.inflate(width, height).contains(origin);
        if !is_shown || !size.is_finite() || !length.is_finite() || size < 0.5 || self.found.glyphs.len() >= MAX_GLYPHS
        {
            return;
        }
        // Vertical lines run down the page, so they are rotated by 90 degrees.
        let angle = down.atan2(right).to_degrees() + if is_vertical { 90.0 } else { 0.0 };
        let straight = (angle / 90.0).round() * 90.0;
        let angle = if (angle - straight).abs() < STRAIGHT { straight } else { angle.round() };
        // The position along the line and across it.
        let along = Affine::rotate(-angle.to_radians()) * origin;
        let length = if is_vertical { size } else { length };
        let mark = self.marks.last();
        let glyph = Glyph {
            c: ' ',
            x: along.x as f32,
            end: (along.x + length) as f32,
            y: along.y as f32,
            size: size as f32,
            is_bold,
            turn: angle.rem_euclid(360.0) as i16,
            is_placed,
            is_joined: false,
            is_artifact: self.marks.iter().any(|mark| mark.is_artifact),
            content: mark.and_then(|mark| mark.content),
        };
        let is_useful = |c: char| c != '\0' && c != '\u{fffd}' && !('\u{e000}'..='\u{f8ff}').contains(&c);
        match &known.said {
            Some(BfString::Char(c)) if is_useful(*c) => self.push(glyph, *c),
            Some(BfString::String(text)) if text.chars().all(is_useful) && !text.is_empty() => {
                for (number, c) in text.chars().enumerate() {
                    self.push(Glyph { is_joined: number > 0, ..glyph }, c);
                }
            }
            _ => {
                if !std::mem::replace(&mut self.knows_page, true) {
                    self.fallbacks.learn_page(self.page);
                }
                match self.fallbacks.char_of(drawn) {
                    Some(c) => self.push(glyph, c),
                    None => self.found.unknown += 1,
                }
            }
        }
    }

    fn push(&mut self, glyph: Glyph, c: char) {
        if c.is_control() && !c.is_whitespace() {
            return;
        }
        self.found.glyphs.push(Glyph { c, ..glyph });
    }
}

impl<'a> Device<'a> for Reading<'_, '_> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        let Some(first) = run.glyphs().first() else { return };
        let is_bold = Fallbacks::is_bold(first);
        let is_vertical = run.writing_mode() == WritingMode::Vertical;
        // All glyphs in a run come from one font. Lookups in the font are slow, and a line contains few different
        // glyphs.
        let mut known: Vec<Known> = Vec::new();
        for (number, glyph) in run.glyphs().iter().enumerate() {
            let code = glyph.char_code();
            let place = known.iter().position(|known| known.code == code).unwrap_or_else(|| {
                known.push(Known::of(glyph));
                known.len() - 1
            });
            let run = Run { is_vertical, is_bold, is_placed: number == 0 };
            self.glyph(glyph, &known[place], props.transform * glyph.transform(), run);
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        // The transformation maps a pixel to its size on the page.
        let pixels = f64::from(image.width()) * f64::from(image.height());
        let area = props.transform.determinant().abs() * pixels;
        let page = self.area.area();
        if page > 0.0 && area.is_finite() {
            self.found.picture_share = (self.found.picture_share + area / page).min(1.0);
            if area / page > self.found.largest_picture {
                self.found.largest_picture = area / page;
                self.found.dpi = POINTS_OF_INCH / props.transform.determinant().abs().sqrt();
            }
        }
    }

    fn begin_marked_content(&mut self, tag: &[u8], properties: Option<&Dict<'_>>) {
        if self.marks.len() == MAX_MARKS {
            self.unread_marks += 1;
            return;
        }
        let outer = self.marks.last().and_then(|mark| mark.content);
        let content = properties.and_then(|properties| properties.get::<i32>("MCID")).or(outer);
        let actual = properties.and_then(|properties| properties.get::<object::String<'_>>("ActualText"));
        let actual = actual.map(|actual| (beginning(actual.as_bytes()), self.found.glyphs.len()));
        self.marks.push(OpenMark { is_artifact: tag == b"Artifact", content, actual });
    }

    fn end_marked_content(&mut self) {
        if self.unread_marks > 0 {
            self.unread_marks -= 1;
            return;
        }
        if let Some((actual, first)) = self.marks.pop().and_then(|mark| mark.actual) {
            actual_text::replace(&mut self.found.glyphs, first, &actual);
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.found.shapes += 1;
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
