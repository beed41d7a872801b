//! OpenDocument: texts and slides of LibreOffice.

use super::grid::{Cell, Grid, Part};
use super::package::Package;
use super::properties::Properties;
use super::xml::{self, MAX_DEPTH, attribute, below, child};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::words::one_line;
use roxmltree::Node;

/// Spaces that are written as a count are a gap, however many they are.
const MAX_REPEATED: usize = 50;

/// Reads a text or a presentation.
pub(crate) fn extract(bytes: &[u8]) -> Result<Extracted, ExtractError> {
    let mut package = Package::open(bytes)?;
    if is_encrypted(&mut package)? {
        return Err(ExtractError::Encrypted);
    }
    let part = "content.xml";
    let text = package.text(part)?.ok_or_else(|| ExtractError::Damaged(format!("{part} is missing")))?;
    let document = xml::parse(part, &text)?;
    let body = child(document.root_element(), "body")
        .ok_or_else(|| ExtractError::Damaged(format!("{part} is no OpenDocument")))?;
    let mut reader = Reader { writer: DocumentWriter::default(), title: String::new(), notes: Vec::new(), slides: 0 };
    reader.blocks(body, 0, 0);
    reader.write_notes();
    let mut extracted = reader.writer.finish(Vec::new());
    extracted.title = reader.title;
    Properties::read(&mut package, "meta.xml")?.give(&mut extracted);
    if extracted.title.is_empty() {
        extracted.title = extracted.first_heading();
    }
    Ok(extracted)
}

fn is_encrypted(package: &mut Package<'_>) -> Result<bool, ExtractError> {
    Ok(package.text("META-INF/manifest.xml")?.is_some_and(|manifest| manifest.contains("encryption-data")))
}

struct Reader {
    writer: DocumentWriter,
    title: String,
    notes: Vec<String>,
    slides: usize,
}

impl Reader {
    /// `lists` are the lists around.
    fn blocks(&mut self, parent: Node<'_, '_>, lists: usize, depth: usize) {
        if depth > MAX_DEPTH || self.writer.is_full() {
            return;
        }
        for node in parent.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "h" => {
                    self.write_notes();
                    let level = attribute(node, "outline-level").and_then(|level| level.parse().ok()).unwrap_or(1);
                    let text = self.inline(node, depth);
                    self.writer.heading(level, &text);
                }
                "p" => self.paragraph(node, lists, depth),
                "list" => self.blocks(node, lists + 1, depth + 1),
                "table" => self.table(node, depth),
                "page" => self.slide(node, depth),
                "tracked-changes" | "annotation" | "table-of-content" | "alphabetical-index" | "illustration-index"
                | "table-index" | "object-index" | "user-index" | "sequence-decls" | "forms" | "title" | "desc"
                | "automatic-styles" => {}
                _ => self.blocks(node, lists, depth + 1),
            }
        }
    }

    fn paragraph(&mut self, node: Node<'_, '_>, lists: usize, depth: usize) {
        let text = self.inline(node, depth);
        let is_title = attribute(node, "style-name").is_some_and(|style| style.eq_ignore_ascii_case("title"));
        if is_title && self.title.is_empty() {
            self.title = one_line(&text);
        }
        match lists.checked_sub(1) {
            Some(inside) => self.writer.item(inside, &text),
            None => self.writer.paragraph(&text),
        }
        // Frames in a paragraph are blocks beside it.
        let frames = node.descendants().filter(|inner| inner.tag_name().name() == "text-box");
        for frame in frames.filter(|frame| is_own(*frame, node)) {
            self.blocks(frame, 0, depth + 1);
        }
    }

    fn slide(&mut self, node: Node<'_, '_>, depth: usize) {
        self.slides += 1;
        let title = below(node, "frame").find(|frame| attribute(*frame, "class") == Some("title"));
        let text = title.map(|title| one_line(&texts(title))).unwrap_or_default();
        let colon = if text.is_empty() { "" } else { ": " };
        self.writer.heading(1, &format!("Slide {}{colon}{text}", self.slides));
        if self.title.is_empty() {
            self.title = text;
        }
        for child in node.children().filter(|child| Some(*child) != title) {
            self.blocks(child, 0, depth + 1);
        }
    }

    fn table(&mut self, table: Node<'_, '_>, depth: usize) {
        let rows: Vec<_> = below(table, "table-row").filter(|row| is_own(*row, table)).collect();
        let cells = |row: Node<'_, '_>| row.children().filter(|cell| cell.tag_name().name() == "table-cell").count();
        let is_layout = rows.iter().all(|row| cells(*row) <= 1);
        let mut grid = Grid::default();
        for row in rows {
            if is_layout {
                self.blocks(row, 0, depth + 1);
                continue;
            }
            let mut cells = Vec::new();
            // Columns that the cell before still covers.
            let mut covered: usize = 0;
            for cell in row.children().filter(|cell| cell.tag_name().name().ends_with("table-cell")) {
                let count = |name| attribute(cell, name).and_then(|count| count.parse().ok()).unwrap_or(1usize);
                let repeated = count("number-columns-repeated");
                if cell.tag_name().name() == "covered-table-cell" {
                    let right = repeated.min(covered);
                    covered -= right;
                    let below = Cell { text: String::new(), columns: repeated - right, part: Part::Below };
                    cells.extend(Some(below).filter(|below| below.columns > 0));
                    continue;
                }
                let paragraphs = cell.descendants().filter(|inner| matches!(inner.tag_name().name(), "p" | "h"));
                let parts: Vec<String> = paragraphs.map(|paragraph| self.inline(paragraph, depth)).collect();
                let spanned = count("number-columns-spanned").max(1);
                covered = spanned - 1;
                cells.push(Cell { text: parts.join(" "), columns: spanned.max(repeated), part: Part::First });
            }
            self.writer.table_row(&grid.row(cells));
        }
    }

    /// The text of a paragraph; notes are kept for the end of the section, frames are left to the caller.
    fn inline(&mut self, node: Node<'_, '_>, depth: usize) -> String {
        let mut text = String::new();
        self.collect(node, &mut text, depth);
        text
    }

    fn collect(&mut self, parent: Node<'_, '_>, text: &mut String, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for node in parent.children() {
            if let Some(part) = node.text().filter(|_| node.is_text()) {
                text.push_str(part);
                continue;
            }
            match node.tag_name().name() {
                "s" => {
                    let count = attribute(node, "c").and_then(|count| count.parse().ok()).unwrap_or(1usize);
                    text.push_str(&" ".repeat(count.min(MAX_REPEATED)));
                }
                "tab" => text.push('\t'),
                "line-break" => text.push('\n'),
                "note" => {
                    let mark = child(node, "note-citation").map(texts).unwrap_or_default();
                    let body = child(node, "note-body").map(texts).unwrap_or_default();
                    text.push_str(&format!("[^{}]", mark.trim()));
                    self.notes.push(format!("[^{}]: {}", mark.trim(), body.trim()));
                }
                "annotation" | "text-box" | "title" | "desc" | "change" | "change-start" | "change-end"
                | "ruby-text" | "object" => {}
                _ => self.collect(node, text, depth + 1),
            }
        }
    }

    fn write_notes(&mut self) {
        for note in std::mem::take(&mut self.notes) {
            self.writer.paragraph(&note);
        }
    }
}

