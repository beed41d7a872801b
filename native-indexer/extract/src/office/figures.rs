//! Reads charts, diagrams and the text of pictures. They are separate parts that the text refers to.

use super::chart::Chart;
use super::package::{Package, Relationship};
use super::xml::{self, attribute, below, child};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::ocr::{Picture, PictureReader, may_have_text};
use crate::words::one_line;
use roxmltree::Node;
use std::collections::BTreeMap;

/// Maximum number of figures of a part.
const MAX_FIGURES: usize = 500;
/// Bytes of pictures after which they are read before more are unpacked.
const MAX_PICTURE_BYTES: usize = 16 << 20;

/// A drawing that the text refers to.
#[derive(Clone, Debug)]
pub(super) enum Figure {
    Chart(Chart),
    /// The texts of a diagram (SmartArt).
    Diagram(Vec<String>),
    /// The paragraphs that OCR found in a picture.
    Picture(Vec<String>),
}

/// The figures of a part by relationship id.
#[derive(Debug, Default)]
pub(super) struct Figures {
    by_id: BTreeMap<String, Figure>,
    /// Whether a figure was too long.
    is_cut: bool,
    /// Number of figures that could not be read.
    broken: usize,
    /// Number of pictures that OCR could not read, and why it could not read the last one.
    unread: usize,
    problem: String,
}

impl Figures {
    /// Reads the figures among `relationships`, and lets `pictures` read the pictures.
    pub(super) fn read(
        package: &mut Package<'_>,
        relationships: &[Relationship],
        pictures: Option<&dyn PictureReader>,
    ) -> Result<Self, ExtractError> {
        let mut figures = Self::default();
        if let Some(pictures) = pictures {
            figures.read_pictures(package, relationships, pictures);
        }
        let is_figure = |relationship: &&Relationship| matches!(relationship.kind.as_str(), "chart" | "diagramData");
        for relationship in relationships.iter().filter(is_figure).take(MAX_FIGURES) {
            let Some(text) = package.text(&relationship.target)? else { continue };
            // A damaged figure does not affect others.
            let Ok(document) = xml::parse(&relationship.target, &text) else {
                figures.broken += 1;
                continue;
            };
            let figure = if relationship.kind == "chart" {
                let chart = Chart::of_office(&document);
                figures.is_cut |= chart.is_cut;
                Figure::Chart(chart)
            } else {
                let points = below(document.root_element(), "pt").filter_map(|point| child(point, "t"));
                let texts = points.flat_map(|text| below(text, "p").map(paragraph).collect::<Vec<_>>());
                Figure::Diagram(texts.filter(|text| !text.is_empty()).collect())
            };
            figures.by_id.insert(relationship.id.clone(), figure);
        }
        Ok(figures)
    }

    /// A picture that cannot be unpacked does not affect the text of the document.
    fn read_pictures(
        &mut self,
        package: &mut Package<'_>,
        relationships: &[Relationship],
        pictures: &dyn PictureReader,
    ) {
        let mut waiting: Vec<(&str, Picture)> = Vec::new();
        for relationship in relationships.iter().filter(|relationship| relationship.kind == "image").take(MAX_FIGURES) {
            // The rest of what may be unpacked is for the text.
            if !package.has_room() {
                self.unread += 1;
                "its pictures are too large together".clone_into(&mut self.problem);
                continue;
            }
            if let Ok(Some(bytes)) = package.part(&relationship.target)
                && may_have_text(&bytes)
            {
                waiting.push((&relationship.id, Picture { bytes, dpi: 0 }));
            }
            if waiting.iter().map(|(_, picture)| picture.bytes.len()).sum::<usize>() > MAX_PICTURE_BYTES {
                self.recognize(std::mem::take(&mut waiting), pictures);
            }
        }
        self.recognize(waiting, pictures);
    }

    fn recognize(&mut self, waiting: Vec<(&str, Picture)>, pictures: &dyn PictureReader) {
        if waiting.is_empty() {
            return;
        }
        let (ids, waiting): (Vec<&str>, Vec<Picture>) = waiting.into_iter().unzip();
        let texts = pictures.read(waiting);
        if texts.len() < ids.len() {
            self.unread += ids.len() - texts.len();
            "raise `pages` in [ocr]".clone_into(&mut self.problem);
        }
        for (id, text) in ids.into_iter().zip(texts) {
            match text.map(|text| paragraphs(&text)) {
                Ok(texts) if texts.is_empty() => {}
                Ok(texts) => {
                    self.by_id.insert(id.to_owned(), Figure::Picture(texts));
                }
                Err(problem) => {
                    self.unread += 1;
                    self.problem = problem;
                }
            }
        }
    }

    /// Returns the figure that `node` refers to, if this is the first reference. Repeated references to a large figure
    /// would cause endless output.
    pub(super) fn take(&mut self, node: Node<'_, '_>) -> Option<Figure> {
        self.by_id.remove(reference(node)?)
    }

