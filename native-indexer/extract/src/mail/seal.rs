//! Messages whose text is inside a cryptographic envelope (CMS, RFC 5652).

use memchr::memmem;

/// Encoded object identifier of signed content: 1.2.840.113549.1.7.2.
const SIGNED_DATA: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
/// Number of bytes to search. The identifier is at the beginning of an envelope.
const LOOKED_AT: usize = 32;

/// The reason why the text of a message cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seal {
    /// The text is encrypted.
    Encrypted,
    /// The text is inside a signature.
    Signed,
}

impl Seal {
    /// Detects the type of an envelope.
    pub(super) fn of_envelope(envelope: &[u8]) -> Self {
        let start = envelope.get(..LOOKED_AT).unwrap_or(envelope);
        if memmem::find(start, SIGNED_DATA).is_some() { Self::Signed } else { Self::Encrypted }
    }

    pub(super) const fn note(self) -> &'static str {
        match self {
            Self::Encrypted => "a message is encrypted: decrypt it in the mail program",
            Self::Signed => "a message is signed in an unsupported form: save it without the signature",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_envelopes_are_detected() {
        let envelope = |number: u8| [b"\x30\x80", &SIGNED_DATA[..10], &[number], b"\xa0\x80"].concat();
        assert_eq!(Seal::of_envelope(&envelope(2)), Seal::Signed);
        assert_eq!(Seal::of_envelope(&envelope(3)), Seal::Encrypted);
        assert_eq!(Seal::of_envelope(b""), Seal::Encrypted);
    }
}
