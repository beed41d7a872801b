//! Stores and expands the strings and macros that a page defines.

use super::arguments::arguments;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Maximum number of strings and of macros on a page, of lines in a macro, and of bytes in a string.
const MAX_DEFINED: usize = 500;
const MAX_LINES: usize = 200;
const MAX_STRING_BYTES: usize = 1_000;
/// Maximum number of bytes that the expansion of strings and macros may add to a page.
const MAX_ADDED_BYTES: usize = 4 << 20;

/// The definitions of a page so far.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    strings: BTreeMap<String, String>,
    macros: BTreeMap<String, Vec<String>>,
    added: usize,
}

impl Definitions {
    /// Defines a string by the arguments of `.ds`: a name, and a text that may begin with a quotation mark.
    pub(super) fn define_string(&mut self, rest: &str) {
        let rest = rest.trim_start_matches([' ', '\t']);
        let (name, text) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        let text = text.trim_start_matches([' ', '\t']);
        let text = text.strip_prefix('"').unwrap_or(text);
        if !name.is_empty() && text.len() <= MAX_STRING_BYTES && self.strings.len() < MAX_DEFINED {
            self.strings.insert(name.to_owned(), text.to_owned());
        }
    }

    /// Begins the definition of the macro `name`.
    pub(super) fn begin_macro(&mut self, name: &str) {
        if self.macros.len() < MAX_DEFINED {
            self.macros.insert(name.to_owned(), Vec::new());
        }
    }

    /// Adds a line to the macro `name`.
    pub(super) fn add_line(&mut self, name: &str, line: &str) {
        if let Some(lines) = self.macros.get_mut(name).filter(|lines| lines.len() < MAX_LINES) {
            lines.push(line.to_owned());
        }
    }

    /// Expands a call to the macro `name` with the arguments `rest`. Returns `None` if the page does not define it.
    pub(super) fn called(&mut self, name: &str, rest: &str) -> Option<Vec<String>> {
        let lines = self.macros.get(name)?;
        if self.added > MAX_ADDED_BYTES {
            return Some(Vec::new());
        }
        let arguments = arguments(rest);
        let called: Vec<String> = lines.iter().map(|line| with_arguments(line, &arguments)).collect();
        self.added += called.iter().map(|line| line.len() + 1).sum::<usize>();
        Some(called)
    }

    /// Expands the strings in `line`.
    pub(super) fn with_strings<'a>(&mut self, line: &'a str) -> Cow<'a, str> {
        if self.strings.is_empty() || !line.contains("\\*") {
            return Cow::Borrowed(line);
        }
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(at) = rest.find('\\') {
            out.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            let name = after.strip_prefix('*').map(name_of);
            let text = name.and_then(|(name, _)| self.strings.get(name));
            match (name, text) {
                (Some((_, after)), Some(text)) if self.added + text.len() <= MAX_ADDED_BYTES => {
                    self.added += text.len();
                    out.push_str(text);
                    rest = after;
                }
                _ => {
                    let sign = after.chars().next().map_or(0, char::len_utf8);
                    out.push_str(&rest[at..at + 1 + sign]);
                    rest = &after[sign..];
                }
            }
        }
        out.push_str(rest);
        Cow::Owned(out)
    }
}

/// Splits the text into a name and the rest. A name is one letter, two letters after `(`, or text in brackets.
fn name_of(text: &str) -> (&str, &str) {
    if let Some(rest) = text.strip_prefix('[') {
        return rest.split_once(']').unwrap_or((rest, ""));
    }
    let (text, letters) = text.strip_prefix('(').map_or((text, 1), |rest| (rest, 2));
    text.split_at(text.char_indices().nth(letters).map_or(text.len(), |(at, _)| at))
}

/// Replaces `\$1` and similar escapes in a macro line with the arguments of a call.
fn with_arguments(line: &str, arguments: &[String]) -> String {
    // Most backslashes in a definition are doubled.
    let line = line.replace("\\\\", "\\");
    let mut out = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some((before, after)) = rest.split_once("\\$") {
        out.push_str(before);
        let sign = after.chars().next();
        rest = &after[sign.map_or(0, char::len_utf8)..];
        match sign {
            Some('*' | '@') => out.push_str(&arguments.join(" ")),
            Some(digit @ '1'..='9') => {
                let number = digit as usize - '1' as usize;
                out.push_str(arguments.get(number).map_or("", String::as_str));
            }
            _ => {}
        }
        if out.len() > MAX_STRING_BYTES * 20 {
            return out;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_macros_are_what_the_page_says() {
        let mut page = Definitions::default();
        page.define_string(" PN \"kettle");
        page.define_string("v 1.2");
        assert_eq!(page.with_strings("\\*(PN \\*v, \\*[PN], \\\\*v \\*(lq"), "kettle 1.2, kettle, \\\\*v \\*(lq");
        page.begin_macro("FN");
        page.add_line("FN", ".B \\\\$1");
        page.add_line("FN", "of \\\\$* \\\\fB");
        assert_eq!(page.called("FN", " one \"two words\"").unwrap(), [".B one", "of one two words \\fB"]);
        assert_eq!(page.called("XX", ""), None);
    }
}
