//! Makes the pieces of a source file, with their definitions and mentions.

use super::cut::introduces;
use super::definitions::Definition;
use nearfind_base::facets::CodeClass;
use nearfind_core::bundle::Mentions;
use nearfind_core::symbols::SymbolKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tree_sitter::Tree;

/// Maximum length of a scope in bytes. A longer scope starts again with its innermost name.
const MAX_SCOPE_BYTES: usize = 1000;

/// A definition in a piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The names of the definitions around it, outermost first, joined by dots. May be empty.
    pub scope: String,
    /// The text before the body, on one line.
    pub signature: String,
    /// Bytes of the signature in the piece's text. The piece may begin inside the signature.
    pub signature_range: Range<u32>,
    /// The first and last line, starting at 1.
    pub lines: (u32, u32),
    /// Whether the symbol is neither a detail nor inside another definition in the piece.
    pub is_outer: bool,
    /// Whether only a search for its name finds the symbol, because the piece is about something else. A member of a
    /// structure is such a detail.
    #[serde(default)]
    pub is_detail: bool,
}

/// A piece of source code, the unit of ranking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodePiece {
    /// Bytes of the piece in the file's text.
    pub range: Range<usize>,
    /// The first and last line with text, starting at 1.
    pub lines: (u32, u32),
    /// The names of the definitions around the beginning of the piece, outermost first, joined by dots. May be empty.
    pub scope: String,
    /// The definitions in the piece, in order.
    pub symbols: Vec<Symbol>,
    /// The names that the piece mentions, except where it defines them.
    pub mentions: Mentions,
    /// The purpose of the piece.
    pub class: CodeClass,
}

/// Makes a piece from each of the `ranges` of `text`, with the file's `definitions` and `mentions` that belong to it.
pub(super) fn pieces(
    text: &str,
    ranges: Vec<Range<usize>>,
    tree: Option<&Tree>,
    definitions: &[Definition],
    mentions: &[(usize, &str)],
    class: CodeClass,
) -> Vec<CodePiece> {
    let nesting = Nesting::of(definitions);
    let (preamble, is_all) = tree.map_or((0, false), |tree| end_of_preamble(text, tree));
    let lines = Lines::of(text);
    let mut pieces = Vec::with_capacity(ranges.len());
    for range in ranges {
        let part = &text[range.clone()];
        let before = part.len() - part.trim_start().len();
        let start = range.start + before;
        let (first, last) = (lines.of_byte(start), lines.of_byte(range.start + part.trim_end().len().max(1) - 1));
        let own = nesting.named_in(&range);
        let symbols: Vec<Symbol> = own
            .iter()
            .filter_map(|&at| {
                let definition = &definitions[at];
                let is_inside = |&other: &usize| {
                    other != at
                        && definitions[other].kind.is_some()
                        && !definitions[other].is_detail
                        && definitions[other].range.start <= definition.range.start
                        && definitions[other].range.end >= definition.range.end
                        && definitions[other].range != definition.range
                };
                let is_outer = !definition.is_detail && !own.iter().any(is_inside);
                symbol(definition, &nesting.scopes[at], &range, &lines, is_outer)
            })
            .collect();
        let begins_before = definitions.partition_point(|definition| definition.range.start < start);
        let mut around = nesting.and_around(begins_before.checked_sub(1));
        let around = around.find(|&at| definitions[at].range.end > start && !range.contains(&definitions[at].name_at));
        let scope = around.map_or_else(String::new, |at| joined(&nesting.scopes[at], "", &definitions[at].name));
        let own_names: BTreeSet<usize> = own.iter().map(|&at| definitions[at].name_at).collect();
        let class = match class {
            CodeClass::Source if is_all && !symbols.iter().any(|symbol| symbol.kind != SymbolKind::Constant) => {
                CodeClass::Reexport
            }
            CodeClass::Source if range.end <= preamble => CodeClass::Preamble,
            class => class,
        };
        pieces.push(CodePiece {
            mentions: mentioned_in(mentions, &range, &own_names, &lines),
            lines: (first, last.max(first)),
            scope,
            symbols,
            class,
            range,
        });
    }
    pieces
}

