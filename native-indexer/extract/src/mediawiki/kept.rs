//! Sets aside the parts of a text that must not be changed, and puts them back at the end.

/// A placeholder is a number between these private characters, which text does not contain.
const OPEN: char = '\u{f8fa}';
const CLOSE: char = '\u{f8fb}';

/// The parts that were set aside.
#[derive(Debug, Default)]
pub(super) struct Kept(Vec<String>);

impl Kept {
    /// Sets `html` aside, and returns its placeholder.
    pub(super) fn keep(&mut self, html: String) -> String {
        self.0.push(html);
        format!("{OPEN}{}{CLOSE}", self.0.len() - 1)
    }

    /// Replaces the placeholders in `text` with their parts.
    pub(super) fn put_back(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN) {
            out.push_str(before);
            let Some((number, after)) = after.split_once(CLOSE) else { break };
            out.push_str(number.parse().ok().and_then(|number: usize| self.0.get(number)).map_or("", String::as_str));
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

/// Removes placeholder characters from `text`.
pub(super) fn without_signs(text: &str) -> String {
    text.replace([OPEN, CLOSE], "")
}
