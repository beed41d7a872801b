//! Reads a whole document, section by section.

use super::{document_blocks, for_each_chunk};
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::reader::BundleReader;
use crate::records::DocumentRecord;
use serde::Serialize;

/// A document in the form that readers get.
///
/// [`look_up`] has an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DocumentText {
    /// The canonical id.
    pub document: String,
    /// The name of the document's project.
    pub project: String,
    /// The document's path inside its source.
    pub path: String,
    /// The document's address for readers, if there is one.
    pub url: Option<String>,
    /// The title.
    pub title: String,
    /// A one-line description. May be empty.
    pub description: String,
    /// The sections in order. Their texts, joined, are the document's text.
    pub sections: Vec<SectionText>,
}

/// A section of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionText {
    /// The headings above this section and its own heading, joined by ` > `. Empty before the first heading.
    pub section: String,
    /// The section's anchor in the page. Empty if there is none.
    pub anchor: String,
    /// The text.
    pub text: String,
}

/// The result of looking up a document.
///
/// [`look_up`] has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Blocks to provide before the next call, each with the number of its bundle.
    Need(Vec<(usize, BlockId)>),
    /// The document, or `None` if no document or several documents have this name.
    Found(Option<Box<DocumentText>>),
}

/// Looks up the document named `name` in all bundles: see [`crate::records::Catalog::find`].
///
/// ```
/// use nearfind_core::content::{Lookup, look_up};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// let found = loop {
///     match look_up(&[&reader], "docs/undo.md")? {
///         Lookup::Found(found) => break found,
///         Lookup::Need(blocks) => bring(&bundle, &mut reader, blocks.into_iter().map(|(_, block)| block)),
///     }
/// };
/// let document = found.unwrap();
/// assert_eq!(document.title, "Undo");
/// assert_eq!(document.sections[0].text, "Run `git revert` to undo a commit.\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn look_up(readers: &[&BundleReader], name: &str) -> Result<Lookup, FormatError> {
    let mut needed = Vec::new();
    let mut found = Vec::new();
    for (number, reader) in readers.iter().enumerate() {
        let blocks = reader.catalog_blocks().chain(std::iter::once(BlockId { part: Part::Map, block: 0 }));
        let missing: Vec<_> = blocks.filter(|&id| !reader.has(id)).map(|id| (number, id)).collect();
        if missing.is_empty() {
            found.extend(reader.catalog()?.find(reader.root(), name).map(|document| (number, document)));
        }
        needed.extend(missing);
    }
    if let (true, &[(number, document)]) = (needed.is_empty(), found.as_slice()) {
        let blocks = document_blocks(readers[number], document)?.into_iter();
        needed.extend(blocks.filter(|&id| !readers[number].has(id)).map(|id| (number, id)));
        if needed.is_empty() {
            return read(readers[number], document).map(|document| Lookup::Found(Some(Box::new(document))));
        }
    }
    Ok(if needed.is_empty() { Lookup::Found(None) } else { Lookup::Need(needed) })
}

/// Reads a document. Its blocks must be loaded.
fn read(reader: &BundleReader, number: u32) -> Result<DocumentText, FormatError> {
    let mut record = DocumentRecord::default();
    let mut sections: Vec<SectionText> = Vec::new();
    for_each_chunk(reader, number, &mut |document, chunk| {
        // Only the first block contains the whole record.
        if sections.is_empty() {
            record = document.clone();
        }
        let ends = chunk.sections.iter().skip(1).map(|next| next.at as usize).chain([chunk.text.len()]);
        for (number, (section, end)) in chunk.sections.iter().zip(ends).enumerate() {
            // The first section of a chunk may continue the last section of the previous chunk.
            let is_known = |known: &SectionText| known.section == section.title && known.anchor == section.anchor;
            if number > 0 || !sections.last().is_some_and(is_known) {
                let (section, anchor) = (section.title.clone(), section.anchor.clone());
                sections.push(SectionText { section, anchor, text: String::new() });
            }
            let text = chunk.text.get(section.at as usize..end).unwrap_or_default();
            sections.iter_mut().last().into_iter().for_each(|last| last.text.push_str(text));
        }
    })?;
    let project = reader.root().projects.get(record.project as usize);
    let project = project.ok_or(FormatError::corrupt(Part::Pages.name(), "project number"))?;
    Ok(DocumentText {
        document: record.id,
        project: project.name.clone(),
        path: record.path,
        url: Some(record.url).filter(|url| !url.is_empty()),
        title: record.title,
        description: record.description,
        sections,
    })
}
