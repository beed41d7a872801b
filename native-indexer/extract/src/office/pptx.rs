//! Reads PowerPoint presentations: the slides in order, each with its title, text, speaker notes and comments.

use super::alt_text::AltTexts;
use super::figures::{Figure, Figures};
use super::grid::{Cell, Grid, Part};
use super::package::{Package, Relationship};
use super::properties::Properties;
use super::remarks::Remark;
use super::script_runs::ScriptRuns;
use super::xml::{self, MAX_DEPTH, attribute, below, child};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::ocr::{HOW_TO_READ_PICTURES, PictureReader};
use crate::scripts::Script;
use crate::words::one_line;
use roxmltree::Node;
use std::collections::BTreeMap;

/// Maximum number of slides to read.
const MAX_SLIDES: usize = 2_000;

/// The note in a report about a presentation without text.
pub(super) const NO_TEXT_ON_SLIDES: &str =
    "its slides have no text; if they are pictures, export it as PDF and index that with --ocr";

/// Reads a presentation without its pictures.
#[cfg(test)]
pub(crate) fn extract(bytes: &[u8]) -> Result<Extracted, ExtractError> {
    extract_with(bytes, None)
}

/// Reads a presentation. `pictures` reads its pictures.
pub(crate) fn extract_with(bytes: &[u8], pictures: Option<&dyn PictureReader>) -> Result<Extracted, ExtractError> {
    let mut package = Package::open(bytes)?;
    let main = package.main_part()?;
    let text = package.text(&main)?.ok_or_else(|| ExtractError::Damaged(format!("{main} is missing")))?;
    let document = xml::parse(&main, &text)?;
    let relationships = package.relationships(&main)?;
    let ids = below(document.root_element(), "sldId").filter_map(|slide| {
        // The slide number is also called `id`, but without a namespace.
        slide.attributes().find(|attribute| attribute.name() == "id" && attribute.namespace().is_some())
    });
    let parts: Vec<String> = ids
        .filter_map(|id| relationships.iter().find(|relationship| relationship.id == id.value()))
        .map(|relationship| relationship.target.clone())
        .collect();
    let mut writer = DocumentWriter::default();
    let mut notes = Vec::new();
    let mut hidden = 0;
    let mut first_title = String::new();
    let authors = authors(&mut package, &relationships)?;
    let mut alt_texts = AltTexts::default();
    let mut all_figures = Figures::default();
    for (number, part) in (1..).zip(&parts).take(MAX_SLIDES) {
        let Some(text) = package.text(part)? else { continue };
        let slide = xml::parse(part, &text)?;
        if slide.root_element().attribute("show") == Some("0") {
            hidden += 1;
            continue;
        }
        let relationships = package.relationships(part)?;
        let mut figures = Figures::read(&mut package, &relationships, pictures)?;
        all_figures.join_notes(&figures);
        let mut content =
            Content { title: String::new(), blocks: Vec::new(), figures: &mut figures, alt_texts: &mut alt_texts };
        content.shapes(slide.root_element(), 0);
        let title = one_line(&content.title);
        if first_title.is_empty() {
            first_title.clone_from(&title);
        }
        let colon = if title.is_empty() { "" } else { ": " };
        writer.heading(1, &format!("Slide {number}{colon}{title}"));
        content.write(&mut writer);
        let mut said = speaker_notes(&mut package, &relationships)?;
        said.extend(remarks(&mut package, &relationships, &authors)?.iter().map(Remark::line));
        for said in said {
            writer.paragraph(&said);
        }
    }
    if !parts.is_empty() && first_title.is_empty() && writer.has_headings_alone() {
        notes.push(match pictures {
            Some(_) => "its slides have no text, and OCR found none in their pictures".to_owned(),
            None => format!("its slides have no text; if they are pictures: {HOW_TO_READ_PICTURES}"),
        });
    }
    notes.extend(all_figures.notes());
    if parts.len() > MAX_SLIDES {
        notes.push(format!("only its first {MAX_SLIDES} of {} slides were read", parts.len()));
    }
    if hidden > 0 {
        notes.push(format!("{hidden} hidden slides were left out"));
    }
    let mut extracted = writer.finish(notes);
    Properties::of_office(&mut package)?.give(&mut extracted);
    if extracted.title.is_empty() {
        extracted.title = first_title;
    }
    Ok(extracted)
}

/// The content of a slide.
struct Content<'d> {
    title: String,
    blocks: Vec<Block>,
    figures: &'d mut Figures,
    /// Descriptions of pictures on this slide and previous slides.
    alt_texts: &'d mut AltTexts,
}

