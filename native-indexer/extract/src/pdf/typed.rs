//! Reads texts that people typed, such as field values and comments, within a limit. A file may contain a text once but
//! refer to it from many places.

use super::objects::{MAX_TYPED_CHARS, beginning};
use hayro_syntax::object::{Object, String as PdfString};

/// Maximum size in bytes of the typed texts in a document. A text counts each time it is read.
const MAX_TYPED_BYTES: usize = 32 << 20;

/// The amount of typed text that was read so far.
#[derive(Debug, Default)]
pub(super) struct Typed {
    bytes: usize,
    is_cut: bool,
}

impl Typed {
    /// Whether the limit is reached, so that nothing more is read.
    pub(super) const fn is_full(&self) -> bool {
        self.bytes >= MAX_TYPED_BYTES
    }

    /// Whether some text was left out.
    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut || self.is_full()
    }

    /// Decodes `typed`.
    pub(super) fn text(&mut self, typed: &PdfString<'_>) -> String {
        self.read(typed.as_bytes())
    }

    /// Decodes the value of a field and trims it. Returns `None` if it is empty.
    pub(super) fn value(&mut self, value: &Object<'_>) -> Option<String> {
        let said = match value {
            Object::String(said) => self.text(said),
            Object::Stream(stream) if !self.is_full() => {
                stream.decoded_data().map(|said| self.read(&said)).unwrap_or_default()
            }
            Object::Name(name) if !self.is_full() => {
                self.bytes = self.bytes.saturating_add(name.as_str().len());
                name.as_str().chars().take(MAX_TYPED_CHARS).collect()
            }
            _ => String::new(),
        };
        Some(said.trim().to_owned()).filter(|said| !said.is_empty())
    }

    fn read(&mut self, bytes: &[u8]) -> String {
        if self.is_full() {
            return String::new();
        }
        self.bytes = self.bytes.saturating_add(bytes.len());
        let text = beginning(bytes);
        // A text that was cut has more bytes than this.
        self.is_cut |= bytes.len() > MAX_TYPED_CHARS && text.chars().count() == MAX_TYPED_CHARS;
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::extract;
    use super::super::fixtures::{document_of_pages, show};
    use super::super::glyph::MAX_GLYPHS;

    /// Returns a document of one page with this number of `widgets` at different positions. They belong to a single
    /// field with the entries `field`.
    fn form(widgets: usize, field: &str, others: &[&str]) -> Vec<u8> {
        let widget = |number: usize| {
            let (x, y) = (50 + number % 5 * 100, 20 + number / 5 % 70 * 10);
            format!("<< /Subtype /Widget /Parent 101 0 R /Rect [{x} {y} {} {}] >>", x + 90, y + 9)
        };
        let widgets: String = (0..widgets).map(widget).collect();
        let objects: Vec<&str> = ["<< >>", field].iter().chain(others).copied().collect();
        document_of_pages(&[&show("Name", 50, 780, 10)], &format!("/Annots [{widgets}]"), "", &objects)
    }

    #[test]
    fn a_value_that_many_places_show_is_read_in_time() {
        let field = format!("<< /FT /Tx /V ({}) >>", "otter ".repeat(1 << 17));
        let extracted = extract(&form(5_000, &field, &[])).unwrap();
        assert!(extracted.text.contains("otter"));
        assert!(extracted.text.len() < 1 << 20, "{}", extracted.text.len());
        assert_eq!(extracted.notes, ["only the beginning of the text in its fields and comments was read"]);
    }

    #[test]
    fn values_of_a_page_are_no_more_than_its_glyphs() {
        let field = format!("<< /FT /Tx /V ({}) >>", "otter ".repeat(200));
        let length = extract(&form(5_000, &field, &[])).unwrap().text.len();
        assert!((MAX_GLYPHS / 2..MAX_GLYPHS * 3 / 2).contains(&length), "{length}");
    }

    #[test]
    fn short_values_are_whole_wherever_they_are_shown() {
        let extracted = extract(&form(300, "<< /FT /Tx /V (an otter) >>", &[])).unwrap();
        assert_eq!(extracted.text.matches("an otter").count(), 300);
        assert!(extracted.notes.is_empty(), "{:?}", extracted.notes);
    }

    #[test]
    fn lists_with_long_lines_are_read_in_time() {
        let long = format!("({})", "x".repeat(1 << 20));
        let options = "[102 0 R 102 0 R] ".repeat(1_000);
        let values = "102 0 R ".repeat(1_000);
        let field = format!("<< /FT /Ch /V [{values}] /Opt [{options}] >>");
        assert!(extract(&form(1_000, &field, &[&long])).unwrap().text.len() < 1 << 20);
    }
}