/// Whether no other element of the same name is between `node` and `outer`.
fn is_own(node: Node<'_, '_>, outer: Node<'_, '_>) -> bool {
    let between = node.ancestors().skip(1).take_while(|above| above.id() != outer.id());
    between.into_iter().all(|above| !matches!(above.tag_name().name(), "text-box" | "table"))
}

/// All text of `node`.
fn texts(node: Node<'_, '_>) -> String {
    let parts = node.descendants().filter(|inner| matches!(inner.tag_name().name(), "p" | "h"));
    let parts: Vec<String> = parts
        .map(|part| part.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect::<String>())
        .collect();
    if parts.is_empty() {
        return node.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect();
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::archive;
    use super::*;

    fn read(body: &str) -> Extracted {
        let content = format!(
            r#"<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d" xmlns:presentation="p"><office:body>{body}</office:body></office:document-content>"#
        );
        let meta = r#"<m xmlns:dc="dc"><dc:title>Own title</dc:title><dc:date>2024-05-01T10:00:00</dc:date><dc:language>de-DE</dc:language></m>"#;
        extract(&archive(&[("content.xml", &content), ("meta.xml", meta)])).unwrap()
    }

    #[test]
    fn texts_keep_their_structure() {
        let extracted = read(
            r#"<office:text><text:tracked-changes>gone</text:tracked-changes><text:h text:outline-level="2">Part</text:h>
            <text:p>One<text:s text:c="3"/>two<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Noted</text:p></text:note-body></text:note></text:p>
            <text:list><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list></text:list-item></text:list>
            <table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table>
            <text:p>Before<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p></office:text>"#,
        );
        assert_eq!(
            extracted.text,
            "## Part\n\nOne two[^1]\n\n- a\n  - b\n\n| x | y |\n\nBefore\n\nboxed\n\n[^1]: Noted\n"
        );
        assert_eq!((extracted.title.as_str(), extracted.language.as_str()), ("Own title", "de-de"));
    }

    #[test]
    fn merged_cells_count_in_all_that_they_cover() {
        let cell =
            |spans: &str, text: &str| format!("<table:table-cell {spans}><text:p>{text}</text:p></table:table-cell>");
        let covered = "<table:covered-table-cell/>".to_owned();
        let rows = [
            [
                cell(r#"table:number-rows-spanned="2""#, "Region"),
                cell(r#"table:number-columns-spanned="2""#, "2024"),
                covered.clone(),
                cell("", "x"),
            ],
            [covered, cell("", "Spring"), cell("", "Autumn"), cell("", "y")],
        ];
        let rows: String =
            rows.iter().map(|row| format!("<table:table-row>{}</table:table-row>", row.concat())).collect();
        let extracted = read(&format!("<office:text><table:table>{rows}</table:table></office:text>"));
        assert_eq!(extracted.text, "| Region | 2024 | 2024 | x |\n| Region | Spring | Autumn | y |\n");
    }

    #[test]
    fn slides_are_sections() {
        let extracted = read(
            r#"<office:presentation><draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>First</text:p></draw:text-box></draw:frame>
            <draw:frame><draw:text-box><text:p>Text</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>Said</text:p></draw:text-box></draw:frame></presentation:notes></draw:page></office:presentation>"#,
        );
        assert_eq!(extracted.text, "# Slide 1: First\n\nText\n\nSaid\n");
    }
}
