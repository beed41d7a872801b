//! Reads a server response in a web archive.

use encoding_rs::Encoding;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use std::borrow::Cow;
use std::io::Read;

/// The byte order mark of UTF-8.
const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the value of the header `name`, which must be in lower case.
pub(super) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// A response with its content.
pub(super) struct WebAnswer<'a> {
    media_type: String,
    charset: Option<&'static Encoding>,
    compression: String,
    content: Cow<'a, [u8]>,
}

impl<'a> WebAnswer<'a> {
    /// Reads the response in `bytes`, which begins with HTTP headers. Returns `None` if it is not a response with
    /// status 200.
    pub(super) fn of(bytes: &'a [u8]) -> Option<Self> {
        let end = memchr::memmem::find(bytes, b"\r\n\r\n").map(|at| (at, at + 4));
        let (head, content) = end.or_else(|| memchr::memmem::find(bytes, b"\n\n").map(|at| (at, at + 2)))?;
        let (head, content) = (String::from_utf8_lossy(&bytes[..head]), &bytes[content..]);
        let mut lines = head.lines();
        let status = lines.next().filter(|line| line.starts_with("HTTP/"))?.split_whitespace().nth(1)?;
        if status != "200" {
            return None;
        }
        let pair = |line: &str| {
            line.split_once(':').map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers: Vec<(String, String)> = lines.filter_map(pair).collect();
        let is_chunked =
            header(&headers, "transfer-encoding").is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked"));
        // Some programs join the chunks but keep the header.
        let content =
            if is_chunked { whole(content).map_or(Cow::Borrowed(content), Cow::Owned) } else { Cow::Borrowed(content) };
        let compression = header(&headers, "content-encoding").unwrap_or_default().to_ascii_lowercase();
        Some(Self { compression, content, ..Self::bare(&headers, &[]) })
    }

    /// Makes a response from `content`, which does not begin with HTTP headers.
    pub(super) fn bare(headers: &[(String, String)], content: &'a [u8]) -> Self {
        let kind = header(headers, "content-type").unwrap_or_default();
        let (media_type, rest) = kind.split_once(';').unwrap_or((kind, ""));
        let charset = rest
            .split(';')
            .find_map(|part| part.trim().to_ascii_lowercase().strip_prefix("charset=").map(str::to_owned));
        Self {
            media_type: media_type.trim().to_ascii_lowercase(),
            charset: charset.and_then(|label| Encoding::for_label(label.trim_matches('"').as_bytes())),
            compression: String::new(),
            content: Cow::Borrowed(content),
        }
    }

    pub(super) fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Returns a reader for the uncompressed content.
    pub(super) fn content(&self) -> Result<Box<dyn Read + '_>, String> {
        let content = &self.content[..];
        match self.compression.as_str() {
            "" | "identity" => Ok(Box::new(content)),
            // Some servers send this header with uncompressed content.
            "gzip" | "x-gzip" if !content.starts_with(b"\x1f\x8b") => Ok(Box::new(content)),
            "gzip" | "x-gzip" => Ok(Box::new(MultiGzDecoder::new(content))),
            "deflate" if content.first().is_some_and(|byte| byte & 15 == 8) => Ok(Box::new(ZlibDecoder::new(content))),
            "deflate" => Ok(Box::new(DeflateDecoder::new(content))),
            other => Err(format!("its compression is not supported ({})", crate::words::one_line(other))),
        }
    }

    /// Converts a page to UTF-8 with a byte order mark if a header names its encoding, which takes precedence over the
    /// page itself. Returns other `bytes` unchanged.
    pub(super) fn marked(&self, bytes: Vec<u8>) -> Vec<u8> {
        match self.charset {
            Some(charset) if self.media_type.contains("html") && Encoding::for_bom(&bytes).is_none() => {
                [UTF_8_MARK, charset.decode_without_bom_handling(&bytes).0.as_bytes()].concat()
            }
            _ => bytes,
        }
    }
}

/// Joins the chunks of the content, or returns `None` if it is not in chunks.
fn whole(content: &[u8]) -> Option<Vec<u8>> {
    let (mut out, mut rest) = (Vec::new(), content);
    loop {
        let end = rest.iter().take(100).position(|byte| *byte == b'\n')?;
        let line = str::from_utf8(&rest[..end]).ok()?;
        let length = usize::from_str_radix(line.split(';').next()?.trim(), 16).ok()?;
        rest = &rest[end + 1..];
        if length == 0 {
            return Some(out);
        }
        // The last chunk may be cut off.
        let chunk = &rest[..length.min(rest.len())];
        out.extend_from_slice(chunk);
        rest = rest[chunk.len()..].trim_ascii_start();
        if rest.is_empty() {
            return Some(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(answer: &[u8]) -> Option<String> {
        let answer = WebAnswer::of(answer)?;
        let mut bytes = Vec::new();
        answer.content().ok()?.read_to_end(&mut bytes).ok()?;
        String::from_utf8(answer.marked(bytes)).ok()
    }

    #[test]
    fn answers_are_put_together() {
        let chunked = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n<p>a\r\n3;x\r\nb c\r\n0\r\n\r\n";
        assert_eq!(text(chunked).unwrap(), "<p>ab c");
        let whole = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n<p>whole";
        assert_eq!(text(whole).unwrap(), "<p>whole");
        let latin = b"HTTP/1.0 200\nContent-Type: text/html; charset=ISO-8859-1\n\n<p>\xe9";
        assert_eq!(text(latin).unwrap(), "\u{feff}<p>\u{e9}");
        assert_eq!(text(b"HTTP/1.1 404 Not Found\r\n\r\nno"), None);
        assert_eq!(text(b"nothing"), None);
    }
}
