//! XML of documents: no types of its own, no depth without end.

use crate::error::ExtractError;
use roxmltree::{Document, Error, Node, ParsingOptions};

/// Deeper elements are not read by anybody either.
pub(super) const MAX_DEPTH: usize = 256;
/// More elements and texts would take more memory than the reader has.
const MAX_NODES: u32 = 4_000_000;

/// The tree of `text`, the part called `name`.
pub(crate) fn parse<'a>(name: &str, text: &'a str) -> Result<Document<'a>, ExtractError> {
    let depth = depth(text);
    if depth > MAX_DEPTH {
        return Err(ExtractError::TooDeep(MAX_DEPTH));
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| match error {
        Error::DtdDetected => ExtractError::Doctype,
        Error::NodesLimitReached => ExtractError::Damaged(format!("{name} has more than {MAX_NODES} elements")),
        error => ExtractError::Damaged(format!("broken XML in {name}: {error}")),
    })
}

/// How deep elements are nested, before a parser that calls itself for each level sees them.
fn depth(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut deepest) = (0usize, 0);
    for at in openings(bytes) {
        match bytes.get(at + 1) {
            Some(b'/') => depth = depth.saturating_sub(1),
            Some(b'!' | b'?') | None => {}
            Some(_) => {
                depth += 1;
                deepest = deepest.max(depth);
                let end = bytes[at..].iter().position(|byte| *byte == b'>').map(|end| at + end);
                if end.is_some_and(|end| bytes[end - 1] == b'/') {
                    depth -= 1;
                }
            }
        }
    }
    deepest
}

fn openings(bytes: &[u8]) -> impl Iterator<Item = usize> {
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'<').map(|(at, _)| at)
}

/// The child of `node` called `name`, in whatever namespace: there are two of each, and prefixes are free.
pub(super) fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.tag_name().name() == name)
}

/// The elements below `node` called `name`, in order.
pub(super) fn below<'a, 'input: 'a>(node: Node<'a, 'input>, name: &'a str) -> impl Iterator<Item = Node<'a, 'input>> {
    node.descendants().filter(move |inner| inner.is_element() && inner.tag_name().name() == name)
}

/// The attribute of `node` called `name`, in whatever namespace.
pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attributes().find(|attribute| attribute.name() == name).map(|attribute| attribute.value())
}

/// The attribute `val` of the child of `node` called `name`.
pub(super) fn value<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    attribute(child(node, name)?, "val")
}

/// What is shown of alternatives: the newest, else what is left.
pub(super) fn chosen<'a, 'input>(alternatives: Node<'a, 'input>) -> Option<Node<'a, 'input>> {
    child(alternatives, "Choice").or_else(|| child(alternatives, "Fallback"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_before_parsing() {
        assert_eq!(depth("<?xml?><a><b/><c><!-- <x> --></c></a>"), 3);
        let deep = "<w:tbl>".repeat(100_000);
        assert_eq!(parse("x.xml", &deep).err(), Some(ExtractError::TooDeep(MAX_DEPTH)));
        let entities = "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>";
        assert_eq!(parse("x.xml", entities).err(), Some(ExtractError::Doctype));
        let message = parse("x.xml", "<a>").err().unwrap().to_string();
        assert!(message.starts_with("it is damaged: broken XML in x.xml"), "{message}");
    }
}