/// Returns all `definitions` of `text`, which is a single piece.
pub(super) fn symbols_of(definitions: &[Definition], text: &str) -> Vec<Symbol> {
    let nesting = Nesting::of(definitions);
    let (range, lines) = (0..text.len(), Lines::of(text));
    let of = |at: usize| symbol(&definitions[at], &nesting.scopes[at], &range, &lines, nesting.around[at].is_none());
    (0..definitions.len()).filter_map(of).collect()
}

/// Returns a definition as a symbol of the piece `range`, or `None` if it only names the scope of other definitions.
fn symbol(definition: &Definition, scope: &str, range: &Range<usize>, lines: &Lines, is_outer: bool) -> Option<Symbol> {
    let last = definition.range.end.saturating_sub(1);
    Some(Symbol {
        name: definition.name.clone(),
        kind: definition.kind?,
        scope: scope.to_owned(),
        signature: definition.signature.clone(),
        signature_range: within(range, &definition.signature_range),
        lines: (lines.of_byte(definition.range.start), lines.of_byte(last)),
        is_outer,
        is_detail: definition.is_detail,
    })
}

/// Byte offsets where the lines of a text begin, without the first line.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    /// Returns the line of a byte, starting at 1.
    fn of_byte(&self, at: usize) -> u32 {
        self.0.partition_point(|start| *start <= at) as u32 + 1
    }
}

/// Returns the part of `part` inside `range`, counted from the start of `range`.
fn within(range: &Range<usize>, part: &Range<usize>) -> Range<u32> {
    let place = |at: usize| (at.clamp(range.start, range.end) - range.start) as u32;
    place(part.start)..place(part.end)
}

/// Returns the names from `mentions` in `range`, except those at the positions `own`.
fn mentioned_in(mentions: &[(usize, &str)], range: &Range<usize>, own: &BTreeSet<usize>, lines: &Lines) -> Mentions {
    let first = mentions.partition_point(|(at, _)| *at < range.start);
    let inside = mentions[first..].iter().take_while(|(at, _)| *at < range.end).filter(|(at, _)| !own.contains(at));
    let mut of_names: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (at, name) in inside {
        of_names.entry(name).or_default().insert(lines.of_byte(*at));
    }
    let places = (0..).zip(of_names.values()).flat_map(|(name, lines)| lines.iter().map(move |line| (name, *line)));
    Mentions { places: places.collect(), names: of_names.into_keys().collect::<Vec<_>>().join("\n") }
}

fn joined(scope: &str, owner: &str, name: &str) -> String {
    [scope, owner, name].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
}

/// The nesting of definitions, which are in order, with outer definitions before inner ones.
struct Nesting {
    /// The names around each definition, outermost first, joined by dots.
    scopes: Vec<String>,
    /// The innermost definition around each definition.
    around: Vec<Option<usize>>,
    /// The byte offset where each name begins, and its definition, in ascending order.
    names: Vec<(usize, usize)>,
}

impl Nesting {
    fn of(definitions: &[Definition]) -> Self {
        let mut open: Vec<(usize, String)> = Vec::new();
        let mut nesting = Self { scopes: Vec::new(), around: Vec::new(), names: Vec::new() };
        for (at, definition) in definitions.iter().enumerate() {
            // Definitions with the same range, such as those of `int a, b`, are side by side.
            let is_around = |other: &Range<usize>| {
                other.end >= definition.range.end && other.end > definition.range.start && *other != definition.range
            };
            while open.pop_if(|(other, _)| !is_around(&definitions[*other].range)).is_some() {}
            let scope = open.last().map_or("", |(_, scope)| scope.as_str());
            nesting.scopes.push(joined(scope, &definition.owner, ""));
            nesting.around.push(open.last().map(|(around, _)| *around));
            nesting.names.push((definition.name_at, at));
            let own = joined(scope, &definition.owner, &definition.name);
            // Without a limit, the scopes in a file with nested definitions would be as long as the file.
            let own = if own.len() > MAX_SCOPE_BYTES { definition.name.clone() } else { own };
            open.push((at, own));
        }
        nesting.names.sort_unstable();
        nesting
    }

