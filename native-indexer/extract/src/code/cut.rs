//! Cuts source code into pieces along its syntax tree, like cAST (arXiv 2506.15655).
//!
//! Siblings are packed together while they fit. A node that does not fit is cut in the same way, and its parts are
//! packed again. Unlike in cAST, a comment stays with the definition below it. The license and imports at the beginning
//! of a file are not packed with other code.
//!
//! Invariant: the pieces cover the text without gaps or overlaps.

use std::collections::BTreeMap;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Maximum number of characters in a piece, not counting white space.
pub(super) const MAX_CHARS: u32 = 1200;
/// A head with at most this number of characters joins the piece after it, even beyond `MAX_CHARS`, because a head is
/// useless without its body. A piece with at most a quarter of this number, such as a closing brace, joins the piece
/// before it.
const SMALL_CHARS: u32 = 120;
/// Nodes at this depth are cut at lines, because a hostile tree is as deep as its text is long.
const MAX_DEPTH: usize = 64;

/// Number of characters before each byte, not counting white space.
pub(super) struct Sizes(Vec<u32>);

impl Sizes {
    pub(super) fn of(text: &str) -> Self {
        let mut sizes = Vec::with_capacity(text.len() + 1);
        let mut count = 0;
        for c in text.chars() {
            sizes.extend(std::iter::repeat_n(count, c.len_utf8()));
            count += u32::from(!c.is_whitespace());
        }
        sizes.push(count);
        Self(sizes)
    }

    pub(super) fn of_range(&self, range: &Range<usize>) -> u32 {
        self.0[range.end] - self.0[range.start]
    }
}

/// A node with the comments and attributes before it.
struct Unit<'tree> {
    range: Range<usize>,
    node: Node<'tree>,
    introduces: bool,
}

/// Cuts `text` along `tree`, or at lines if there is no tree. `inner` contains the trees of embedded languages by the
/// byte offset where each begins.
pub(super) fn cut(text: &str, tree: Option<&Tree>, inner: &BTreeMap<usize, Tree>) -> Vec<Range<usize>> {
    let sizes = Sizes::of(text);
    let mut windows = match tree {
        Some(tree) => cut_children(text, &sizes, tree.root_node(), inner, 0),
        None => at_lines(text, &sizes, 0..text.len()),
    };
    windows.retain(|window| sizes.of_range(window) > 0);
    // A piece begins at the start of its line if only white space precedes it there, and ends where the next piece
    // begins.
    let start_of = |at: usize| {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        if text[line..at].trim().is_empty() { line } else { at }
    };
    let mut starts: Vec<usize> = windows.iter().skip(1).map(|window| start_of(window.start)).collect();
    starts.insert(0, 0);
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([text.len()]).collect::<Vec<_>>();
    starts.into_iter().zip(ends).map(|(start, end)| start..end).collect()
}

fn cut_children(
    text: &str,
    sizes: &Sizes,
    node: Node<'_>,
    inner: &BTreeMap<usize, Tree>,
    depth: usize,
) -> Vec<Range<usize>> {
    let units = units(text, node);
    if units.is_empty()
        && let Some(tree) = inner.get(&node.start_byte())
        && depth < MAX_DEPTH
    {
        return cut_children(text, sizes, tree.root_node(), inner, depth + 1);
    }
    if units.is_empty() || depth == MAX_DEPTH {
        return at_lines(text, sizes, node.byte_range());
    }
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut current: Option<Range<usize>> = None;
    let mut introduces = depth == 0;
    for unit in &units {
        if introduces && !unit.introduces {
            introduces = false;
            windows.extend(current.take());
        }
        let joined = current.as_ref().map_or(unit.range.start, |current| current.start)..unit.range.end;
        if sizes.of_range(&joined) <= MAX_CHARS {
            current = Some(joined);
            continue;
        }
        let head = current.take();
        if sizes.of_range(&unit.range) <= MAX_CHARS {
            windows.extend(head);
            current = Some(unit.range.clone());
            continue;
        }
        let mut parts = cut_children(text, sizes, unit.node, inner, depth + 1);
        if let Some(first) = parts.first_mut() {
            first.start = unit.range.start;
        }
        // A short head goes with the start of its body.
        match (head, parts.first_mut()) {
            (Some(head), Some(first)) if depth > 0 && sizes.of_range(&head) <= SMALL_CHARS => first.start = head.start,
            (head, _) => windows.extend(head),
        }
        windows.extend(parts);
    }
    windows.extend(current);
    if depth == 0 { windows } else { packed(sizes, windows) }
}