enum Block {
    /// A paragraph. The number is its depth in a list, or `None` outside lists.
    Paragraph(Option<usize>, String),
    Row(Vec<String>),
    Figure(Figure),
}

impl Content<'_> {
    fn shapes(&mut self, parent: Node<'_, '_>, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for node in parent.children().filter(Node::is_element) {
            if is_hidden(node) {
                continue;
            }
            let properties = node.children().find_map(|properties| child(properties, "cNvPr"));
            if let Some(said) = properties.and_then(|properties| self.alt_texts.of(properties)) {
                self.blocks.push(Block::Paragraph(None, said));
            }
            match node.tag_name().name() {
                "sp" => self.shape(node),
                "tbl" => self.table(node),
                "chart" | "relIds" | "blip" => self.blocks.extend(self.figures.take(node).map(Block::Figure)),
                "Fallback" if node.prev_sibling_element().is_some() => {}
                _ => self.shapes(node, depth + 1),
            }
        }
    }

    fn shape(&mut self, shape: Node<'_, '_>) {
        let place = below(shape, "ph").next();
        let kind = place.and_then(|place| attribute(place, "type"));
        let Some(body) = child(shape, "txBody") else { return };
        match kind {
            // These are the same on each slide.
            Some("sldNum" | "ftr" | "dt" | "hdr") => {}
            Some("title" | "ctrTitle") if self.title.is_empty() => self.title = paragraphs(body).join(" "),
            _ => {
                // A slide's body is a list. Other text is not.
                let is_list = place.is_some() && !matches!(kind, Some("subTitle" | "title" | "ctrTitle"));
                for paragraph in below(body, "p") {
                    let properties = child(paragraph, "pPr");
                    let depth =
                        properties.and_then(|properties| attribute(properties, "lvl")?.parse().ok()).unwrap_or(0);
                    let depth = is_list.then_some(depth);
                    self.blocks.push(Block::Paragraph(depth, paragraph_text(paragraph)));
                }
            }
        }
    }

    fn table(&mut self, table: Node<'_, '_>) {
        let mut grid = Grid::default();
        for row in table.children().filter(|node| node.tag_name().name() == "tr") {
            let cells = row.children().filter(|node| node.tag_name().name() == "tc");
            // Each column and row that a merged cell covers has its own cell, which is marked as covered.
            let cells = cells.map(|cell| {
                let covered = |name| matches!(attribute(cell, name), Some("1" | "true"));
                let part = match () {
                    () if covered("vMerge") => Part::Below,
                    () if covered("hMerge") => Part::Right,
                    () => Part::First,
                };
                Cell { text: paragraphs(cell).join(" "), columns: 1, part }
            });
            self.blocks.push(Block::Row(grid.row(cells.collect())));
        }
    }

    fn write(self, writer: &mut DocumentWriter) {
        for block in self.blocks {
            match block {
                Block::Paragraph(Some(depth), text) => writer.item(depth, &text),
                Block::Paragraph(None, text) => writer.paragraph(&text),
                Block::Row(cells) => writer.table_row(&cells),
                Block::Figure(figure) => figure.write(writer),
            }
        }
    }
}

/// Whether a shape, a group or a table was hidden in the selection pane.
fn is_hidden(shape: Node<'_, '_>) -> bool {
    let mut properties = shape.children().filter_map(|properties| child(properties, "cNvPr"));
    properties.any(|properties| matches!(attribute(properties, "hidden"), Some("1" | "true")))
}

fn speaker_notes(package: &mut Package<'_>, relationships: &[Relationship]) -> Result<Vec<String>, ExtractError> {
    let Some(part) = relationships.iter().find(|relationship| relationship.kind == "notesSlide") else {
        return Ok(Vec::new());
    };
    let Some(text) = package.text(&part.target)? else { return Ok(Vec::new()) };
    let document = xml::parse(&part.target, &text)?;
    let bodies = below(document.root_element(), "sp")
        .filter(|shape| below(*shape, "ph").next().and_then(|place| attribute(place, "type")) == Some("body"));
    Ok(bodies.filter_map(|shape| child(shape, "txBody")).flat_map(|body| paragraphs(body)).collect())
}

