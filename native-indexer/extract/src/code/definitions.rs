//! Finds the definitions in a file with the query for its language, and the names that the file mentions.

use super::declarators::{declared, wraps};
use super::grammars::Grammar;
use super::macros::{MacroName, Unmacroed};
use super::parse::for_each_node;
use cpu_time::ThreadTime;
use nearfind_core::symbols::SymbolKind;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::time::Duration;
use tree_sitter::{Node, QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator as _, Tree};

/// Maximum length of a name in bytes. In a damaged file, longer text may look like a name.
const MAX_NAME_BYTES: usize = 200;
/// Maximum number of characters in a signature.
const MAX_SIGNATURE_CHARS: usize = 160;
/// Maximum number of matches in progress while a query runs. It bounds the memory for a file with nested pairs.
const MATCH_LIMIT: u32 = 4096;

/// Maximum processor time for one file's query.
const MAX_TIME: Duration = Duration::from_secs(1);

/// Returns the kind of symbol for the name of a capture, and whether the symbol is a detail.
fn kind_of_capture(name: &str) -> Option<(SymbolKind, bool)> {
    if name == "declaration" {
        return Some((SymbolKind::Declaration, false));
    }
    let (group, name) = name.split_once('.')?;
    let kind = SymbolKind::ALL.into_iter().find(|kind| kind.name() == name)?;
    match group {
        "definition" => Some((kind, false)),
        "detail" => Some((kind, true)),
        _ => None,
    }
}

/// A definition with its position in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    pub name: String,
    /// `None` for a node that only names the scope of other definitions, such as an `impl` block.
    pub kind: Option<SymbolKind>,
    /// Whether only a search for its name finds the definition, because the piece is about something else. A member of
    /// a structure is such a detail.
    pub is_detail: bool,
    /// The type or scope that the definition names as its owner, such as the receiver of a method. May be empty.
    pub owner: String,
    /// Bytes of the whole definition.
    pub range: Range<usize>,
    /// Byte offset where the name begins.
    pub name_at: usize,
    /// The text before the body, on one line.
    pub signature: String,
    /// Bytes of the signature in the file.
    pub signature_range: Range<usize>,
}

/// Returns the definitions in a file, with outer definitions before inner ones, and whether the query finished in time.
/// A tree that an error flattened to a hundred thousand siblings takes time quadratic in its length.
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
    // Keyed by the position of the name. If several patterns match a name, the first pattern counts.
    let mut found: BTreeMap<usize, (usize, Definition)> = BTreeMap::new();
    while let Some(matched) = matches.next() {
        let (mut whole, mut name, mut owner): (_, Option<(Node<'_>, usize)>, _) = (None, None, "");
        for capture in matched.captures() {
            match names[capture.index as usize] {
                // A name may consist of several nodes, such as `operator +`.
                "name" => name = Some((name.map_or(capture.node, |(first, _)| first), capture.node.end_byte())),
                "owner" => owner = &text[capture.node.byte_range()],
                "scope" => whole = Some((capture.node, None)),
                other => {
                    let kind = kind_of_capture(other);
                    whole = if kind.is_some() { Some((capture.node, kind)) } else { whole };
                }
            }
        }
        let (Some((node, kind)), Some((name, end))) = (whole, name) else { continue };
        let (mut kind, mut is_detail) = kind.map_or((None, false), |(kind, is_detail)| (Some(kind), is_detail));
        let mut range = bare_name(name, end, text);
        if wraps(name) {
            let Some(declared) = declared(name) else { continue };
            range = declared.name;
            owner = if declared.owner.is_empty() { owner } else { &text[declared.owner] };
            if kind == Some(SymbolKind::Function) && !owner.is_empty() {
                kind = Some(SymbolKind::Method);
            }
            // A member or variable with parameters is a function that is only declared here.
            if is_detail && declared.is_function {
                (kind, is_detail) = (Some(SymbolKind::Declaration), false);
            }
        }
        // In `a::b` and `a.b`, the last part is the name, and the parts before it are its owner.
        if is_detail
            && matches!(kind, Some(SymbolKind::Module | SymbolKind::Class | SymbolKind::Struct))
            && let Some(at) = text[range.clone()].rfind(['.', ':', '\\'])
        {
            owner = text[range.start..range.start + at].trim_end_matches(':');
            range.start += at + 1;
        }
        let text_of_name = plain_name(&text[range.clone()]);
        if text_of_name.is_empty() || text_of_name.len() > MAX_NAME_BYTES {
            continue;
        }
        let (signature, signature_range) = signature(node, text);
        let definition = Definition {
            name: text_of_name,
            kind,
            is_detail,
            owner: plain_name(owner).replace("::", ".").replace('\\', "."),
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

/// Returns the bytes of a name without the syntax around it, as in Ruby's `:name` and in the `name=…` of a shell alias.
fn bare_name(first: Node<'_>, end: usize, text: &str) -> Range<usize> {
    let range = first.start_byte()..end.max(first.start_byte());
    match first.kind() {
        "simple_symbol" => range.end.min(range.start + 1)..range.end,
        "word" => range.start..text[range.clone()].find('=').map_or(range.end, |at| range.start + at),
        _ => range,
    }
}

/// Removes the details directly in functions, which are local variables. The members of a type in a function stay.
/// `definitions` must be in order, with outer definitions before inner ones.
pub(super) fn drop_locals(definitions: &mut Vec<Definition>) {
    let mut open: Vec<(usize, bool)> = Vec::new();
    definitions.retain(|definition| {
        while open.pop_if(|(end, _)| *end <= definition.range.start).is_some() {}
        if definition.is_detail && open.last().is_some_and(|(_, is_code)| *is_code) {
            return false;
        }
        // Definitions with the same range, such as several accessors of one call, are side by side.
        let is_code = !definition.is_detail && definition.kind.is_some_and(SymbolKind::is_callable);
        open.push((definition.range.end, is_code));
        true
    });
}

/// Returns the definitions that were `found` in the text without macros, and the definitions by macros, with names and
/// signatures from the original `text`.
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
        let signature = in_line(&text[range.clone()]);
        // A macro such as `DECLARE_…` may declare a class or a function as well as a variable.
        let is_declared = signature.contains("DECLARE_");
        let kind = Some(if is_declared { SymbolKind::Declaration } else { SymbolKind::Constant });
        let (owner, signature_range) = (String::new(), range.clone());
        let definition = Definition {
            name: String::new(),
            kind,
            is_detail: false,
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

/// Returns a signature on one line. A longer signature is shortened to `MAX_SIGNATURE_CHARS` characters and an
/// ellipsis.
pub(super) fn in_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SIGNATURE_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Returns a name on one line, without the quotes around it.
fn plain_name(name: &str) -> String {
    let name = name.trim_matches(['"', '\'', '`']);
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the text of a definition before its body, on one line, and its bytes.
fn signature(node: Node<'_>, text: &str) -> (String, Range<usize>) {
    let mut inner = node;
    // A decorator and `export` are not part of a signature.
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
    // Without a body, the first two lines serve as the signature.
    let before = match before.match_indices('\n').nth(1) {
        Some((second, _)) if body.is_none() => &before[..second],
        _ => before,
    };
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '{' | ':' | '='));
    let bytes = range.start..range.start + before.len();
    (in_line(before), bytes)
}

/// Returns the names that a file mentions with their positions, in ascending order.
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

/// Whether a leaf of this kind is a name in any of the grammars.
fn is_name(kind: &str) -> bool {
    kind.ends_with("identifier") || matches!(kind, "name" | "constant" | "variable" | "alias" | "word" | "constructor")
}
