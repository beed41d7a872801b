//! Documents for tests.

use crate::attached::PartReader;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::extraction::Extraction;
use crate::left_out::LeftOut;
use crate::ocr::PictureReader;

/// Returns a document with these content streams as pages, in Helvetica. The `extra` objects are numbered from 100 on.
/// `catalog` contains entries for the root.
pub(super) fn document(pages: &[&str], catalog: &str, extra: &[&str]) -> Vec<u8> {
    document_of_pages(pages, "", catalog, extra)
}

/// Returns a document like [`document`], with `entries` in the dictionary of each page.
pub(super) fn document_of_pages(pages: &[&str], entries: &str, catalog: &str, extra: &[&str]) -> Vec<u8> {
    let mut objects: Vec<(usize, String)> = Vec::new();
    let kids: Vec<String> = (0..pages.len()).map(|number| format!("{} 0 R", 10 + 2 * number)).collect();
    objects.push((1, format!("<< /Type /Catalog /Pages 2 0 R {catalog} >>")));
    objects.push((2, format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" "))));
    objects.push((3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned()));
    for (number, content) in pages.iter().enumerate() {
        let id = 10 + 2 * number;
        objects.push((id, format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R /Resources << /Font << /F 3 0 R >> /XObject << /P 100 0 R >> >> {entries} >>", id + 1)));
        objects.push((id + 1, format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len())));
    }
    objects.extend(extra.iter().enumerate().map(|(number, object)| (FIRST_OBJECT + number, (*object).to_owned())));
    let mut out = String::from("%PDF-1.7\n");
    let mut places = Vec::new();
    for (id, object) in &objects {
        places.push((*id, out.len()));
        out.push_str(&format!("{id} 0 obj\n{object}\nendobj\n"));
    }
    let start = out.len();
    out.push_str("xref\n0 1\n0000000000 65535 f \n");
    for (id, place) in places {
        out.push_str(&format!("{id} 1\n{place:010} 00000 n \n"));
    }
    out.push_str(&format!("trailer << /Size 200 /Root 1 0 R /Info 100 0 R >>\nstartxref\n{start}\n%%EOF\n"));
    out.into_bytes()
}

/// The number of the first of the additional objects in [`document_of_pages`]. It is also the metadata.
pub(super) const FIRST_OBJECT: usize = 100;

/// Reads a document without OCR and without attached files.
pub(super) fn extract(bytes: &[u8]) -> Result<Extracted, ExtractError> {
    extract_with(bytes, None)
}

/// Reads a document without attached files.
pub(super) fn extract_with(bytes: &[u8], pictures: Option<&dyn PictureReader>) -> Result<Extracted, ExtractError> {
    let parts = PartReader { read: &|_, _| Ok(Extraction::LeftOut(LeftOut::Empty)), reads_pictures: false };
    super::extract(bytes, parts, pictures)
}

/// Returns operators that show `text` at a position, in points from the bottom left.
pub(super) fn show(text: &str, x: u32, y: u32, size: u32) -> String {
    format!("BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

/// Returns a one-page document with a form, a comment, a stamp, attached files and a table.
pub(crate) fn pdf() -> Vec<u8> {
    let cells = (0..9).map(|cell| show("x1", 50 + cell % 3 * 60, 600 - cell / 3 * 12, 10));
    let page = [show("A Title", 50, 700, 24), show("Some text of a page.", 50, 650, 10)].into_iter().chain(cells);
    let annotations = "/Annots [<< /Subtype /Widget /Rect [150 648 200 660] /FT /Tx /V (typed) >> << /Subtype /Widget /Rect [30 648 40 660] /FT /Btn /AS /On >> << /Subtype /Stamp /Rect [9 9 99 99] /AP << /N 102 0 R >> >> << /Subtype /Text /Rect [0 0 9 9] /Contents (note) /FS << /F (a.txt) >> >>]";
    let stamp =
        "<< /Subtype /Form /BBox [0 0 9 9] /Length 33 >>\nstream\nBT /F 5 Tf 1 1 Td (Stamped) Tj ET \nendstream";
    let catalog =
        "/AcroForm << /XFA [(datasets) 101 0 R] >> /Names << /EmbeddedFiles << /Names [(a) << /F (b.md) >>] >> >>";
    let values = "<< /Length 27 >>\nstream\n<data><Name>A</Name></data>\nendstream";
    let page: String = page.collect();
    document_of_pages(&[&page], annotations, catalog, &["<< /Title (A Title) >>", values, stamp])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_text_with_headings_and_marks() {
        let first = [
            show("The Manual", 50, 700, 24),
            show("Scope", 50, 650, 14),
            show("This text goes on and is", 50, 630, 10),
            "/Artifact BMC ".to_owned() + &show("Draft", 50, 30, 8) + "EMC ",
        ];
        let second =
            [show("finished on the next page.", 50, 700, 10), show("Terms", 50, 650, 14), show("More.", 50, 630, 10)];
        let outline = "/Outlines 101 0 R /PageLabels << /Nums [0 << /S /r >> 1 << /S /D >>] >> /Lang (en-GB)";
        let entry = |title: &str, page: usize, next: &str| {
            format!("<< /Title ({title}) /Dest [{page} 0 R /XYZ 0 700 0] {next} >>")
        };
        let objects = [
            "<< /Title (Microsoft Word - m.doc) /ModDate (D:20240501120000Z) >>".to_owned(),
            "<< /First 102 0 R >>".to_owned(),
            entry("The Manual", 10, "/Next 103 0 R"),
            entry("Scope", 10, "/Next 104 0 R"),
            entry("Terms", 12, ""),
        ];
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        let extracted = extract(&document(&[&first.concat(), &second.concat()], outline, &objects)).unwrap();
        assert_eq!(extracted.title, "The Manual");
        assert_eq!(
            extracted.text,
            "# The Manual\n\n# Scope\n\nThis text goes on and is finished on the next page.\n\nDraft\n\n# Terms\n\nMore.\n"
        );
        let marks: Vec<_> = extracted.marks.iter().map(|mark| (mark.anchor.as_str(), mark.label.as_str())).collect();
        assert_eq!(marks, [("page=1", "p. i (page 1)"), ("page=2", "p. 1 (page 2)")]);
        assert_eq!(extracted.headings[2].anchor, "page=2");
        assert_eq!(
            (extracted.language.as_str(), extracted.date.unwrap().to_string().as_str()),
            ("en-gb", "2024-05-01")
        );
    }

    #[test]
    fn turned_pages_invisible_text_and_what_glyphs_show_are_read() {
        let turned = "BT /F 10 Tf 0 1 -1 0 300 100 Tm (Up the page) Tj ET";
        let invisible = "BT /F 10 Tf 3 Tr 50 500 Td (Scanned words) Tj ET";
        let actual = "/Span << /ActualText (True) >> BDC BT /F 10 Tf 50 400 Td (xx) Tj ET EMC";
        let text = extract(&document(&[turned, invisible, actual], "", &["<< >>"])).unwrap().text;
        assert_eq!(text, "Up the page\n\nScanned words\n\nTrue\n");
    }

    #[test]
    fn what_has_no_pages_is_damaged() {
        assert!(matches!(extract(b"%PDF-1.7\nnothing"), Err(ExtractError::Damaged(_))));
    }
}
