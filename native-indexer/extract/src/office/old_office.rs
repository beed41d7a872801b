//! Reads Office 97–2003 documents. The content determines the format, because the file name may be wrong.

use super::little_endian::{number_16, number_32, slice};
use super::properties::{Properties, honest_title};
use super::{old_slides, old_word};
use crate::compound_file::{CompoundFile, time};
use crate::date::Date;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::text_encoding;
use encoding_rs::UTF_16LE;

/// The stream with the document's title.
const SUMMARY: &str = "\u{5}SummaryInformation";
/// Identifiers of properties in the stream: the code page of texts, the title, and the time of the last save.
const CODE_PAGE: u32 = 1;
const TITLE: u32 = 2;
const SAVED: u32 = 13;
/// Maximum number of properties.
const MAX_PROPERTIES: u32 = 1_000;
/// The code page for UTF-16.
const UTF_16: u16 = 1200;
/// Maximum number of bytes to read from a document's streams.
const MAX_BYTES: usize = 256 << 20;

/// Reads a document or a presentation. Returns `None` for any other file.
pub(crate) fn extract(bytes: &[u8]) -> Option<Result<Extracted, ExtractError>> {
    let mut file = CompoundFile::open(bytes, MAX_BYTES).ok()?;
    let read = if file.has("WordDocument") {
        old_word::extract(&mut file)
    } else if file.has("PowerPoint Document") {
        old_slides::extract(&mut file)
    } else {
        return None;
    };
    Some(read.map(|mut extracted| {
        let own = std::mem::take(&mut extracted.title);
        // A damaged summary does not prevent reading the document.
        let summary = file.stream_of_root(SUMMARY).unwrap_or_default();
        properties(&summary).give(&mut extracted);
        if extracted.title.is_empty() {
            extracted.title = own;
        }
        extracted
    }))
}

/// Reads the summary ([MS-OLEPS]).
fn properties(summary: &[u8]) -> Properties {
    let mut properties = Properties::default();
    let Some(section) = number_32(summary, 44).and_then(|at| summary.get(at as usize..)) else { return properties };
    let count = number_32(section, 4).unwrap_or(0).min(MAX_PROPERTIES) as usize;
    let values = (0..count).filter_map(|number| {
        let (name, at) = (number_32(section, 8 + number * 8)?, number_32(section, 12 + number * 8)?);
        Some((name, section.get((at as usize).checked_add(4)?..)?))
    });
    let code_page = values.clone().find(|(name, _)| *name == CODE_PAGE).and_then(|(_, value)| number_16(value, 0));
    for (name, value) in values {
        match name {
            TITLE => {
                let length = number_32(value, 0).unwrap_or(0) as usize;
                properties.title = honest_title(&text(slice(value, 4, length), code_page));
            }
            SAVED => properties.date = date(value),
            _ => {}
        }
    }
    properties
}

/// Decodes `bytes` up to the terminating zero.
fn text(bytes: &[u8], code_page: Option<u16>) -> String {
    if code_page == Some(UTF_16) {
        let text = UTF_16LE.decode_without_bom_handling(bytes).0;
        return text.split('\0').next().unwrap_or_default().to_owned();
    }
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    match code_page.and_then(codepage::to_encoding) {
        // Some programs write UTF-8, whatever code page they declare.
        Some(encoding) if str::from_utf8(bytes).is_err() => encoding.decode_without_bom_handling(bytes).0.into_owned(),
        _ => text_encoding::decode(bytes).0.into_owned(),
    }
}

fn date(value: &[u8]) -> Option<Date> {
    let ticks = (u64::from(number_32(value, 4)?) << 32) | u64::from(number_32(value, 0)?);
    let mail_parser::DateTime { year, month, day, .. } = time(ticks)?;
    Date::parse(&format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{WINDOWS_1251, WINDOWS_1253};
    use proptest::prelude::*;

    /// Returns a summary with a title in this code page.
    fn summary(title: &[u8], code_page: Option<u16>) -> Vec<u8> {
        let mut values = Vec::new();
        let mut section = Vec::new();
        let count = 1 + u32::from(code_page.is_some());
        let first = 8 + 8 * count;
        let mut add = |name: u32, kind: u32, value: &[u8]| {
            section.extend(name.to_le_bytes());
            section.extend((first + values.len() as u32).to_le_bytes());
            values.extend(kind.to_le_bytes());
            values.extend(value);
        };
        add(TITLE, 30, &[&(title.len() as u32).to_le_bytes(), title].concat());
        if let Some(code_page) = code_page {
            add(CODE_PAGE, 2, &code_page.to_le_bytes());
        }
        let mut bytes = vec![0; 48];
        bytes[44..].copy_from_slice(&48u32.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(count.to_le_bytes());
        bytes.extend(section);
        bytes.extend(values);
        bytes
    }

    #[test]
    fn titles_are_decoded_by_the_code_page_of_the_summary() {
        let russian = WINDOWS_1251.encode("Отчёт").0;
        assert_eq!(properties(&summary(&russian, Some(1251))).title, "Отчёт");
        let greek = WINDOWS_1253.encode("Ωδή").0;
        assert_eq!(properties(&summary(&greek, Some(1253))).title, "Ωδή");
        let wide: Vec<u8> = "Größe\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(properties(&summary(&wide, Some(UTF_16))).title, "Größe");
        assert_eq!(properties(&summary("Größe\0".as_bytes(), Some(1252))).title, "Größe");
        assert_eq!(properties(&summary(b"Plain\0rest", None)).title, "Plain");
    }

    proptest! {
        #[test]
        fn any_summary_is_read(bytes in prop::collection::vec(any::<u8>(), 0..200), code_page in any::<Option<u16>>()) {
            let _ = properties(&bytes);
            let _ = properties(&summary(&bytes, code_page));
        }
    }
}
