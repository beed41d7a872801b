//! Reads headers and footers in Word files. Each line is kept once, without page numbers.

use super::package::{Package, Relationship};
use super::story::{Beside, PAGE_NUMBER, Story, paragraphs};
use super::styles::{Styles, switch};
use super::xml::{self, attribute, below};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::words::one_line;
use roxmltree::Node;
use std::collections::BTreeSet;

/// Maximum number of headers and footers. Each chapter may have its own.
const MAX_PARTS: usize = 100;
/// Maximum number of words in a text such as "Page 3 of 7", not counting its numbers.
const WORDS_AROUND_NUMBERS: usize = 2;

/// Writes the lines at the end of the document, under a separate heading.
pub(super) fn write(writer: &mut DocumentWriter, lines: &[String]) {
    if !lines.is_empty() {
        writer.heading(1, "Headers and footers");
        lines.iter().for_each(|line| writer.paragraph(line));
    }
}

/// Returns the header and footer lines on the pages of the document with this `body`.
pub(super) fn lines(
    package: &mut Package<'_>,
    relationships: &[Relationship],
    body: Node<'_, '_>,
    styles: &Styles,
) -> Result<Vec<String>, ExtractError> {
    let even = has_even_pages(package, relationships)?;
    let (mut headers, mut footers): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for section in below(body, "sectPr") {
        let has_first = switch(section, "titlePg") == Some(true);
        for reference in section.children().filter(Node::is_element) {
            let is_shown = match attribute(reference, "type") {
                Some("first") => has_first,
                Some("even") => even,
                _ => true,
            };
            let id = attribute(reference, "id").filter(|_| is_shown);
            let found = relationships.iter().find(|relationship| Some(relationship.id.as_str()) == id);
            let Some(part) = found.map(|found| found.target.as_str()) else { continue };
            let parts = match reference.tag_name().name() {
                "headerReference" => &mut headers,
                "footerReference" => &mut footers,
                _ => continue,
            };
            if parts.len() < MAX_PARTS && !parts.contains(&part) {
                parts.push(part);
            }
        }
    }
    let (mut lines, mut seen) = (Vec::new(), BTreeSet::new());
    for part in headers.into_iter().chain(footers) {
        let Some(text) = package.text(part)? else { continue };
        // A damaged header does not prevent reading the document.
        let Ok(document) = xml::parse(part, &text) else { continue };
        let story = Story::of_running_head(document.root_element(), styles);
        for line in of_part(&story, document.root_element(), 0) {
            if seen.insert(line.clone()) {
                lines.push(line);
            }
        }
    }
    Ok(lines)
}

fn has_even_pages(package: &mut Package<'_>, relationships: &[Relationship]) -> Result<bool, ExtractError> {
    let Some(part) = relationships.iter().find(|relationship| relationship.kind == "settings") else {
        return Ok(false);
    };
    let Some(text) = package.text(&part.target)? else { return Ok(false) };
    let Ok(document) = xml::parse(&part.target, &text) else { return Ok(false) };
    Ok(switch(document.root_element(), "evenAndOddHeaders") == Some(true))
}

fn of_part(story: &Story<'_>, root: Node<'_, '_>, boxes: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in paragraphs(root) {
        let inline = story.inline(paragraph);
        lines.push(without_page_numbers(&inline.text));
        for beside in inline.beside {
            if let Beside::TextBox(text_box) = beside
                && boxes < 2
            {
                lines.extend(of_part(story, text_box, boxes + 1));
            }
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// Returns `text` without parts that contain only a page number.
pub(super) fn without_page_numbers(text: &str) -> String {
    let kept = text.split(['\t', '|', '•', '·']).map(|part| {
        let words = part.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
        let is_number = part.contains(PAGE_NUMBER) && words.count() <= WORDS_AROUND_NUMBERS;
        if is_number { String::new() } else { one_line(&part.replace(PAGE_NUMBER, "")) }
    });
    let kept: Vec<String> = kept.filter(|part| part.chars().any(char::is_alphanumeric)).collect();
    kept.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{docx_of, paragraph};
    use super::*;

    #[test]
    fn page_numbers_are_left_out() {
        let read = |text: &str| without_page_numbers(&text.replace('#', &PAGE_NUMBER.to_string()));
        assert_eq!(read("Confidential\tPage # of #"), "Confidential");
        assert_eq!(read("- # -"), "");
        assert_eq!(read("Order no. 4711, page #"), "Order no. 4711, page");
        assert_eq!(read("Acme Ltd | 2024 | #/#"), "Acme Ltd | 2024");
        assert_eq!(read("\u{2014}"), "");
    }

    #[test]
    fn each_line_is_written_once_at_the_end() {
        let field = |code: &str| {
            format!(
                r#"<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> {code} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>"#
            )
        };
        let simple = r#"<w:fldSimple w:instr="NUMPAGES"><w:r><w:t>9</w:t></w:r></w:fldSimple>"#;
        let of_pages = format!(
            "<w:p><w:r><w:t>Ref. {}</w:t><w:tab/><w:t>Page </w:t></w:r>{}<w:r><w:t> of </w:t></w:r>{simple}</w:p>",
            "INV-00007",
            field("PAGE \\* MERGEFORMAT")
        );
        let section = |ids: [&str; 3]| {
            let [default, first, footer] = ids;
            format!(
                r#"<w:sectPr><w:headerReference w:type="default" w:id="{default}"/><w:headerReference w:type="first" w:id="{first}"/><w:footerReference w:type="default" w:id="{footer}"/></w:sectPr>"#
            )
        };
        let body = format!(
            "{}<w:p><w:pPr>{}</w:pPr></w:p>{}{}",
            paragraph("Body text."),
            section(["h1", "h2", "f1"]),
            paragraph("More."),
            section(["h1", "h2", "f1"])
        );
        let part = |content: &str| format!(r#"<w:hdr xmlns:w="w">{content}</w:hdr>"#);
        let bytes = docx_of(
            &body,
            &[
                ("h1", "header", "h1.xml", &part(&paragraph("Acme Ltd"))),
                ("h2", "header", "h2.xml", &part(&paragraph("Not shown"))),
                ("f1", "footer", "f1.xml", &part(&of_pages)),
            ],
        );
        let text = super::super::docx(&bytes).unwrap().text;
        assert_eq!(text, "Body text.\n\nMore.\n\n# Headers and footers\n\nAcme Ltd\n\nRef. INV-00007\n");
    }
}
