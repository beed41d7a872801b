//! Reads Rich Text Format (RTF), the format of WordPad, older word processors and many other programs.
//!
//! The output contains paragraphs, headings by style or outline level, lists with their numbers, table rows, and notes.
//! Pictures, objects, headers, footers, and hidden or deleted text are left out.

mod destinations;
mod letters;
mod story;
mod tokens;

use crate::date::Date;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::office::honest_title;
use crate::words::one_line;
use destinations::{Destination, destination, text_of};
use letters::{Letters, code_page_of_charset};
use std::collections::BTreeMap;
use story::{Paragraph, Story};
use tokens::{Token, Tokens};

/// The first bytes of a file.
pub(super) const HEADER: &[u8] = b"{\\rtf";
/// Maximum depth of nested groups. Programs do not write deeper groups.
const MAX_DEPTH: usize = 512;
/// Maximum number of fonts, and of styles, to keep.
const MAX_NAMED: usize = 4096;
/// The code page of a file that does not declare a code page.
const DEFAULT_CODE_PAGE: u16 = 1252;

/// Reads a document.
pub(super) fn extract(bytes: &[u8]) -> Result<Extracted, ExtractError> {
    let bytes = bytes.trim_ascii_start();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if !bytes.starts_with(HEADER) {
        return Err(ExtractError::Damaged("it is not Rich Text Format".to_owned()));
    }
    let mut reader = Reader::default();
    for token in Tokens::new(bytes) {
        reader.take(token)?;
        if reader.is_over || reader.story.writer.is_full() {
            break;
        }
    }
    Ok(reader.finish())
}

/// The state of a group, which ends with the group.
#[derive(Clone, Copy, Debug)]
struct Group {
    destination: Destination,
    font: i32,
    /// Number of characters after a Unicode character that replace it for readers without Unicode.
    skipped_after_unicode: usize,
    is_hidden: bool,
    /// Whether the group's text was added when HTML was converted to RTF, so that it is not part of the HTML
    /// (`\htmlrtf`).
    is_for_rtf_alone: bool,
    paragraph: Paragraph,
}

impl Default for Group {
    fn default() -> Self {
        Self {
            destination: Destination::Body,
            font: -1,
            skipped_after_unicode: 1,
            is_hidden: false,
            is_for_rtf_alone: false,
            paragraph: Paragraph::default(),
        }
    }
}

#[derive(Debug, Default)]
struct Reader {
    story: Story,
    group: Group,
    outer: Vec<Group>,
    /// Whether a group has just begun, and whether it began with `\*`.
    begins: bool,
    is_optional: bool,
    /// Number of characters to skip after a Unicode character.
    to_skip: usize,
    code_page: Option<u16>,
    default_font: i32,
    fonts: BTreeMap<i32, u16>,
    /// Levels of headings by style.
    styles: BTreeMap<i32, usize>,
    /// The number and outline level of the style that is being read in the style table.
    style: (i32, Option<usize>),
    name: Letters,
    title: Letters,
    changed: (i32, i32, i32),
    is_over: bool,
}

impl Reader {
    fn take(&mut self, token: Token<'_>) -> Result<(), ExtractError> {
        let begins = std::mem::take(&mut self.begins);
        match token {
            Token::Open => {
                if self.outer.len() >= MAX_DEPTH {
                    return Err(ExtractError::TooDeep(MAX_DEPTH));
                }
                self.to_skip = 0;
                self.outer.push(self.group);
                self.begins = true;
                self.is_optional = false;
            }
            Token::Close => self.close(),
            Token::Symbol(b'*') => {
                self.is_optional = true;
                self.begins = begins;
            }
            Token::Symbol(symbol) => self.symbol(symbol),
            Token::Byte(byte) => self.byte(byte),
            Token::Word(name, value) => {
                if begins && let Some(to) = destination(name) {
                    self.enter(to);
                } else if begins && self.is_optional {
                    self.enter(Destination::Nowhere);
                } else {
                    self.word(name, value);
                }
            }
        }
        Ok(())
    }

