//! Writes and verifies whole bundles in memory. The host writes the files.
//!
//! Write a bundle of one document, and search it by words:
//!
//! ```
//! use nearfind_core::bundle::*;
//! use nearfind_core::format::manifest::{ModelModule, ModelReference};
//! use nearfind_core::reader::BundleReader;
//! use nearfind_core::records::{DocumentRecord, SectionStart};
//! use nearfind_core::search::{Advance, Mode, Query, Session};
//! use nearfind_core::vector::{graph::Graph, rotation::Rotation};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = "Run `git revert` to undo a commit.\n";
//! let chunk = BundleChunk { range: 0..text.len(), sections: vec![SectionStart::default()], ..BundleChunk::default() };
//! let record = DocumentRecord { id: "docs/undo.md".into(), title: "Undo".into(), ..DocumentRecord::default() };
//! let documents =
//!     [BundleDocument { record, text: text.into(), chunks: vec![chunk], ..BundleDocument::default() }];
//!
//! // One vector of two components for its one chunk, and a graph without links.
//! let rotation = Rotation::new(vec![1.0, 0.0, 0.0, 1.0], 2);
//! let graph = Graph::new(vec![vec![]]);
//! let vectors =
//!     BundleVectors { rotated: &[1.0, 0.0], rotation: &rotation, graph: &graph, graph_entry: 0, encoder: None, knows_latin_alone: false };
//! let model = ModelReference {
//!     name: "example".into(),
//!     hash: "0".repeat(64),
//!     module: ModelModule::Embed,
//!     probe: None,
//!     file: None,
//!     small: None,
//! };
//! let options = BundleOptions::default();
//! let written = write_text(&["docs".into()], &documents, &options, &one_by_one);
//! let bundle = write_bundle(written, &documents, &vectors, model, &options, &one_by_one);
//!
//! let mut reader = BundleReader::new(bundle.manifest.root()?);
//! let query = Query { text: "undo commits".into(), mode: Mode::Words, limit: 10, ..Query::default() };
//! let mut session = Session::new(&[&reader], query)?;
//! let answer = loop {
//!     match session.advance(&[&reader])? {
//!         Advance::Done(answer) => break answer,
//!         Advance::Preview(_) => {}
//!         Advance::Need(blocks) => {
//!             for (_, block) in blocks {
//!                 let wanted = reader.request(block)?;
//!                 let file = bundle.parts.iter().find(|file| file.name == wanted.file).unwrap();
//!                 reader.provide(block, &file.bytes[wanted.start as usize..][..wanted.bytes as usize])?;
//!             }
//!         }
//!     }
//! };
//! assert_eq!(answer.hits[0].title, "Undo");
//! # Ok(())
//! # }
//! ```

mod code;
mod columns;
mod input;
mod table_names;
mod text;
mod verify;
mod writer;

pub use input::{
    BundleChunk, BundleCode, BundleDocument, BundleEncoder, BundleOptions, BundleVectors, ENGLISH, Mentions,
};
pub use text::{BundleText, Tasks, Together, one_by_one, write_text};
pub use verify::{Finding, replaced, verify};
pub use writer::{Bundle, BundleFile, is_crowded, near_components, write_bundle};
