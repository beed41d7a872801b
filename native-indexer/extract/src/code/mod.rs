//! Reads source code: its language, its definitions, and the pieces that search finds.

mod broken;
mod cells;
mod closing_braces;
mod cut;
mod declarators;
mod definitions;
mod file_class;
mod grammars;
mod injections;
mod languages;
mod macros;
mod parse;
mod pieces;
mod unwanted;

pub use cells::{CodeCell, definitions_in_cells};
pub use file_class::class_of_path;
pub use grammars::HAS_GRAMMARS;
pub use languages::Language;
pub use nearfind_core::symbols::SymbolKind;
pub use pieces::{CodePiece, Symbol};
pub use unwanted::{Unwanted, unwanted_path};

use definitions::{definitions, drop_locals, mentions, with_macros};
use grammars::{Grammar, grammar};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tree_sitter::Tree;

/// Maximum size of a file in bytes. People do not write larger files.
pub const MAX_BYTES: u64 = 1 << 20;

/// A source file with its pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFile {
    /// The name of the file's language.
    pub language: String,
    /// The file's text, with a line feed at the end of each line.
    pub text: String,
    /// The file's pieces, which cover the text without gaps or overlaps.
    pub pieces: Vec<CodePiece>,
    /// Descriptions of the parts that could not be read, each as a clause for a report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Reads the file at `path` with this text. If the file is left out, returns the reason.
pub fn read(path: &str, text: &str) -> Result<CodeFile, Unwanted> {
    if let Some(reason) = unwanted::unwanted_text(path, text) {
        return Err(reason);
    }
    let language = Language::of(path, text).ok_or(Unwanted::NoSource)?;
    let mut notes = Vec::new();
    let (mut found, mut mentioned, mut inner) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut finds_all = true;
    let unmacroed = language.has_macros().then(|| macros::without_macros(text));
    let parsed_text = unmacroed.as_ref().map_or(text, |unmacroed| &*unmacroed.text);
    let mut find = |language: Language, grammar: &Grammar, tree: &Tree| {
        let (mut found, is_all) = definitions(grammar, tree, parsed_text);
        let known = found.iter().map(|definition| definition.name_at).collect();
        found.extend(broken::missed(language.0, tree, parsed_text, &known));
        if let Some(unmacroed) = &unmacroed {
            found = with_macros(found, unmacroed, text);
        }
        finds_all &= is_all;
        found
    };
    let mut tree = None;
    if let Some(grammar) = grammar(language) {
        match parse::parse(grammar, parsed_text, &[]) {
            Some(parsed) => {
                let parsed = if language.0 == "kotlin" { with_closing_braces(grammar, text, parsed) } else { parsed };
                found = find(language, grammar, &parsed);
                mentioned = mentions(&parsed, text);
                let blank = unmacroed.iter().flat_map(|unmacroed| &unmacroed.words);
                mentioned.extend(blank.map(|word| (word.start, &text[word.clone()])));
                let inside = if language.holds_others() { injections::injections(&parsed, text) } else { Vec::new() };
                for (language, part) in inside {
                    let Some(grammar) = grammars::grammar(language) else { continue };
                    let Some(parsed) = parse::parse(grammar, text, &[part]) else { continue };
                    found.extend(find(language, grammar, &parsed));
                    mentioned.extend(mentions(&parsed, text));
                    inner.insert(part.start_byte, parsed);
                }
                found.sort_by(|a, b| (a.range.start, b.range.end).cmp(&(b.range.start, a.range.end)));
                drop_locals(&mut found);
                mentioned.sort_unstable();
                tree = Some(parsed);
            }
            None => notes.push("parsing it takes too long: it is split at lines".to_owned()),
        }
    }
    if !finds_all {
        notes.push("not all of its definitions were found, because that takes too long".to_owned());
    }
    let ranges = cut::cut(text, tree.as_ref(), &inner);
    let class = class_of_path(path);
    let pieces = pieces::pieces(text, ranges, tree.as_ref(), &found, &mentioned, class);
    Ok(CodeFile { language: language.0.to_owned(), text: text.to_owned(), pieces, notes })
}

/// Parses Kotlin again with semicolons before closing braces if `parsed` contains errors, and returns the tree with the
/// smaller errors.
fn with_closing_braces(grammar: &Grammar, text: &str, parsed: Tree) -> Tree {
    if !parsed.root_node().has_error() {
        return parsed;
    }
    let errors = closing_braces::bytes_in_errors;
    let closed = parse::parse(grammar, &closing_braces::with_semicolons(text), &[]);
    closed.filter(|closed| errors(closed) < errors(&parsed)).unwrap_or(parsed)
}
