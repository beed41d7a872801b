//! Tells pictures inside documents that may have text from logos, icons and signatures, by their size.

use super::tiff;

/// Minimum width and height in pixels.
const MIN_SIDE: u32 = 150;
/// Minimum number of pixels: a letter needs some 200.
const MIN_PIXELS: u64 = 100_000;
/// Minimum length of a TIFF file, whose size is not read.
const MIN_TIFF_BYTES: usize = 16 << 10;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG: &[u8] = b"\xff\xd8";

/// Returns whether `bytes` are a PNG, JPEG or TIFF file that is large enough to show text.
pub(crate) fn may_have_text(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"II*\0") || bytes.starts_with(b"MM\0*") {
        return bytes.len() >= MIN_TIFF_BYTES && tiff::pages(bytes).is_ok();
    }
    let (width, height) = size(bytes).unwrap_or_default();
    width.min(height) >= MIN_SIDE && u64::from(width) * u64::from(height) >= MIN_PIXELS
}

/// Returns the width and height of a PNG or JPEG file.
fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    if bytes.starts_with(PNG) {
        let number = |at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
        return Some((number(16)?, number(20)?));
    }
    let mut rest = bytes.strip_prefix(JPEG)?;
    loop {
        let (marker, behind) = rest.split_first_chunk::<2>()?;
        let [0xff, kind] = *marker else { return None };
        if kind == 0xff {
            // A byte that fills.
            rest = &rest[1..];
            continue;
        }
        let length = usize::from(u16::from_be_bytes(*behind.first_chunk()?));
        // Frames, but not the tables of codes (C4, C8 and CC), which are numbered like them.
        if matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc) {
            let number = |at: usize| Some(u32::from(u16::from_be_bytes(*behind.get(at..)?.first_chunk()?)));
            return Some((number(5)?, number(3)?));
        }
        rest = behind.get(length.max(2)..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        [PNG, b"\0\0\0\rIHDR", &width.to_be_bytes(), &height.to_be_bytes()].concat()
    }

    #[test]
    fn small_and_narrow_pictures_have_no_text() {
        assert!(may_have_text(&png(640, 480)));
        assert!(!may_have_text(&png(200, 200)) && !may_have_text(&png(1_000, 120)));
        let jpeg = |frame: &[u8]| [JPEG, b"\xff\xe0\0\x04ab\xff\xff\xc4\0\x02", frame].concat();
        assert!(may_have_text(&jpeg(b"\xff\xc2\0\x11\x08\x01\xe0\x02\x80")));
        assert!(!may_have_text(&jpeg(b"\xff\xc0\0\x11\x08\0\x60\x02\x80")));
        assert!(!may_have_text(b"GIF89a") && !may_have_text(b"II*\0"));
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_size_or_none(bytes in prop::collection::vec(prop_oneof![Just(0xff), any::<u8>()], 0..60)) {
            may_have_text(&[JPEG, &bytes].concat());
            may_have_text(&[PNG, &bytes].concat());
            may_have_text(&[b"MM\0*", bytes.as_slice()].concat());
        }
    }
}
