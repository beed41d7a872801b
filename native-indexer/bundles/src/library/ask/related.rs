//! Finds the documents and pieces of source code that are related to a document, in meaning or by calls.

use crate::library::code::symbol_question::{FoundSymbol, SymbolQuestion, SymbolUse, Want};
use crate::library::documents::anchor::lines_of;
use crate::library::documents::lookup::FoundPath;
use crate::library::open::open_bundle::OpenBundle;
use crate::library::open::view::View;
use anyhow::Result;
use nearfind_core::format::Part;
use nearfind_core::search::{ChunkVectors, Related, chunk_vectors, related};
use nearfind_core::symbols::enclosing;
use serde::Serialize;
use std::sync::Arc;

/// Maximum number of callers, and of callees.
const CALLS: usize = 10;

/// The documents and symbols related to a document.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RelatedReply {
    /// The document's canonical id.
    pub document: String,
    /// Documents and pieces of source code that are close in meaning, nearest first.
    pub nearest: Vec<RelatedDocument>,
    /// The functions that mention a name defined in the piece.
    pub callers: Vec<SymbolUse>,
    /// The definitions of names mentioned in the piece.
    pub callees: Vec<FoundSymbol>,
}

/// A related document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RelatedDocument {
    /// Canonical id.
    pub document: String,
    /// Name of the document's project.
    pub project: String,
    /// Path in the project.
    pub path: String,
    /// Title. For a piece of source code, the names that it defines.
    pub title: String,
    /// For source code, the first and last line, starting at 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<(usize, usize)>,
    /// The address that readers open.
    pub url: Option<String>,
    /// The cosine between the vectors of both documents, reduced for long documents.
    pub score: f32,
}

impl View {
    /// Returns everything that is related to the document or the piece named `name`: see [`View::find_place`].
    pub fn related(&self, name: &str, project: Option<&str>, limit: usize) -> Result<RelatedReply> {
        let (found, place) = self.find_place(name, project)?;
        let bundle = &found.bundle;
        let file = bundle.file(found.listed.number)?;
        let span = place.map(|place| found.span(&file.document, &place)).transpose()?;
        let line = span.as_ref().map(|span| span.first as u32);
        let at = span.map_or(0, |span| FoundPath::piece_at(&file.document, span.first));
        let number = file.numbers.start + at as u32;
        let (record, _) = bundle.document(number)?;
        let mut reply = RelatedReply { document: record.id, ..RelatedReply::default() };
        for (number, score) in bundle.near(number, None, limit)? {
            reply.nearest.push(described(bundle, number, score)?);
        }
        // A definition may begin in an earlier piece than the line.
        let in_file = bundle.definitions(file.numbers.clone())?;
        let around = line.and_then(|line| enclosing(&in_file, line));
        let in_piece = || in_file.iter().filter(|place| place.document == number);
        if let Some(first) = around.or_else(|| in_piece().min_by_key(|place| place.definition.lines)) {
            if around.is_some() {
                let file = reply.document.rsplit_once('#').map_or(reply.document.as_str(), |(file, _)| file);
                reply.document = format!("{file}#{}", first.definition.qualified());
            }
            let mut question = SymbolQuestion {
                name: first.definition.qualified(),
                want: Want::Callers,
                projects: vec![found.listed.project.clone()],
                path: None,
                offset: 0,
                limit: CALLS,
            };
            reply.callers = self.symbol(&question)?.uses;
            question.want = Want::Callees;
            reply.callees = self.symbol(&question)?.symbols;
        }
        Ok(reply)
    }
}

impl OpenBundle {
    /// Whether the bundle contains vectors of chunks. A quick index has none.
    pub fn has_vectors(&self) -> Result<bool> {
        self.bring_map()?;
        Ok(!self.reader().table(Part::Fine)?.is_empty())
    }

    /// Returns the vectors of chunks. The list is empty if the bundle has no vectors.
    pub fn vectors(&self, chunks: &[u32]) -> Result<Vec<Vec<f32>>> {
        loop {
            let answer = chunk_vectors(&self.reader(), chunks)?;
            match answer {
                ChunkVectors::Found(vectors) => return Ok(vectors),
                ChunkVectors::Need(blocks) => self.bring(blocks)?,
            }
        }
    }

    /// Returns the numbers of the documents nearest to document `number`, or to one of its chunks, with their scores by
    /// meaning.
    pub(crate) fn near(&self, number: u32, chunk: Option<u32>, limit: usize) -> Result<Vec<(u32, f32)>> {
        loop {
            let answer = related(&self.reader(), number, chunk, limit)?;
            match answer {
                Related::Found(found) => return Ok(found),
                Related::Need(blocks) => self.bring(blocks)?,
            }
        }
    }
}

fn described(bundle: &Arc<OpenBundle>, number: u32, score: f32) -> Result<RelatedDocument> {
    let (record, chunks) = bundle.document(number)?;
    let reader = bundle.reader();
    let project = reader.root().projects.get(record.project as usize);
    let section = chunks.first().filter(|chunk| chunk.is_source).and_then(|chunk| chunk.sections.first());
    Ok(RelatedDocument {
        document: record.id,
        project: project.map(|project| project.name.clone()).unwrap_or_default(),
        path: record.path,
        title: record.title,
        lines: section.and_then(|section| lines_of(&section.anchor)),
        url: Some(record.url).filter(|url| !url.is_empty()).map(|url| bundle.origin().address(&url)),
        score,
    })
}
