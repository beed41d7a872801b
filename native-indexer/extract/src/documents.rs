//! Reads documents in binary files. The content of a file determines its format, because its name may be wrong.

use super::kinds::DocumentFormat;
use super::{html, mail, office, pdf, picture_file, rtf, sheet};
use crate::attached::PartReader;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::extraction::{Extraction, ReadPart};
use crate::left_out::LeftOut;
use crate::ocr::PictureReader;
use crate::words::one_line;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// First bytes of compound files: files of Office 97–2003, and encrypted newer files.
const COMPOUND_FILE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// First bytes of sheets of Excel 2, 3 and 4: the type of a record, which depends on the version, and its length.
const OLD_EXCEL: [&[u8]; 3] = [b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00"];
/// First bytes of ZIP archives.
const ARCHIVE: &[u8] = b"PK";
/// Name of the stream with the content of an encrypted file, which is stored in UTF-16.
const ENCRYPTED: &str = "EncryptedPackage";
/// Number of bytes that are searched for the beginning of a page.
const HEAD_BYTES: usize = 1024;
/// Number of bytes that are searched for the header of a PDF.
const PDF_HEADER_WITHIN: usize = 1024;

/// Reads a document with a name that suggests `format`. `read` reads its parts and attachments, and `pictures` reads
/// its pictures.
pub(super) fn extract(
    format: DocumentFormat,
    bytes: &[u8],
    read: ReadPart<'_>,
    pictures: Option<&dyn PictureReader>,
) -> Result<Extraction, ExtractError> {
    let format = format_told_by_content(format, bytes);
    check(format, bytes)?;
    // If a reader panics, only this file is lost.
    let outcome = catch_unwind(AssertUnwindSafe(|| read_as(format, bytes, read, pictures)));
    outcome.map_err(|panic| ExtractError::Panicked(said(panic.as_ref())))?
}

fn read_as(
    format: DocumentFormat,
    bytes: &[u8],
    read: ReadPart<'_>,
    pictures: Option<&dyn PictureReader>,
) -> Result<Extraction, ExtractError> {
    let is_compound = bytes.starts_with(COMPOUND_FILE);
    let parts = PartReader { read, reads_pictures: pictures.is_some() };
    if format == DocumentFormat::Doc && !is_compound {
        return html::extract("", &html::decode(bytes).0);
    }
    let extracted = match format {
        DocumentFormat::Pdf => pdf::extract(bytes, parts, pictures),
        DocumentFormat::Docx | DocumentFormat::Pptx | DocumentFormat::Doc | DocumentFormat::Ppt if is_compound => {
            office::old_office(bytes).unwrap_or_else(|| Err(ExtractError::OldOffice(new_ending(format))))
        }
        DocumentFormat::Docx | DocumentFormat::Doc => office::docx_with(bytes, read, pictures),
        DocumentFormat::Pptx | DocumentFormat::Ppt => office::pptx_with_pictures(bytes, pictures),
        DocumentFormat::OpenDocument => office::open_document(bytes, pictures),
        DocumentFormat::Epub => office::epub(bytes, pictures),
        DocumentFormat::Xlsx | DocumentFormat::Xlsb | DocumentFormat::Xls | DocumentFormat::Ods => {
            sheet::workbook(format, bytes, pictures)
        }
        DocumentFormat::RichText => rtf::extract(bytes),
        DocumentFormat::InternetMessage => mail::internet_message(bytes, parts),
        DocumentFormat::OutlookMessage => mail::outlook_message(bytes, parts),
        DocumentFormat::Mailbox => mail::mailbox(bytes, parts),
        DocumentFormat::WebArchive => return mail::web_archive(bytes),
        DocumentFormat::Picture => match pictures {
            Some(pictures) => picture_file::extract(bytes, pictures),
            None => return Ok(Extraction::LeftOut(LeftOut::Empty)),
        },
    }?;
    Ok(document(extracted))
}

fn document(extracted: Extracted) -> Extraction {
    // A title alone does not make a document.
    let is_empty = extracted.text.is_empty() && extracted.notes.is_empty();
    if is_empty { Extraction::LeftOut(LeftOut::Empty) } else { Extraction::Document(Box::new(extracted)) }
}

/// Returns the real format of `bytes` with a name that suggests `format`. Many files with the extension `.doc` are in
/// the format of Word 2007, in Rich Text, or web pages that a program wrote for Word, possibly saved as a message.
fn format_told_by_content(format: DocumentFormat, bytes: &[u8]) -> DocumentFormat {
    let start = bytes.trim_ascii_start();
    match format {
        DocumentFormat::Doc if bytes.starts_with(ARCHIVE) => DocumentFormat::Docx,
        DocumentFormat::Ppt if bytes.starts_with(ARCHIVE) => DocumentFormat::Pptx,
        DocumentFormat::Doc | DocumentFormat::Docx if start.starts_with(rtf::HEADER) => DocumentFormat::RichText,
        DocumentFormat::Doc if is_web_archive(start) => DocumentFormat::WebArchive,
        format => format,
    }
}

/// Whether `bytes` begin like a web page.
fn is_page(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    String::from_utf8_lossy(head).to_lowercase().contains("<html")
}

/// Whether `bytes` begin like a web page that was saved as a message, with the two headers of such a message.
fn is_web_archive(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(bytes.get(..HEAD_BYTES).unwrap_or(bytes)).to_lowercase();
    let is_header = |line: &&str| {
        let name = line.split_once(':').map(|(name, _)| name);
        let is_name = name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
        is_name || line.starts_with([' ', '\t'])
    };
    let headers: Vec<&str> = head.lines().take_while(is_header).collect();
    let says = |start: &str| headers.iter().any(|line| line.starts_with(start));
    says("mime-version:") && says("content-type:")
}

/// Returns the message of a panic on one line.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    one_line(text.unwrap_or("it gives no details"))
}

