//! What a file defines, as its language's query finds it, and what it mentions.

use super::grammars::Grammar;
use super::parse::for_each_node;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};
use tree_sitter::{Node, QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator as _, Tree};

/// Longer names are no names: text that a damaged file shows as one.
const MAX_NAME_BYTES: usize = 200;
/// Characters of a signature, at most.
const MAX_SIGNATURE_CHARS: usize = 160;
/// Matches that are kept while a query runs: a file of nothing but nested pairs must not eat memory.
const MATCH_LIMIT: u32 = 4096;

/// What a query may take for one file.
const MAX_TIME: Duration = Duration::from_secs(2);

/// What kind of thing a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// A class, a trait with code, an object.
    Class,
    /// A structure, a union, a table.
    Struct,
    /// An interface, a protocol, a trait.
    Interface,
    /// An enumeration.
    Enum,
    /// A function of no class.
    Function,
    /// A function of a class.
    Method,
    /// A module or namespace.
    Module,
    /// A name for a type.
    Type,
    /// A constant or variable of the file, a case of an enumeration.
    Constant,
    /// A field or property of a class.
    Field,
    /// A macro.
    Macro,
    /// A part of a configuration or a page.
    Section,
    /// A declaration of a function whose body is elsewhere.
    Declaration,
}

impl SymbolKind {
    /// Its name, as answers have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Interface => "interface",
            Self::Enum => "enum",
            Self::Function => "function",
            Self::Method => "method",
            Self::Module => "module",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Field => "field",
            Self::Macro => "macro",
            Self::Section => "section",
            Self::Declaration => "declaration",
        }
    }

    fn of_capture(name: &str) -> Option<Self> {
        Some(match name {
            "definition.class" => Self::Class,
            "definition.struct" => Self::Struct,
            "definition.interface" => Self::Interface,
            "definition.enum" => Self::Enum,
            "definition.function" => Self::Function,
            "definition.method" => Self::Method,
            "definition.module" => Self::Module,
            "definition.type" => Self::Type,
            "definition.constant" => Self::Constant,
            "definition.field" => Self::Field,
            "definition.macro" => Self::Macro,
            "definition.section" => Self::Section,
            "declaration" => Self::Declaration,
            _ => return None,
        })
    }
}

/// A definition at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    pub name: String,
    /// `None` for what only names the scope of others, such as an `impl` block.
    pub kind: Option<SymbolKind>,
    /// What it belongs to that is not around it: the receiver of a method.
    pub owner: String,
    /// Bytes of all of it.
    pub range: Range<usize>,
    /// Byte of its name.
    pub name_at: usize,
    /// Its beginning up to its body, on one line.
    pub signature: String,
}

/// The definitions of a file, by place, an outer one before those in it; and whether there was time to find all. A tree that
/// an error has made flat, of a hundred thousand siblings, takes time quadratic in its length.
pub(super) fn definitions(grammar: &Grammar, tree: &Tree, text: &str) -> (Vec<Definition>, bool) {
    let names = grammar.definitions.capture_names();
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    let end = Instant::now() + MAX_TIME;
    let mut is_all = true;
    let mut is_in_time = |_: &QueryCursorState| {
        is_all = Instant::now() < end;
        if is_all { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = QueryCursorOptions::new().progress_callback(&mut is_in_time);
    let mut matches = cursor.matches_with_options(&grammar.definitions, tree.root_node(), text.as_bytes(), options);
    // By the place of the name: of several patterns that find one the first counts.
    let mut found: BTreeMap<usize, (usize, Definition)> = BTreeMap::new();
    while let Some(matched) = matches.next() {
        let (mut whole, mut name, mut owner) = (None, None, "");
        for capture in matched.captures() {
            match names[capture.index as usize] {
                "name" => name = Some(capture.node),
                "owner" => owner = &text[capture.node.byte_range()],
                "scope" => whole = Some((capture.node, None)),
                other => {
                    let kind = SymbolKind::of_capture(other);
                    whole = if kind.is_some() { Some((capture.node, kind)) } else { whole };
                }
            }
        }
        let (Some((node, kind)), Some(name)) = (whole, name) else { continue };
        let range = name.byte_range();
        let text_of_name = plain_name(&text[range.clone()]);
        if text_of_name.is_empty() || text_of_name.len() > MAX_NAME_BYTES {
            continue;
        }
        let definition = Definition {
            name: text_of_name,
            kind,
            owner: plain_name(owner),
            range: node.byte_range(),
            name_at: range.start,
            signature: signature(node, text),
        };
        match found.get(&range.start) {
            Some((pattern, _)) if *pattern <= matched.pattern_index => {}
            _ => drop(found.insert(range.start, (matched.pattern_index, definition))),
        }
    }
    let mut definitions: Vec<Definition> = found.into_values().map(|(_, definition)| definition).collect();
    definitions.sort_by(|a, b| (a.range.start, b.range.end).cmp(&(b.range.start, a.range.end)));
    drop(matches);
    (definitions, is_all)
}

/// A name on one line, without quotes.
fn plain_name(name: &str) -> String {
    let name = name.trim_matches(['"', '\'', '`']);
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a definition says before its body.
fn signature(node: Node<'_>, text: &str) -> String {
    let mut inner = node;
    // A decorator is no signature, nor is `export`.
    while let Some(definition) =
        inner.child_by_field_name("definition").or_else(|| inner.child_by_field_name("declaration"))
    {
        inner = definition;
    }
    let range = inner.byte_range();
    let body = inner.child_by_field_name("body").or_else(|| {
        let mut cursor = inner.walk();
        inner.named_children(&mut cursor).find(|child| {
            let kind = child.kind();
            kind.ends_with("block")
                || kind.ends_with("_body")
                || kind == "do_block"
                || kind.ends_with("_list") && kind.contains("declaration")
        })
    });
    let mut cursor = inner.walk();
    let comment = inner.children(&mut cursor).find(|child| child.kind().contains("comment"));
    let ends = [body, comment].into_iter().flatten().map(|node| node.start_byte());
    let end = ends.min().unwrap_or(range.end).clamp(range.start, range.end);
    let before = &text[range.start..end];
    // Without a body the first lines must do.
    let line = if body.is_none() { before.lines().take(2).collect::<Vec<_>>().join(" ") } else { before.to_owned() };
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches([' ', '{', ':', '=']);
    match line.char_indices().nth(MAX_SIGNATURE_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

/// The names that a file mentions, with their places, ascending.
pub(super) fn mentions(tree: &Tree, text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for_each_node(tree, u32::MAX, |node| {
        if node.child_count() == 0 && is_name(node.kind()) {
            let name = &text[node.byte_range()];
            if (2..=MAX_NAME_BYTES).contains(&name.len()) {
                found.push((node.start_byte(), name.trim_start_matches(['$', '@']).to_owned()));
            }
        }
    });
    found
}

/// Whether leaves of this kind are names, in any grammar.
fn is_name(kind: &str) -> bool {
    kind.ends_with("identifier") || matches!(kind, "name" | "constant" | "variable" | "alias" | "word" | "constructor")
}

/// The names that stand between `range` of `mentions`, without those in `own`.
pub(super) fn mentioned_in(mentions: &[(usize, String)], range: &Range<usize>, own: &BTreeSet<&str>) -> Vec<String> {
    let first = mentions.partition_point(|(at, _)| *at < range.start);
    let inside = mentions[first..].iter().take_while(|(at, _)| *at < range.end);
    let names: BTreeSet<&str> = inside.map(|(_, name)| name.as_str()).filter(|name| !own.contains(name)).collect();
    names.into_iter().map(str::to_owned).collect()
}
