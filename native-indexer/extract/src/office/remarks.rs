//! Reviewers' comments. They are written at the end of the document to keep its text coherent. Each has its author and
//! a quote from the commented text.

use crate::document_writer::DocumentWriter;
use crate::words::one_line;

/// Maximum number of quoted characters.
const MAX_QUOTE_CHARS: usize = 80;

/// A comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Remark {
    /// The author, or an empty text.
    pub author: String,
    /// The commented text, or an empty text.
    pub quote: String,
    pub text: String,
}

impl Remark {
    /// Returns a line such as `Comment by Jane Doe on “The first paragraph”: Is this so?`.
    pub(super) fn line(&self) -> String {
        let author = one_line(&self.author);
        let by = if author.is_empty() { String::new() } else { format!(" by {author}") };
        let quote = quote(&self.quote);
        let on = if quote.is_empty() { String::new() } else { format!(" on “{quote}”") };
        format!("Comment{by}{on}: {}", one_line(&self.text))
    }
}

/// Writes comments under a separate heading.
pub(super) fn write(writer: &mut DocumentWriter, remarks: &[Remark]) {
    let said: Vec<&Remark> = remarks.iter().filter(|remark| !remark.text.trim().is_empty()).collect();
    if !said.is_empty() {
        writer.heading(1, "Comments");
        said.into_iter().for_each(|remark| writer.paragraph(&remark.line()));
    }
}

/// Returns the beginning of `text`, cut between words.
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
    fn comments_have_their_author_and_a_quote() {
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
