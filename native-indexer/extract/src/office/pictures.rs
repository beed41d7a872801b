//! Reads the text of pictures in a document by OCR, or has a model describe them.

use super::package::Package;
use crate::document_writer::DocumentWriter;
use crate::ocr::{Picture, PictureReader, may_have_text};
use crate::words::one_line;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of pictures of a document or a part.
const MAX_PICTURES: usize = 500;
/// Maximum number of pictures of a document or a part that are unpacked, small ones included.
const MAX_UNPACKED: usize = 5_000;
/// Pictures of this many bytes are read before more are unpacked.
const MAX_PICTURE_BYTES: usize = 16 << 20;

/// The text of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PictureText {
    /// The paragraphs of the text.
    paragraphs: Vec<String>,
    /// Whether a model described the picture.
    is_described: bool,
}

/// The texts of pictures by their ids. An id is how the document refers to a picture.
#[derive(Debug, Default)]
pub(super) struct PictureTexts {
    by_id: BTreeMap<String, PictureText>,
    /// Number of pictures that could not be read, and why the last one could not be read.
    unread: usize,
    problem: String,
}

impl PictureTexts {
    /// Has `reader` read the pictures in `wanted`: their ids and the names of their parts. A picture that cannot be
    /// unpacked does not affect the text of the document.
    pub(super) fn read(
        package: &mut Package<'_>,
        wanted: impl IntoIterator<Item = (String, String)>,
        reader: &dyn PictureReader,
    ) -> Self {
        let mut texts = Self::default();
        let mut waiting: Vec<(String, Picture)> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut read = 0;
        for (id, part) in wanted.into_iter().filter(|(id, _)| seen.insert(id.clone())).take(MAX_UNPACKED) {
            // The rest of what may be unpacked is for the text.
            if !package.has_room() {
                texts.unread += 1;
                "its pictures are too large together".clone_into(&mut texts.problem);
                continue;
            }
            let Ok(Some(bytes)) = package.part(&part) else { continue };
            if !may_have_text(&bytes) {
                continue;
            }
            read += 1;
            if read > MAX_PICTURES {
                texts.unread += 1;
                texts.problem = format!("only the first {MAX_PICTURES} are read");
                continue;
            }
            waiting.push((id, Picture::figure(bytes)));
            if waiting.iter().map(|(_, picture)| picture.bytes.len()).sum::<usize>() > MAX_PICTURE_BYTES {
                texts.recognize(std::mem::take(&mut waiting), reader);
            }
        }
        texts.recognize(waiting, reader);
        texts
    }

    fn recognize(&mut self, waiting: Vec<(String, Picture)>, reader: &dyn PictureReader) {
        if waiting.is_empty() {
            return;
        }
        // Models do not read TIFF files, so OCR reads them.
        let are_tiff: Vec<bool> = waiting.iter().map(|(_, picture)| picture.is_tiff()).collect();
        let (ids, waiting): (Vec<String>, Vec<Picture>) = waiting.into_iter().unzip();
        let texts = reader.read(waiting);
        if texts.len() < ids.len() {
            self.unread += ids.len() - texts.len();
            "raise `pages` in [ocr]".clone_into(&mut self.problem);
        }
        for ((id, text), is_tiff) in ids.into_iter().zip(texts).zip(are_tiff) {
            match text.map(|text| paragraphs(&text)) {
                Ok(paragraphs) if paragraphs.is_empty() => {}
                Ok(paragraphs) => {
                    self.by_id.insert(id, PictureText { paragraphs, is_described: reader.describes() && !is_tiff });
                }
                Err(problem) => {
                    self.unread += 1;
                    self.problem = problem;
                }
            }
        }
    }

    /// Returns the text of the picture `id`, if this is the first reference to it. Repeated references to a large text
    /// would cause endless output.
    pub(super) fn take(&mut self, id: &str) -> Option<PictureText> {
        self.by_id.remove(id)
    }

    /// Returns the note for a report on pictures that could not be read, if there are any.
    pub(super) fn note(&self) -> Option<String> {
        (self.unread > 0).then(|| format!("{} pictures in it could not be read: {}", self.unread, self.problem))
    }

    /// Adds the unread pictures of another part.
    pub(super) fn join_unread(&mut self, other: &Self) {
        self.unread += other.unread;
        if !other.problem.is_empty() {
            other.problem.clone_into(&mut self.problem);
        }
    }
}

impl PictureText {
    /// Returns the words before the text. Some of its letters may be wrong.
    const fn lead(&self) -> &'static str {
        if self.is_described { "Picture (described by a model):" } else { "Picture (read by OCR):" }
    }

    pub(super) fn write(&self, writer: &mut DocumentWriter) {
        self.blocks().for_each(|text| writer.paragraph(text));
    }

    /// Returns the paragraphs, the words before the text first.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.lead()).chain(self.paragraphs.iter().map(String::as_str))
    }

    /// Returns the whole text as one line for a cell of a table.
    pub(super) fn line(&self) -> String {
        format!("{} {}", self.lead(), self.paragraphs.join(" "))
    }
}

