//! Finds the names in C and C++ declarators, which wrap a name in nodes for pointers, references, arrays and
//! parameters.

use std::ops::Range;
use tree_sitter::Node;

/// Maximum depth of nested declarators: hostile declarators are as deep as their text is long.
const MAX_DEPTH: usize = 64;

/// The name in a declarator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    /// Bytes of the name.
    pub name: Range<usize>,
    /// Bytes of the scope before the name, such as `Session` in `Session::send`. May be empty.
    pub owner: Range<usize>,
    /// Whether the declaration is a function rather than a pointer to a function.
    pub is_function: bool,
}

/// Returns the name that `node` declares, or `None` if it declares none. The caller checks with [`wraps`] that `node`
/// is a declarator.
pub(super) fn declared(node: Node<'_>) -> Option<Declared> {
    let (mut node, mut owner, mut is_function) = (node, 0..0, false);
    for _ in 0..MAX_DEPTH {
        let kind = node.kind();
        if kind == "operator_cast" {
            // The name of `operator bool() const` does not have its own node.
            let end = node.child_by_field_name("declarator").map_or(node.end_byte(), |rest| rest.start_byte());
            return Some(Declared { name: node.start_byte()..end, owner, is_function: true });
        }
        if !wraps(node) {
            let is_name = kind.ends_with("identifier") || matches!(kind, "operator_name" | "destructor_name");
            return is_name.then(|| Declared { name: node.byte_range(), owner, is_function });
        }
        let inner = if kind == "qualified_identifier" {
            let scope = node.child_by_field_name("scope").map_or(0..0, |scope| scope.byte_range());
            owner = if owner.is_empty() { scope } else { owner.start..scope.end };
            node.child_by_field_name("name")
        } else {
            is_function = kind == "function_declarator";
            node.child_by_field_name("declarator").or_else(|| last_of(node))
        };
        node = inner?;
    }
    None
}

/// Whether `node` is a declarator or a qualified name, so that the name is inside it.
pub(super) fn wraps(node: Node<'_>) -> bool {
    let kind = node.kind();
    kind == "operator_cast"
        || kind == "qualified_identifier"
        || (kind.ends_with("_declarator") && !kind.starts_with("abstract_") && kind != "structured_binding_declarator")
        || matches!(kind, "template_function" | "template_method")
}

/// For a node without the field `declarator`, returns the child with its name. This is the field `name`, as before
/// template arguments, or the last child that may be a name, as in parentheses or after a `&`.
fn last_of(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(name) = node.child_by_field_name("name") {
        return Some(name);
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| wraps(*child) || child.kind().ends_with("identifier")).last()
}
