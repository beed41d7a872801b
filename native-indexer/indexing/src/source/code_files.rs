//! Turns source files into documents, one per piece of a file.

use super::code_rank::ranks;
use super::document::SourceDocument;
use super::forge::Forge;
use super::open_source::OpenSource;
use super::path_rules::Rules;
use nearfind_base::facets::{CODE_LANGUAGE, CodeClass, KIND};
use nearfind_core::bundle::BundleCode;
use nearfind_core::search::{CLASS, CODE};
use nearfind_core::symbols::Definition;
use nearfind_extract::code::{CodeFile, CodePiece, Symbol, SymbolKind, class_of_path};
use nearfind_extract::{Extracted, Heading, Metadata};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of names in a title.
const NAMES: usize = 3;
/// Maximum number of signatures in a heading.
const SIGNATURES: usize = 3;

/// A file of source code that was read.
pub(super) struct ReadFile {
    pub path: String,
    /// Hash of the file's content.
    pub hash: String,
    pub file: CodeFile,
}

/// Returns the documents of `files`, which must be sorted by path.
pub(super) fn documents(
    source: &OpenSource,
    rules: &Rules,
    files: Vec<ReadFile>,
    forge: Option<&Forge>,
) -> Vec<SourceDocument> {
    let all: Vec<(&str, &[CodePiece])> =
        files.iter().map(|read| (read.path.as_str(), read.file.pieces.as_slice())).collect();
    let mut ranks = ranks(&all).into_iter();
    let mut documents = Vec::new();
    for ReadFile { path, hash, file } in files {
        let class = class_of_path(&path);
        let url = forge.map(|forge| forge.address(&path));
        let said = rules.of(&path);
        let mut ids = BTreeMap::new();
        for (number, (piece, rank)) in file.pieces.iter().zip(ranks.by_ref()).enumerate() {
            let title = title(&path, piece);
            let class = if class == CodeClass::Source { piece.class } else { class };
            let one = |value: &str| BTreeSet::from([value.to_owned()]);
            let mut facets: BTreeMap<String, BTreeSet<String>> =
                source.spec.facets.iter().map(|(name, value)| (name.clone(), one(value))).collect();
            facets.insert(KIND.to_owned(), one(CODE));
            facets.insert(CLASS.to_owned(), one(class.name()));
            facets.insert(CODE_LANGUAGE.to_owned(), one(&file.language));
            documents.push(SourceDocument {
                id: Some(id(&source.spec.name, &path, piece, &mut ids)),
                url: url.clone(),
                aliases: Vec::new(),
                area_at: 0,
                date: source.dates.get(&path).copied(),
                facets,
                weight: said.weight.unwrap_or(1.0) * rank,
                content: Some(format!("{hash} {path} {number}")),
                code: Some(code(piece, number > 0)),
                extracted: extracted(&file.text[piece.range.clone()], title, piece, &file.language),
                path: path.clone(),
            });
        }
    }
    documents
}

/// Returns the title of a piece: the names that it defines, or else the scope that contains it, or else the name of its
/// file.
fn title(path: &str, piece: &CodePiece) -> String {
    let outer: Vec<&Symbol> = piece.symbols.iter().filter(|symbol| symbol.is_outer).collect();
    let whole = |symbol: &Symbol| match symbol.scope.as_str() {
        "" => symbol.name.clone(),
        scope => format!("{scope}.{}", symbol.name),
    };
    match outer.as_slice() {
        [] if piece.scope.is_empty() => path.rsplit('/').next().unwrap_or(path).to_owned(),
        [] => piece.scope.clone(),
        [first, rest @ ..] => {
            let mut names = vec![whole(first)];
            names.extend(rest.iter().take(NAMES - 1).map(|symbol| symbol.name.clone()));
            let more = if outer.len() > NAMES { ", …" } else { "" };
            format!("{}{more}", names.join(", "))
        }
    }
}

/// Returns a canonical id, such as `project/path#Scope.symbol`. If several pieces would have the same id, the later
/// ones are numbered.
fn id(project: &str, path: &str, piece: &CodePiece, known: &mut BTreeMap<String, usize>) -> String {
    let first = piece.symbols.iter().find(|symbol| symbol.is_outer);
    let symbol = match first {
        Some(symbol) if symbol.scope.is_empty() => symbol.name.clone(),
        Some(symbol) => format!("{}.{}", symbol.scope, symbol.name),
        None => piece.scope.clone(),
    };
    let symbol = symbol.replace(char::is_whitespace, "-");
    let times = known.entry(symbol.clone()).or_default();
    *times += 1;
    let number = if *times > 1 { format!("~{times}") } else { String::new() };
    format!("{project}/{path}#{symbol}{number}")
}

fn code(piece: &CodePiece, continues_file: bool) -> BundleCode {
    BundleCode {
        symbols: symbols(piece),
        details: details(piece),
        continues_file,
        definitions: piece.symbols.iter().map(definition).collect(),
        mentions: piece.mentions.clone(),
    }
}

/// Converts a symbol to the form that a bundle stores.
pub(crate) fn definition(symbol: &Symbol) -> Definition {
    Definition {
        name: symbol.name.clone(),
        kind: symbol.kind,
        scope: symbol.scope.clone(),
        lines: symbol.lines,
        signature: symbol.signature_range.clone(),
    }
}

/// Returns the names that a piece defines, each in two forms: alone, and with the innermost part of its scope.
fn symbols(piece: &CodePiece) -> Vec<String> {
    let mut names = Vec::new();
    let counts = |symbol: &&Symbol| symbol.kind != SymbolKind::Declaration && !symbol.is_detail;
    for symbol in piece.symbols.iter().filter(counts) {
        names.push(symbol.name.clone());
        if let Some(scope) = symbol.scope.rsplit('.').next().filter(|scope| !scope.is_empty()) {
            names.push(format!("{scope}.{}", symbol.name));
        }
    }
    names
}

/// Returns the names of members and other details in a piece, if they are written as identifiers.
fn details(piece: &CodePiece) -> Vec<String> {
    let details = piece.symbols.iter().filter(|symbol| symbol.is_detail && is_written_as_identifier(&symbol.name));
    details.map(|symbol| symbol.name.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether the spelling of `name` means that a question with this word asks for the identifier. This is true for
/// `max_redirects` and `mouseDown`, but not for `name`.
fn is_written_as_identifier(name: &str) -> bool {
    let inside = name.trim_matches('_');
    inside.contains('_')
        || inside.chars().zip(inside.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase())
}

fn extracted(text: &str, title: String, piece: &CodePiece, language: &str) -> Extracted {
    let (first, last) = piece.lines;
    let outer = piece.symbols.iter().filter(|symbol| symbol.is_outer).take(SIGNATURES);
    let signatures: Vec<&str> = outer.map(|symbol| symbol.signature.as_str()).filter(|text| !text.is_empty()).collect();
    let heading = Heading {
        at: 0,
        level: 1,
        title: signatures.join("; "),
        anchor: if first == last { format!("L{first}") } else { format!("L{first}-L{last}") },
    };
    // Code is split at lines.
    let blocks = text.match_indices('\n').map(|(at, _)| at + 1).filter(|at| *at < text.len()).collect();
    let shown = [("format", CODE), ("language", language)].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let metadata = Metadata { shown: shown.into(), ..Metadata::default() };
    Extracted { title, text: text.to_owned(), headings: vec![heading], blocks, metadata, ..Extracted::default() }
}
