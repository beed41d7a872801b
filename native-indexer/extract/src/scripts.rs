//! Superscripts and subscripts of any format: a number keeps apart from the one before it, as 2<sup>8</sup> is not 28.

/// How a text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    /// As a superscript.
    Raised,
    /// As a subscript.
    Lowered,
}

impl Script {
    /// What keeps the characters of `script` apart from the text `before` them.
    pub(crate) fn separator(self, before: &str, script: impl IntoIterator<Item = char>) -> &'static str {
        let first = script.into_iter().find(|c| !c.is_whitespace());
        let is_number = first.is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '\u{2212}'));
        match before.chars().next_back() {
            Some(last) if is_number && (last.is_ascii_digit() || last == ')') => match self {
                Self::Raised => "^",
                Self::Lowered => "_",
            },
            // The number of a footnote at the end of a sentence.
            Some('.' | ',' | ';' | ':' | '!' | '?' | '"' | '\u{201d}' | '\u{bb}')
                if is_number && self == Self::Raised =>
            {
                " "
            }
            _ => "",
        }
    }

    /// That of a role of reStructuredText and MyST, by its name.
    pub(crate) fn of_role(name: &str) -> Option<Self> {
        match name {
            "sup" | "superscript" => Some(Self::Raised),
            "sub" | "subscript" => Some(Self::Lowered),
            _ => None,
        }
    }
}
