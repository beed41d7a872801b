//! Reads the values in XFA forms. The pages of such documents only say that another viewer is needed.

use super::objects::contents;
use crate::office::parse_xml;
use crate::words::one_line;
use hayro_syntax::object::{Array, Dict, Object, Stream, String as PdfString};
use roxmltree::Node;

/// Name of the packet with the values.
const VALUES: &[u8] = b"datasets";
/// Maximum number of values.
const MAX_VALUES: usize = 10_000;

/// Returns the names and values of fields in the order of the form, or nothing if the form cannot be read.
pub(super) fn values(catalog: &Dict<'_>) -> Vec<[String; 2]> {
    let form = catalog.get::<Dict<'_>>("AcroForm").and_then(|form| form.get::<Object<'_>>("XFA"));
    let xml = match form {
        Some(Object::Stream(whole)) => contents(&whole),
        Some(Object::Array(packets)) => packet(&packets).map(|values| contents(&values)).unwrap_or_default(),
        _ => String::new(),
    };
    let Ok(tree) = parse_xml("XFA", &xml) else { return Vec::new() };
    let data = tree.descendants().find(|node| node.tag_name().name() == "data");
    let fields = data.iter().flat_map(Node::descendants).filter(Node::is_element);
    let leaves = fields.filter(|node| !node.children().any(|child| child.is_element()));
    let values = leaves.map(|leaf| [leaf.tag_name().name().to_owned(), one_line(leaf.text().unwrap_or_default())]);
    values.filter(|[_, value]| !value.is_empty()).take(MAX_VALUES).collect()
}

/// Returns the packet of values among `packets`, which alternate between names and streams.
fn packet<'a>(packets: &Array<'a>) -> Option<Stream<'a>> {
    let names = packets.iter::<Object<'_>>();
    let streams = packets.iter::<Object<'_>>().skip(1);
    let is_values =
        |name: &Object<'_>| name.clone().into_string().is_some_and(|name: PdfString<'_>| name.as_bytes() == VALUES);
    let mut pairs = names.zip(streams).filter(|(name, _)| is_values(name));
    pairs.find_map(|(_, stream)| stream.into_stream())
}
