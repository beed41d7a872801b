//! Finds other languages inside a file: scripts and styles in pages and components.

use super::languages::Language;
use super::parse::for_each_node;
use tree_sitter::{Node, Range, Tree};

/// Maximum depth of the visited nodes. Browsers limit the depth of elements to the same number. A hostile page is as
/// deep as it is long.
const MAX_DEPTH: u32 = 512;

/// Returns the parts of `text` that are in a different language.
pub(super) fn injections(tree: &Tree, text: &str) -> Vec<(Language, Range)> {
    let mut found = Vec::new();
    for_each_node(tree, MAX_DEPTH, |node| {
        if let Some(language) = language_of(node, text)
            && let Some(raw) = raw_text(node)
        {
            found.push((language, raw.range()));
        }
    });
    found
}

fn language_of(node: Node<'_>, text: &str) -> Option<Language> {
    let tag = || &text[node.child(0).map_or(0..0, |tag| tag.byte_range())];
    match node.kind() {
        "script_element" => Some(Language(match tag() {
            tag if tag.contains("json") => "json",
            tag if tag.contains("tsx") => "tsx",
            tag if ["\"ts\"", "'ts'", "typescript"].iter().any(|name| tag.contains(name)) => "typescript",
            _ => "javascript",
        })),
        "style_element" => Some(Language(if tag().contains("scss") { "scss" } else { "css" })),
        _ => None,
    }
}

fn raw_text(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == "raw_text")
}