    /// Sets the destination of the group that has just begun to `to`, unless the group around it does not allow this.
    fn enter(&mut self, to: Destination) {
        let is_inside = |around: Destination| self.group.destination == around;
        if to == Destination::Unicode {
            let around = self.outer.iter().rev().map(|group| group.destination);
            let to = around.into_iter().find(|around| *around != Destination::Twice);
            self.group.destination =
                if is_inside(Destination::Twice) { to.unwrap_or_default() } else { Destination::Nowhere };
            return;
        }
        let is_of_info = matches!(to, Destination::Title | Destination::Changed);
        if is_inside(Destination::Nowhere) || (is_of_info && !is_inside(Destination::Info)) {
            return;
        }
        // Only names are read from the font table and the style table.
        if is_inside(Destination::Fonts) || is_inside(Destination::Styles) {
            self.group.destination = Destination::Nowhere;
            return;
        }
        if to == Destination::Body && !is_inside(Destination::Body) {
            return;
        }
        self.group.destination = to;
    }

    fn close(&mut self) {
        self.to_skip = 0;
        let Some(outer) = self.outer.pop() else {
            self.is_over = true;
            return;
        };
        let (inner, now) = (self.group.destination, outer.destination);
        match inner {
            Destination::Fonts | Destination::Styles => self.end_name(),
            Destination::Note if now != Destination::Note => self.story.end_note(),
            _ => {}
        }
        // The properties of a paragraph in a group apply to the paragraph, which often ends after the group.
        let paragraph = self.group.paragraph;
        self.group = outer;
        if inner == Destination::Body && now == Destination::Body {
            self.group.paragraph = paragraph;
        }
        self.is_over = self.outer.is_empty();
    }

    /// Handles the complete name of a font or a style.
    fn end_name(&mut self) {
        let name = one_line(&self.name.take());
        if self.group.destination == Destination::Styles && !name.is_empty() {
            let (style, level) = self.style;
            let name = name.trim_end_matches(';').to_lowercase();
            let named = name.strip_prefix("heading ").and_then(|level| level.parse::<usize>().ok());
            let level = if name == "title" { Some(1) } else { named.or(level.map(|level| level + 1)) };
            if let Some(level) = level.filter(|level| (1..=9).contains(level) && self.styles.len() < MAX_NAMED) {
                self.styles.insert(style, level);
            }
        }
        self.style = (0, None);
    }

