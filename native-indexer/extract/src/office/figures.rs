//! Reads charts, diagrams and the text of pictures. They are separate parts that the text refers to.

use super::chart::Chart;
use super::package::{Package, Relationship};
use super::pictures::{PictureText, PictureTexts};
use super::xml::{self, attribute, below, child};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::ocr::PictureReader;
use crate::words::one_line;
use roxmltree::Node;
use std::collections::BTreeMap;

/// Maximum number of figures of a part.
const MAX_FIGURES: usize = 500;

/// A drawing that the text refers to.
#[derive(Clone, Debug)]
pub(super) enum Figure {
    Chart(Chart),
    /// The texts of a diagram (SmartArt).
    Diagram(Vec<String>),
    Picture(PictureText),
}

/// The figures of a part by relationship id.
#[derive(Debug, Default)]
pub(super) struct Figures {
    by_id: BTreeMap<String, Figure>,
    pictures: PictureTexts,
    /// Whether a figure was too long.
    is_cut: bool,
    /// Number of figures that could not be read.
    broken: usize,
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
            let images = relationships.iter().filter(|relationship| relationship.kind == "image");
            let wanted = images.map(|image| (image.id.clone(), image.target.clone()));
            figures.pictures = PictureTexts::read(package, wanted, pictures);
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

    /// Returns the figure that `node` refers to, if this is the first reference. Repeated references to a large figure
    /// would cause endless output.
    pub(super) fn take(&mut self, node: Node<'_, '_>) -> Option<Figure> {
        let id = reference(node)?;
        self.by_id.remove(id).or_else(|| self.pictures.take(id).map(Figure::Picture))
    }

    /// Returns notes for a report on figures that could not be read.
    pub(super) fn notes(&self) -> Vec<String> {
        let broken = (self.broken > 0).then(|| format!("{} charts or diagrams in it are damaged", self.broken));
        let cut = self.is_cut.then(|| "only the first points of its charts were read".to_owned());
        broken.into_iter().chain(cut).chain(self.pictures.note()).collect()
    }

    /// Adds the notes of another part.
    pub(super) fn join_notes(&mut self, other: &Self) {
        self.broken += other.broken;
        self.is_cut |= other.is_cut;
        self.pictures.join_unread(&other.pictures);
    }
}

impl Figure {
    pub(super) fn write(&self, writer: &mut DocumentWriter) {
        match self {
            Self::Chart(chart) => chart.write(writer),
            Self::Diagram(texts) => texts.iter().for_each(|text| writer.item(0, text)),
            Self::Picture(text) => text.write(writer),
        }
    }

    /// Returns the whole figure as one line for a cell of a table.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Chart(chart) => chart.line(),
            Self::Diagram(texts) => texts.join("; "),
            Self::Picture(text) => text.line(),
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

fn paragraph(paragraph: Node<'_, '_>) -> String {
    one_line(&below(paragraph, "t").filter_map(|text| text.text()).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::chart::fixture;
    use super::super::fixtures::{docx_of, pptx_with};

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