/// Returns the names of reviewers by id, from the older and the newer comment format.
fn authors(
    package: &mut Package<'_>,
    relationships: &[Relationship],
) -> Result<BTreeMap<String, String>, ExtractError> {
    let mut authors = BTreeMap::new();
    for (kind, element) in [("commentAuthors", "cmAuthor"), ("authors", "author")] {
        let Some(part) = relationships.iter().find(|relationship| relationship.kind == kind) else { continue };
        let Some(text) = package.text(&part.target)? else { continue };
        // If the names are damaged, comments are read without them.
        let Ok(document) = xml::parse(&part.target, &text) else { continue };
        for author in below(document.root_element(), element) {
            if let (Some(id), Some(name)) = (attribute(author, "id"), attribute(author, "name")) {
                authors.insert(id.to_owned(), name.to_owned());
            }
        }
    }
    Ok(authors)
}

/// Returns the comments on a slide, each followed by its replies.
fn remarks(
    package: &mut Package<'_>,
    relationships: &[Relationship],
    authors: &BTreeMap<String, String>,
) -> Result<Vec<Remark>, ExtractError> {
    let Some(part) = relationships.iter().find(|relationship| relationship.kind == "comments") else {
        return Ok(Vec::new());
    };
    let Some(text) = package.text(&part.target)? else { return Ok(Vec::new()) };
    let Ok(document) = xml::parse(&part.target, &text) else { return Ok(Vec::new()) };
    // In document order, a comment precedes its replies.
    let said = document.root_element().descendants().filter(|node| matches!(node.tag_name().name(), "cm" | "reply"));
    let remark = |node: Node<'_, '_>| {
        let author = attribute(node, "authorId").and_then(|id| authors.get(id)).cloned().unwrap_or_default();
        let text = child(node, "text").and_then(|text| text.text()).map(str::to_owned);
        let text = text.or_else(|| Some(paragraphs(child(node, "txBody")?).join(" "))).unwrap_or_default();
        Remark { author, quote: String::new(), text }
    };
    Ok(said.map(remark).filter(|remark| !remark.text.trim().is_empty()).collect())
}

/// Returns the texts of the paragraphs below `node`, without empty ones.
fn paragraphs(node: Node<'_, '_>) -> Vec<String> {
    below(node, "p").map(paragraph_text).filter(|text| !text.trim().is_empty()).collect()
}

fn paragraph_text(paragraph: Node<'_, '_>) -> String {
    let (mut text, mut scripts) = (String::new(), ScriptRuns::default());
    for node in paragraph.descendants().filter(Node::is_element) {
        match node.tag_name().name() {
            "t" => {
                let start = text.len();
                text.push_str(node.text().unwrap_or_default());
                if let Some(script) = node.parent().and_then(script) {
                    scripts.set_apart(&mut text, start, script);
                }
            }
            "br" => text.push('\n'),
            "tab" => text.push('\t'),
            _ => {}
        }
    }
    text
}

