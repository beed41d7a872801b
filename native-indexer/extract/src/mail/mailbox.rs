//! Reads mailboxes: messages in succession, each after a line that begins with `From `.

use super::internet;
use super::limits::MAX_DEPTH;
use super::writer::MailWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use memchr::memmem;
use std::borrow::Cow;

/// Maximum number of messages.
const MAX_MESSAGES: usize = 20_000;
/// Beginning of the line before a message.
const BEGIN: &[u8] = b"From ";

/// Reads the mailbox in `bytes`.
pub(super) fn extract(bytes: &[u8], mut writer: MailWriter<'_>) -> Result<Extracted, ExtractError> {
    if !bytes.starts_with(BEGIN) {
        return Err(ExtractError::Damaged("it is not a mailbox: it does not begin with \"From \"".to_owned()));
    }
    let starts = starts(bytes);
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    for (start, end) in starts.iter().copied().zip(ends).take(MAX_MESSAGES) {
        if writer.is_full() {
            break;
        }
        let lines = bytes.get(start..end).unwrap_or_default();
        let text = lines.iter().position(|byte| *byte == b'\n').map_or(&[][..], |line| &lines[line + 1..]);
        // Messages without any content are skipped.
        if let Some(message) = internet::parse_any(&unquoted(text), MAX_DEPTH) {
            writer.message(message);
        }
    }
    if starts.len() > MAX_MESSAGES {
        writer.note(&format!("only the first {MAX_MESSAGES} of its {} messages were read", starts.len()));
    }
    Ok(writer.finish())
}

/// Returns the positions of the lines before messages: at the beginning, and after empty lines.
fn starts(bytes: &[u8]) -> Vec<usize> {
    let is_after_empty = |at: &usize| bytes[..*at].ends_with(b"\n\n") || bytes[..*at].ends_with(b"\n\r\n");
    let found = memmem::find_iter(bytes, b"\nFrom ").map(|at| at + 1);
    std::iter::once(0).chain(found.filter(is_after_empty).filter(|at| is_line_of_mailbox(&bytes[*at..]))).collect()
}

/// Whether the line contains a time, as every line before a message does. Prose that begins with `From` usually
/// contains no time.
fn is_line_of_mailbox(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_time = |part: &[u8]| part.contains(&b':') && part.iter().all(|byte| byte.is_ascii_digit() || *byte == b':');
    line.split(u8::is_ascii_whitespace).any(is_time)
}

/// Removes the `>` that mailboxes insert before lines that begin with `From `.
fn unquoted(text: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(text, b">From ").is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let quotes = line.iter().take_while(|byte| **byte == b'>').count();
        let is_quoted = quotes > 0 && line[quotes..].starts_with(BEGIN);
        out.extend_from_slice(if is_quoted { &line[1..] } else { line });
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attached::PartReader;
    use crate::extraction::Extraction;
    use crate::left_out::LeftOut;

    fn read(source: &str) -> Result<Extracted, ExtractError> {
        let parts = PartReader { read: &|_, _| Ok(Extraction::LeftOut(LeftOut::Empty)), reads_pictures: false };
        extract(source.as_bytes(), MailWriter::new(parts))
    }

    #[test]
    fn messages_are_sections() {
        let source = "From jane@x.org Thu May  2 10:00:00 2024\nFrom: Jane Doe <jane@x.org>\nTo: bob@x.org\nDate: Thu, 2 May 2024 10:00:00 +0000\nSubject: Kettle\n\nDescale it.\n>From time to time.\n\nFrom here on it is prose.\n\nFrom bob@x.org Fri May  3 11:30:00 2024\nFrom: bob@x.org\nSubject: Re: Kettle\nDate: Fri, 3 May 2024 11:30:00 +0200\n\nDone.\n";
        let extracted = read(source).unwrap();
        assert_eq!(
            extracted.text,
            "# Kettle\n\n- From: Jane Doe <jane@x.org>\n- To: bob@x.org\n- Date: 2024-05-02 10:00\n\nDescale it.\nFrom time to time.\n\nFrom here on it is prose.\n\n\
             # Re: Kettle\n\n- From: bob@x.org\n- Date: 2024-05-03 11:30\n\nDone.\n"
        );
        let marks: Vec<_> = extracted.marks.iter().map(|mark| mark.label.as_str()).collect();
        assert_eq!(marks, ["2024-05-02, Jane Doe", "2024-05-03, bob@x.org"]);
        assert_eq!(extracted.date.unwrap().to_string(), "2024-05-03");
        let bare = read("From a@x.org Mon Jun 01 10:00:00 2009\n\nText alone\n").unwrap();
        assert_eq!(bare.text, "# (no subject)\n\nText alone\n");
        assert!(matches!(read("no mailbox"), Err(ExtractError::Damaged(_))));
    }
}
