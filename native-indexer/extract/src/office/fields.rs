//! Word fields, which are computed texts. A field's marks enclose its code and its result, and both may contain other
//! fields.
//!
//! The marks may be in different paragraphs, so they are paired before anything is read. Unpaired marks are ignored.
//! Otherwise, a truncated document would lose all text after a mark.

use super::styles::{Styles, hides_run};
use super::xml::{attribute, chosen};
use roxmltree::{Node, NodeId};
use std::collections::{HashMap, HashSet};

/// Maximum length in bytes of the inspected part of a field's code.
const MAX_CODE_BYTES: usize = 4096;

/// The nodes that belong to field codes, and the visible parts of codes.
#[derive(Debug, Default)]
pub(super) struct Fields {
    code: HashSet<NodeId>,
    /// Results of fields that are page numbers.
    page_numbers: HashSet<NodeId>,
    /// Visible texts by the mark at the end of the field.
    shown: HashMap<NodeId, String>,
}

impl Fields {
    pub(super) fn of(root: Node<'_, '_>, styles: &Styles) -> Self {
        let mut fields = Self::default();
        fields.walk(root, styles, false, &mut Open::default());
        fields
    }

    /// Whether `node` contains text that belongs to a field's code.
    pub(super) fn is_code(&self, node: Node<'_, '_>) -> bool {
        self.code.contains(&node.id())
    }

    /// Whether `node` is the result of a field with a page number or a page count.
    pub(super) fn is_page_number(&self, node: Node<'_, '_>) -> bool {
        self.page_numbers.contains(&node.id())
    }

    /// Returns the visible part of the code of the field that ends at `mark`.
    pub(super) fn shown_at(&self, mark: Node<'_, '_>) -> &str {
        self.shown.get(&mark.id()).map_or("", String::as_str)
    }

    /// Recursion is safe, because the parser refuses parts that are nested too deeply.
    fn walk(&mut self, parent: Node<'_, '_>, styles: &Styles, is_hidden: bool, open: &mut Open) {
        for node in parent.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "fldChar" => self.mark(node, open),
                "instrText" => open.instruct(node, is_hidden),
                "t" | "tab" | "ptab" | "br" | "cr" | "noBreakHyphen" | "footnoteReference" | "endnoteReference" => {
                    open.take(node, is_hidden);
                    if open.fields.last().is_some_and(|field| field.counts_pages) {
                        self.page_numbers.insert(node.id());
                    }
                }
                "r" => self.walk(node, styles, hides_run(styles, node, is_hidden), open),
                // Deleted text has its own marks.
                "del" | "moveFrom" | "pPr" | "rPr" | "sdtPr" => {}
                "AlternateContent" => {
                    if let Some(chosen) = chosen(node) {
                        self.walk(chosen, styles, is_hidden, open);
                    }
                }
                "txbxContent" | "footnote" | "endnote" | "comment" => {
                    open.take(node, is_hidden);
                    self.walk(node, styles, false, &mut Open::default());
                }
                _ => self.walk(node, styles, is_hidden, open),
            }
        }
    }

    fn mark(&mut self, mark: Node<'_, '_>, open: &mut Open) {
        match attribute(mark, "fldCharType") {
            Some("begin") => {
                open.codes.push(open.fields.len());
                open.fields.push(Field::default());
            }
            Some("separate") => {
                if open.end_code()
                    && let Some(field) = open.fields.last_mut()
                {
                    field.counts_pages = counts_pages(&field.code);
                }
            }
            Some("end") => {
                let is_all_code = open.end_code();
                let Some(field) = open.fields.pop() else { return };
                if is_all_code && !field.has_code {
                    // Marks without a code are not a field, so their content belongs to the surrounding field.
                    if let Some(around) = open.innermost() {
                        around.join(field.inside);
                    }
                    return;
                }
                self.code.extend(field.inside);
                if let Some(shown) = shown_of_code(&field.code).filter(|_| is_all_code) {
                    open.take(mark, true);
                    self.shown.insert(mark.id(), shown);
                }
            }
            _ => {}
        }
    }
}

/// Fields that are still open, outer ones before inner ones.
#[derive(Default)]
struct Open {
    fields: Vec<Field>,
    /// Positions of the fields with an unfinished code.
    codes: Vec<usize>,
}

#[derive(Default)]
struct Field {
    /// The code, including the results of nested fields.
    code: String,
    /// Whether the field contains code outside nested fields.
    has_code: bool,
    /// Whether the result is a page number or a page count. Set at the end of the code.
    counts_pages: bool,
    /// Nodes inside the code that would be text elsewhere.
    inside: Vec<NodeId>,
}

impl Open {
    /// Returns the innermost field with an unfinished code.
    fn innermost(&mut self) -> Option<&mut Field> {
        self.fields.get_mut(*self.codes.last()?)
    }

    /// Ends the code of the innermost field. Returns whether it was unfinished.
    fn end_code(&mut self) -> bool {
        self.codes.pop_if(|place| *place + 1 == self.fields.len()).is_some()
    }

    fn instruct(&mut self, node: Node<'_, '_>, is_hidden: bool) {
        let Some(field) = self.innermost() else { return };
        field.has_code |= node.text().is_some_and(|text| !text.trim().is_empty());
        if !is_hidden {
            field.add(node);
        }
    }

