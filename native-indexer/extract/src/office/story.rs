//! Reads the visible text of paragraphs in Word files, without hidden text, deleted text and field codes.

use super::fields::{Fields, counts_pages};
use super::script_runs::ScriptRuns;
use super::styles::{Styles, hides_run};
use super::xml::{MAX_DEPTH, attribute, below, child, chosen, value};
use crate::scripts::Script;
use roxmltree::Node;
use std::collections::BTreeMap;
use std::ops::Range;

/// Replaces page numbers and page counts in headers and footers.
pub(super) const PAGE_NUMBER: char = '\u{fffc}';

/// A part with paragraphs, such as the document or its footnotes.
pub(super) struct Story<'s> {
    styles: &'s Styles,
    fields: Fields,
    /// Whether the part is a header or a footer, whose page numbers are not text.
    is_running_head: bool,
}

/// Boxes and drawings in a paragraph, in the order of their anchors.
pub(super) enum Beside<'a, 'input> {
    TextBox(Node<'a, 'input>),
    /// The reference to a chart, a diagram or a picture.
    Figure(Node<'a, 'input>),
    /// The properties of a drawing, which may contain its description.
    Drawing(Node<'a, 'input>),
}

/// The content of a paragraph.
#[derive(Default)]
pub(super) struct Inline<'a, 'input> {
    pub text: String,
    scripts: ScriptRuns,
    pub beside: Vec<Beside<'a, 'input>>,
    /// Keys of the notes that the text refers to, such as `footnote2`.
    pub notes: Vec<String>,
    /// Comments by id, each with the range of the commented text.
    pub remarks: BTreeMap<&'a str, Range<usize>>,
}

impl<'s> Story<'s> {
    pub(super) fn of(root: Node<'_, '_>, styles: &'s Styles) -> Self {
        Self { styles, fields: Fields::of(root, styles), is_running_head: false }
    }

    /// Reads a header or a footer, and replaces page numbers with [`PAGE_NUMBER`].
    pub(super) fn of_running_head(root: Node<'_, '_>, styles: &'s Styles) -> Self {
        Self { is_running_head: true, ..Self::of(root, styles) }
    }

    /// Returns the visible content of `paragraph`.
    pub(super) fn inline<'a, 'input>(&self, paragraph: Node<'a, 'input>) -> Inline<'a, 'input> {
        let mut inline = Inline::default();
        self.collect(paragraph, self.hides(paragraph), &mut inline, 0);
        inline
    }

    /// Returns the whole text of `node` on one line.
    pub(super) fn cell_text(&self, node: Node<'_, '_>) -> String {
        let texts = paragraphs(node).map(|paragraph| self.inline(paragraph).text);
        crate::words::one_line(&texts.collect::<Vec<_>>().join(" "))
    }

    /// Whether the style of `paragraph`, or of the table that contains it, hides its text.
    fn hides(&self, paragraph: Node<'_, '_>) -> bool {
        let style = child(paragraph, "pPr").and_then(|properties| value(properties, "pStyle"));
        let table = paragraph.ancestors().find(|above| above.tag_name().name() == "tbl");
        let of_table = table.and_then(|table| value(child(table, "tblPr")?, "tblStyle"));
        self.styles.hides_paragraph(style) || of_table.is_some_and(|style| self.styles.hides_part(style))
    }

