//! Detects the encoding of texts that are not Unicode. Office used the code page of the Windows version that it ran on.

use crate::text_encoding;
use encoding_rs::{Encoding, MACINTOSH, UTF_8, WINDOWS_1252};

/// Returns the encoding of a document's text, given the language of the Word version that wrote it ([MS-LCID]), and
/// whether it was a Macintosh version. If the language uses the Western European code page, the encoding is detected
/// from the text, because such versions were also used for other languages.
pub(super) fn of_document(bytes: &[u8], language: u16, is_of_macintosh: bool) -> &'static Encoding {
    if is_of_macintosh {
        return MACINTOSH;
    }
    let said = code_page(language).and_then(codepage::to_encoding);
    said.unwrap_or_else(|| Some(text_encoding::detected(bytes)).filter(|found| *found != UTF_8).unwrap_or(WINDOWS_1252))
}

/// Returns the Windows code page for a language, or `None` for Western Europe.
const fn code_page(language: u16) -> Option<u16> {
    // The upper bits identify the country.
    Some(match (language & 0x3FF, language) {
        (_, 0x0404 | 0x0C04 | 0x1404) => 950,
        (0x04, _) => 936,
        (_, 0x0C1A | 0x1C1A) | (0x02 | 0x19 | 0x22 | 0x23 | 0x2F, _) => 1251,
        (0x05 | 0x0E | 0x15 | 0x18 | 0x1A | 0x1B | 0x1C | 0x24, _) => 1250,
        (0x08, _) => 1253,
        (0x1F, _) => 1254,
        (0x0D, _) => 1255,
        (0x01 | 0x20 | 0x29, _) => 1256,
        (0x25..=0x27, _) => 1257,
        (0x2A, _) => 1258,
        (0x11, _) => 932,
        (0x12, _) => 949,
        (0x1E, _) => 874,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, GBK, SHIFT_JIS, WINDOWS_1250, WINDOWS_1251};

    #[test]
    fn the_language_or_the_letters_determine_the_encoding() {
        let (russian, english) = (0x0419, 0x0409);
        for (language, expected) in [
            (russian, WINDOWS_1251),
            (0x0C1A, WINDOWS_1251),
            (0x041A, WINDOWS_1250),
            (0x0415, WINDOWS_1250),
            (0x0411, SHIFT_JIS),
            (0x0404, BIG5),
            (0x0804, GBK),
            (english, WINDOWS_1252),
        ] {
            assert_eq!(of_document(b"\xe4", language, false), expected, "{language:x}");
        }
        let text = WINDOWS_1251.encode("Отчёт о продажах за третий квартал.").0;
        assert_eq!(of_document(&text, english, false), WINDOWS_1251);
        assert_eq!(of_document(&text, english, true), MACINTOSH);
        assert_eq!(of_document("déjà vu".repeat(20).as_bytes(), english, false), WINDOWS_1252);
    }
}