/// Refuses a file that does not begin like its format.
fn check(format: DocumentFormat, bytes: &[u8]) -> Result<(), ExtractError> {
    let is_pdf = format == DocumentFormat::Pdf;
    if bytes.is_empty() {
        return Err(ExtractError::Damaged("it is empty".to_owned()));
    }
    if is_pdf {
        let start = &bytes[..bytes.len().min(PDF_HEADER_WITHIN)];
        let has_header = start.windows(5).any(|window| window == b"%PDF-");
        return if has_header { Ok(()) } else { Err(ExtractError::Damaged("it is not a PDF".to_owned())) };
    }
    if matches!(
        format,
        DocumentFormat::RichText
            | DocumentFormat::InternetMessage
            | DocumentFormat::OutlookMessage
            | DocumentFormat::Mailbox
            | DocumentFormat::WebArchive
            | DocumentFormat::Picture
    ) {
        // Their readers check this.
        return Ok(());
    }
    if bytes.starts_with(COMPOUND_FILE) && format != DocumentFormat::Xls {
        let name: Vec<u8> = ENCRYPTED.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let is_encrypted = bytes.windows(name.len()).any(|window| window == name);
        let is_read =
            matches!(format, DocumentFormat::Docx | DocumentFormat::Pptx | DocumentFormat::Doc | DocumentFormat::Ppt);
        return match () {
            () if is_encrypted => Err(ExtractError::Encrypted),
            () if is_read => Ok(()),
            () => Err(ExtractError::OldOffice(new_ending(format))),
        };
    }
    if format == DocumentFormat::Doc && is_page(bytes) {
        return Ok(());
    }
    if matches!(format, DocumentFormat::Doc | DocumentFormat::Ppt) {
        return Err(ExtractError::Damaged("it is not a Word or PowerPoint file".to_owned()));
    }
    if format == DocumentFormat::Xls && OLD_EXCEL.iter().any(|start| bytes.starts_with(start)) {
        return Err(ExtractError::OldExcel);
    }
    if !bytes.starts_with(ARCHIVE) && format != DocumentFormat::Xls {
        return Err(ExtractError::Damaged("it is not a zip archive".to_owned()));
    }
    Ok(())
}

