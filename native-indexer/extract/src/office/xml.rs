//! Parses the XML in documents, without document type declarations and with limited depth.

use crate::error::ExtractError;
use roxmltree::{Document, Error, Node, ParsingOptions};
use std::collections::BTreeSet;

/// Maximum depth of elements.
pub(super) const MAX_DEPTH: usize = 256;
/// Maximum number of nodes, which bounds memory.
const MAX_NODES: u32 = 4_000_000;
/// Maximum number of `<` and of `=`, because the parser counts them to allocate memory for elements and attributes. An
/// element has two `<`.
const MAX_SIGNS: usize = 2 * MAX_NODES as usize;
/// Maximum number of attributes in an element, because the parser compares each with all previous ones.
const MAX_ATTRIBUTES: usize = 256;
/// Maximum number of comparisons of namespace prefixes. The parser compares all pairs at each element that declares a
/// prefix.
const MAX_COMPARED: usize = 1 << 32;

/// Parses `text`, the content of the part called `name`.
pub(crate) fn parse<'a>(name: &str, text: &'a str) -> Result<Document<'a>, ExtractError> {
    check(name, text)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| match error {
        Error::DtdDetected => ExtractError::Doctype,
        Error::NodesLimitReached => too_many(name),
        error => ExtractError::Damaged(format!("broken XML in {name}: {error}")),
    })?;
    if is_deeper(document.root(), MAX_DEPTH) { Err(ExtractError::TooDeep(MAX_DEPTH)) } else { Ok(document) }
}

fn too_many(name: &str) -> ExtractError {
    ExtractError::Damaged(format!("{name} has more than {MAX_NODES} elements"))
}

/// Refuses text that the parser would need too much time or memory for.
fn check(name: &str, text: &str) -> Result<(), ExtractError> {
    if [b'<', b'='].iter().any(|sign| memchr::memchr_iter(*sign, text.as_bytes()).nth(MAX_SIGNS).is_some()) {
        return Err(too_many(name));
    }
    // A tag contains no other `<`. Text in comments that looks like a tag counts too.
    if text.split('<').skip(1).any(|tag| attributes(tag) > MAX_ATTRIBUTES) {
        return Err(ExtractError::TooManyAttributes(MAX_ATTRIBUTES));
    }
    let mut prefixes = BTreeSet::new();
    for (number, (at, declares)) in text.match_indices("xmlns").enumerate() {
        let rest = &text[at + declares.len()..];
        prefixes.insert(rest.split(|c: char| c == '=' || c.is_whitespace()).next().unwrap_or_default());
        if prefixes.len().saturating_pow(2).saturating_mul(number) > MAX_COMPARED {
            return Err(ExtractError::Damaged(format!("{name} declares too many namespaces")));
        }
    }
    Ok(())
}

/// Returns the number of attributes in a tag.
fn attributes(tag: &str) -> usize {
    let (mut quote, mut count) = (None, 0);
    for byte in tag.bytes() {
        match (byte, quote) {
            (b'>', None) => break,
            (b'=', None) => count += 1,
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(end)) if byte == end => quote = None,
            _ => {}
        }
    }
    count
}

/// Whether elements below `root` are nested deeper than `most`. Unlike the parser, readers are recursive.
fn is_deeper(root: Node<'_, '_>, most: usize) -> bool {
    let (mut node, mut depth) = (root, 0usize);
    loop {
        if depth > most && node.is_element() {
            return true;
        }
        if let Some(first) = node.first_child() {
            node = first;
            depth += 1;
            continue;
        }
        node = loop {
            match (node.next_sibling(), node.parent()) {
                (Some(next), _) => break next,
                (None, Some(parent)) => {
                    node = parent;
                    depth = depth.saturating_sub(1);
                }
                (None, None) => return false,
            }
        };
    }
}

/// Returns the child of `node` called `name`, in any namespace: each vocabulary has two namespaces, and prefixes are
/// arbitrary.
pub(super) fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.tag_name().name() == name)
}

/// Returns the elements below `node` called `name`, in order.
pub(super) fn below<'a, 'input: 'a>(node: Node<'a, 'input>, name: &'a str) -> impl Iterator<Item = Node<'a, 'input>> {
    node.descendants().filter(move |inner| inner.is_element() && inner.tag_name().name() == name)
}

/// Returns the attribute of `node` called `name`, in any namespace.
pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attributes().find(|attribute| attribute.name() == name).map(|attribute| attribute.value())
}

/// Returns the `val` attribute of the child of `node` called `name`.
pub(super) fn value<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    attribute(child(node, name)?, "val")
}

/// Returns the displayed alternative, which is the newest one, or else the fallback.
pub(super) fn chosen<'a, 'input>(alternatives: Node<'a, 'input>) -> Option<Node<'a, 'input>> {
    child(alternatives, "Choice").or_else(|| child(alternatives, "Fallback"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(open: &str, close: &str, count: usize) -> String {
        [open.repeat(count), close.repeat(count)].concat()
    }

    #[test]
    fn nesting_is_limited() {
        assert!(parse("x.xml", &nested("<a><b/>", "</a>", MAX_DEPTH - 1)).is_ok());
        assert!(parse("x.xml", &nested("<a>", "text</a>", MAX_DEPTH)).is_ok());
        let too_deep = Some(ExtractError::TooDeep(MAX_DEPTH));
        assert_eq!(parse("x.xml", &nested("<a>", "</a>", MAX_DEPTH + 1)).err(), too_deep);
        assert_eq!(parse("x.xml", &nested("<a>", "</a>", 500_000)).err(), too_deep);
    }

    #[test]
    fn neither_comments_nor_attributes_hide_depth() {
        for open in ["<a><!--</a>-->", "<a><![CDATA[</a>]]>", "<a b='/>'>", "<a><?b </a>?>"] {
            let error = parse("x.xml", &nested(open, "</a>", 100_000)).err();
            assert_eq!(error, Some(ExtractError::TooDeep(MAX_DEPTH)), "{open}");
        }
    }

    #[test]
    fn text_that_takes_long_to_parse_is_refused() {
        let many = |count: usize| (0..count).map(|at| format!(" a{at}='='")).collect::<String>();
        assert!(parse("x.xml", &format!("<a{}/>", many(MAX_ATTRIBUTES))).is_ok());
        let error = parse("x.xml", &format!("<a{}/>", many(500_000))).err();
        assert_eq!(error, Some(ExtractError::TooManyAttributes(MAX_ATTRIBUTES)));
        assert!(parse("x.xml", &format!("<a>{}</a>", "=".repeat(10_000))).is_ok());
        let inside = (0..20_000).map(|at| format!("<a xmlns:p{at}='u'>")).collect::<String>();
        let error = parse("x.xml", &inside).err().unwrap().to_string();
        assert!(error.contains("too many namespaces"), "{error}");
        assert!(parse("x.xml", &"<a".repeat(1_000_000)).is_err());
        let error = parse("x.xml", &"<".repeat(MAX_SIGNS + 1)).err().unwrap().to_string();
        assert!(error.contains("elements"), "{error}");
    }

    #[test]
    fn broken_xml_and_document_types_are_refused() {
        let entities = "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>";
        assert_eq!(parse("x.xml", entities).err(), Some(ExtractError::Doctype));
        let message = parse("x.xml", "<a>").err().unwrap().to_string();
        assert!(message.starts_with("it is damaged: broken XML in x.xml"), "{message}");
    }
}
