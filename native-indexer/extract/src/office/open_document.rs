//! Reads texts and presentations of OpenDocument, the format of LibreOffice.

use super::alt_text::AltTexts;
use super::chart::Chart;
use super::grid::{Cell, Grid, Part};
use super::package::Package;
use super::pictures::PictureTexts;
use super::pptx::NO_TEXT_ON_SLIDES;
use super::properties::Properties;
use super::remarks::{self, Remark};
use super::xml::{self, MAX_DEPTH, attribute, below, child};
use super::{open_document_heads, running_heads};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::ocr::PictureReader;
use crate::words::one_line;
use roxmltree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of charts.
const MAX_CHARTS: usize = 500;
/// Maximum number of spaces for an element with a count of spaces.
const MAX_REPEATED: usize = 50;

/// Name of the folder with the pictures that replace objects in programs that cannot show them.
const REPLACEMENTS: &str = "ObjectReplacements/";

/// Reads a text or a presentation, and has `pictures` read its pictures.
pub(crate) fn extract(bytes: &[u8], pictures: Option<&dyn PictureReader>) -> Result<Extracted, ExtractError> {
    let mut package = Package::open(bytes)?;
    if is_encrypted(&mut package)? {
        return Err(ExtractError::Encrypted);
    }
    let part = "content.xml";
    let text = package.text(part)?.ok_or_else(|| ExtractError::Damaged(format!("{part} is missing")))?;
    let document = xml::parse(part, &text)?;
    let body = child(document.root_element(), "body")
        .ok_or_else(|| ExtractError::Damaged(format!("{part} is not an OpenDocument file")))?;
    let charts = charts(&mut package, body)?;
    let cut = charts.values().any(|chart| chart.is_cut);
    let hidden_styles = hidden_styles(document.root_element());
    let pictures = pictures.map(|reader| {
        let images = below(body, "image").filter(|image| is_shown(*image, &hidden_styles)).filter_map(picture_part);
        PictureTexts::read(&mut package, images.map(|part| (part.to_owned(), part.to_owned())), reader)
    });
    let mut reader = Reader {
        writer: DocumentWriter::default(),
        title: String::new(),
        notes: Vec::new(),
        slides: 0,
        hidden_styles,
        hidden: 0,
        charts,
        pictures: pictures.unwrap_or_default(),
        alt_texts: AltTexts::default(),
        remarks: Vec::new(),
    };
    reader.blocks(body, 0, 0);
    reader.write_notes();
    let Reader { mut writer, title, remarks, slides, hidden, pictures, .. } = reader;
    let heading = writer.first_heading();
    remarks::write(&mut writer, &remarks);
    if child(body, "text").is_some() {
        running_heads::write(&mut writer, &open_document_heads::lines(&mut package)?);
    }
    let mut notes: Vec<String> =
        cut.then(|| "only the first points of its charts were read".to_owned()).into_iter().collect();
    if slides > 0 && writer.has_headings_alone() && title.is_empty() {
        notes.push(NO_TEXT_ON_SLIDES.to_owned());
    }
    if hidden > 0 {
        notes.push(format!("{hidden} hidden slides were left out"));
    }
    notes.extend(pictures.note());
    let mut extracted = writer.finish(notes);
    extracted.title = title;
    Properties::read(&mut package, "meta.xml")?.give(&mut extracted);
    if extracted.title.is_empty() {
        extracted.title = heading;
    }
    Ok(extracted)
}

/// Returns the names of the styles of hidden slides.
fn hidden_styles(root: Node<'_, '_>) -> BTreeSet<String> {
    let hidden = below(root, "drawing-page-properties").filter(|node| attribute(*node, "visibility") == Some("hidden"));
    hidden.filter_map(|node| attribute(node.parent()?, "name").map(str::to_owned)).collect()
}

/// Returns the charts in `body` by the paths of their objects.
fn charts(package: &mut Package<'_>, body: Node<'_, '_>) -> Result<BTreeMap<String, Chart>, ExtractError> {
    let mut charts = BTreeMap::new();
    for object in below(body, "object").take(MAX_CHARTS) {
        let Some(place) = attribute(object, "href") else { continue };
        let part = format!("{}/content.xml", place.trim_start_matches("./").trim_end_matches('/'));
        let Some(text) = package.text(&part)? else { continue };
        // A damaged object does not affect others.
        let Ok(document) = xml::parse(&part, &text) else { continue };
        if let Some(chart) = Chart::of_open_document(&document) {
            charts.insert(place.to_owned(), chart);
        }
    }
    Ok(charts)
}

