//! Looks up symbols of a bundle by document and by name. Each lookup returns its result, or the blocks that it needs.

use super::definitions::{self, Definition};
use super::names::{self, NameEntry, Variant};
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::reader::BundleReader;

/// The block of the directory.
const DIRECTORY: BlockId = BlockId { part: Part::Directory, block: 0 };

/// A definition with its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionPlace {
    /// The document.
    pub document: u32,
    /// The definition's number among the definitions of the document.
    pub number: u32,
    /// The definition.
    pub definition: Definition,
}

/// Returns the innermost definition around a line, in the file of `definitions`.
pub fn enclosing(definitions: &[DefinitionPlace], line: u32) -> Option<&DefinitionPlace> {
    let is_around = |place: &&DefinitionPlace| (place.definition.lines.0..=place.definition.lines.1).contains(&line);
    definitions.iter().filter(is_around).min_by_key(|place| {
        let (first, last) = place.definition.lines;
        (last - first, std::cmp::Reverse(first))
    })
}

/// A result, or the blocks needed for it.
///
/// [`look_up_symbol`] has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbols<T> {
    /// Blocks to provide before the next call.
    Need(Vec<BlockId>),
    /// The result.
    Found(T),
}

/// Returns whether the bundle has any definitions. It has none if it was built without grammars. Pages never call this
/// function.
#[cfg(feature = "write")]
pub fn has_definitions(reader: &BundleReader) -> Result<Symbols<bool>, FormatError> {
    if let Some(missing) = reader.missing_directory() {
        return Ok(Symbols::Need(vec![missing]));
    }
    Ok(Symbols::Found(reader.directory()?.is_some_and(|directory| !directory.symbols.is_empty())))
}

/// Returns the definitions in a range of `documents`, ordered by document and place.
///
/// ```
/// use nearfind_core::symbols::{Symbols, definitions_of, enclosing};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// let definitions = loop {
///     match definitions_of(&reader, 2..3)? {
///         Symbols::Found(definitions) => break definitions,
///         Symbols::Need(blocks) => bring(&bundle, &mut reader, blocks),
///     }
/// };
/// let around = enclosing(&definitions, 3).unwrap();
/// assert_eq!(around.definition.qualified(), "Session.send");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn definitions_of(
    reader: &BundleReader,
    documents: std::ops::Range<u32>,
) -> Result<Symbols<Vec<DefinitionPlace>>, FormatError> {
    if let Some(missing) = reader.missing_directory() {
        return Ok(Symbols::Need(vec![missing]));
    }
    let Some(directory) = reader.directory()? else { return Ok(Symbols::Found(Vec::new())) };
    let last = documents.end.checked_sub(1).and_then(|last| directory.definitions_block(last));
    let Some(last) = last else { return Ok(Symbols::Found(Vec::new())) };
    let first = directory.definitions_block(documents.start).unwrap_or(0);
    let blocks = (first..=last).map(|block| BlockId { part: Part::Symbols, block });
    let missing: Vec<BlockId> = blocks.filter(|&id| !reader.has(id)).collect();
    if !missing.is_empty() {
        return Ok(Symbols::Need(missing));
    }
    let mut found: Vec<DefinitionPlace> = Vec::new();
    for block in first..=last {
        let first_document = directory.first_documents[block as usize];
        definitions::for_each(reader.block(Part::Symbols, block)?, first_document, &mut |document, definition| {
            if documents.contains(&document) {
                let number = found.last().filter(|last| last.document == document).map_or(0, |last| last.number + 1);
                found.push(DefinitionPlace { document, number, definition });
            }
            document < documents.end
        })?;
    }
    Ok(Symbols::Found(found))
}

/// Returns the entry of a name, whatever its case, or an inner `None` if there is none.
///
/// ```
/// use nearfind_core::symbols::{Symbols, look_up_symbol};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// let entry = loop {
///     match look_up_symbol(&reader, "SESSION")? {
///         Symbols::Found(entry) => break entry.unwrap(),
///         Symbols::Need(blocks) => bring(&bundle, &mut reader, blocks),
///     }
/// };
/// // The first definition of document 2.
/// assert_eq!(entry.variants[0].name, "Session");
/// assert_eq!(entry.variants[0].definitions, [(2, 0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn look_up_symbol(reader: &BundleReader, name: &str) -> Result<Symbols<Option<NameEntry>>, FormatError> {
    if let Some(missing) = reader.missing_directory() {
        return Ok(Symbols::Need(vec![missing]));
    }
    let key = name.to_lowercase();
    let Some(block) = reader.directory()?.and_then(|directory| directory.names_block(&key)) else {
        return Ok(Symbols::Found(None));
    };
    let id = BlockId { part: Part::Symbols, block };
    if !reader.has(id) {
        return Ok(Symbols::Need(vec![id]));
    }
    let documents = reader.root().documents;
    let mut found = None;
    names::for_each(reader.block(Part::Symbols, block)?, &mut |entry| {
        let goes_on = entry.key < key;
        if entry.key == key {
            found = Some(entry);
        }
        goes_on
    })?;
    let is_known = |variant: &Variant| variant.definitions.iter().all(|(document, _)| *document < documents);
    if !found.iter().flat_map(|entry: &NameEntry| &entry.variants).all(is_known) {
        return Err(FormatError::corrupt(Part::Symbols.name(), "documents of a name"));
    }
    Ok(Symbols::Found(found))
}

/// Returns the defined names in the block that would contain `name`, which are near it in alphabetical order.
pub fn names_near(reader: &BundleReader, name: &str) -> Result<Symbols<Vec<String>>, FormatError> {
    if let Some(missing) = reader.missing_directory() {
        return Ok(Symbols::Need(vec![missing]));
    }
    let key = name.to_lowercase();
    let Some(directory) = reader.directory()? else { return Ok(Symbols::Found(Vec::new())) };
    let first = directory.first_documents.len() as u32;
    let block = directory.names_block(&key).unwrap_or(first);
    let id = BlockId { part: Part::Symbols, block };
    if block >= directory.symbols.len() {
        return Ok(Symbols::Found(Vec::new()));
    }
    if !reader.has(id) {
        return Ok(Symbols::Need(vec![id]));
    }
    let mut found = Vec::new();
    names::for_each(reader.block(Part::Symbols, block)?, &mut |entry| {
        let defined = entry.variants.into_iter().filter(|variant| !variant.definitions.is_empty());
        found.extend(defined.map(|variant| variant.name));
        true
    })?;
    Ok(Symbols::Found(found))
}

impl BundleReader {
    /// Returns the block of the directory, if the bundle has one and it is not loaded.
    pub(crate) fn missing_directory(&self) -> Option<BlockId> {
        Some(DIRECTORY).filter(|&id| !self.root().table(Part::Directory).is_empty() && !self.has(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::{Definition, SymbolKind};

    #[test]
    fn a_line_is_in_the_innermost_of_what_is_around_it() {
        let place = |name: &str, lines| DefinitionPlace {
            document: 0,
            number: 0,
            definition: Definition {
                name: name.into(),
                kind: SymbolKind::Method,
                scope: String::new(),
                lines,
                signature: 0..0,
            },
        };
        let places = [place("Session", (3, 40)), place("send", (10, 20)), place("close", (21, 30))];
        let name = |line| enclosing(&places, line).map(|place| place.definition.name.as_str());
        assert_eq!([3, 10, 20, 21, 31].map(name), ["Session", "send", "send", "close", "Session"].map(Some));
        assert_eq!([1, 41].map(name), [None; 2]);
    }
}
