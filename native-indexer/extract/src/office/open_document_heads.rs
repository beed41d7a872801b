//! Reads headers and footers in OpenDocument files, without page numbers.

use super::package::Package;
use super::running_heads::without_page_numbers;
use super::story::PAGE_NUMBER;
use super::xml::{self, below};
use crate::error::ExtractError;
use roxmltree::Node;

/// Maximum number of lines in headers and footers.
const MAX_HEAD_LINES: usize = 200;

/// Returns the lines of headers and footers, each once.
pub(super) fn lines(package: &mut Package<'_>) -> Result<Vec<String>, ExtractError> {
    let part = "styles.xml";
    let Some(text) = package.text(part)? else { return Ok(Vec::new()) };
    let Ok(document) = xml::parse(part, &text) else { return Ok(Vec::new()) };
    let mut lines: Vec<String> = Vec::new();
    let is_head = |node: &Node<'_, '_>| {
        node.tag_name().name().starts_with("header") || node.tag_name().name().starts_with("footer")
    };
    for page in below(document.root_element(), "master-page") {
        for head in page.children().filter(is_head) {
            for paragraph in head.descendants().filter(|inner| matches!(inner.tag_name().name(), "p" | "h")) {
                let mut text = String::new();
                for node in paragraph.descendants() {
                    match node.tag_name().name() {
                        "page-number" | "page-count" => text.push(PAGE_NUMBER),
                        "tab" => text.push('\t'),
                        "s" | "line-break" => text.push(' '),
                        _ if !node.is_text() || is_page_number(node) => {}
                        _ => text.push_str(node.text().unwrap_or_default()),
                    }
                }
                let line = without_page_numbers(&text);
                if !line.is_empty() && lines.len() < MAX_HEAD_LINES && !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
    }
    Ok(lines)
}

/// Whether `text` is the result of a field with a page number or a page count.
fn is_page_number(text: Node<'_, '_>) -> bool {
    text.parent().is_some_and(|parent| matches!(parent.tag_name().name(), "page-number" | "page-count"))
}
