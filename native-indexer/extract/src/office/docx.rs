//! Reads Word documents: paragraphs by their styles, lists, tables, text boxes, notes, equations and charts. Tracked
//! changes are treated as accepted.

use super::alt_text::AltTexts;
use super::figures::Figures;
use super::grid::{Cell, Grid, Part};
use super::numbering::Numbering;
use super::package::Package;
use super::package::Relationship;
use super::properties::Properties;
use super::remarks::{self, Remark};
use super::running_heads;
use super::story::{Beside, Inline, Story, note_mark, paragraphs};
use super::styles::{Role, Styles, list_place, switch};
use super::taken_in::{self, Budget};
use super::xml::{self, MAX_DEPTH, attribute, below, child, chosen, value};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::extraction::ReadPart;
use crate::ocr::PictureReader;
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

/// Maximum depth of documents that are included in other documents.
const MAX_TAKEN_IN: usize = 3;

/// Reads a document. `read` reads included parts in formats that this module does not know, and `pictures` reads the
/// document's pictures.
pub(crate) fn extract_with(
    bytes: &[u8],
    read: ReadPart<'_>,
    pictures: Option<&dyn PictureReader>,
) -> Result<Extracted, ExtractError> {
    extract_from(&mut Package::open(bytes)?, 0, &mut Budget::new(read, pictures))
}

/// Reads a document, and leaves out included parts in other formats.
#[cfg(test)]
pub(crate) fn extract(bytes: &[u8]) -> Result<Extracted, ExtractError> {
    use crate::extraction::Extraction;
    use crate::left_out::LeftOut;
    extract_with(bytes, &|_, _| Ok(Extraction::LeftOut(LeftOut::Empty)), None)
}

/// Reads a document that is nested in `outer` other documents.
fn extract_inside(bytes: &[u8], outer: usize, budget: &mut Budget<'_>) -> Result<Extracted, ExtractError> {
    let mut package = Package::open_within(bytes, budget.bytes)?;
    let read = extract_from(&mut package, outer, budget);
    budget.bytes = budget.bytes.saturating_sub(package.unpacked());
    read
}

fn extract_from(package: &mut Package<'_>, outer: usize, budget: &mut Budget<'_>) -> Result<Extracted, ExtractError> {
    let main = package.main_part()?;
    let relationships = package.relationships(&main)?;
    let styles = match part(package, &relationships, "styles")? {
        Some((name, text)) => Styles::read(&xml::parse(&name, &text)?),
        None => Styles::default(),
    };
    let numbering = match part(package, &relationships, "numbering")? {
        Some((name, text)) => Numbering::read(&xml::parse(&name, &text)?),
        None => Numbering::default(),
    };
    let mut footnotes = BTreeMap::new();
    for (kind, element) in [("footnotes", "footnote"), ("endnotes", "endnote")] {
        if let Some((name, text)) = part(package, &relationships, kind)? {
            let document = xml::parse(&name, &text)?;
            let story = Story::of(document.root_element(), &styles);
            for note in below(document.root_element(), element) {
                let key = format!("{element}{}", attribute(note, "id").unwrap_or_default());
                footnotes.insert(key, story.cell_text(note));
            }
        }
    }
    let figures = Figures::read(package, &relationships, budget.pictures)?;
    let mut notes = figures.notes();
    let text = package.text(&main)?.ok_or_else(|| ExtractError::Damaged(format!("{main} is missing")))?;
    let document = xml::parse(&main, &text)?;
    let body = child(document.root_element(), "body")
        .ok_or_else(|| ExtractError::Damaged(format!("{main} is not a Word document")))?;
    let taken_in = if outer < MAX_TAKEN_IN {
        let nested = |bytes: &[u8], budget: &mut Budget<'_>| extract_inside(bytes, outer + 1, budget);
        taken_in::read(package, &relationships, body, budget, &nested, &mut notes)
    } else {
        BTreeMap::new()
    };
    let mut reader = Reader {
        writer: DocumentWriter::default(),
        story: Story::of(body, &styles),
        styles: &styles,
        numbering,
        notes: footnotes,
        noted: Vec::new(),
        figures,
        taken_in,
        alt_texts: AltTexts::default(),
        quotes: BTreeMap::new(),
        title: String::new(),
    };
    reader.blocks(body, 0);
    reader.write_notes();
    let Reader { mut writer, quotes, title, .. } = reader;
    let heading = writer.first_heading();
    if let Some((name, text)) = part(package, &relationships, "comments")? {
        remarks::write(&mut writer, &comments(&xml::parse(&name, &text)?, &styles, &quotes));
    }
    running_heads::write(&mut writer, &running_heads::lines(package, &relationships, body, &styles)?);
    let mut extracted = writer.finish(notes);
    extracted.title = title;
    Properties::of_office(package)?.give(&mut extracted);
    if extracted.title.is_empty() {
        extracted.title = heading;
    }
    Ok(extracted)
}