    fn collect<'a, 'input>(
        &self,
        parent: Node<'a, 'input>,
        is_in_hidden: bool,
        inline: &mut Inline<'a, 'input>,
        depth: usize,
    ) {
        if depth > MAX_DEPTH {
            return;
        }
        for node in parent.children() {
            if self.fields.is_code(node) {
                continue;
            }
            match node.tag_name().name() {
                "r" if hides_run(self.styles, node, is_in_hidden) => {}
                "r" => {
                    let start = inline.text.len();
                    self.collect(node, is_in_hidden, inline, depth + 1);
                    if let Some(script) = script(node) {
                        inline.scripts.set_apart(&mut inline.text, start, script);
                    }
                }
                // Some programs write text outside runs, which only the paragraph can hide.
                "t" if is_in_hidden && !is_in_run(node) => {}
                "t" if self.is_running_head && self.fields.is_page_number(node) => inline.text.push(PAGE_NUMBER),
                "fldSimple" if self.is_running_head && attribute(node, "instr").is_some_and(counts_pages) => {
                    inline.text.push(PAGE_NUMBER);
                }
                "pgNum" if self.is_running_head => inline.text.push(PAGE_NUMBER),
                "t" => node.children().filter_map(|text| text.text()).for_each(|text| inline.text.push_str(text)),
                "tab" | "ptab" => inline.text.push('\t'),
                "br" | "cr" => inline.text.push('\n'),
                "noBreakHyphen" => inline.text.push('-'),
                "fldChar" => inline.text.push_str(self.fields.shown_at(node)),
                "pPr" | "rPr" | "del" | "delText" | "moveFrom" | "instrText" | "delInstrText" | "sectPr" | "rt"
                | "sdtPr" | "annotationRef" | "ctrlPr" => {}
                "inline" | "anchor" if is_hidden_drawing(node) => {}
                "AlternateContent" => {
                    if let Some(chosen) = chosen(node) {
                        self.collect(chosen, is_in_hidden, inline, depth + 1);
                    }
                }
                "txbxContent" => inline.beside.push(Beside::TextBox(node)),
                "chart" | "relIds" | "blip" | "imagedata" => inline.beside.push(Beside::Figure(node)),
                "docPr" => inline.beside.push(Beside::Drawing(node)),
                // In older versions, the shape contains the drawing's description.
                "shape" | "rect" if attribute(node, "alt").is_some() => {
                    inline.beside.push(Beside::Drawing(node));
                    self.collect(node, is_in_hidden, inline, depth + 1);
                }
                name @ ("commentRangeStart" | "commentRangeEnd" | "commentReference") => inline.remark(name, node),
                name @ ("footnoteReference" | "endnoteReference") => {
                    let key =
                        format!("{}{}", name.trim_end_matches("Reference"), attribute(node, "id").unwrap_or_default());
                    inline.text.push_str(&note_mark(&key));
                    inline.notes.push(key);
                }
                // Without separators, the parts of a fraction or a power would run together.
                name @ ("f" | "sSup" | "sSub") => {
                    let sign = match name {
                        "f" => '/',
                        "sSup" => '^',
                        _ => '_',
                    };
                    for (number, part) in node
                        .children()
                        .filter(|part| !part.tag_name().name().ends_with("Pr"))
                        .filter(Node::is_element)
                        .enumerate()
                    {
                        if number > 0 {
                            inline.text.push(sign);
                        }
                        self.collect(part, is_in_hidden, inline, depth + 1);
                    }
                }
                _ => self.collect(node, is_in_hidden, inline, depth + 1),
            }
        }
    }
}

impl<'a> Inline<'a, '_> {
    /// Processes the beginning or the end of a commented text, or the reference to the comment.
    fn remark(&mut self, name: &str, node: Node<'a, '_>) {
        let Some(id) = attribute(node, "id") else { return };
        let at = self.text.len();
        match name {
            "commentRangeStart" => _ = self.remarks.entry(id).or_insert(at..usize::MAX),
            "commentRangeEnd" => {
                if let Some(range) = self.remarks.get_mut(id) {
                    range.end = at;
                }
            }
            _ => _ = self.remarks.entry(id).or_insert(0..at),
        }
    }
}

/// Returns whether a run is a superscript or a subscript, according to its own properties.
fn script(run: Node<'_, '_>) -> Option<Script> {
    match value(child(run, "rPr")?, "vertAlign")? {
        "superscript" => Some(Script::Raised),
        "subscript" => Some(Script::Lowered),
        _ => None,
    }
}

fn is_in_run(text: Node<'_, '_>) -> bool {
    text.parent().is_some_and(|parent| parent.tag_name().name() == "r")
}

/// Whether an image or a shape was hidden in the selection pane.
fn is_hidden_drawing(drawing: Node<'_, '_>) -> bool {
    let hidden = child(drawing, "docPr").and_then(|properties| attribute(properties, "hidden"));
    matches!(hidden, Some("1" | "true" | "on"))
}

/// Returns the mark of a reference to a note.
pub(super) fn note_mark(key: &str) -> String {
    format!("[^{}]", key.trim_start_matches("footnote").replace("endnote", "e"))
}

/// Iterates over the paragraphs in a cell, including those in nested tables. Paragraphs in text boxes are excluded,
/// because they belong to another paragraph.
pub(super) fn paragraphs<'a, 'input: 'a>(cell: Node<'a, 'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    let is_outer = move |node: &Node<'a, 'input>| {
        let above = node.ancestors().skip(1).take_while(|above| above.id() != cell.id());
        above.into_iter().all(|above| !matches!(above.tag_name().name(), "p" | "del" | "moveFrom" | "Fallback"))
    };
    below(cell, "p").filter(is_outer)
}

#[cfg(test)]
mod tests {
    use super::super::docx;
    use super::super::fixtures::docx as document;

    fn text(body: &str) -> String {
        docx(&document(body)).unwrap().text
    }

    /// Returns a run of `text` with these properties.
    fn run(properties: &str, text: &str) -> String {
        format!("<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>")
    }

