//! Finds the characters of glyphs that a PDF's font does not declare: from the font's character collection, from the
//! inverted character map of the embedded font, or else from the code itself.

use hayro_interpret::font::Glyph;
use hayro_interpret::hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};
use hayro_syntax::page::Page;
use skrifa::{FontRef, MetadataProvider as _};
use std::collections::HashMap;

/// In many fonts for Windows and the Macintosh, the glyphs from this number on are in the order of ASCII.
const ASCII_FROM_GLYPH: u32 = 3;
/// Difference between the ASCII code of a character and the number of its glyph in such fonts.
const GLYPH_TO_ASCII: u32 = 29;

/// Maximum number of glyph names to read.
const MAX_NAMES: usize = 1_000;
/// Guesses are wrong if more than one in this many characters is a sign.
const SIGNS_OF_NONSENSE: usize = 5;

/// A font with the codes of a character collection for Chinese, Japanese or Korean.
struct Collection {
    /// Maps codes to character numbers. `None` if they are the same.
    encoding: Option<CMap>,
    /// Maps character numbers to characters.
    characters: CMap,
}

/// Information about the fonts of a document.
#[derive(Default)]
pub(super) struct Fallbacks {
    collections: HashMap<String, Collection>,
    /// Whether a font's codes are its glyph numbers, by font name.
    has_glyph_codes: HashMap<String, bool>,
    /// Maps from glyphs to characters, by font.
    reversed: HashMap<u128, HashMap<u32, char>>,
    /// Characters by code, for Type 3 fonts on the page that name their glyphs by number, or `None` if the fonts
    /// disagree.
    numbered: HashMap<u32, Option<char>>,
    guesses: Guesses,
}

/// Counts of characters that were guessed from their codes.
#[derive(Clone, Copy, Default)]
struct Guesses {
    all: usize,
    /// The number of signs among them: neither letters, digits, spaces nor common punctuation.
    signs: usize,
}

impl Fallbacks {
    /// Returns the number of guessed characters if they are wrong, or 0 if they are plausible. If a font numbers its
    /// glyphs differently, many guesses are signs.
    pub(super) const fn wrong_guesses(&self) -> usize {
        if self.guesses.signs * SIGNS_OF_NONSENSE > self.guesses.all { self.guesses.all } else { 0 }
    }

    /// Returns the number of characters that were guessed from their codes.
    pub(super) const fn guesses(&self) -> usize {
        self.guesses.all
    }

    /// Inspects the fonts of `page`.
    pub(super) fn learn_page(&mut self, page: &Page<'_>) {
        let fonts = page.raw().get::<Dict<'_>>("Resources").and_then(|resources| resources.get::<Dict<'_>>("Font"));
        self.numbered.clear();
        let Some(fonts) = fonts else { return };
        for name in fonts.keys() {
            if let Some(font) = fonts.get::<Dict<'_>>(&*name) {
                self.learn(&font);
            }
        }
    }

    fn learn(&mut self, font: &Dict<'_>) -> Option<()> {
        if font.contains_key("ToUnicode") {
            return None;
        }
        if font.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_str() == "Type3") {
            self.learn_numbers(font);
            return None;
        }
        let descendant = font.get::<Array<'_>>("DescendantFonts")?.iter::<Dict<'_>>().next()?;
        let name = font.get::<Name<'_>>("BaseFont")?;
        let name = without_subset(name.as_str()).to_owned();
        if self.collections.contains_key(&name) || self.has_glyph_codes.contains_key(&name) {
            return None;
        }
        let encoding = font.get::<Name<'_>>("Encoding");
        let is_identity = encoding.as_ref().is_some_and(|encoding| encoding.as_str().starts_with("Identity"));
        let system = descendant.get::<Dict<'_>>("CIDSystemInfo")?;
        let registry = system.get::<PdfString<'_>>("Registry")?;
        let ordering = system.get::<PdfString<'_>>("Ordering")?;
        let family = CidFamily::from_registry_ordering(registry.as_bytes(), ordering.as_bytes());
        let parse = |data: &[u8]| CMap::parse(data, load_embedded);
        let Some(ucs2) = family.ucs2_cmap() else {
            self.has_glyph_codes.insert(
                name,
                is_identity && descendant.get::<Object<'_>>("CIDToGIDMap").is_none_or(|map| map.into_name().is_some()),
            );
            return None;
        };
        let characters = parse(load_embedded(ucs2)?)?;
        let encoding = match encoding.filter(|_| !is_identity) {
            Some(encoding) => Some(parse(load_embedded(CMapName::from_bytes(encoding.as_ref()))?)?),
            None => None,
        };
        self.collections.insert(name, Collection { encoding, characters });
        Some(())
    }

    /// Reads glyph names such as `a233`. Some producers of Type 3 fonts name a glyph by its character number.
    fn learn_numbers(&mut self, font: &Dict<'_>) -> Option<()> {
        let names = font.get::<Dict<'_>>("Encoding")?.get::<Array<'_>>("Differences")?;
        let mut code = 0u32;
        for item in names.iter::<Object<'_>>().take(MAX_NAMES) {
            match item {
                Object::Name(name) => {
                    let number = name.as_str().strip_prefix(|c: char| c.is_ascii_alphabetic());
                    let number = number.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
                    let c = number.and_then(|number| number.parse().ok()).and_then(latin);
                    let known = self.numbered.entry(code).or_insert(c);
                    if *known != c {
                        *known = None;
                    }
                    code = code.saturating_add(1);
                }
                number => code = u32::try_from(number.into_i32()?).ok()?,
            }
        }
        Some(())
    }

    /// Whether the font of `glyph` is bold.
    pub(super) fn is_bold(glyph: &Glyph<'_>) -> bool {
        let Glyph::Outline(glyph) = glyph else { return false };
        let Some(font) = glyph.font_data() else { return false };
        let name = font.postscript_name.unwrap_or_default().to_lowercase();
        font.weight.is_some_and(|weight| weight >= 600)
            || ["bold", "black", "heavy", "-bd"].iter().any(|word| name.contains(word))
    }

    /// Returns the character of a glyph that the font does not declare.
    pub(super) fn char_of(&mut self, glyph: &Glyph<'_>) -> Option<char> {
        let code = glyph.char_code();
        let Glyph::Outline(outline) = glyph else {
            return self.numbered.get(&code).copied().flatten().or_else(|| printable(code));
        };
        let Some(font) = outline.font_data() else { return printable(code) };
        let name = font.postscript_name.unwrap_or_default();
        let name = without_subset(&name);
        if let Some(collection) = self.collections.get(name) {
            return collection.char_of(code);
        }
        let data = font.data;
        let reversed = self.reversed.entry(font.cache_key).or_insert_with(|| reversed(data.as_ref().as_ref()));
        let found = reversed.get(&outline.glyph_id().to_u32()).copied();
        let by_glyph = || {
            let is_ascii = self.has_glyph_codes.get(name).copied().unwrap_or(false) && code >= ASCII_FROM_GLYPH;
            is_ascii.then(|| printable(code + GLYPH_TO_ASCII)).flatten()
        };
        found.or_else(by_glyph).or_else(|| self.guess(code))
    }

    fn guess(&mut self, code: u32) -> Option<char> {
        let guess = printable(code)?;
        self.guesses.all += 1;
        self.guesses.signs += usize::from(!guess.is_alphanumeric() && !matches!(guess, ' ' | '.' | ',' | '-' | '\''));
        Some(guess)
    }
}