/// Returns the name and text of the part with this kind of relationship.
fn part(
    package: &mut Package<'_>,
    relationships: &[Relationship],
    kind: &str,
) -> Result<Option<(String, String)>, ExtractError> {
    match relationships.iter().find(|relationship| relationship.kind == kind) {
        Some(found) => Ok(package.text(&found.target)?.map(|text| (found.target.clone(), text))),
        None => Ok(None),
    }
}

/// Returns the comments on visible text, in order. `quotes` contains this text by the id of the comment.
fn comments(document: &Document<'_>, styles: &Styles, quotes: &BTreeMap<String, String>) -> Vec<Remark> {
    let story = Story::of(document.root_element(), styles);
    let on_text = below(document.root_element(), "comment").filter_map(|comment| {
        let quote = quotes.get(attribute(comment, "id")?)?.clone();
        let author = attribute(comment, "author").unwrap_or_default().to_owned();
        Some(Remark { author, quote, text: story.cell_text(comment) })
    });
    on_text.collect()
}

struct Reader<'s> {
    writer: DocumentWriter,
    story: Story<'s>,
    styles: &'s Styles,
    numbering: Numbering,
    /// Texts of footnotes and endnotes, by the keys in [`Inline::notes`].
    notes: BTreeMap<String, String>,
    /// Keys of the notes with references since the last heading.
    noted: Vec<String>,
    figures: Figures,
    /// Included documents by the ids of their references.
    taken_in: BTreeMap<String, Extracted>,
    alt_texts: AltTexts,
    /// Commented texts by the ids of the comments.
    quotes: BTreeMap<String, String>,
    title: String,
}