/// Returns the lines between empty ones, as one text each.
fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let paragraphs = lines.split(|line| line.trim().is_empty()).map(|lines| one_line(&lines.join(" ")));
    paragraphs.filter(|paragraph| paragraph.chars().any(char::is_alphanumeric)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{archive_of, docx_bytes};
    use super::super::{docx_with, epub, open_document};
    use crate::extraction::Extraction;
    use crate::left_out::LeftOut;
    use crate::ocr::{Picture, PictureReader, Recognized};

    /// Reads each picture as its text.
    struct Says(Recognized);

    impl PictureReader for Says {
        fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized> {
            pictures.iter().map(|_| self.0.clone()).collect()
        }
    }

    /// Describes each picture by its last byte.
    struct Describes;

    impl PictureReader for Describes {
        fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized> {
            pictures.iter().map(|picture| Ok(format!("Seen <{}>", picture.bytes.last().unwrap()))).collect()
        }

        fn describes(&self) -> bool {
            true
        }
    }

    fn picture(width: u32) -> Vec<u8> {
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &width.to_be_bytes(), &480u32.to_be_bytes()].concat()
    }

    #[test]
    fn pictures_of_word_are_read_in_their_place() {
        let run =
            |id: &str| format!(r#"<w:r><w:drawing><a:blip xmlns:a="a" xmlns:r="r" r:embed="{id}"/></w:drawing></w:r>"#);
        let paragraph = |text: &str, run: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r>{run}</w:p>");
        let body = [paragraph("Before", &[run("p"), run("p"), run("logo")].concat()), paragraph("After", "")].concat();
        let bytes =
            docx_bytes(&body, &[("p", "image", "a.png", &picture(640)), ("logo", "image", "b.png", &picture(50))]);
        let nothing = |_: &str, _: &[u8]| Ok(Extraction::LeftOut(LeftOut::Empty));
        let read = |said| docx_with(&bytes, &nothing, Some(&Says(said))).unwrap();
        let extracted = read(Ok("Total due\n42\n\nPay soon.\n\x0c".to_owned()));
        assert_eq!(extracted.text, "Before\n\nPicture (read by OCR):\n\nTotal due 42\n\nPay soon.\n\nAfter\n");
        let failed = read(Err("it hangs".to_owned()));
        assert_eq!((failed.text.as_str(), failed.notes.len()), ("Before\n\nAfter\n", 1));
        assert!(failed.notes[0].contains("it hangs"), "{:?}", failed.notes);
        assert_eq!(docx_with(&bytes, &nothing, None).unwrap().text, "Before\n\nAfter\n");
    }

    #[test]
    fn pictures_of_open_document_are_read_in_their_place() {
        let image = |part: &str| format!(r#"<draw:frame><draw:image xlink:href="{part}"/></draw:frame>"#);
        let body = format!(
            "<text:p>Before{}{}</text:p><table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>\
            <table:table-cell><text:p>y{}</text:p></table:table-cell></table:table-row></table:table><text:p>After{}</text:p>",
            image("Pictures/a.png"),
            image("./ObjectReplacements/Object 1"),
            image("./Pictures/b.png"),
            image("Pictures/a.png")
        );
        let content = format!(
            r#"<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d" xmlns:xlink="x"><office:body><office:text>{body}</office:text></office:body></office:document-content>"#
        );
        let (a, b, c) =
            ([picture(640), vec![1]].concat(), [picture(640), vec![2]].concat(), [picture(640), vec![3]].concat());
        let bytes = archive_of(&[
            ("content.xml", content.as_bytes()),
            ("Pictures/a.png", &a),
            ("Pictures/b.png", &b),
            ("ObjectReplacements/Object 1", &c),
        ]);
        assert_eq!(
            open_document(&bytes, Some(&Describes)).unwrap().text,
            "Before\n\nPicture (described by a model):\n\nSeen <1>\n\n\
            | x | y Picture (described by a model): Seen <2> |\n\nAfter\n"
        );
        let failed = open_document(&bytes, Some(&Says(Err("it hangs".to_owned())))).unwrap();
        assert_eq!(failed.notes, ["2 pictures in it could not be read: it hangs"]);
        assert!(open_document(&bytes, None).unwrap().notes.is_empty());
    }

    #[test]
    fn pictures_of_books_are_read_in_their_place() {
        let container = br#"<container><rootfiles><rootfile full-path="O/book.opf"/></rootfiles></container>"#;
        let book = br#"<package><manifest><item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>"#;
        let chapter = br#"<html xmlns="h"><body><h1>One <img src="../images/e.png"/></h1><p>Before <img alt="" src="../images/a%20b.png"/> middle.</p><svg><image width="9" xlink:href='../images/c.png'/></svg><p>After <img src="../images/a%20b.png"/> <img src="https://x.org/d.png"/></p></body></html>"#;
        let [a, c, e] = [1, 2, 3].map(|mark| [picture(640), vec![mark]].concat());
        let bytes = archive_of(&[
            ("META-INF/container.xml", container),
            ("O/book.opf", book),
            ("O/text/a.xhtml", chapter),
            ("O/images/a b.png", &a),
            ("O/images/c.png", &c),
            ("O/images/e.png", &e),
        ]);
        assert_eq!(
            epub(&bytes, Some(&Describes)).unwrap().text,
            "# One\n\nPicture (described by a model):\n\nSeen <3>\n\nBefore\n\nPicture (described by a model):\n\nSeen <1>\n\nmiddle.\n\n\
            Picture (described by a model):\n\nSeen <2>\n\nAfter\n"
        );
    }
}