    #[test]
    fn hidden_runs_are_left_out() {
        let runs = [
            run("<w:vanish/>", "a"),
            run(r#"<w:vanish w:val="1"/>"#, "b"),
            run("<w:vanish w:val='on'/><w:specVanish/>", "c"),
            run(r#"<w:rStyle w:val="Secret"/>"#, "d"),
            run(r#"<w:rStyle w:val="SecretToo"/>"#, "e"),
            format!("<w:ins><w:hyperlink>{}</w:hyperlink></w:ins>", run("<w:b/><w:vanish/>", "f")),
            run(r#"<w:vanish w:val="0"/>"#, "S"),
            run(r#"<w:vanish w:val="false"/>"#, "e"),
            run(r#"<w:rStyle w:val="Secret"/><w:vanish w:val="off"/>"#, "e"),
            run(r#"<w:rStyle w:val="Opened"/>"#, "n"),
            run("<w:webHidden/>", "."),
        ];
        assert_eq!(text(&format!("<w:p>{}</w:p>", runs.concat())), "Seen.\n");
    }

    #[test]
    fn superscripts_and_subscripts_stay_apart() {
        let raised = |text: &str| run(r#"<w:vertAlign w:val="superscript"/>"#, text);
        let lowered = |text: &str| run(r#"<w:vertAlign w:val="subscript"/>"#, text);
        let runs = [run("", "10"), raised("-"), raised("3"), run("", " m, 101"), lowered("2"), run("", " of H")];
        let body = format!("<w:p>{}{}{}</w:p>", runs.concat(), lowered("2"), run("", "O"));
        assert_eq!(text(&body), "10^-3 m, 101_2 of H2O\n");
    }

    #[test]
    fn styles_of_paragraphs_and_tables_hide_their_text() {
        let paragraph =
            |style: &str, run: &str| format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{run}</w:p>"#);
        let hidden = [
            paragraph("SecretText", &run("", "a")),
            paragraph("SecretTextToo", &run(r#"<w:rStyle w:val="Opened"/>"#, "b")),
            format!(
                r#"<w:tbl><w:tblPr><w:tblStyle w:val="SecretTable"/></w:tblPr><w:tr><w:tc><w:p>{}</w:p></w:tc><w:tc><w:p>{}</w:p></w:tc></w:tr></w:tbl>"#,
                run("", "c"),
                run(r#"<w:vanish w:val="0"/>"#, "Cell"),
            ),
            // The mark at the end of a paragraph is not text.
            format!("<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>{}</w:p>", run("", "Mark.")),
            paragraph("SecretText", &run(r#"<w:vanish w:val="0"/>"#, "Run.")),
            paragraph("OpenedText", &run("", "Base.")),
        ];
        assert_eq!(text(&hidden.concat()), "|  | Cell |\n\nMark.\n\nRun.\n\nBase.\n");
    }

    #[test]
    fn notes_in_hidden_text_and_hidden_drawings_are_left_out() {
        let note = r#"<w:footnoteReference w:id="2"/>"#;
        let shape = |hidden: &str| {
            format!(
                r#"<w:p><w:r><w:drawing><wp:anchor xmlns:wp="wp"><wp:docPr id="1"{hidden}/><w:txbxContent><w:p>{}</w:p></w:txbxContent></wp:anchor></w:drawing></w:r></w:p>"#,
                run("", "boxed")
            )
        };
        let body = [
            format!("<w:p>{}<w:r><w:rPr><w:vanish/></w:rPr>{note}</w:r></w:p>", run("", "Text")),
            shape(r#" hidden="1""#),
            shape(""),
        ];
        assert_eq!(text(&body.concat()), "Text\n\nboxed\n");
    }

    #[test]
    fn deleted_and_hidden_rows_and_cells_are_left_out() {
        let cell = |properties: &str, text: &str| {
            format!("<w:tc><w:tcPr>{properties}</w:tcPr><w:p>{}</w:p></w:tc>", run("", text))
        };
        let row = |properties: &str, cells: &str| format!("<w:tr><w:trPr>{properties}</w:trPr>{cells}</w:tr>");
        let table = [
            row("<w:tblHeader/>", &[cell("", "a"), cell("<w:cellDel/>", "gone"), cell("", "b")].concat()),
            row("<w:del/>", &[cell("", "gone"), cell("", "gone")].concat()),
            row("<w:hidden/>", &[cell("", "gone"), cell("", "gone")].concat()),
            row(r#"<w:ins/><w:hidden w:val="0"/>"#, &[cell("", "c"), cell("", "d")].concat()),
        ];
        assert_eq!(text(&format!("<w:tbl>{}</w:tbl>", table.concat())), "| a | b |\n| c | d |\n");
    }
}
