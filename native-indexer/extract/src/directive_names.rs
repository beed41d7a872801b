//! Directives by name, in Markdown and in reStructuredText.

/// What is between the marks of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// Text in the language around it.
    Content,
    /// Text that stays as it is.
    Code,
    /// Nothing for readers: tables of contents, images.
    Nothing,
    /// reStructuredText.
    Restructured,
}

/// What the directive `name` holds; one that is not known holds content.
pub(super) fn held_by(name: &str) -> Holds {
    match name {
        "code-block" | "code" | "code-cell" | "sourcecode" | "pyodide" | "ipython" | "parsed-literal" | "math"
        | "mermaid" | "jupyter-execute" | "doctest" | "testcode" | "prompt" | "console" => Holds::Code,
        "toctree" | "image" | "raw" | "literalinclude" | "currentmodule" | "module" | "contents" | "meta"
        | "highlight" | "index" | "replace" | "role" | "default-role" | "bibliography" | "plot" | "unicode" => {
            Holds::Nothing
        }
        _ if is_inclusion(name) => Holds::Nothing,
        "eval-rst" => Holds::Restructured,
        _ => Holds::Content,
    }
}

/// Whether the directive `name` shows another page.
pub(super) fn is_inclusion(name: &str) -> bool {
    matches!(name, "include" | "mdinclude" | "notebook" | "nbinclude")
}

/// Whether the argument of the directive `name` is a title, not a matter of layout.
pub(super) fn has_title(name: &str) -> bool {
    !matches!(
        name,
        "figure"
            | "grid"
            | "list-table"
            | "csv-table"
            | "table"
            | "tab-set"
            | "only"
            | "container"
            | "rst-class"
            | "div"
            | "columns"
    )
}
