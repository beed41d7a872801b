//! Converts pictures to formats that services understand.

use super::picture::media_type;
use std::borrow::Cow;

/// Returns the media type and the bytes of a picture for a service. Pages that were rendered for OCR (PGM) become PNG;
/// other pictures stay as they are. Returns `None` if the format is not known.
pub fn portable(bytes: &[u8]) -> Option<(&'static str, Cow<'_, [u8]>)> {
    if let Some(media_type) = media_type(bytes) {
        return Some((media_type, Cow::Borrowed(bytes)));
    }
    Some(("image/png", Cow::Owned(png_of_pgm(bytes)?)))
}

/// Converts a binary PGM with a byte for each pixel, as this crate renders it.
fn png_of_pgm(bytes: &[u8]) -> Option<Vec<u8>> {
    let rest = bytes.strip_prefix(b"P5\n")?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (width, height) = str::from_utf8(&rest[..end]).ok()?.split_once(' ')?;
    let (width, height): (u32, u32) = (width.parse().ok()?, height.parse().ok()?);
    let pixels = rest[end..].strip_prefix(b"\n255\n")?;
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(pixels).ok()?;
    writer.finish().ok()?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rendered_pages_become_png_and_others_stay() {
        let (media_type, bytes) = portable(b"P5\n2 3\n255\n\x00\x20\x40\x60\x80\xff").unwrap();
        assert_eq!(media_type, "image/png");
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; 6];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, b"\x00\x20\x40\x60\x80\xff");
        assert_eq!(portable(b"MM\0*x"), Some(("image/tiff", Cow::Borrowed(&b"MM\0*x"[..]))));
        for other in [&b"GIF89a"[..], b"P5\n2 3\n255\n\x00", b"P5\n9999999999 1\n255\n", b"P5\n0 0\n255\n", b""] {
            assert_eq!(portable(other), None, "{other:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_converted_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40), width in 0u32..9, height in 0u32..9) {
            let _ = portable(&bytes);
            let _ = portable(&[format!("P5\n{width} {height}\n255\n").as_bytes(), &bytes].concat());
        }
    }
}
