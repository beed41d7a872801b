//! The engine of nearfind. It reads a bundle and answers queries. It receives bytes and text, and returns results.
//!
//! This crate does no I/O, reads no clock, starts no thread and has no global state. A host opens a
//! [`reader::BundleReader`] with the bytes of the manifest and the root, starts a [`search::Session`], and provides the
//! blocks that [`search::Session::advance`] names until it has the answer. The same code thus runs in a worker, in Node
//! and natively.
//!
//! The host in this example reads whole files. A host on the web would request ranges of them:
//!
//! ```no_run
//! use nearfind_core::format::manifest::Manifest;
//! use nearfind_core::reader::BundleReader;
//! use nearfind_core::search::{Advance, Query, Session};
//! use std::fs;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let manifest = Manifest::parse(&fs::read("bundle/nearfind.json")?)?;
//! let mut reader = BundleReader::new(manifest.root()?);
//! let query = Query { text: "how do I undo a commit?".into(), ..Query::default() };
//! let mut session = Session::new(&[&reader], query)?;
//! let answer = loop {
//!     match session.advance(&[&reader])? {
//!         Advance::Done(answer) => break answer,
//!         Advance::Preview(_) => {}
//!         Advance::Need(blocks) => {
//!             for (_, block) in blocks {
//!                 let wanted = reader.request(block)?;
//!                 let file = fs::read(format!("bundle/{}", wanted.file))?;
//!                 reader.provide(block, &file[wanted.start as usize..][..wanted.bytes as usize])?;
//!             }
//!         }
//!     }
//! };
//! for hit in &answer.hits {
//!     println!("{}: {}", hit.title, hit.excerpt.text);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`mod@format`] | manifest, root, blocks: the bytes of a bundle |
//! | [`analysis`] | text to terms |
//! | [`collection`] | small sets and sorts |
//! | [`lexical`] | dictionary, postings, BM25 |
//! | [`vector`] | nested codes, exact scan, proximity graph |
//! | [`query_encoder`] | the table of token vectors that encodes queries without the transformer |
//! | [`records`] | documents, chunks and their map |
//! | [`embed`] | model pack, WordPiece and, with feature `embed`, the transformer |
//! | [`rank`] | fusion of the two lists |
//! | [`excerpt`] | the passage that is shown |
//! | [`content`] | the text of a hit, whole or shortened to the part that answers |
//! | [`reader`] | the blocks of an open bundle |
//! | [`search`] | queries, sessions, answers |
//! | [`symbols`] | the names that source code defines and mentions |
//! | [`grep`] | lines with exact text, by trigrams |

pub mod analysis;
#[cfg(feature = "write")]
pub mod bundle;
pub mod collection;
pub mod content;
pub mod embed;
pub mod excerpt;
pub mod format;
pub mod grep;
pub mod lexical;
pub mod query_encoder;
pub mod rank;
pub mod reader;
pub mod records;
pub mod search;
pub mod symbols;
pub mod vector;
