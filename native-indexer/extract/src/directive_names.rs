//! Classifies Markdown and reStructuredText directives by name.

/// The type of content of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// Text in the surrounding language.
    Content,
    /// Text that is kept literally.
    Code,
    /// No text for readers, such as tables of contents or images.
    Nothing,
    /// reStructuredText.
    Restructured,
}

/// Returns the type of content of the directive `name`. Unknown directives contain text.
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

/// Whether the directive `name` includes another page.
pub(super) fn is_inclusion(name: &str) -> bool {
    matches!(name, "include" | "mdinclude" | "notebook" | "nbinclude")
}

/// Whether the argument of the directive `name` is a title rather than a layout option.
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