fn is_encrypted(package: &mut Package<'_>) -> Result<bool, ExtractError> {
    Ok(package.text("META-INF/manifest.xml")?.is_some_and(|manifest| manifest.contains("encryption-data")))
}

struct Reader {
    writer: DocumentWriter,
    title: String,
    notes: Vec<String>,
    slides: usize,
    hidden_styles: BTreeSet<String>,
    /// Number of hidden slides, which are left out.
    hidden: usize,
    charts: BTreeMap<String, Chart>,
    pictures: PictureTexts,
    alt_texts: AltTexts,
    remarks: Vec<Remark>,
}

impl Reader {
    /// Writes the blocks of `parent`, inside `lists` lists.
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
                    below(node, "image").for_each(|image| self.picture(image));
                }
                "p" => self.paragraph(node, lists, depth),
                "list" => self.blocks(node, lists + 1, depth + 1),
                "table" => self.table(node, depth),
                "page" => self.slide(node, depth),
                "annotation" => self.remarks.push(remark(node)),
                "object" => self.chart(node),
                "image" => self.picture(node),
                "title" | "desc" => self.describe(node),
                "tracked-changes" | "table-of-content" | "alphabetical-index" | "illustration-index"
                | "table-index" | "object-index" | "user-index" | "sequence-decls" | "forms" | "automatic-styles" => {}
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
        // Frames in a paragraph are written as blocks after it.
        for inner in node.descendants().filter(Node::is_element) {
            match inner.tag_name().name() {
                "text-box" if is_own(inner, node) => self.blocks(inner, 0, depth + 1),
                "object" if is_own(inner, node) => self.chart(inner),
                "image" if is_own(inner, node) => self.picture(inner),
                "title" | "desc" if is_own(inner, node) => self.describe(inner),
                _ => {}
            }
        }
    }

    fn chart(&mut self, object: Node<'_, '_>) {
        if let Some(chart) = attribute(object, "href").and_then(|place| self.charts.remove(place)) {
            chart.write(&mut self.writer);
        }
    }

    /// Writes the text of an image.
    fn picture(&mut self, image: Node<'_, '_>) {
        if let Some(text) = picture_part(image).and_then(|part| self.pictures.take(part)) {
            text.write(&mut self.writer);
        }
    }

    /// Writes the title or the description of an image.
    fn describe(&mut self, node: Node<'_, '_>) {
        if !is_field(node)
            && let Some(said) = self.alt_texts.of_text(&texts(node))
        {
            self.writer.paragraph(&said);
        }
    }

    fn slide(&mut self, node: Node<'_, '_>, depth: usize) {
        self.slides += 1;
        if attribute(node, "style-name").is_some_and(|style| self.hidden_styles.contains(style)) {
            self.hidden += 1;
            return;
        }
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
            // Number of columns that the previous cell still covers.
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
                let mut parts: Vec<String> = paragraphs.map(|paragraph| self.inline(paragraph, depth)).collect();
                let images = below(cell, "image").filter_map(picture_part);
                parts.extend(images.filter_map(|part| Some(self.pictures.take(part)?.line())));
                let spanned = count("number-columns-spanned").max(1);
                covered = spanned - 1;
                cells.push(Cell { text: parts.join(" "), columns: spanned.max(repeated), part: Part::First });
            }
            self.writer.table_row(&grid.row(cells));
        }
    }

    /// Returns the text of a paragraph. Notes are postponed to the end of the section. The caller writes frames.
    fn inline(&mut self, node: Node<'_, '_>, depth: usize) -> String {
        let mut text = String::new();
        let known = self.remarks.len();
        self.collect(node, &mut text, depth);
        for remark in &mut self.remarks[known..] {
            remark.quote = remarks::quote(&text);
        }
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
                "annotation" => self.remarks.push(remark(node)),
                "title" if is_field(node) => self.collect(node, text, depth + 1),
                "text-box" | "title" | "desc" | "change" | "change-start" | "change-end" | "ruby-text" | "object" => {}
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

/// Whether `image` is neither on a hidden slide nor in deleted text.
fn is_shown(image: Node<'_, '_>, hidden_styles: &BTreeSet<String>) -> bool {
    let mut around = image.ancestors();
    !around.any(|above| match above.tag_name().name() {
        "tracked-changes" => true,
        "page" => attribute(above, "style-name").is_some_and(|style| hidden_styles.contains(style)),
        _ => false,
    })
}

/// Returns the name of the part with the picture of `image`, unless the picture only replaces an object.
fn picture_part<'a>(image: Node<'a, '_>) -> Option<&'a str> {
    let part = attribute(image, "href")?.trim_start_matches("./");
    (!part.starts_with(REPLACEMENTS)).then_some(part)
}

fn remark(annotation: Node<'_, '_>) -> Remark {
    let author = child(annotation, "creator").map(texts).unwrap_or_default();
    let said = annotation.children().filter(|node| matches!(node.tag_name().name(), "p" | "list")).map(texts);
    Remark { author, quote: String::new(), text: said.collect::<Vec<_>>().join(" ") }
}

/// Whether an element called `title` is a field with the title of the document, rather than the title of an image.
fn is_field(title: Node<'_, '_>) -> bool {
    title.parent().is_some_and(|parent| matches!(parent.tag_name().name(), "p" | "h" | "span"))
}

/// Whether no text box or table is between `node` and `outer`.
fn is_own(node: Node<'_, '_>, outer: Node<'_, '_>) -> bool {
    let between = node.ancestors().skip(1).take_while(|above| above.id() != outer.id());
    between.into_iter().all(|above| !matches!(above.tag_name().name(), "text-box" | "table"))
}

/// Returns the whole text of `node`.
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
        extract(&archive(&[("content.xml", &content), ("meta.xml", meta)]), None).unwrap()
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
    fn charts_descriptions_comments_and_headers_are_read() {
        let frame = |inner: &str| format!(r#"<draw:frame xmlns:svg="s" xmlns:xlink="l">{inner}</draw:frame>"#);
        let body = format!(
            "<office:text><text:p>The fee<office:annotation xmlns:dc='dc'><dc:creator>Jane</dc:creator><text:p>Why?</text:p></office:annotation> rises.{}{}</text:p><text:p>On <text:title>Fees</text:title></text:p></office:text>",
            frame("<draw:image/><svg:title>Image 3</svg:title><svg:desc>Map of the pond</svg:desc>"),
            frame("<draw:object xlink:href='./Object 1'/>")
        );
        let content = format!(
            r#"<office:document-content xmlns:office="o" xmlns:text="t" xmlns:draw="d"><office:body>{body}</office:body></office:document-content>"#
        );
        let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
        let rows = [["", "Ducks"], ["2019", "120"]]
            .map(|row| format!("<table:table-row>{}</table:table-row>", row.map(cell).concat()));
        let object = format!(
            r#"<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:chart="c"><office:body><office:chart><chart:chart><chart:title><text:p>Birds</text:p></chart:title><chart:plot-area/><table:table>{}</table:table></chart:chart></office:chart></office:body></office:document-content>"#,
            rows.concat()
        );
        let styles = r#"<s xmlns:style="y" xmlns:text="t"><style:master-page><style:header><text:p>Acme Ltd</text:p></style:header><style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer></style:master-page></s>"#;
        let bytes = archive(&[("content.xml", &content), ("Object 1/content.xml", &object), ("styles.xml", styles)]);
        assert_eq!(
            extract(&bytes, None).unwrap().text,
            "The fee rises.\n\nMap of the pond\n\nBirds\n\n|  | Ducks |\n| 2019 | 120 |\n\nOn Fees\n\n# Comments\n\nComment by Jane on “The fee rises.”: Why?\n\n# Headers and footers\n\nAcme Ltd\n"
        );
    }

    #[test]
    fn merged_cells_are_repeated_in_all_places_that_they_cover() {
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

    #[test]
    fn hidden_slides_are_left_out_and_counted() {
        let style = |name: &str, visibility: &str| {
            format!(
                r#"<style:style style:name="{name}"><style:drawing-page-properties presentation:visibility="{visibility}"/></style:style>"#
            )
        };
        let page = |style: &str, text: &str| {
            format!(
                r#"<draw:page draw:style-name="{style}"><draw:frame><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame></draw:page>"#
            )
        };
        let pages = [page("dp1", "First."), page("dp2", "Secret."), page("dp1", "Third.")].concat();
        let content = format!(
            r#"<office:document-content xmlns:office="o" xmlns:style="y" xmlns:draw="d" xmlns:text="t" xmlns:presentation="p"><office:automatic-styles>{}{}</office:automatic-styles><office:body><office:presentation>{pages}</office:presentation></office:body></office:document-content>"#,
            style("dp1", "visible"),
            style("dp2", "hidden")
        );
        let extracted = extract(&archive(&[("content.xml", &content)]), None).unwrap();
        assert_eq!(extracted.text, "# Slide 1\n\nFirst.\n\n# Slide 3\n\nThird.\n");
        assert_eq!(extracted.notes, ["1 hidden slides were left out"]);
    }
}
