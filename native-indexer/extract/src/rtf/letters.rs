//! Assembles text from bytes in code pages and UTF-16 units.

use encoding_rs::{Encoding, WINDOWS_1252};

/// Collects the letters of a text.
#[derive(Debug, Default)]
pub(super) struct Letters {
    text: String,
    /// Bytes in `code_page` that are not decoded yet, because a character may have several bytes.
    bytes: Vec<u8>,
    code_page: u16,
    units: Vec<u16>,
}

impl Letters {
    /// Adds a byte in `code_page`.
    pub(super) fn byte(&mut self, byte: u8, code_page: u16) {
        if code_page != self.code_page || !self.units.is_empty() {
            self.settle();
            self.code_page = code_page;
        }
        self.bytes.push(byte);
    }

    /// Adds a UTF-16 unit.
    pub(super) fn unit(&mut self, unit: u16) {
        if !self.bytes.is_empty() {
            self.settle();
        }
        self.units.push(unit);
    }

    pub(super) fn push(&mut self, text: &str) {
        self.settle();
        self.text.push_str(text);
    }

    /// Returns the text so far, and starts an empty text.
    pub(super) fn take(&mut self) -> String {
        self.settle();
        std::mem::take(&mut self.text)
    }

    fn settle(&mut self) {
        if !self.bytes.is_empty() {
            self.text.push_str(&encoding(self.code_page).decode_without_bom_handling(&self.bytes).0);
            self.bytes.clear();
        }
        if !self.units.is_empty() {
            self.text.push_str(&String::from_utf16_lossy(&self.units));
            self.units.clear();
        }
    }
}

/// Returns the encoding of a code page, or the Western European encoding if the code page is unknown.
fn encoding(code_page: u16) -> &'static Encoding {
    codepage::to_encoding(code_page).unwrap_or(WINDOWS_1252)
}

/// Returns the code page of fonts with this `\fcharset`, or `None` for the document's code page.
pub(super) const fn code_page_of_charset(charset: i32) -> Option<u16> {
    Some(match charset {
        77 => 10000,
        128 => 932,
        129 | 130 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    })
}
