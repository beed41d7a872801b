//! Comments of reviewers. They go to the end of the document, so that its own text reads on; each says who wrote it and on what.

use crate::document_writer::DocumentWriter;
use crate::words::one_line;

/// Characters of the commented text that are quoted.
const MAX_QUOTE_CHARS: usize = 80;

/// A comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Remark {
    /// May be empty.
    pub author: String,
    /// The text that it is on; may be empty.
    pub quote: String,
    pub text: String,
}

impl Remark {
    /// `Comment by Jane Doe on “The first paragraph”: Is this so?`
    pub(super) fn line(&self) -> String {
        let author = one_line(&self.author);
        let by = if author.is_empty() { String::new() } else { format!(" by {author}") };
        let quote = quote(&self.quote);
        let on = if quote.is_empty() { String::new() } else { format!(" on “{quote}”") };
        format!("Comment{by}{on}: {}", one_line(&self.text))
    }
}

/// Writes comments under a heading of their own.
pub(super) fn write(writer: &mut DocumentWriter, remarks: &[Remark]) {
    let said: Vec<&Remark> = remarks.iter().filter(|remark| !remark.text.trim().is_empty()).collect();
    if !said.is_empty() {
        writer.heading(1, "Comments");
        said.into_iter().for_each(|remark| writer.paragraph(&remark.line()));
    }
}

/// The beginning of `text`, whole words.
pub(super) fn quote(text: &str) -> String {
    let text = one_line(text);
    match text.char_indices().nth(MAX_QUOTE_CHARS) {
        Some((end, _)) => {
            let start = &text[..end];
            format!("{}…", start.rsplit_once(' ').map_or(start, |(words, _)| words))
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_say_who_wrote_them_and_on_what() {
        let mut writer = DocumentWriter::default();
        write(&mut writer, &[Remark::default()]);
        let long = "word ".repeat(40);
        let remark =
            |author: &str, quote: &str| Remark { author: author.into(), quote: quote.into(), text: "Why?".into() };
        write(&mut writer, &[remark("Jane", "the\nfee"), remark("", &long)]);
        let text = writer.finish(Vec::new()).text;
        assert!(
            text.starts_with("# Comments\n\nComment by Jane on “the fee”: Why?\n\nComment on “word word"),
            "{text}"
        );
        assert!(text.ends_with("word…”: Why?\n") && text.len() < 200, "{text}");
    }
}