impl Reader<'_> {
    fn blocks(&mut self, parent: Node<'_, '_>, depth: usize) {
        if depth > MAX_DEPTH || self.writer.is_full() {
            return;
        }
        for node in parent.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "p" => self.paragraph(node, depth),
                "tbl" => self.table(node, depth),
                "altChunk" => {
                    // Each reference has its own part.
                    if let Some(part) = attribute(node, "id").and_then(|id| self.taken_in.remove(id)) {
                        self.write_notes();
                        self.writer.embed(&part);
                    }
                }
                "AlternateContent" => {
                    if let Some(chosen) = chosen(node) {
                        self.blocks(chosen, depth + 1);
                    }
                }
                "del" | "moveFrom" | "sectPr" | "sdtPr" | "sdtEndPr" => {}
                "sdt" if is_contents(node) => {}
                _ => self.blocks(node, depth + 1),
            }
        }
    }

    fn paragraph(&mut self, node: Node<'_, '_>, depth: usize) {
        let properties = child(node, "pPr");
        let style = properties.and_then(|properties| value(properties, "pStyle"));
        let own_level = properties.and_then(|properties| value(properties, "outlineLvl")?.parse::<usize>().ok());
        let role = match (self.styles.role(style), own_level) {
            (Role::Text, Some(level)) if level < 9 => Role::Heading(level + 1),
            (role, _) => role,
        };
        let mut inline = self.story.inline(node);
        if role == Role::Contents {
            return;
        }
        let own = properties.map(list_place).unwrap_or_default();
        let of_style = self.styles.place(style);
        let place = super::styles::ListPlace { list: own.list.or(of_style.list), depth: own.depth.or(of_style.depth) };
        let is_empty = inline.text.trim().is_empty();
        let mark = if is_empty { None } else { self.numbering.count(&place, style) };
        match (role, mark) {
            _ if is_empty => {}
            (Role::Heading(level), mark) => {
                self.write_notes();
                let number = mark.map(|mark| mark.number).unwrap_or_default();
                self.writer.heading(level, &format!("{number} {}", inline.text));
            }
            (Role::Title, _) => {
                if self.title.is_empty() {
                    self.title = crate::words::one_line(&inline.text);
                }
                self.writer.paragraph(&inline.text);
            }
            (_, Some(mark)) => self.writer.numbered_item(mark.depth, &mark.number, &inline.text),
            _ => self.writer.paragraph(&inline.text),
        }
        self.note(&mut inline);
        for beside in inline.beside {
            match beside {
                Beside::TextBox(text_box) => self.blocks(text_box, depth + 1),
                Beside::Figure(reference) => {
                    if let Some(figure) = self.figures.take(reference) {
                        figure.write(&mut self.writer);
                    }
                }
                Beside::Drawing(properties) => {
                    let said = self.alt_texts.of(properties).unwrap_or_default();
                    self.writer.paragraph(&said);
                }
            }
        }
    }

    /// Stores a paragraph's notes and commented texts for later.
    fn note(&mut self, inline: &mut Inline<'_, '_>) {
        self.noted.append(&mut inline.notes);
        for (id, range) in std::mem::take(&mut inline.remarks) {
            let end = range.end.min(inline.text.len());
            let quote = inline.text.get(range.start..end).unwrap_or_default();
            self.quotes.entry(id.to_owned()).or_insert_with(|| quote.to_owned());
        }
    }

    fn table(&mut self, table: Node<'_, '_>, depth: usize) {
        let rows = inside(table, "tr").filter(|row| !is_gone(*row));
        let rows: Vec<(Node<'_, '_>, Vec<Node<'_, '_>>)> =
            rows.map(|row| (row, inside(row, "tc").filter(|cell| !is_gone(*cell)).collect())).collect();
        let mut cells = rows.iter().flat_map(|(_, cells)| cells);
        // A table that frames text or lays out columns is not written as a table.
        let is_layout = rows.iter().all(|(_, cells)| cells.len() <= 1) || cells.any(|cell| self.has_heading(*cell));
        let mut grid = Grid::default();
        for (row, cells) in rows {
            if self.writer.is_full() {
                break;
            }
            if is_layout {
                cells.into_iter().for_each(|cell| self.blocks(cell, depth + 1));
                continue;
            }
            let before = child(row, "trPr").and_then(|properties| number(properties, "gridBefore"));
            let before = before.map(|columns| Cell { text: String::new(), columns, part: Part::First });
            let cells = cells.into_iter().map(|cell| {
                let properties = child(cell, "tcPr");
                let merge = properties.and_then(|properties| child(properties, "vMerge"));
                let goes_on = merge.is_some_and(|merge| attribute(merge, "val") != Some("restart"));
                Cell {
                    text: self.cell(cell),
                    columns: properties.and_then(|properties| number(properties, "gridSpan")).unwrap_or(1),
                    part: if goes_on { Part::Below } else { Part::First },
                }
            });
            let cells = before.into_iter().filter(|before| before.columns > 0).chain(cells).collect();
            self.writer.table_row(&grid.row(cells));
        }
    }

    fn cell(&mut self, cell: Node<'_, '_>) -> String {
        let mut parts = Vec::new();
        for paragraph in paragraphs(cell) {
            let mut inline = self.story.inline(paragraph);
            self.note(&mut inline);
            parts.push(inline.text);
            parts.extend(inline.beside.into_iter().filter_map(|beside| match beside {
                Beside::TextBox(text_box) => Some(self.story.cell_text(text_box)),
                Beside::Figure(reference) => Some(self.figures.take(reference)?.line()),
                Beside::Drawing(properties) => self.alt_texts.of(properties),
            }));
        }
        parts.retain(|part| !part.trim().is_empty());
        parts.join(" ")
    }

    fn has_heading(&self, cell: Node<'_, '_>) -> bool {
        paragraphs(cell).any(|paragraph| {
            let style = child(paragraph, "pPr").and_then(|properties| value(properties, "pStyle"));
            style.is_some() && matches!(self.styles.role(style), Role::Heading(_))
        })
    }

    /// Writes the notes at the end of their section.
    fn write_notes(&mut self) {
        for key in std::mem::take(&mut self.noted) {
            if let Some(text) = self.notes.remove(&key) {
                self.writer.paragraph(&format!("{}: {text}", note_mark(&key)));
            }
        }
    }
}

/// Returns the children of `parent` called `name`, including those inside change marks and content controls.
fn inside<'a, 'input: 'a>(
    parent: Node<'a, 'input>,
    name: &'static str,
) -> Box<dyn Iterator<Item = Node<'a, 'input>> + 'a> {
    Box::new(parent.children().filter(Node::is_element).flat_map(
        move |node| -> Box<dyn Iterator<Item = Node<'a, 'input>>> {
            match node.tag_name().name() {
                own if own == name => Box::new(std::iter::once(node)),
                "sdt" | "sdtContent" | "ins" | "customXml" | "moveTo" => inside(node, name),
                _ => Box::new(std::iter::empty()),
            }
        },
    ))
}

fn number(properties: Node<'_, '_>, name: &str) -> Option<usize> {
    value(properties, name)?.trim().parse().ok()
}

/// Whether a row was deleted or is hidden, or a cell was deleted.
fn is_gone(row_or_cell: Node<'_, '_>) -> bool {
    let properties = row_or_cell.children().filter(|child| matches!(child.tag_name().name(), "trPr" | "tcPr"));
    properties.into_iter().any(|properties| {
        let is_deleted = ["del", "cellDel"].iter().any(|name| child(properties, name).is_some());
        is_deleted || switch(properties, "hidden") == Some(true)
    })
}

