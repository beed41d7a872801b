//! Superscripts and subscripts in any format. A number stays separate from a preceding number, because 2<sup>8</sup> is
//! not 28.

/// The position of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    /// Superscript.
    Raised,
    /// Subscript.
    Lowered,
}

impl Script {
    /// Returns the separator between `before` and the characters of `script`.
    pub(crate) fn separator(self, before: &str, script: impl IntoIterator<Item = char>) -> &'static str {
        let first = script.into_iter().find(|c| !c.is_whitespace());
        let is_number = first.is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '\u{2212}'));
        match before.chars().next_back() {
            Some(last) if is_number && (last.is_ascii_digit() || last == ')') => match self {
                Self::Raised => "^",
                Self::Lowered => "_",
            },
            // This is a footnote reference at the end of a sentence.
            Some('.' | ',' | ';' | ':' | '!' | '?' | '"' | '\u{201d}' | '\u{bb}')
                if is_number && self == Self::Raised =>
            {
                " "
            }
            _ => "",
        }
    }

    /// Returns the position for a reStructuredText or MyST role.
    pub(crate) fn of_role(name: &str) -> Option<Self> {
        match name {
            "sup" | "superscript" => Some(Self::Raised),
            "sub" | "subscript" => Some(Self::Lowered),
            _ => None,
        }
    }
}
