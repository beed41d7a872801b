//! Lists in mdoc: options with descriptions, plain items, and rows with columns.

/// The kind of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    /// Items with a tag, such as an option.
    Tagged,
    Plain,
    /// Rows with columns.
    Columns,
}

impl List {
    /// Returns the kind of a list with the arguments `rest`.
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

/// Returns the tag of an item, or an empty text if it is only a bullet.
pub(super) fn without_bullet(tag: &str) -> String {
    if matches!(tag.trim(), "•" | "*" | "-" | "o" | "·" | "○" | "–" | "+") {
        String::new()
    } else {
        tag.to_owned()
    }
}
