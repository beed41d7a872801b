//! Decompresses Outlook's Rich Text (MS-OXRTFCP), which consists of literal bytes and references to previous bytes.

/// Number of bytes before the content: two lengths, the compression type, and a checksum.
const HEADER: usize = 16;
const COMPRESSED: &[u8] = b"LZFu";
const UNCOMPRESSED: &[u8] = b"MELA";
/// Number of bytes that references can reach back.
const WINDOW: usize = 4096;
/// Maximum length of the text. A longer text is cut.
const MAX_BYTES: usize = 32 << 20;
/// Initial content of the window, with words that occur in every file.
const KNOWN: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/// Returns the Rich Text in `bytes`, or `None` if the compression type is unknown.
pub(super) fn decompressed(bytes: &[u8]) -> Option<Vec<u8>> {
    let content = bytes.get(HEADER..)?;
    match bytes.get(8..12)? {
        UNCOMPRESSED => Some(content.to_vec()),
        COMPRESSED => Some(expanded(content)),
        _ => None,
    }
}

fn expanded(content: &[u8]) -> Vec<u8> {
    let mut window = [b' '; WINDOW];
    for (place, byte) in window.iter_mut().zip(KNOWN) {
        *place = *byte;
    }
    let mut at = KNOWN.len();
    let mut out = Vec::new();
    let mut rest = content.iter().copied();
    'all: while let Some(control) = rest.next() {
        for bit in 0..8 {
            if out.len() >= MAX_BYTES {
                break 'all;
            }
            let Some(first) = rest.next() else { break 'all };
            if control & (1 << bit) == 0 {
                window[at % WINDOW] = first;
                at += 1;
                out.push(first);
                continue;
            }
            let Some(second) = rest.next() else { break 'all };
            let reference = usize::from(u16::from_be_bytes([first, second]));
            let (from, length) = (reference >> 4, (reference & 0xf) + 2);
            // A reference to the next position to be written marks the end.
            if from == at % WINDOW {
                break 'all;
            }
            for step in 0..length {
                let byte = window[(from + step) % WINDOW];
                window[at % WINDOW] = byte;
                at += 1;
                out.push(byte);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_examples_of_the_specification_are_read() {
        let simple: &[u8] = &[
            0x2d, 0, 0, 0, 0x2b, 0, 0, 0, 0x4c, 0x5a, 0x46, 0x75, 0xf1, 0xc5, 0xc7, 0xa7, 0x03, 0, 0x0a, 0, 0x72, 0x63,
            0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0a, 0xf3, 0x20, 0x68, 0x65, 0x6c, 0x09, 0, 0x20, 0x62, 0x77,
            0x05, 0xb0, 0x6c, 0x64, 0x7d, 0x0a, 0x80, 0x0f, 0xa0,
        ];
        assert_eq!(decompressed(simple).unwrap(), b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
        let crossing: &[u8] = &[
            0x1a, 0, 0, 0, 0x1c, 0, 0, 0, 0x4c, 0x5a, 0x46, 0x75, 0xe2, 0xd4, 0x4b, 0x51, 0x41, 0, 0x04, 0x20, 0x57,
            0x58, 0x59, 0x5a, 0x0d, 0x6e, 0x7d, 0x01, 0x0e, 0xb0,
        ];
        assert_eq!(decompressed(crossing).unwrap(), b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}");
        assert_eq!(decompressed(b"short"), None);
    }

    proptest! {
        #[test]
        fn decompressing_any_bytes_terminates(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = decompressed(&[b"\0\0\0\0\0\0\0\0LZFu\0\0\0\0", bytes.as_slice()].concat());
        }
    }
}
