//! Reads the parts of a workbook other than the cells of its sheets: charts, texts on shapes, and comments.

use super::figures::{Figure, Figures};
use super::package::{Package, Relationship};
use super::remarks::Remark;
use super::xml::{self, attribute, below, child};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::ocr::PictureReader;
use crate::words::one_line;
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

/// Maximum number of comments of a sheet that are read.
const MAX_COMMENTS: usize = 10_000;
/// Maximum number of sheets that are searched for such parts.
const MAX_SHEETS: usize = 500;
/// Prefix of the author of a comment that repeats a conversation for programs that do not support conversations.
const CONVERSATION: &str = "tc=";

/// The parts of a sheet other than its cells.
#[derive(Debug, Default)]
pub(crate) struct WorksheetParts {
    drawn: Vec<Drawn>,
    remarks: Vec<Remark>,
    notes: Vec<String>,
}

/// A figure or a text on the drawing of a sheet.
#[derive(Debug)]
enum Drawn {
    Figure(Figure),
    Text(String),
}

impl WorksheetParts {
    /// Reads the parts of the visible sheets of the workbook in `bytes`, and has `pictures` read pictures. Returns them
    /// with the names of the sheets, in order. If the workbook is binary, the names are empty, and hidden sheets are not
    /// recognized.
    pub(crate) fn of_sheets(
        bytes: &[u8],
        pictures: Option<&dyn PictureReader>,
    ) -> Result<Vec<(String, Self)>, ExtractError> {
        let mut package = Package::open(bytes)?;
        let main = package.main_part()?;
        let parts = package.relationships(&main)?;
        let people = people(&mut package, &parts)?;
        let mut sheets = Vec::new();
        for (name, target) in sheet_targets(&mut package, &main, &parts)?.into_iter().take(MAX_SHEETS) {
            let relationships = package.relationships(&target)?;
            if !relationships.is_empty() {
                sheets.push((name, Self::read(&mut package, &relationships, &people, pictures)?));
            }
        }
        Ok(sheets)
    }

    fn read(
        package: &mut Package<'_>,
        relationships: &[Relationship],
        people: &BTreeMap<String, String>,
        pictures: Option<&dyn PictureReader>,
    ) -> Result<Self, ExtractError> {
        let mut parts = Self::default();
        for relationship in relationships {
            let kind = relationship.kind.as_str();
            if !matches!(kind, "drawing" | "comments" | "threadedComment") {
                continue;
            }
            let part = &relationship.target;
            let Some(text) = package.text(part)? else { continue };
            // A broken part does not affect others. The comments of a binary workbook are not XML.
            let Ok(document) = xml::parse(part, &text) else { continue };
            match kind {
                "drawing" => parts.draw(package, part, &document, pictures)?,
                "comments" => parts.comment(&document),
                _ => parts.converse(&document, people),
            }
        }
        Ok(parts)
    }

    /// Reads a drawing.
    fn draw(
        &mut self,
        package: &mut Package<'_>,
        part: &str,
        drawing: &Document<'_>,
        pictures: Option<&dyn PictureReader>,
    ) -> Result<(), ExtractError> {
        let relationships = package.relationships(part)?;
        let mut figures = Figures::read(package, &relationships, pictures)?;
        for node in drawing.descendants() {
            if let Some(figure) = figures.take(node) {
                self.drawn.push(Drawn::Figure(figure));
            } else if node.tag_name().name() == "txBody" {
                let text = below(node, "p").map(run_text).filter(|text| !text.is_empty());
                self.drawn.extend(text.map(Drawn::Text));
            }
        }
        self.notes.extend(figures.notes());
        Ok(())
    }

    /// Reads comments on cells.
    fn comment(&mut self, comments: &Document<'_>) {
        let root = comments.root_element();
        let authors: Vec<String> = child(root, "authors")
            .map(|authors| {
                authors
                    .children()
                    .filter(Node::is_element)
                    .map(|author| author.text().unwrap_or_default().to_owned())
                    .collect()
            })
            .unwrap_or_default();
        for comment in below(root, "comment").take(MAX_COMMENTS) {
            let number = attribute(comment, "authorId").and_then(|number| number.parse::<usize>().ok());
            let author = number.and_then(|number| authors.get(number)).cloned().unwrap_or_default();
            if author.starts_with(CONVERSATION) {
                continue;
            }
            let text = child(comment, "text").map(run_text).unwrap_or_default();
            // Excel repeats the name of the author in the text.
            let text = text
                .strip_prefix(&author)
                .and_then(|rest| rest.strip_prefix(':'))
                .map_or(text.as_str(), str::trim)
                .to_owned();
            self.remark(comment, author, text);
        }
    }

    /// Reads conversations on cells.
    fn converse(&mut self, conversations: &Document<'_>, people: &BTreeMap<String, String>) {
        for said in below(conversations.root_element(), "threadedComment").take(MAX_COMMENTS) {
            let author = attribute(said, "personId").and_then(|id| people.get(id)).cloned().unwrap_or_default();
            let text = child(said, "text").and_then(|text| text.text()).map(one_line).unwrap_or_default();
            self.remark(said, author, text);
        }
    }

    fn remark(&mut self, node: Node<'_, '_>, author: String, text: String) {
        if !text.is_empty() {
            let quote = attribute(node, "ref").unwrap_or_default().to_owned();
            self.remarks.push(Remark { author, quote, text });
        }
    }

