//! Outlines a file, a folder or everything that is indexed: the headings of a document, or the symbols of a source
//! file. For several files, the outline lists only the most used symbols.

use crate::library::code::symbols::NO_DEFINITIONS;
use crate::library::documents::lookup::Document;
use crate::library::documents::lookup::FoundPath;
use crate::library::documents::scope::Scope;
use crate::library::open::open_bundle::OpenBundle;
use crate::library::open::view::View;
use anyhow::{Result, ensure};
use nearfind_core::search::{CODE, KIND};
use nearfind_core::symbols::{DefinitionPlace, SymbolKind};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The outline of a file or a folder.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Outline {
    /// The files, starting with the most used one.
    pub files: Vec<FileOutline>,
    /// Number of files below the path.
    pub total_files: usize,
    /// Number of symbols and headings in these files.
    pub total_symbols: usize,
    /// Whether the outline lists only the most used symbols or headings.
    pub is_cut: bool,
}

/// The outline of a file.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FileOutline {
    /// Name of the file's project.
    pub project: String,
    /// Path in the project.
    pub path: String,
    /// The file's purpose: `source`, `test` … Empty for a document.
    pub class: String,
    /// The file's symbols or headings, in the order of their positions.
    pub entries: Vec<OutlineEntry>,
    /// Whether the file is known to have changed since it was indexed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_stale: bool,
}

/// A symbol or a heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutlineEntry {
    /// The symbol's name, or the heading.
    pub name: String,
    /// The kind of the symbol, or `None` for a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<SymbolKind>,
    /// Number of entries that contain this entry.
    pub depth: usize,
    /// The first and last line, starting at 1. For a heading, both are the heading's line.
    pub lines: (u32, u32),
    /// The signature of the symbol. Empty for a heading.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// The commit that last changed the symbol, if requested.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_change: String,
}

impl View {
    /// Returns the outline of the files in `scope`. A single file is outlined completely, and several files with at
    /// most `limit` symbols.
    pub fn outline(&self, scope: &Scope, limit: usize) -> Result<Outline> {
        let below = match (self.files_in(scope), &scope.paths[..]) {
            (Ok(found), _) => found.files,
            // A file's name may be shorter than its path.
            (Err(error), [path]) => {
                let project = scope.projects.first().map(String::as_str);
                vec![self.find_place(path, project).map_err(|_| error)?.0]
            }
            (Err(error), _) => return Err(error),
        };
        if let ([only], false) = (&below[..], scope.has_all_paths()) {
            let file = file_outline(only)?;
            ensure!(file.class.is_empty() || !file.entries.is_empty() || !self.lacks_definitions()?, NO_DEFINITIONS);
            let total_symbols = file.entries.len();
            return Ok(Outline { files: vec![file], total_files: 1, total_symbols, is_cut: false });
        }
        // Commits are in no folder that a reader would open.
        let below: Vec<&FoundPath> =
            below.iter().filter(|found| !(scope.has_all_paths() && found.listed.is_commit)).collect();
        let outline = most_used(&below, limit)?;
        let has_code = outline.total_symbols == 0 && self.lacks_definitions()?;
        ensure!(!has_code || has_documents(&below)?, NO_DEFINITIONS);
        if outline.total_symbols > 0 { Ok(outline) } else { titles(&below, limit) }
    }
}

