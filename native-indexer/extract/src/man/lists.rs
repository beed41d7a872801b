//! Lists of manuals: options with what they do, items, rows of columns.

/// What the items of a list are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    /// Each with a word or an option before it.
    Tagged,
    Plain,
    /// Rows of columns.
    Columns,
}

impl List {
    /// That of a list which begins with the words `rest`.
    pub(super) fn of(rest: &str) -> Self {
        if rest.contains("-column") {
            Self::Columns
        } else if ["-bullet", "-dash", "-enum", "-hyphen", "-item"].iter().any(|kind| rest.contains(kind)) {
            Self::Plain
        } else {
            Self::Tagged
        }
    }
}

/// A mark of an item that is a bullet says nothing.
pub(super) fn without_bullet(tag: &str) -> String {
    if matches!(tag.trim(), "•" | "*" | "-" | "o" | "·" | "○" | "–" | "+") {
        String::new()
    } else {
        tag.to_owned()
    }
}
