//! A whole document, section by section.

use super::{document_blocks, for_each_chunk};
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::reader::BundleReader;
use crate::records::DocumentRecord;
use serde::Serialize;

/// A document for readers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DocumentText {
    /// Canonical id.
    pub document: String,
    /// Project name.
    pub project: String,
    /// Path inside its source.
    pub path: String,
    /// Where readers find it; `None` if nowhere.
    pub url: Option<String>,
    /// Title.
    pub title: String,
    /// One-line description; may be empty.
    pub description: String,
    /// Its sections in order; their texts, joined, are the document's.
    pub sections: Vec<SectionText>,
}

/// A section of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionText {
    /// Headings above and its own, joined by ` > `; empty before the first heading.
    pub section: String,
    /// Anchor in the page; empty if it has none.
    pub anchor: String,
    /// Its text.
    pub text: String,
}

/// What a look for a document came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Blocks to bring before it is asked again, each with the number of its bundle.
    Need(Vec<(usize, BlockId)>),
    /// The document; `None` if none, or more than one, is called so.
    Found(Option<Box<DocumentText>>),
}

/// The document of all bundles that is called `name`, see [`crate::records::Catalog::find`].
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

/// A document whose blocks were brought.
fn read(reader: &BundleReader, number: u32) -> Result<DocumentText, FormatError> {
    let mut record = DocumentRecord::default();
    let mut sections: Vec<SectionText> = Vec::new();
    for_each_chunk(reader, number, &mut |document, chunk| {
        // The first block alone has the whole record.
        if sections.is_empty() {
            record = document.clone();
        }
        let ends = chunk.sections.iter().skip(1).map(|next| next.at as usize).chain([chunk.text.len()]);
        for (number, (section, end)) in chunk.sections.iter().zip(ends).enumerate() {
            // The first may be one that goes on from the chunk before.
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