/// Whether any file is not source code.
fn has_documents(below: &[&FoundPath]) -> Result<bool> {
    for found in below {
        if found.bundle.reader().facet_of(KIND, found.listed.number)? != Some(CODE) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Lists documents by their titles.
fn titles(below: &[&FoundPath], limit: usize) -> Result<Outline> {
    let mut outline = Outline { total_files: below.len(), is_cut: below.len() > limit, ..Outline::default() };
    for found in below.iter().take(limit) {
        let Document { project, path, title: name, .. } = found.read()?;
        let title = OutlineEntry {
            name,
            kind: None,
            depth: 0,
            lines: (1, 1),
            signature: String::new(),
            last_change: String::new(),
        };
        let is_stale = found.is_stale();
        outline.files.push(FileOutline { project, path, class: String::new(), entries: vec![title], is_stale });
    }
    Ok(outline)
}

/// Returns the outline of a single file.
fn file_outline(found: &FoundPath) -> Result<FileOutline> {
    let bundle = &found.bundle;
    let file = bundle.file(found.listed.number)?;
    let definitions = bundle.definitions(file.numbers.clone())?;
    let mut entries = entries(&file.document, file.numbers.start, &definitions.iter().collect::<Vec<_>>());
    if file.document.pieces.is_empty() {
        // A document may have both, for example a notebook.
        let headings = headings(&file.document);
        entries.iter_mut().for_each(|entry| {
            let before = headings.partition_point(|heading| heading.lines.0 <= entry.lines.0);
            entry.depth += before.checked_sub(1).map_or(0, |around| headings[around].depth + 1);
        });
        entries.extend(headings);
        entries.sort_by_key(|entry| entry.lines.0);
    }
    let is_code = !file.document.pieces.is_empty();
    let class = if is_code { bundle.class_of_file(file.numbers)? } else { String::new() };
    let (project, path) = (found.listed.project.clone(), found.listed.path.clone());
    Ok(FileOutline { project, path, class, entries, is_stale: found.is_stale() })
}

/// Returns the headings of a document. Each is listed once, although sections may continue in several chunks.
fn headings(document: &Document) -> Vec<OutlineEntry> {
    let (mut line, mut entries) = (1u32, Vec::new());
    let mut known = BTreeSet::new();
    for chunk in &document.chunks {
        for section in &chunk.sections {
            let before = chunk.text.get(..section.at as usize).unwrap_or_default().matches('\n').count() as u32;
            let (depth, name) = match section.title.rsplit_once(" > ") {
                Some((above, name)) => (above.matches(" > ").count() + 2, name),
                // Text before the first heading, or below a heading that is the title, belongs to the document itself.
                None if section.title.is_empty() => (0, document.title.as_str()),
                None => (1, section.title.as_str()),
            };
            if !name.is_empty() && known.insert((section.title.clone(), section.anchor.clone())) {
                let lines = (line + before, line + before);
                entries.push(OutlineEntry {
                    name: name.to_owned(),
                    kind: None,
                    depth,
                    lines,
                    signature: String::new(),
                    last_change: String::new(),
                });
            }
        }
        line += chunk.text.matches('\n').count() as u32;
    }
    entries
}

/// Returns entries for the definitions of a file whose first document is `first`.
fn entries(document: &Document, first: u32, definitions: &[&DefinitionPlace]) -> Vec<OutlineEntry> {
    let text = document.text();
    let mut definitions = definitions.to_vec();
    definitions.sort_by_key(|place| (place.definition.lines.0, std::cmp::Reverse(place.definition.lines.1)));
    let mut around: Vec<(u32, u32)> = Vec::new();
    let entry = |place: &&DefinitionPlace| {
        let definition = &place.definition;
        // Definitions on the same lines do not contain each other.
        around.retain(|(start, end)| *end >= definition.lines.1 && (*start, *end) != definition.lines);
        let depth = around.len();
        around.push(definition.lines);
        let start = document.pieces.get(place.document.saturating_sub(first) as usize).map_or(0, |(_, start)| *start);
        let signature = definition.signature_in(text.get(start..).unwrap_or_default());
        // The class of a method may be in another place.
        let name = if depth == 0 { definition.qualified() } else { definition.name.clone() };
        OutlineEntry {
            name,
            kind: Some(definition.kind),
            depth,
            lines: definition.lines,
            signature,
            last_change: String::new(),
        }
    };
    definitions.iter().map(entry).collect()
}

/// A piece of source code in a folder.
struct Piece<'a> {
    bundle: &'a Arc<OpenBundle>,
    number: u32,
    is_aside: bool,
    weight: i8,
    /// The piece's definitions, without fields, constants and the like. Methods are left out beside other definitions:
    /// other methods often have the same names, so that they look much used.
    shown: Vec<DefinitionPlace>,
    has_only_methods: bool,
}

/// Returns the most used symbols of the files in `below`.
fn most_used(below: &[&FoundPath], limit: usize) -> Result<Outline> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut outline = Outline { total_files: below.len(), ..Outline::default() };
    for found in below {
        let bundle = &found.bundle;
        let reader = bundle.reader();
        if reader.facet_of(KIND, found.listed.number)? != Some(CODE) {
            continue;
        }
        let numbers = reader.file_of_document(found.listed.number)?;
        drop(reader);
        let defined = bundle.definitions(numbers)?;
        outline.total_symbols += defined.len();
        for of_piece in defined.chunk_by(|a, b| a.document == b.document) {
            let number = of_piece[0].document;
            let is_aside = bundle.class_of(number)? != "source";
            let weight = bundle.reader().weight_of(number)?;
            let mut shown = of_piece.to_vec();
            shown.retain(|place| {
                !matches!(
                    place.definition.kind,
                    SymbolKind::Field | SymbolKind::Constant | SymbolKind::Section | SymbolKind::Declaration
                )
            });
            let is_method = |place: &DefinitionPlace| place.definition.kind == SymbolKind::Method;
            let has_only_methods = shown.iter().all(is_method);
            shown.retain(|place| has_only_methods || !is_method(place));
            pieces.push(Piece { bundle, number, is_aside, weight, shown, has_only_methods });
        }
    }
    pieces.sort_by_key(|piece| (piece.is_aside, piece.has_only_methods, std::cmp::Reverse(piece.weight)));
    let mut named = 0;
    // The files by number, each with the rank of its best piece.
    let mut files: BTreeMap<(usize, u32), (usize, Vec<DefinitionPlace>)> = BTreeMap::new();
    for piece in &pieces {
        if named >= limit {
            break;
        }
        let file = piece.bundle.reader().file_of_document(piece.number)?.start;
        let shown: Vec<DefinitionPlace> = piece.shown.iter().take(limit - named).cloned().collect();
        if shown.is_empty() {
            continue;
        }
        named += shown.len();
        let order = files.len();
        let of_file = files.entry((Arc::as_ptr(piece.bundle) as usize, file)).or_insert((order, Vec::new()));
        of_file.1.extend(shown);
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(_, (order, _))| *order);
    for ((bundle, number), (_, definitions)) in files {
        let Some(bundle) = below.iter().map(|found| &found.bundle).find(|known| Arc::as_ptr(known) as usize == bundle)
        else {
            continue;
        };
        let file = bundle.file(number)?;
        outline.files.push(FileOutline {
            project: file.document.project.clone(),
            path: file.document.path.clone(),
            class: bundle.class_of_file(file.numbers.clone())?,
            entries: entries(&file.document, number, &definitions.iter().collect::<Vec<_>>()),
            is_stale: bundle.changed_file(&file.document.project, &file.document.path).is_some(),
        });
    }
    outline.is_cut = named < outline.total_symbols;
    Ok(outline)
}
