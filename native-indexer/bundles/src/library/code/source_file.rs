//! A file as readers see it: a document, or all pieces of a source file.

use crate::library::documents::lookup::Document;
use crate::library::open::open_bundle::OpenBundle;
use anyhow::Result;
use nearfind_core::content;
use nearfind_core::format::Part;
use nearfind_core::format::blocks::BlockId;
use nearfind_core::records::page;
use std::ops::Range;

/// A file with its text.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// The document without data from the catalog, which are its date and the address of its file.
    pub(crate) document: Document,
    /// The numbers of its documents in the bundle.
    pub(crate) numbers: Range<u32>,
}

impl OpenBundle {
    /// Returns the file that document `number` represents, completely or as a piece.
    pub(crate) fn file(&self, number: u32) -> Result<SourceFile> {
        self.bring_map()?;
        let numbers = self.reader().file_of_document(number)?;
        let (mut record, mut pieces, mut chunks, mut bytes) = (None, Vec::new(), Vec::new(), 0);
        let parts = self.with_blocks(
            |reader| content::file_blocks(reader, numbers.clone()),
            |reader| content::file(reader, numbers.clone()),
        )?;
        for (part, of_part) in parts {
            if of_part.iter().any(|chunk| chunk.is_source) {
                pieces.push((part.id.rsplit('#').next().unwrap_or_default().to_owned(), bytes));
            }
            bytes += of_part.iter().map(|chunk| chunk.text.len()).sum::<usize>();
            chunks.extend(of_part);
            record.get_or_insert(part);
        }
        let mut record = record.unwrap_or_default();
        let project = {
            let reader = self.reader();
            reader.root().projects.get(record.project as usize).map(|project| project.name.clone()).unwrap_or_default()
        };
        if !pieces.is_empty() {
            record.id = format!("{project}/{}", record.path);
            record.path.rsplit('/').next().unwrap_or_default().clone_into(&mut record.title);
        }
        let url = Some(record.url).filter(|url| !url.is_empty()).map(|url| self.origin().address(&url));
        let document = Document {
            id: record.id,
            project,
            path: record.path,
            title: record.title,
            description: record.description,
            url,
            source_url: None,
            date: None,
            is_reference: false,
            aliases: record.aliases,
            chunks,
            pieces,
        };
        Ok(SourceFile { document, numbers })
    }

    /// Returns the project and path of the document of `chunk`.
    pub(crate) fn place_of(&self, chunk: u32) -> Result<(String, String)> {
        let (block, number) = self.reader().page_of(chunk)?;
        let read = |reader: &nearfind_core::reader::BundleReader| {
            let (record, _) = page::find(reader.raw(block)?, number)?;
            let project = reader.root().projects.get(record.project as usize);
            Ok((project.map(|project| project.name.clone()).unwrap_or_default(), record.path))
        };
        self.with_blocks(|_| Ok(vec![BlockId { part: Part::Pages, block: block.block }]), read)
    }
}