    /// Returns the definitions with a name in `range`, in order.
    fn named_in(&self, range: &Range<usize>) -> Vec<usize> {
        let first = self.names.partition_point(|(name, _)| *name < range.start);
        let named = self.names[first..].iter().take_while(|(name, _)| *name < range.end);
        let mut named: Vec<usize> = named.map(|(_, at)| *at).collect();
        named.sort_unstable();
        named
    }

    /// Returns a definition and the definitions around it, innermost first.
    fn and_around(&self, from: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(from, |&at| self.around[at])
    }
}

/// Returns the end of the license and imports at the beginning of a file, and whether the file contains nothing else.
fn end_of_preamble(text: &str, tree: &Tree) -> (usize, bool) {
    let root = tree.root_node();
    let mut cursor = root.walk();
    let first = root.children(&mut cursor).find(|child| !introduces(text, *child) && child.is_named());
    match first {
        Some(first) => (text[..first.start_byte()].rfind('\n').map_or(0, |line| line + 1), false),
        None => (text.len(), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_scope_of_a_later_piece_has_the_owner_once() {
        let text = "func (c *Config) Load() {\n\ta()\n\tb()\n}\n";
        let method = Definition {
            name: "Load".to_owned(),
            kind: Some(SymbolKind::Method),
            is_detail: false,
            owner: "Config".to_owned(),
            range: 0..text.len() - 1,
            name_at: 17,
            signature: String::new(),
            signature_range: 0..24,
        };
        let cut = text.find("\tb()").unwrap_or_default();
        let pieces = pieces(text, vec![0..cut, cut..text.len()], None, &[method], &[], CodeClass::Source);
        let scopes: Vec<&str> = pieces.iter().map(|piece| piece.scope.as_str()).collect();
        assert_eq!(scopes, ["", "Config.Load"]);
    }

    /// Returns nested definitions in order. Each value opens a definition, or closes the last open one.
    fn nested(opens: &[bool]) -> Vec<Definition> {
        let definition = |start: usize, end| Definition {
            name: format!("n{start}"),
            kind: Some(SymbolKind::Function),
            is_detail: false,
            owner: String::new(),
            range: start..end,
            name_at: start,
            signature: String::new(),
            signature_range: start..start,
        };
        let (mut open, mut found) = (Vec::new(), Vec::new());
        for (at, opens) in opens.iter().enumerate() {
            if *opens {
                open.push(at);
            } else {
                found.extend(open.pop().map(|start| definition(start, at + 1)));
            }
        }
        found.extend(open.into_iter().map(|start| definition(start, opens.len())));
        found.sort_by_key(|definition| definition.range.start);
        found
    }

    proptest! {
        #[test]
        fn nesting_is_what_going_through_all_finds(opens in prop::collection::vec(any::<bool>(), 1..60), from in 0usize..60, length in 1usize..20) {
            let definitions = nested(&opens);
            let nesting = Nesting::of(&definitions);
            let range = from..from + length;
            let named: Vec<usize> =
                (0..definitions.len()).filter(|&at| range.contains(&definitions[at].name_at)).collect();
            prop_assert_eq!(nesting.named_in(&range), named);
            for (at, definition) in definitions.iter().enumerate() {
                let (start, end) = (definition.range.start, definition.range.end);
                let around = (0..at).rfind(|&other| definitions[other].range.start < start && definitions[other].range.end >= end);
                prop_assert_eq!(nesting.around[at], around);
                let scope: Vec<String> = (0..at).filter(|&other| definitions[other].range.end >= end).map(|other| definitions[other].name.clone()).collect();
                prop_assert_eq!(&nesting.scopes[at], &scope.join("."));
            }
        }
    }
}
