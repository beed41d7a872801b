//! What a file defines, as its language's query finds it, and what it mentions.

use super::grammars::Grammar;
use super::macros::{MacroName, Unmacroed};
use super::parse::for_each_node;
use cpu_time::ThreadTime;
use nearfind_core::symbols::SymbolKind;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::time::Duration;
use tree_sitter::{Node, QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator as _, Tree};

/// Longer names are no names: text that a damaged file shows as one.
const MAX_NAME_BYTES: usize = 200;
/// Characters of a signature, at most.
const MAX_SIGNATURE_CHARS: usize = 160;
/// Matches that are kept while a query runs: a file of nothing but nested pairs must not eat memory.
const MATCH_LIMIT: u32 = 4096;

/// What a query may take of a processor for one file.
const MAX_TIME: Duration = Duration::from_secs(1);

/// The kind that a capture of a query stands for.
fn kind_of_capture(name: &str) -> Option<SymbolKind> {
    if name == "declaration" {
        return Some(SymbolKind::Declaration);
    }
    let name = name.strip_prefix("definition.")?;
    SymbolKind::ALL.into_iter().find(|kind| kind.name() == name)
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
    /// Bytes of that.
    pub signature_range: Range<usize>,
}

/// The definitions of a file, by place, an outer one before those in it; and whether there was time to find all. A tree that
/// an error has made flat, of a hundred thousand siblings, takes time quadratic in its length.
pub(super) fn definitions(grammar: &Grammar, tree: &Tree, text: &str) -> (Vec<Definition>, bool) {
    let names = grammar.definitions.capture_names();
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    let began = ThreadTime::now();
    let mut is_all = true;
    let mut is_in_time = |_: &QueryCursorState| {
        is_all = began.elapsed() < MAX_TIME;
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
                    let kind = kind_of_capture(other);
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
        let (signature, signature_range) = signature(node, text);
        let definition = Definition {
            name: text_of_name,
            kind,
            owner: plain_name(owner),
            range: node.byte_range(),
            name_at: range.start,
            signature,
            signature_range,
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

/// The definitions `found` in a text without macros, and those that macros make, as `text` has them.
pub(super) fn with_macros(found: Vec<Definition>, unmacroed: &Unmacroed<'_>, text: &str) -> Vec<Definition> {
    let is_variable = |definition: &Definition| {
        let at = unmacroed.variables.partition_point(|(range, _)| range.end <= definition.name_at);
        unmacroed.variables.get(at).is_some_and(|(range, _)| range.contains(&definition.name_at))
    };
    let named = |definition: Definition, name: &MacroName| Definition {
        name: plain_name(&text[name.name.clone()]),
        owner: text[name.owner.clone()].to_owned(),
        name_at: name.name.start,
        ..definition
    };
    let mut all: Vec<Definition> = Vec::with_capacity(found.len() + unmacroed.variables.len());
    for definition in found.into_iter().filter(|definition| !is_variable(definition)) {
        let Some(name) = unmacroed.functions.get(&definition.name_at) else {
            all.push(definition);
            continue;
        };
        let signature = in_line(&text[definition.signature_range.clone()]);
        all.push(named(Definition { signature, ..definition }, name));
    }
    for (range, name) in &unmacroed.variables {
        let (signature, kind) = (in_line(&text[range.clone()]), Some(SymbolKind::Constant));
        let (owner, signature_range) = (String::new(), range.clone());
        let definition = Definition {
            name: String::new(),
            kind,
            owner,
            range: range.clone(),
            name_at: 0,
            signature,
            signature_range,
        };
        all.push(named(definition, name));
    }
    all.retain(|definition| !definition.name.is_empty() && definition.name.len() <= MAX_NAME_BYTES);
    all.sort_by(|a, b| (a.range.start, b.range.end).cmp(&(b.range.start, a.range.end)));
    all
}

/// A signature on one line, of a length that can be shown.
fn in_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SIGNATURE_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// A name on one line, without quotes.
fn plain_name(name: &str) -> String {
    let name = name.trim_matches(['"', '\'', '`']);
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a definition says before its body, on one line, and its bytes.
fn signature(node: Node<'_>, text: &str) -> (String, Range<usize>) {
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
    let before = match before.match_indices('\n').nth(1) {
        Some((second, _)) if body.is_none() => &before[..second],
        _ => before,
    };
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '{' | ':' | '='));
    let bytes = range.start..range.start + before.len();
    (in_line(before), bytes)
}

/// The names that a file mentions, with their places, ascending.
pub(super) fn mentions<'a>(tree: &Tree, text: &'a str) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    for_each_node(tree, u32::MAX, |node| {
        if node.child_count() == 0 && is_name(node.kind()) {
            let name = &text[node.byte_range()];
            if (2..=MAX_NAME_BYTES).contains(&name.len()) && !name.contains('\n') {
                found.push((node.start_byte(), name.trim_start_matches(['$', '@'])));
            }
        }
    });
    found
}

/// Whether leaves of this kind are names, in any grammar.
fn is_name(kind: &str) -> bool {
    kind.ends_with("identifier") || matches!(kind, "name" | "constant" | "variable" | "alias" | "word" | "constructor")
}