/// Whether a content control contains a table of contents.
fn is_contents(control: Node<'_, '_>) -> bool {
    let gallery = child(control, "sdtPr").and_then(|properties| child(properties, "docPartObj"));
    gallery.and_then(|gallery| value(gallery, "docPartGallery")) == Some("Table of Contents")
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{docx, docx_with};
    use super::*;

    #[test]
    fn paragraphs_are_what_their_styles_say() {
        let body = r#"
            <w:p><w:pPr><w:pStyle w:val="Titel"/></w:pPr><w:r><w:t>The Report</w:t></w:r></w:p>
            <w:p><w:pPr><w:pStyle w:val="Verz1"/></w:pPr><w:r><w:t>Scope 3</w:t></w:r></w:p>
            <w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Sc</w:t></w:r><w:r><w:t>ope</w:t></w:r></w:p>
            <w:p><w:r><w:t xml:space="preserve">Kept </w:t></w:r><w:ins><w:r><w:t>added</w:t></w:r></w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>
              <w:r><w:instrText>PAGEREF x</w:instrText></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>
            <w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="9"/></w:numPr></w:pPr><w:r><w:t>item</w:t></w:r></w:p>
            <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
            <w:tbl><w:tr><w:tc><w:p><w:r><w:t>framed</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
            <w:p><w:r><mc:AlternateContent xmlns:mc="mc"><mc:Choice><wps:txbx xmlns:wps="wps"><w:txbxContent><w:p><w:r><w:t>in a box</w:t></w:r></w:p></w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><w:p><w:r><w:t>twice</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>outside</w:t></w:r></w:p>
            <w:p><m:oMath xmlns:m="m"><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></w:p>"#;
        let extracted = extract(&docx(body)).unwrap();
        assert_eq!(extracted.title, "The Report");
        assert_eq!(
            extracted.text,
            "The Report\n\n# 1 Scope\n\nKept added[^2]\n\n  - item\n\n| a | b c |\n\nframed\n\noutside\n\nin a box\n\na/b\n\n[^2]: The note.\n"
        );
        assert_eq!(extracted.date.map(|date| date.to_string()).as_deref(), Some("2024-05-01"));
    }

    #[test]
    fn merged_cells_count_in_all_that_they_cover() {
        let cell = |properties: &str, text: &str| {
            format!("<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
        };
        let across = r#"<w:gridSpan w:val="2"/>"#;
        let (down, goes_on) = (r#"<w:vMerge w:val="restart"/>"#, "<w:vMerge/>");
        let rows = [
            [cell(down, "Region"), cell(across, "Year 2024")].concat(),
            [cell(goes_on, ""), cell("", "Spring"), cell("", "Autumn")].concat(),
            [cell(down, "Northland"), cell("", "11"), cell("", "12")].concat(),
            [cell(r#"<w:vMerge w:val="continue"/>"#, ""), cell("", "21"), cell("", "22")].concat(),
            cell(r#"<w:gridSpan w:val="3"/>"#, "As of May"),
            [r#"<w:trPr><w:gridBefore w:val="1"/></w:trPr>"#.to_owned(), cell("", "31"), cell("", "32")].concat(),
        ];
        let rows: String = rows.iter().map(|row| format!("<w:tr>{row}</w:tr>")).collect();
        assert_eq!(
            extract(&docx(&format!("<w:tbl>{rows}</w:tbl>"))).unwrap().text,
            "| Region | Year 2024 | Year 2024 |\n| Region | Spring | Autumn |\n| Northland | 11 | 12 |\n| Northland | 21 | 22 |\n| As of May |\n|  | 31 | 32 |\n"
        );
    }

    #[test]
    fn the_main_part_has_any_name_and_encoding() {
        let body = "<w:p><w:r><w:t>größer</w:t></w:r></w:p>";
        let extracted = extract(&docx_with("word/other.xml", body, true)).unwrap();
        assert_eq!(extracted.text, "größer\n");
    }

    #[test]
    fn other_archives_and_broken_parts_are_named() {
        let error = |body: &str| extract(&docx(body)).unwrap_err().to_string();
        assert!(error("<w:p>").contains("broken XML in word/document.xml"), "{}", error("<w:p>"));
        let deep = ["<w:tbl>".repeat(300), "</w:tbl>".repeat(300)].concat();
        assert!(error(&deep).contains("256 levels"), "{}", error(&deep));
        let empty = super::super::fixtures::archive(&[("a.txt", "x")]);
        assert!(extract(&empty).unwrap_err().to_string().contains("which part is the document"));
    }
}
