//! Where documents come from.

mod beir;
mod folder;
mod spec;

pub use spec::{SourceKind, SourceSpec, parse_sources};

use crate::extract::Extracted;
use anyhow::Result;

/// A document as its source gives it, before chunking.
#[derive(Debug)]
pub struct SourceDocument {
    /// Path inside the source, with `/`.
    pub path: String,
    /// Id if the source has its own; else `<project>/<path>` is used.
    pub id: Option<String>,
    /// Where readers find it.
    pub url: Option<String>,
    /// Its text and structure.
    pub extracted: Extracted,
    /// Paths of pages that only lead here or repeat it.
    pub aliases: Vec<String>,
}

/// What reading a source gave: documents in canonical order, and what was left out with the reason.
#[derive(Debug, Default)]
pub struct SourceContent {
    /// Documents, ascending by path.
    pub documents: Vec<SourceDocument>,
    /// One line for each file that could not be read.
    pub warnings: Vec<String>,
}

/// Reads everything that `spec` names. `several` tells whether other sources are indexed with it, which puts the
/// project's name in front of its URLs.
pub fn read(spec: &SourceSpec, several: bool) -> Result<SourceContent> {
    match spec.kind {
        SourceKind::Folder => folder::read(spec, several),
        SourceKind::Beir => beir::read(spec),
    }
}