    /// Returns notes for a report on figures that could not be read.
    pub(super) fn notes(&self) -> Vec<String> {
        let broken = (self.broken > 0).then(|| format!("{} charts or diagrams in it are damaged", self.broken));
        let cut = self.is_cut.then(|| "only the first points of its charts were read".to_owned());
        let unread = (self.unread > 0)
            .then(|| format!("{} pictures in it could not be read by OCR: {}", self.unread, self.problem));
        broken.into_iter().chain(cut).chain(unread).collect()
    }

    /// Adds the notes of another part.
    pub(super) fn join_notes(&mut self, other: &Self) {
        self.broken += other.broken;
        self.is_cut |= other.is_cut;
        self.unread += other.unread;
        if !other.problem.is_empty() {
            other.problem.clone_into(&mut self.problem);
        }
    }
}

impl Figure {
    pub(super) fn write(&self, writer: &mut DocumentWriter) {
        match self {
            Self::Chart(chart) => chart.write(writer),
            Self::Diagram(texts) => texts.iter().for_each(|text| writer.item(0, text)),
            Self::Picture(texts) => {
                // Some of its letters may be wrong.
                writer.paragraph("Picture (read by OCR):");
                texts.iter().for_each(|text| writer.paragraph(text));
            }
        }
    }

    /// Returns the whole figure as one line for a cell of a table.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Chart(chart) => chart.line(),
            Self::Diagram(texts) => texts.join("; "),
            Self::Picture(texts) => format!("Picture (read by OCR): {}", texts.join(" ")),
        }
    }
}

/// Returns the id of the relationship that `node` refers to, if `node` is a chart, a diagram or a picture.
fn reference<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    match node.tag_name().name() {
        "chart" | "imagedata" => attribute(node, "id"),
        "relIds" => attribute(node, "dm"),
        "blip" => attribute(node, "embed"),
        _ => None,
    }
}

/// Returns the lines between empty ones, as one text each.
fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let paragraphs = lines.split(|line| line.trim().is_empty()).map(|lines| one_line(&lines.join(" ")));
    paragraphs.filter(|paragraph| paragraph.chars().any(char::is_alphanumeric)).collect()
}

fn paragraph(paragraph: Node<'_, '_>) -> String {
    one_line(&below(paragraph, "t").filter_map(|text| text.text()).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::chart::fixture;
    use super::super::fixtures::{docx_bytes, docx_of, pptx_with};
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

    fn picture(width: u32) -> Vec<u8> {
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &width.to_be_bytes(), &480u32.to_be_bytes()].concat()
    }

    #[test]
    fn pictures_are_read_in_their_place() {
        let run =
            |id: &str| format!(r#"<w:r><w:drawing><a:blip xmlns:a="a" xmlns:r="r" r:embed="{id}"/></w:drawing></w:r>"#);
        let paragraph = |text: &str, run: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r>{run}</w:p>");
        let body = [paragraph("Before", &[run("p"), run("p"), run("logo")].concat()), paragraph("After", "")].concat();
        let bytes =
            docx_bytes(&body, &[("p", "image", "a.png", &picture(640)), ("logo", "image", "b.png", &picture(50))]);
        let nothing = |_: &str, _: &[u8]| Ok(Extraction::LeftOut(LeftOut::Empty));
        let read = |said| super::super::docx_with(&bytes, &nothing, Some(&Says(said))).unwrap();
        let extracted = read(Ok("Total due\n42\n\nPay soon.\n\x0c".to_owned()));
        assert_eq!(extracted.text, "Before\n\nPicture (read by OCR):\n\nTotal due 42\n\nPay soon.\n\nAfter\n");
        let failed = read(Err("it hangs".to_owned()));
        assert_eq!((failed.text.as_str(), failed.notes.len()), ("Before\n\nAfter\n", 1));
        assert!(failed.notes[0].contains("it hangs"), "{:?}", failed.notes);
        assert_eq!(super::super::docx_with(&bytes, &nothing, None).unwrap().text, "Before\n\nAfter\n");
    }

    #[test]
    fn a_figure_is_written_once_despite_several_references() {
        let chart = fixture::chart(&[("Ducks", &["2019"], &["120"])]);
        let reference = r#"<c:chart xmlns:c="c" xmlns:r="r" r:id="k"/>"#;
        let run = format!("<w:r><w:drawing>{reference}</w:drawing></w:r>");
        let in_text = format!("<w:p>{}</w:p>", run.repeat(1_000));
        let in_cells = format!("<w:tbl><w:tr>{}</w:tr></w:tbl>", format!("<w:tc><w:p>{run}</w:p></w:tc>").repeat(300));
        let part = [("k", "chart", "chart1.xml", chart.as_str())];
        let texts = [
            super::super::docx(&docx_of(&in_text, &part)).unwrap().text,
            super::super::docx(&docx_of(&in_cells, &part)).unwrap().text,
            super::super::pptx(&pptx_with(&reference.repeat(1_000), &part)).unwrap().text,
        ];
        for text in texts {
            assert_eq!(text.matches("Ducks by year").count(), 1, "{text}");
        }
    }
}