/// Returns the extension of the format that users should save a file of Office 97–2003 in.
fn new_ending(format: DocumentFormat) -> String {
    match format {
        DocumentFormat::Pptx | DocumentFormat::Ppt => ".pptx",
        DocumentFormat::Xlsx | DocumentFormat::Xlsb | DocumentFormat::Ods => ".xlsx",
        _ => ".docx",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ocr::{Picture, Recognized};
    use proptest::prelude::*;

    const FORMATS: [DocumentFormat; 17] = [
        DocumentFormat::Pdf,
        DocumentFormat::Docx,
        DocumentFormat::Pptx,
        DocumentFormat::Doc,
        DocumentFormat::Ppt,
        DocumentFormat::OpenDocument,
        DocumentFormat::Xlsx,
        DocumentFormat::Xlsb,
        DocumentFormat::Xls,
        DocumentFormat::Ods,
        DocumentFormat::Epub,
        DocumentFormat::RichText,
        DocumentFormat::InternetMessage,
        DocumentFormat::OutlookMessage,
        DocumentFormat::Mailbox,
        DocumentFormat::WebArchive,
        DocumentFormat::Picture,
    ];

    /// Does not find text in any picture.
    struct NoText;

    impl PictureReader for NoText {
        fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized> {
            pictures.iter().map(|_| Ok(String::new())).collect()
        }
    }

    fn extract(format: DocumentFormat, bytes: &[u8]) -> Result<Extraction, ExtractError> {
        super::extract(format, bytes, &|_, _| Ok(Extraction::LeftOut(LeftOut::Empty)), Some(&NoText))
    }

    #[test]
    fn what_begins_like_something_else_is_named() {
        let encrypted: Vec<u8> =
            COMPOUND_FILE.iter().copied().chain(ENCRYPTED.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(extract(DocumentFormat::Docx, &encrypted), Err(ExtractError::Encrypted));
        assert_eq!(extract(DocumentFormat::Pptx, COMPOUND_FILE), Err(ExtractError::OldOffice(".pptx".into())));
        assert_eq!(extract(DocumentFormat::Xls, b"\x09\x04\x06\x00\x00\x00\x10\x00"), Err(ExtractError::OldExcel));
        assert!(matches!(extract(DocumentFormat::Pdf, b"<html>"), Err(ExtractError::Damaged(_))));
    }

    #[test]
    fn old_names_hide_other_formats() {
        let text = |bytes: &[u8]| match extract(DocumentFormat::Doc, bytes) {
            Ok(Extraction::Document(extracted)) => extracted.text,
            other => format!("{other:?}"),
        };
        assert_eq!(text(b"{\\rtf1 Rich}"), "Rich\n");
        assert_eq!(text(b"<html><body><p>A page</p></body></html>"), "A page\n");
        assert_eq!(text(&office::docx_fixture("<w:p><w:r><w:t>New</w:t></w:r></w:p>")), "New\n");
        let part = "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<html><body><p>Gr=C3=B6=C3=9Fe</p>=\n</body></html>";
        let related = "MIME-Version: 1.0\nContent-Type: multipart/related;\n boundary=\"b\"\n\n--b\n";
        for headers in ["Date: Thu, 2 May 2024 10:00:00 +0000\nSubject: Exported\n", ""] {
            assert_eq!(text(format!("{headers}{related}{part}\n--b--\n").as_bytes()), "Größe\n");
        }
        assert!(matches!(extract(DocumentFormat::Doc, b"nothing of the kind"), Err(ExtractError::Damaged(_))));
    }

    #[test]
    fn a_panic_is_remembered_with_what_it_said() {
        let panic = |run: fn()| ExtractError::Panicked(said(catch_unwind(run).unwrap_err().as_ref()));
        let failed = panic(|| panic!("no glyph {}\nat all", 7));
        assert_eq!(failed, ExtractError::Panicked("no glyph 7 at all".to_owned()));
        assert!(failed.is_lasting() && panic(|| panic!("short")).is_lasting());
        // A hostile file must not take its time again when another file changes.
        assert!(ExtractError::TooSlow(30).is_lasting() && ExtractError::Crashed.is_lasting());
        assert!(ExtractError::OutOfMemory.is_lasting());
        assert!(!ExtractError::ReaderDied.is_lasting(), "a process that was killed may do better the next time");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in 0usize..3000) {
            let whole = [
                office::docx_fixture("<w:p><w:r><w:t>Some text.</w:t></w:r></w:p>"),
                pdf::fixture(),
            ];
            for format in FORMATS {
                let starts: [&[u8]; 6] = [b"%PDF-1.7\n", b"PK\x03\x04", COMPOUND_FILE, b"{\\rtf1", b"Subject: a\n", b"From a 1:1\n"];
                for start in starts {
                    let _ = extract(format, &[start, &bytes].concat());
                }
            }
            for (document, format) in whole.into_iter().zip([DocumentFormat::Docx, DocumentFormat::Pdf]) {
                let mut damaged = document;
                let at = cut % damaged.len();
                for (place, byte) in bytes.iter().enumerate().take(8) {
                    let length = damaged.len();
                    damaged[(at + place * 31) % length] = *byte;
                }
                if let Ok(Extraction::Document(extracted)) = extract(format, &damaged) {
                    prop_assert!(extracted.marks.is_sorted_by_key(|mark| mark.at));
                    prop_assert!(extracted.marks.iter().all(|mark| extracted.text.is_char_boundary(mark.at)));
                    prop_assert!(extracted.headings.iter().all(|heading| extracted.text.is_char_boundary(heading.at)));
                }
                let mut cut_off = damaged;
                cut_off.truncate(at);
                let _ = extract(format, &cut_off);
            }
        }
    }
}