    fn take(&mut self, node: Node<'_, '_>, is_hidden: bool) {
        let Some(field) = self.innermost() else { return };
        field.inside.push(node.id());
        if !is_hidden {
            field.add(node);
        }
    }
}

impl Field {
    fn add(&mut self, node: Node<'_, '_>) {
        let text = node.text().unwrap_or_default();
        if self.code.len() + text.len() <= MAX_CODE_BYTES {
            self.code.push_str(text);
        }
    }

    fn join(&mut self, mut inside: Vec<NodeId>) {
        // Moves the shorter list. Otherwise, nested marks would move all nodes at each level.
        if inside.len() > self.inside.len() {
            std::mem::swap(&mut inside, &mut self.inside);
        }
        self.inside.append(&mut inside);
    }
}

/// Whether the result of a field with this code is a page number or a page count.
pub(super) fn counts_pages(code: &str) -> bool {
    let name = code.split_whitespace().next().unwrap_or_default();
    ["PAGE", "NUMPAGES", "SECTIONPAGES"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Returns the label of a button, which is its only text: `MACROBUTTON name label`.
fn shown_of_code(code: &str) -> Option<String> {
    let after_word = |text: &str| {
        let text = text.trim_start();
        text.find(char::is_whitespace).map(|end| (text[..end].to_owned(), text[end..].to_owned()))
    };
    let (kind, rest) = after_word(code)?;
    if !matches!(kind.to_ascii_uppercase().as_str(), "MACROBUTTON" | "GOTOBUTTON") {
        return None;
    }
    let (_, label) = after_word(&rest)?;
    Some(label.trim().to_owned()).filter(|label| !label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::docx;
    use super::super::fixtures::docx as document;

    /// Returns the text of paragraphs in a short notation: `{` begins a field, `|` separates code and result, `}` ends
    /// the field, `<…>` is an instruction, and `/` begins a paragraph.
    fn text(notation: &str) -> String {
        let mut body = "<w:p>".to_owned();
        let mut is_code = false;
        for c in notation.chars() {
            let mark = |kind: &str| format!(r#"<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>"#);
            body += &match c {
                '{' => mark("begin"),
                '|' => mark("separate"),
                '}' => mark("end"),
                '/' => "</w:p><w:p>".to_owned(),
                '<' | '>' => {
                    is_code = c == '<';
                    continue;
                }
                c if is_code => format!("<w:r><w:instrText>{c}</w:instrText></w:r>"),
                c => format!("<w:r><w:t>{c}</w:t></w:r>"),
            };
        }
        docx(&document(&format!("{body}</w:p>")))
            .map(|extracted| extracted.text.trim_end().replace("\n\n", "/"))
            .unwrap()
    }

    #[test]
    fn fields_show_their_results() {
        assert_eq!(text("See {<HYPERLINK x>|here} now."), "See here now.");
        assert_eq!(text("A {<IF >{<DOCPROPERTY x>|inner}< = 1>|outer} B"), "A outer B");
        assert_eq!(text("A {<IF >{<IF >{<REF x>|a}|b}|c{<PAGE>|7}} B"), "A c7 B");
        assert_eq!(text("A {<XE \"entry>{<REF x>|word}<\">}B"), "A B");
        // Paragraphs that begin in a code stay separate.
        assert_eq!(text("A {<IF 1 >text/more< 2>|one/two} B"), "A/one/two B");
    }

    #[test]
    fn buttons_show_their_label() {
        assert_eq!(text("{< MACROBUTTON DoIt Click here >} tail."), "Click here tail.");
        assert_eq!(text("{<macrobutton DoIt Page >{<PAGE>|7}}."), "Page 7.");
        assert_eq!(text("{<IF >{<MACROBUTTON a b>}<>|c}"), "c");
    }

    #[test]
    fn marks_without_partners_hide_nothing() {
        assert_eq!(text("A {<PAGE>|7/B"), "A 7/B");
        assert_eq!(text("A {<PAGE>B/C {<REF>|d}"), "A B/C d");
        assert_eq!(text("A } | B"), "A B");
        assert_eq!(text("{{<FORMTEXT>|given}}"), "given");
        assert_eq!(text("{<IF >{{<REF>|in}}|out}"), "out");
    }

    #[test]
    fn simple_fields_may_be_in_others() {
        let inner = r#"<w:fldSimple w:instr=" PAGE "><w:r><w:t>7</w:t></w:r></w:fldSimple>"#;
        let body =
            format!(r#"<w:p><w:fldSimple w:instr=" IF x "><w:r><w:t>page </w:t></w:r>{inner}</w:fldSimple></w:p>"#);
        assert_eq!(docx(&document(&body)).unwrap().text, "page 7\n");
    }

    #[test]
    fn a_hundred_thousand_marks_are_read_fast() {
        let many = |notation: &str| notation.repeat(100_000);
        assert_eq!(text(&format!("{}x", many("{"))), "x");
        assert_eq!(text(&format!("{}x{}", many("{"), many("}"))), "x");
        assert_eq!(text(&format!("{}x", many("{<>|}"))), "x");
    }
}
