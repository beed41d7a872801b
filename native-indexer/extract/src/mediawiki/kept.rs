//! Parts of a text that are not to be changed: they are put aside, and put back at the end.

/// The sign of a part that was put aside: characters that no text has, with a number between them.
const OPEN: char = '\u{f8fa}';
const CLOSE: char = '\u{f8fb}';

/// Parts that were put aside.
#[derive(Debug, Default)]
pub(super) struct Kept(Vec<String>);

impl Kept {
    /// Puts `html` aside, and gives the sign for it.
    pub(super) fn keep(&mut self, html: String) -> String {
        self.0.push(html);
        format!("{OPEN}{}{CLOSE}", self.0.len() - 1)
    }

    /// `text` with the parts that were put aside.
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

/// `text` without the characters that stand for parts.
pub(super) fn without_signs(text: &str) -> String {
    text.replace([OPEN, CLOSE], "")
}