/// Joins neighbors while they fit, starting with the first.
fn packed(sizes: &Sizes, windows: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut packed: Vec<Range<usize>> = Vec::new();
    for window in windows {
        match packed.last_mut() {
            Some(last)
                if sizes.of_range(&(last.start..window.end)) <= MAX_CHARS
                    || sizes.of_range(&window) <= SMALL_CHARS / 4 =>
            {
                last.end = window.end;
            }
            _ => packed.push(window),
        }
    }
    packed
}

/// Returns the children of `node`, each with the comments and attributes on the lines directly above it.
fn units<'tree>(text: &str, node: Node<'tree>) -> Vec<Unit<'tree>> {
    let mut cursor = node.walk();
    let mut units: Vec<Unit<'tree>> = Vec::new();
    let mut waiting: Option<usize> = None;
    let children: Vec<Node<'tree>> = node.children(&mut cursor).collect();
    for (number, child) in children.iter().enumerate() {
        let range = child.byte_range();
        let next = children.get(number + 1);
        let is_near =
            next.is_some_and(|next| text[range.end..next.start_byte().max(range.end)].matches('\n').count() <= 1);
        // A comment at the end of a line belongs to that line.
        let begins_line = text[..range.start].rfind('\n').is_none_or(|line| text[line..range.start].trim().is_empty());
        if is_attached(text, *child) && is_near && begins_line && next.is_some_and(Node::is_named) {
            waiting = waiting.or(Some(range.start));
            continue;
        }
        units.push(Unit {
            range: waiting.take().unwrap_or(range.start)..range.end,
            node: *child,
            introduces: introduces(text, *child),
        });
    }
    units
}

/// Whether `node` describes the node after it, as a comment or an attribute does.
fn is_attached(text: &str, node: Node<'_>) -> bool {
    let kind = node.kind();
    kind.contains("comment")
        || matches!(kind, "attribute_item" | "decorator" | "annotation" | "signature" | "haddock" | "pragma")
        // These are Elixir's attributes.
        || (kind == "unary_operator" && ["@doc", "@spec", "@impl", "@typedoc", "@deprecated"].iter().any(|start| text[node.byte_range()].starts_with(start)))
}

/// Whether `node` is a comment, an import, or another introductory statement of a file.
pub(super) fn introduces(text: &str, node: Node<'_>) -> bool {
    let kind = node.kind();
    let named = ["comment", "import", "preproc_include", "using_directive", "package", "hash_bang", "shebang"];
    if named.iter().any(|part| kind.contains(part))
        || matches!(
            kind,
            "use_declaration"
                | "extern_crate_declaration"
                | "php_tag"
                | "namespace_use_declaration"
                | "pragma"
                | "header"
                | "include_directive"
                | "extern_alias_directive"
        )
    {
        return true;
    }
    // These are `export … from`, and a namespace without braces.
    if kind == "export_statement" && node.child_by_field_name("source").is_some() {
        return true;
    }
    if kind == "namespace_definition" && node.child_by_field_name("body").is_none() {
        return true;
    }
    let text = &text[node.byte_range()];
    let start = text.lines().next().unwrap_or_default();
    // These are a module's docstring, and imports that are calls.
    let is_docstring = kind == "expression_statement" && text.starts_with(['"', '\'']);
    let is_import = text.lines().count() <= 3
        && (start.contains("require(")
            || start.starts_with("require ")
            || start.starts_with("require_relative ")
            || start.contains("= @import("));
    is_docstring || is_import
}

/// Cuts `range` at line ends, and divides lines that do not fit.
pub(super) fn at_lines(text: &str, sizes: &Sizes, range: Range<usize>) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut start = range.start;
    for line in text[range].split_inclusive('\n') {
        let line = start..start + line.len();
        start = line.end;
        match windows.last_mut() {
            Some(last) if sizes.of_range(&(last.start..line.end)) <= MAX_CHARS => last.end = line.end,
            _ if sizes.of_range(&line) <= MAX_CHARS => windows.push(line),
            _ => windows.extend(in_parts(text, sizes, line)),
        }
    }
    windows
}

/// Cuts a long line into parts of full size.
fn in_parts(text: &str, sizes: &Sizes, line: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = line.start;
    for (at, c) in text[line.clone()].char_indices() {
        let end = line.start + at + c.len_utf8();
        if sizes.of_range(&(start..end)) == MAX_CHARS {
            parts.push(start..end);
            start = end;
        }
    }
    if start < line.end {
        parts.push(start..line.end);
    }
    parts
}