impl Collection {
    fn char_of(&self, code: u32) -> Option<char> {
        let number = match &self.encoding {
            Some(encoding) => (1..=4).rev().find_map(|length| encoding.lookup_cid_code(code, length))?,
            None => code,
        };
        match self.characters.lookup_bf_string(number)? {
            BfString::Char(c) => Some(c),
            BfString::String(text) => text.chars().next(),
        }
    }
}

/// Returns the inverted character map of the font in `data`. Symbol fonts add 0xF000 to codes, which is subtracted.
fn reversed(data: &[u8]) -> HashMap<u32, char> {
    let Ok(font) = FontRef::new(data) else { return HashMap::new() };
    let mut characters = HashMap::new();
    for (code, glyph) in font.charmap().mappings() {
        let code = if (0xf020..=0xf0ff).contains(&code) { code - 0xf000 } else { code };
        if let Some(c) = char::from_u32(code).filter(|c| !('\u{e000}'..='\u{f8ff}').contains(c) && !c.is_control()) {
            characters.entry(glyph.to_u32()).or_insert(c);
        }
    }
    characters
}

/// Returns the printable ASCII character with this code.
fn printable(code: u32) -> Option<char> {
    char::from_u32(code).filter(|c| (' '..='~').contains(c))
}

/// Returns the printable Latin-1 character with this code.
fn latin(code: u32) -> Option<char> {
    char::from_u32(code).filter(|c| (' '..='~').contains(c) || ('\u{a1}'..='\u{ff}').contains(c))
}

/// Removes the prefix of a font subset: six letters, as in `ABCDEF+Times`.
fn without_subset(name: &str) -> &str {
    match name.split_once('+') {
        Some((mark, rest)) if mark.len() == 6 && mark.bytes().all(|byte| byte.is_ascii_uppercase()) => rest,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::document_of_pages;
    use super::super::fixtures::extract;

    #[test]
    fn glyphs_that_are_called_by_numbers_are_their_characters() {
        let entries = "/Annots [] /Resources << /Font << /F << /Type /Font /Subtype /Type3 /FontBBox [0 0 10 10] /FontMatrix [.1 0 0 .1 0 0] /FirstChar 1 /LastChar 3 /Widths [5 5 5] /CharProcs << /a201 101 0 R /C116 101 0 R /.notdef 101 0 R >> /Encoding << /Differences [1 /a201 /C116 /.notdef] >> >> >> >>";
        let shape = "<< /Length 22 >>\nstream\n5 0 0 0 5 5 d1 0 0 4 4 re f\nendstream";
        let page = "BT /F 10 Tf 50 500 Td <01020103> Tj ET";
        let text = extract(&document_of_pages(&[page], entries, "", &["<< >>", shape])).unwrap().text;
        assert_eq!(text, "ÉtÉ\n");
    }
}