    fn symbol(&mut self, symbol: u8) {
        match symbol {
            b'{' | b'}' | b'\\' => self.byte(symbol),
            b'~' => self.push(" "),
            b'_' => self.push("-"),
            _ => {}
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.to_skip > 0 {
            self.to_skip -= 1;
            return;
        }
        let code_page = self.code_page();
        if let Some(letters) = self.letters() {
            letters.byte(byte, code_page);
        }
    }

    fn push(&mut self, text: &str) {
        if self.to_skip > 0 {
            self.to_skip -= 1;
        } else if let Some(letters) = self.letters() {
            letters.push(text);
        }
    }

    /// Returns the text that letters are currently added to, or `None` if they are skipped.
    fn letters(&mut self) -> Option<&mut Letters> {
        if self.group.is_hidden || self.group.is_for_rtf_alone {
            return None;
        }
        Some(match self.group.destination {
            Destination::Body => &mut self.story.text,
            Destination::ListMark => &mut self.story.mark,
            Destination::Note => &mut self.story.note,
            Destination::Fonts | Destination::Styles => &mut self.name,
            Destination::Title => &mut self.title,
            Destination::Nowhere
            | Destination::Changed
            | Destination::Info
            | Destination::Twice
            | Destination::Unicode => return None,
        })
    }

    fn code_page(&self) -> u16 {
        let font = if self.group.font < 0 { self.default_font } else { self.group.font };
        let of_document = self.code_page.unwrap_or(DEFAULT_CODE_PAGE);
        self.fonts.get(&font).copied().unwrap_or(of_document)
    }

    fn word(&mut self, name: &str, value: Option<i32>) {
        let number = value.unwrap_or(0);
        let is_on = value != Some(0);
        let count = usize::try_from(number).unwrap_or(0);
        match (self.group.destination, name) {
            (Destination::Nowhere | Destination::Twice, _) => {}
            (Destination::Fonts, "fcharset") => {
                if let Some(code_page) = code_page_of_charset(number).filter(|_| self.fonts.len() < MAX_NAMED) {
                    self.fonts.insert(self.group.font, code_page);
                }
            }
            (Destination::Styles, "s") => self.style.0 = number,
            (Destination::Styles, "outlinelevel") => self.style.1 = Some(count),
            (Destination::Changed, "yr") => self.changed.0 = number,
            (Destination::Changed, "mo") => self.changed.1 = number,
            (Destination::Changed, "dy") => self.changed.2 = number,
            (_, "ansicpg") => self.code_page = u16::try_from(number).ok().filter(|page| *page > 0),
            (_, "mac") => self.code_page = Some(10000),
            (_, "deff") => self.default_font = number,
            (_, "uc") => self.group.skipped_after_unicode = count.min(16),
            (_, "u") => self.unicode(number),
            (_, "f") => self.group.font = number,
            (_, "plain") => (self.group.font, self.group.is_hidden) = (-1, false),
            (_, "v" | "deleted") => self.group.is_hidden = is_on,
            (_, "htmlrtf") => self.group.is_for_rtf_alone = is_on,
            (Destination::Body, "pard") => self.group.paragraph = Paragraph::default(),
            (Destination::Body, "s") => self.group.paragraph.style = Some(number),
            (Destination::Body, "outlinelevel") => self.group.paragraph.outline_level = Some(count),
            (Destination::Body, "ilvl") => self.group.paragraph.list_level = count,
            (Destination::Body, "intbl") => self.group.paragraph.is_in_table = true,
            (Destination::Body, "par" | "sect" | "page") if !self.group.is_for_rtf_alone => self.end_paragraph(),
            (Destination::Body, "cell") => self.story.end_cell(),
            (Destination::Body, "row") => self.story.end_row(),
            (_, "par" | "nestcell" | "nestrow") => self.push(" "),
            _ => {
                if let Some(text) = text_of(name) {
                    self.push(text);
                }
            }
        }
    }

    /// Adds a Unicode character. Numbers above 32,767 are stored as negative numbers.
    fn unicode(&mut self, number: i32) {
        // Symbol fonts use private code points. This one is a bullet.
        let unit = (number & 0xffff) as u16;
        if let Some(letters) = self.letters() {
            letters.unit(if unit == 0xf0b7 { 0x2022 } else { unit });
        }
        self.to_skip = self.group.skipped_after_unicode;
    }

    fn end_paragraph(&mut self) {
        let paragraph = self.group.paragraph;
        if paragraph.is_in_table {
            // A cell may contain several paragraphs.
            self.push(" ");
            return;
        }
        let of_style = paragraph.style.and_then(|style| self.styles.get(&style).copied());
        self.story.end_paragraph(paragraph, of_style);
    }

    fn finish(mut self) -> Extracted {
        self.group.paragraph.is_in_table = false;
        self.group.is_for_rtf_alone = false;
        self.end_paragraph();
        let title = honest_title(&self.title.take());
        let mut extracted = self.story.writer.finish(Vec::new());
        extracted.title = if title.is_empty() { extracted.first_heading() } else { title };
        let (year, month, day) = self.changed;
        extracted.date = Date::parse(&format!("{year:04}-{month:02}-{day:02}"));
        extracted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(source: &str) -> String {
        extract(format!("{{\\rtf1\\ansi{source}}}").as_bytes()).unwrap().text
    }

    #[test]
    fn paragraphs_are_without_marks_and_pictures() {
        let source = r"\deff0{\fonttbl{\f0 Arial;}}{\colortbl;\red0;}{\*\generator Riched20;}{\info{\title The Kettle}{\revtim\yr2024\mo5\dy3\hr1}{\author X}}
{\header Page \chpgn}\pard\b Descale\b0  the {\i kettle} twice.\par {\pict\wmetafile8 0100}{\*\shppict{\pict 00ff}}Second\line line\par\pard {\v hidden}{\deleted gone}{\field{\*\fldinst HYPERLINK a}{\fldrslt link}}";
        let extracted = extract(format!("{{\\rtf1\\ansi{source}}}").as_bytes()).unwrap();
        assert_eq!(extracted.text, "Descale the kettle twice.\n\nSecond line\n\nlink\n");
        assert_eq!(
            (extracted.title.as_str(), extracted.date.unwrap().to_string().as_str()),
            ("The Kettle", "2024-05-03")
        );
    }

    #[test]
    fn letters_are_of_code_pages_and_unicode() {
        assert_eq!(text(r"\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2"), "Привет\n");
        assert_eq!(
            text(
                r"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset128 B;}{\f2\fcharset204{\*\panose 02}C;}}\f1\'90\'dd\'92\'e8\f0 caf\'e9 \f2\'ec\'e8\'f0"
            ),
            "設定café мир\n"
        );
        assert_eq!(
            text(r"\uc1 gr\u246?\u223\'dfer \u-10179?\u-8704? \uc2\u8364\'80\'80 x\uc0\u8211 y"),
            "größer 😀 € x–y\n"
        );
        assert_eq!(
            text(r" a {\upr{\'8e\'9f}{\*\ud{\uc0 \u26085\u26412 }}} b{\footnote {\upr{?}{\*\ud x}}}"),
            "a 日本 b\n\nx\n"
        );
        assert_eq!(text(r"\ldblquote a\rdblquote\~b\_c \{d\}\emdash"), "“a” b-c {d}—\n");
    }

    #[test]
    fn styles_lists_and_tables_are_structure() {
        let source = r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s7\sbasedon1 heading 2;}}
\pard\s1 Care\par\pard Text.{\footnote A note.}\par\pard\s7{\listtext 1.1\tab}Descaling\par
\pard{\listtext\'b7\tab}\ilvl0 one\par{\listtext\'b7\tab}\ilvl1 two\par\pard
\trowd\cellx1\cellx2\pard\intbl Name\cell Size\cell\row\trowd\intbl {Kettle\par big}\cell 2|3\cell\row\pard After";
        let extracted = extract(format!("{{\\rtf1\\ansi{source}}}").as_bytes()).unwrap();
        assert_eq!(
            extracted.text,
            "# Care\n\nText.\n\nA note.\n\n## 1.1 Descaling\n\n- one\n  - two\n\n| Name | Size |\n| Kettle big | 2\\|3 |\n\nAfter\n"
        );
        assert_eq!(extracted.title, "Care");
    }

    #[test]
    fn html_in_a_mail_is_read_as_its_text() {
        let source = r"\fromhtml1{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 Dear {\*\htmltag84 <b>}\htmlrtf \b\htmlrtf0 Jane\htmlrtf\par}\htmlrtf0 {\*\htmltag72 </p>}\htmlrtf\par\htmlrtf0";
        assert_eq!(text(source), "Dear Jane\n");
    }

    #[test]
    fn what_is_no_rich_text_is_refused() {
        assert!(matches!(extract(b"\xd0\xcf"), Err(ExtractError::Damaged(_))));
        let deep = format!("{{\\rtf1{}", "{".repeat(100_000));
        assert_eq!(extract(deep.as_bytes()), Err(ExtractError::TooDeep(MAX_DEPTH)));
        assert_eq!(extract(b"{\\rtf1 cut off {\\b in the mid").unwrap().text, "cut off in the mid\n");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            parts in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "\\par ", "\\cell ", "\\row ", "\\intbl", "\\'e9", "\\'", "\\u-5 ?", "\\uc9 ", "\\*", "\\bin5 ", "\\s1", "\\stylesheet", "\\fonttbl",
                "\\f1\\fcharset128", "\\listtext", "\\footnote", "\\pard", "x", "\\", ";", "# ", "\\outlinelevel99",
            ]), 0..60),
            bytes in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let source = [b"{\\rtf1".as_slice(), parts.concat().as_bytes(), &bytes].concat();
            if let Ok(extracted) = extract(&source) {
                prop_assert!(extracted.blocks.iter().all(|at| extracted.text.is_char_boundary(*at)));
                prop_assert!(extracted.headings.iter().all(|heading| extracted.text.is_char_boundary(heading.at)));
            }
        }
    }
}
