//! What a process that reads files and the one that asks it say to each other: a length of four bytes, then so many
//! bytes. A file is three messages, what to read it as, its name and its content; the answer is one, JSON.

use std::io::{self, Read, Write};

/// Reads a file as a document.
pub(super) const DOCUMENT: &[u8] = b"document";
/// Reads a file as source code.
pub(super) const CODE: &[u8] = b"code";

/// A longer message is damage: no file that is read is that long, and what is made of one is hardly longer.
const MAX_BYTES: u32 = 256 << 20;

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
        fn any_bytes_are_messages_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut stream = bytes.as_slice();
            while let Ok(Some(_)) = receive(&mut stream) {}
        }
    }
}