    /// Whether there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.drawn.is_empty() && self.remarks.is_empty() && self.notes.is_empty()
    }

    /// Writes the parts after the cells of their sheet. Returns notes for a report on what could not be read.
    pub(crate) fn write(self, writer: &mut DocumentWriter) -> Vec<String> {
        if !self.drawn.is_empty() {
            writer.mark("", "charts and shapes", "");
        }
        for drawn in self.drawn {
            match drawn {
                Drawn::Figure(figure) => figure.write(writer),
                Drawn::Text(text) => writer.paragraph(&text),
            }
        }
        if !self.remarks.is_empty() {
            writer.mark("", "comments", "");
        }
        self.remarks.iter().for_each(|remark| writer.paragraph(&remark.line()));
        self.notes
    }
}

/// Returns the names of the visible sheets and of their parts.
fn sheet_targets(
    package: &mut Package<'_>,
    main: &str,
    parts: &[Relationship],
) -> Result<Vec<(String, String)>, ExtractError> {
    let is_sheet = |part: &&Relationship| matches!(part.kind.as_str(), "worksheet" | "chartsheet");
    let text = package.text(main)?.unwrap_or_default();
    let Ok(workbook) = xml::parse(main, &text) else {
        return Ok(parts.iter().filter(is_sheet).map(|part| (String::new(), part.target.clone())).collect());
    };
    let shown = below(workbook.root_element(), "sheet")
        .filter(|sheet| attribute(*sheet, "state").is_none_or(|state| state == "visible"));
    let target = |sheet: Node<'_, '_>| {
        let part = parts.iter().filter(is_sheet).find(|part| Some(part.id.as_str()) == attribute(sheet, "id"))?;
        Some((attribute(sheet, "name")?.to_owned(), part.target.clone()))
    };
    Ok(shown.filter_map(target).collect())
}

/// Returns the names of people by their ids.
fn people(package: &mut Package<'_>, parts: &[Relationship]) -> Result<BTreeMap<String, String>, ExtractError> {
    let mut people = BTreeMap::new();
    for part in parts.iter().filter(|part| part.kind == "person") {
        let Some(text) = package.text(&part.target)? else { continue };
        if let Ok(document) = xml::parse(&part.target, &text) {
            let named = below(document.root_element(), "person").filter_map(|person| {
                Some((attribute(person, "id")?.to_owned(), attribute(person, "displayName")?.to_owned()))
            });
            people.extend(named);
        }
    }
    Ok(people)
}

fn run_text(node: Node<'_, '_>) -> String {
    one_line(&below(node, "t").filter_map(|text| text.text()).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::chart::fixture;
    use super::super::fixtures::archive;
    use super::*;

    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

    fn relationships(parts: &[(&str, &str, &str)]) -> String {
        let one = |(id, kind, target): &(&str, &str, &str)| {
            format!(r#"<Relationship Id="{id}" Type="{OFFICE}/{kind}" Target="{target}"/>"#)
        };
        format!("<Relationships>{}</Relationships>", parts.iter().map(one).collect::<String>())
    }

    #[test]
    fn charts_shapes_comments_and_conversations_follow_their_sheet() {
        let drawing = format!(
            r#"<wsDr xmlns:r="{OFFICE}"><graphicFrame><chart r:id="c"/></graphicFrame><sp><txBody><p><r><t>A note on </t></r><r><t>a shape</t></r></p></txBody></sp></wsDr>"#
        );
        let comments = r#"<comments><authors><author>Jane</author><author>tc={1}</author></authors><commentList>
            <comment ref="B2" authorId="0"><text><r><t>Jane:</t></r><r><t>
Is this so?</t></r></text></comment><comment ref="C3" authorId="1"><text><t>[Threaded comment] Your version …</t></text></comment></commentList></comments>"#;
        let conversation = r#"<ThreadedComments><threadedComment ref="C3" personId="p" id="1"><text>Which year?</text></threadedComment>
            <threadedComment ref="C3" personId="p" id="2" parentId="1"><text>2024</text></threadedComment></ThreadedComments>"#;
        let bytes = archive(&[
            ("_rels/.rels", &relationships(&[("r", "officeDocument", "xl/workbook.xml")])),
            (
                "xl/workbook.xml",
                &format!(
                    r#"<workbook xmlns:r="{OFFICE}"><sheets><sheet name="Sales" r:id="a"/><sheet name="Hidden" state="hidden" r:id="a"/></sheets></workbook>"#
                ),
            ),
            (
                "xl/_rels/workbook.xml.rels",
                &relationships(&[("a", "worksheet", "worksheets/sheet1.xml"), ("b", "person", "persons/person.xml")]),
            ),
            ("xl/persons/person.xml", r#"<personList><person displayName="Max" id="p"/></personList>"#),
            (
                "xl/worksheets/_rels/sheet1.xml.rels",
                &relationships(&[
                    ("d", "drawing", "../drawings/d.xml"),
                    ("e", "comments", "../comments1.xml"),
                    ("f", "threadedComment", "../t.xml"),
                ]),
            ),
            ("xl/drawings/d.xml", &drawing),
            ("xl/drawings/_rels/d.xml.rels", &relationships(&[("c", "chart", "../charts/c.xml")])),
            ("xl/charts/c.xml", &fixture::chart(&[("Ducks", &["2019"], &["120"])])),
            ("xl/comments1.xml", comments),
            ("xl/t.xml", conversation),
        ]);
        let mut sheets = WorksheetParts::of_sheets(&bytes, None).unwrap();
        assert_eq!(sheets.len(), 1);
        let (name, parts) = sheets.remove(0);
        let mut writer = DocumentWriter::default();
        assert!(parts.write(&mut writer).is_empty());
        let text = writer.finish(Vec::new()).text;
        assert_eq!(name, "Sales");
        assert!(text.contains("Ducks by year") && text.contains("120") && text.contains("A note on a shape"), "{text}");
        assert!(
            text.ends_with("Comment by Jane on “B2”: Is this so?\n\nComment by Max on “C3”: Which year?\n\nComment by Max on “C3”: 2024\n"),
            "{text}"
        );
    }
}
