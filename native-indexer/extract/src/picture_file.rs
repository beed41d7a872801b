//! Reads picture files, such as photographs and scans, by OCR or with a model that describes them.

use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::ocr::{Picture, PictureReader, media_type};

/// The character that ends a page in the output of OCR.
const PAGE_END: char = '\u{c}';

/// Reads the picture in `bytes` with `pictures`.
pub(super) fn extract(bytes: &[u8], pictures: &dyn PictureReader) -> Result<Extracted, ExtractError> {
    if media_type(bytes).is_none() {
        return Err(ExtractError::Damaged("it is not a PNG, JPEG or TIFF".to_owned()));
    }
    let picture = Picture::figure(bytes.to_vec());
    let is_described = pictures.describes() && !picture.is_tiff();
    let text = match pictures.read(vec![picture]).pop() {
        Some(text) => text.map_err(ExtractError::NotRecognized)?,
        None => return Err(ExtractError::NotRecognized("OCR reads no pages".to_owned())),
    };
    let pages: Vec<&str> = text.trim_end_matches(PAGE_END).split(PAGE_END).collect();
    let mut writer = DocumentWriter::default();
    for (number, page) in pages.iter().enumerate() {
        let label = match pages.len() {
            1 if is_described => "described by a model".to_owned(),
            1 => "read by OCR".to_owned(),
            _ => format!("p. {} (read by OCR)", number + 1),
        };
        writer.mark("", &label, "");
        for paragraph in paragraphs(page) {
            writer.paragraph(&paragraph);
        }
    }
    Ok(writer.finish(Vec::new()))
}

/// Returns the paragraphs of a page, each on one line.
fn paragraphs(page: &str) -> Vec<String> {
    let lines: Vec<&str> = page.lines().collect();
    lines.split(|line| line.trim().is_empty()).map(|lines| lines.join(" ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ocr::Recognized;

    struct Says(Recognized);

    impl PictureReader for Says {
        fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized> {
            pictures.iter().map(|_| self.0.clone()).collect()
        }
    }

    fn read(text: &str) -> Extracted {
        extract(b"\x89PNG\r\n\x1a\n", &Says(Ok(text.to_owned()))).unwrap()
    }

    #[test]
    fn paragraphs_and_pages_are_kept_and_say_how_they_were_read() {
        let extracted = read("Receipt\n\nTwo lines\nof text.\n \n\x0c");
        assert_eq!(extracted.text, "Receipt\n\nTwo lines of text.\n");
        assert_eq!(extracted.marks[0].label, "read by OCR");
        let labels: Vec<_> = read("One\n\x0cTwo\n\x0c").marks.into_iter().map(|mark| mark.label).collect();
        assert_eq!(labels, ["p. 1 (read by OCR)", "p. 2 (read by OCR)"]);
        assert!(read("\x0c").text.is_empty());
    }

    #[test]
    fn pictures_that_are_none_or_fail_are_named() {
        let failed = extract(b"MM\0*", &Says(Err("it hangs".to_owned())));
        assert_eq!(failed, Err(ExtractError::NotRecognized("it hangs".to_owned())));
        assert!(matches!(extract(b"GIF89a", &Says(Ok(String::new()))), Err(ExtractError::Damaged(_))));
    }
}
