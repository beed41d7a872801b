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

/// The scripts of a text that is put together from runs.
#[derive(Debug, Default)]
pub(crate) struct ScriptRuns {
    /// Where the last one ended: programs cut one into several.
    end: Option<usize>,
}

impl ScriptRuns {
    /// Keeps the end of `text`, a script that begins at byte `start`, apart from what is before it.
    pub(crate) fn set_apart(&mut self, text: &mut String, start: usize, script: Script) {
        if self.end != Some(start) {
            let (before, run) = text.split_at(start);
            text.insert_str(start, script.separator(before, run.chars()));
        }
        self.end = Some(text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_was_cut_into_runs_is_one() {
        let (mut text, mut scripts) = (String::new(), ScriptRuns::default());
        for (is_raised, run) in [(false, "10"), (true, "1"), (true, "2"), (false, " bytes, 7"), (false, "0")] {
            let start = text.len();
            text.push_str(run);
            if is_raised {
                scripts.set_apart(&mut text, start, Script::Raised);
            }
        }
        assert_eq!(text, "10^12 bytes, 70");
    }
}
