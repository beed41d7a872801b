//! The message of a commit.

use gix::Commit;
use gix::bstr::BStr;
use nearfind_extract::decode_text;

/// Maximum number of characters in a subject. A longer first line is part of the text.
const MAX_SUBJECT: usize = 200;
/// Maximum number of bytes to read from a message. Merges by bots list hundreds of commits.
const MAX_BYTES: usize = 16 << 10;

/// A message, without the addresses of people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    /// The subject, or `Commit` and the commit's name if the message is empty.
    pub subject: String,
    /// The rest of the message. May be empty.
    pub body: String,
}

impl Message {
    /// Decodes a message. `name` is the commit's name, in case the message is empty.
    pub(super) fn of(bytes: &BStr, name: &str) -> Self {
        let bytes: &[u8] = &bytes[..bytes.len().min(MAX_BYTES)];
        let (text, _) = match std::str::from_utf8(bytes) {
            // The limit cut a character in two.
            Err(error) if error.error_len().is_none() => decode_text(&bytes[..error.valid_up_to()]),
            _ => decode_text(bytes),
        };
        let text: String =
            text.replace("\r\n", "\n").chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        let text = without_addresses(text.trim());
        let (subject, body) = text.split_once("\n\n").unwrap_or((&text, ""));
        let mut subject = subject.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut body = body.trim().to_owned();
        if subject.chars().count() > MAX_SUBJECT {
            format!("{subject}\n\n{body}").trim().clone_into(&mut body);
            subject = subject.chars().take(MAX_SUBJECT).collect::<String>() + "…";
        }
        if subject.is_empty() {
            subject = format!("Commit {name}");
        }
        Self { subject, body }
    }
}

/// Returns the author's name, without an address.
pub(super) fn author_of(commit: &Commit<'_>) -> String {
    let name = commit.author().map(|author| author.trim().name.to_string()).unwrap_or_default();
    let name = without_addresses(&name);
    if name.trim().is_empty() { "an unknown author".to_owned() } else { name.trim().to_owned() }
}

/// Returns `text` without e-mail addresses in angle brackets.
fn without_addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, behind) = rest.split_at(start);
        out.push_str(before);
        let end = behind[1..].find(['<', '>', '\n', ' ']).map_or(behind.len(), |end| end + 1);
        let is_address = behind[..end].contains('@') && behind[end..].starts_with('>');
        if is_address {
            out.truncate(out.trim_end_matches(' ').len());
            rest = &behind[end + 1..];
        } else {
            out.push_str(&behind[..end]);
            rest = &behind[end..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: &[u8]) -> (String, String) {
        let Message { subject, body } = Message::of(bytes.into(), "1a2b3c4d");
        (subject, body)
    }

    #[test]
    fn subject_and_body_are_told_apart() {
        assert_eq!(
            message(b"Add a\nthing\n\nBecause.\r\n\r\nMore\n"),
            ("Add a thing".into(), "Because.\n\nMore".into())
        );
        assert_eq!(message(b"\n"), ("Commit 1a2b3c4d".into(), String::new()));
        assert_eq!(message(b"Gr\xfc\xdfe aus M\xfcnchen\n").0, "Grüße aus München");
        assert_eq!(message("é".repeat(20_000).as_bytes()).1.chars().count(), 8192);
    }

    #[test]
    fn people_have_no_addresses() {
        assert_eq!(without_addresses("By: Ann <ann@x.org>\nfor Vec<u8> a<b @ c>"), "By: Ann\nfor Vec<u8> a<b @ c>");
        assert_eq!(without_addresses("<a@b"), "<a@b");
    }
}
