//! The protocol between the parent process and a reader process.
//!
//! A message is a length of four bytes, little-endian, and that number of bytes. The parent sends a file as three
//! messages: how to read it, its name and its content. The reader answers with two messages: a byte for the kind of the
//! answer, and either the outcome in JSON or pictures to be read. The parent answers pictures with a message that
//! contains their texts in JSON.

use crate::ocr::{Picture, Subject};
use std::io::{self, Read, Write};

/// Read the file as a document.
pub(super) const DOCUMENT: &[u8] = b"document";
/// Read the file as a document, and ask the parent process for the text of its pictures.
pub(super) const DOCUMENT_WITH_OCR: &[u8] = b"document with OCR";
/// Do the same, and say that a model describes figures.
pub(super) const DOCUMENT_WITH_DESCRIPTIONS: &[u8] = b"document with descriptions";
/// Read the file as source code.
pub(super) const CODE: &[u8] = b"code";

/// Maximum length of a message in bytes. Files are shorter, and so are their outcomes. A longer message is damage.
const MAX_BYTES: u32 = 256 << 20;

/// Announces an answer.
const ANSWER: u8 = b'A';
/// Announces pictures.
const PICTURES: u8 = b'P';

/// An answer of a reader process.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FromReader {
    /// The outcome for the file in JSON.
    Answer(Vec<u8>),
    /// Pictures to be read.
    Pictures(Vec<Picture>),
}

impl FromReader {
    pub(super) fn send(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Answer(answer) => {
                send(out, &[ANSWER])?;
                send(out, answer)?;
            }
            Self::Pictures(pictures) => {
                send(out, &[PICTURES])?;
                let mut all = Vec::new();
                for picture in pictures {
                    let [a, b, c, d] = picture.dpi.to_le_bytes();
                    send(&mut all, &[a, b, c, d, u8::from(picture.subject == Subject::Figure)])?;
                    send(&mut all, &picture.bytes)?;
                }
                send(out, &all)?;
            }
        }
        out.flush()
    }

    /// Receives the next answer, or `None` at the end.
    pub(super) fn receive(from: &mut impl Read) -> io::Result<Option<Self>> {
        let damage = || io::Error::other("a reader sent an invalid message");
        let Some(kind) = receive(from)? else { return Ok(None) };
        let body = receive(from)?.ok_or_else(damage)?;
        match kind[..] {
            [ANSWER] => Ok(Some(Self::Answer(body))),
            [PICTURES] => {
                let mut rest = body.as_slice();
                let mut pictures = Vec::new();
                while let Some(head) = receive(&mut rest)? {
                    let [a, b, c, d, is_figure] = head.try_into().map_err(|_| damage())?;
                    let subject = if is_figure == 1 { Subject::Figure } else { Subject::Page };
                    let bytes = receive(&mut rest)?.ok_or_else(damage)?;
                    pictures.push(Picture { bytes, dpi: u32::from_le_bytes([a, b, c, d]), subject });
                }
                Ok(Some(Self::Pictures(pictures)))
            }
            _ => Err(damage()),
        }
    }
}

pub(super) fn send(out: &mut impl Write, message: &[u8]) -> io::Result<()> {
    let length = u32::try_from(message.len()).ok().filter(|length| *length <= MAX_BYTES);
    let length = length.ok_or_else(|| io::Error::other("a message is too long"))?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(message)
}

/// Receives the next message, or `None` at the end.
pub(super) fn receive(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_BYTES {
        return Err(io::Error::other("a message is too long"));
    }
    // Memory is only allocated for bytes that arrive, because the length may be wrong.
    let mut message = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut message)?;
    if message.len() < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn messages_round_trip(messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..5)) {
            let mut stream = Vec::new();
            messages.iter().for_each(|message| send(&mut stream, message).unwrap());
            let mut stream = stream.as_slice();
            for message in messages {
                prop_assert_eq!(receive(&mut stream).unwrap(), Some(message));
            }
            prop_assert_eq!(receive(&mut stream).unwrap(), None);
        }

        #[test]
        fn what_readers_say_round_trips(pictures in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..9), any::<u32>(), any::<bool>()), 0..4)) {
            let subject = |is_figure| if is_figure { Subject::Figure } else { Subject::Page };
            let pictures = pictures.into_iter().map(|(bytes, dpi, figure)| Picture { bytes, dpi, subject: subject(figure) }).collect();
            let said = [FromReader::Pictures(pictures), FromReader::Answer(b"{}".to_vec())];
            let mut stream = Vec::new();
            said.iter().for_each(|one| one.send(&mut stream).unwrap());
            let mut stream = stream.as_slice();
            for one in said {
                prop_assert_eq!(FromReader::receive(&mut stream).unwrap(), Some(one));
            }
            prop_assert_eq!(FromReader::receive(&mut stream).unwrap(), None);
        }

        #[test]
        fn any_bytes_are_messages_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40), kind in any::<bool>()) {
            let mut stream = bytes.as_slice();
            while let Ok(Some(_)) = receive(&mut stream) {}
            let mut said = Vec::new();
            send(&mut said, if kind { b"P" } else { b"A" }).unwrap();
            send(&mut said, &bytes).unwrap();
            let _ = FromReader::receive(&mut said.as_slice());
        }
    }
}