/// Returns whether a run is a superscript or a subscript, according to its offset from the baseline, which is positive
/// above the baseline.
fn script(run: Node<'_, '_>) -> Option<Script> {
    let baseline: i32 = attribute(child(run, "rPr")?, "baseline")?.trim_end_matches('%').parse().ok()?;
    match baseline.signum() {
        1 => Some(Script::Raised),
        -1 => Some(Script::Lowered),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::chart::fixture::chart as chart_part;
    use super::super::fixtures::{pptx, pptx_with};
    use super::*;

    #[test]
    fn slides_are_sections_in_the_order_they_are_shown() {
        let body = |kind: &str, text: &str| {
            format!(
                r#"<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:pPr lvl="1"/><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"#
            )
        };
        let first = format!("{}{}{}", body("body", "point"), body("title", "Hello"), body("sldNum", "77"));
        let second = r"<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>y</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>";
        let extracted = extract(&pptx(&[&first, second], Some("Say hello."))).unwrap();
        assert_eq!(extracted.title, "Hello");
        assert_eq!(extracted.text, "# Slide 1: Hello\n\n  - point\n\nSay hello.\n\n# Slide 2\n\n| x | y |\n");
    }

    #[test]
    fn charts_and_diagrams_are_read_at_their_place() {
        let shape = |text: &str| format!("<p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>");
        let frame = |inner: &str| {
            format!(
                r#"<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="Chart 3" descr="More ducks each year"/></p:nvGraphicFramePr><a:graphic>{inner}</a:graphic></p:graphicFrame>"#
            )
        };
        let slide = [
            shape("Before"),
            frame(r#"<c:chart xmlns:c="c" c:id="c1"/>"#),
            frame(r#"<d:relIds xmlns:d="d" d:dm="d1"/>"#),
            shape("After"),
        ];
        let chart = chart_part(&[("Ducks", &["2019"], &["120"])]);
        let diagram = r#"<d:dataModel xmlns:d="d" xmlns:a="a"><d:pt><d:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></d:t></d:pt></d:dataModel>"#;
        let bytes = pptx_with(
            &slide.concat(),
            &[("c1", "chart", "charts/c.xml", &chart), ("d1", "diagramData", "diagrams/d.xml", diagram)],
        );
        assert_eq!(
            extract(&bytes).unwrap().text,
            "# Slide 1\n\nBefore\n\nMore ducks each year\n\nDucks by year (Birds)\n\n| Year | Ducks |\n| 2019 | 120 |\n\n- Plan\n\nAfter\n"
        );
    }

    #[test]
    fn comments_follow_their_slide() {
        let slide = "<p:sp><p:txBody><a:p><a:r><a:t>Text</a:t></a:r></a:p></p:txBody></p:sp>";
        let old = r#"<p:cmLst xmlns:p="p"><p:cm authorId="1"><p:text>Is this so?</p:text></p:cm></p:cmLst>"#;
        let new = r#"<n:cmLst xmlns:n="n" xmlns:a="a"><n:cm authorId="{A}"><n:replyLst><n:reply authorId="{B}"><n:txBody><a:p><a:r><a:t>Yes.</a:t></a:r></a:p></n:txBody></n:reply></n:replyLst><n:txBody><a:p><a:r><a:t>Sure?</a:t></a:r></a:p></n:txBody></n:cm></n:cmLst>"#;
        let read = |part: &str| extract(&pptx_with(slide, &[("k", "comments", "comments/k.xml", part)])).unwrap().text;
        assert_eq!(read(old), "# Slide 1\n\nText\n\nComment: Is this so?\n");
        assert_eq!(read(new), "# Slide 1\n\nText\n\nComment: Sure?\n\nComment: Yes.\n");
    }

    #[test]
    fn a_deck_of_pictures_is_named() {
        let picture = r#"<p:pic><p:nvPicPr><p:cNvPr id="3" name="Picture 2" descr="scan.png"/></p:nvPicPr></p:pic>"#;
        let extracted = extract(&pptx(&[picture, picture], None)).unwrap();
        assert_eq!(extracted.text, "# Slide 1\n\n# Slide 2\n");
        assert!(extracted.notes[0].contains("--ocr"), "{:?}", extracted.notes);
    }

    #[test]
    fn merged_cells_count_in_all_that_they_cover() {
        let cell = |merge: &str, text: &str| {
            format!(r"<a:tc {merge}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>")
        };
        let rows = [
            [cell(r#"rowSpan="2""#, "Region"), cell(r#"gridSpan="2""#, "2024"), cell(r#"hMerge="1""#, "")],
            [cell(r#"vMerge="1""#, ""), cell("", "Spring"), cell("", "Autumn")],
        ];
        let rows: String = rows.iter().map(|row| format!("<a:tr>{}</a:tr>", row.concat())).collect();
        let extracted = extract(&pptx(&[&format!("<a:tbl>{rows}</a:tbl>")], None)).unwrap();
        assert_eq!(extracted.text, "# Slide 1\n\n| Region | 2024 | 2024 |\n| Region | Spring | Autumn |\n");
    }

    #[test]
    fn raised_and_lowered_numbers_keep_apart() {
        let run = |baseline: &str, text: &str| format!(r"<a:r><a:rPr {baseline}/><a:t>{text}</a:t></a:r>");
        let runs = [run("", "2"), run(r#"baseline="30000""#, "8"), run("", ", 1010"), run(r#"baseline="-25000""#, "2")];
        let shape = format!(r"<p:sp><p:txBody><a:p>{}</a:p></p:txBody></p:sp>", runs.concat());
        assert_eq!(extract(&pptx(&[&shape], None)).unwrap().text, "# Slide 1\n\n2^8, 1010_2\n");
    }

    #[test]
    fn hidden_shapes_are_left_out() {
        let shape = |hidden: &str, text: &str| {
            format!(
                r#"<p:sp><p:nvSpPr><p:cNvPr id="2"{hidden}/></p:nvSpPr><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"#
            )
        };
        let group = format!(
            r#"<p:grpSp><p:nvGrpSpPr><p:cNvPr id="3" hidden="true"/></p:nvGrpSpPr>{}</p:grpSp>"#,
            shape("", "gone")
        );
        let shapes = [shape(r#" hidden="1""#, "gone"), shape(r#" hidden="0""#, "shown"), group].concat();
        assert_eq!(extract(&pptx(&[&shapes], None)).unwrap().text, "# Slide 1\n\nshown\n");
    }
}
