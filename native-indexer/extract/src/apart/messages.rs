//! What a process that reads files and the one that asks it say to each other: a length of four bytes, then so many
//! bytes. A file is three messages, what to read it as, its name and its content. The reader says a byte of what follows,
//! then its answer, JSON, or pictures with text. Pictures are answered by one message, JSON, with their texts.

use crate::ocr::Picture;
use std::io::{self, Read, Write};

/// Reads a file as a document.
pub(super) const DOCUMENT: &[u8] = b"document";
/// The same, and asks for the text of its pictures.
pub(super) const DOCUMENT_WITH_OCR: &[u8] = b"document with OCR";
/// Reads a file as source code.
pub(super) const CODE: &[u8] = b"code";

/// A longer message is damage: no file that is read is that long, and what is made of one is hardly longer.
const MAX_BYTES: u32 = 256 << 20;

/// Announces an answer.
const ANSWER: u8 = b'A';
/// Announces pictures.
const PICTURES: u8 = b'P';

/// A message of a process that reads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FromReader {
    /// The outcome for the file, JSON.
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
                    send(&mut all, &picture.dpi.to_le_bytes())?;
                    send(&mut all, &picture.bytes)?;
                }
                send(out, &all)?;
            }
        }
        out.flush()
    }

    /// The next that it says; `None` at the end.
    pub(super) fn receive(from: &mut impl Read) -> io::Result<Option<Self>> {
        let damage = || io::Error::other("a reader says what it may not");
        let Some(kind) = receive(from)? else { return Ok(None) };
        let body = receive(from)?.ok_or_else(damage)?;
        match kind[..] {
            [ANSWER] => Ok(Some(Self::Answer(body))),
            [PICTURES] => {
                let mut rest = body.as_slice();
                let mut pictures = Vec::new();
                while let Some(dpi) = receive(&mut rest)? {
                    let dpi = u32::from_le_bytes(dpi.try_into().map_err(|_| damage())?);
                    let bytes = receive(&mut rest)?.ok_or_else(damage)?;
                    pictures.push(Picture { bytes, dpi });
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

/// The next message; `None` at the end.
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
    // As much as comes: a length alone allocates nothing.
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
        fn what_readers_say_round_trips(pictures in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..9), any::<u32>()), 0..4)) {
            let pictures = pictures.into_iter().map(|(bytes, dpi)| Picture { bytes, dpi }).collect();
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
