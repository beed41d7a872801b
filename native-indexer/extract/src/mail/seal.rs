//! Messages whose text is inside an envelope of cryptography (CMS, RFC 5652).

use memchr::memmem;

/// How the number of signed content is written: 1.2.840.113549.1.7.2.
const SIGNED_DATA: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
/// The number is the first thing in an envelope.
const LOOKED_AT: usize = 32;

/// Why the text of a message cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seal {
    /// It is for readers with a key alone.
    Encrypted,
    /// It is inside a signature.
    Signed,
}

impl Seal {
    /// That of an envelope.
    pub(super) fn of_envelope(envelope: &[u8]) -> Self {
        let start = envelope.get(..LOOKED_AT).unwrap_or(envelope);
        if memmem::find(start, SIGNED_DATA).is_some() { Self::Signed } else { Self::Encrypted }
    }

    pub(super) const fn note(self) -> &'static str {
        match self {
            Self::Encrypted => "a message is encrypted: decrypt it in the mail program",
            Self::Signed => "a message is signed in a form that is not read: save it without the signature",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes_say_what_they_are() {
        let envelope = |number: u8| [b"\x30\x80", &SIGNED_DATA[..10], &[number], b"\xa0\x80"].concat();
        assert_eq!(Seal::of_envelope(&envelope(2)), Seal::Signed);
        assert_eq!(Seal::of_envelope(&envelope(3)), Seal::Encrypted);
        assert_eq!(Seal::of_envelope(b""), Seal::Encrypted);
    }
}
