//! Lists the pages of a web archive (WARC): a sequence of server responses, each with its URL.
//!
//! This is our own reader, because the `warc` crate allocates the length that a record declares.

use super::budget::Budget;
use super::entry::{Content, Entry, Next};
use super::web_answer::{WebAnswer, header};
use crate::error::ExtractError;
use crate::kinds::{FileKind, kind_with_text};
use flate2::read::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use url::Url;

/// The first bytes of gzip.
const GZIP: &[u8] = b"\x1f\x8b";
/// Maximum length of a header line in bytes, and maximum number of headers in a record.
const MAX_LINE_BYTES: u64 = 64 << 10;
const MAX_LINES: usize = 200;
/// Maximum size of a response in bytes.
const MAX_ANSWER_BYTES: u64 = 64 << 20;

/// Passes each page and each other document in the archive `bytes` to `take`.
pub(super) fn each(bytes: &[u8], budget: &Budget, take: &mut dyn FnMut(Entry<'_>) -> Next) -> Result<(), ExtractError> {
    let read = if bytes.starts_with(GZIP) {
        each_of(&mut BufReader::new(budget.limit(MultiGzDecoder::new(bytes))), take)
    } else {
        each_of(&mut &bytes[..], take)
    };
    read.map_err(|error| ExtractError::Damaged(format!("it is not a WARC file, or it is cut off ({error})")))
}

fn each_of(from: &mut dyn BufRead, take: &mut dyn FnMut(Entry<'_>) -> Next) -> io::Result<()> {
    while let Some(headers) = headers(from)? {
        let length = header(&headers, "content-length").and_then(|length| length.parse().ok());
        let length: u64 = length.ok_or_else(|| io::Error::other("a record without a length"))?;
        let kind = header(&headers, "warc-type").unwrap_or_default();
        let mut content = from.take(length);
        if matches!(kind, "response" | "resource") {
            let mut answer = Vec::new();
            content.by_ref().take(MAX_ANSWER_BYTES).read_to_end(&mut answer)?;
            if page(&headers, kind == "resource", &answer, length, take).is_some_and(|next| next.is_break()) {
                return Ok(());
            }
        }
        if io::copy(&mut content, &mut io::sink()).is_ok() && content.limit() > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

/// Reads the headers of the next record. Returns `None` at the end.
fn headers(from: &mut dyn BufRead) -> io::Result<Option<Vec<(String, String)>>> {
    let mut headers = Vec::new();
    let mut has_begun = false;
    loop {
        let mut line = Vec::new();
        if from.take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return if has_begun { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(None) };
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if !has_begun {
            // Empty lines separate records.
            has_begun = line.starts_with("WARC/");
            if !has_begun && !line.is_empty() {
                return Err(io::Error::other("a record that does not begin with WARC"));
            }
        } else if line.is_empty() {
            return Ok(Some(headers));
        } else if let Some((name, value)) = line.split_once(':') {
            if headers.len() == MAX_LINES {
                return Err(io::Error::other("too many headers"));
            }
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
}

/// Passes the content of a record to `take` if it is a page or another document. `is_bare` means that the content does
/// not begin with HTTP headers.
fn page(
    headers: &[(String, String)],
    is_bare: bool,
    answer: &[u8],
    length: u64,
    take: &mut dyn FnMut(Entry<'_>) -> Next,
) -> Option<Next> {
    let address = header(headers, "warc-target-uri")?.trim_matches(['<', '>']);
    let address = Url::parse(address).ok().filter(|address| matches!(address.scheme(), "http" | "https"))?;
    let answer = if is_bare { WebAnswer::bare(headers, answer) } else { WebAnswer::of(answer)? };
    let name = name(&address, answer.media_type())?;
    let obstacle = (length > MAX_ANSWER_BYTES).then_some("it is larger than 64 MB");
    let mut content = PageContent(answer);
    Some(take(Entry { name, size: 0, obstacle, address: Some(address.into()), content: &mut content }))
}

/// Returns the path for the content of `address`, or `None` if it is neither a page nor a document, such as a picture
/// or a style sheet.
fn name(address: &Url, media_type: &str) -> Option<String> {
    let query = address.query().map(|query| format!("?{query}")).unwrap_or_default();
    let path = address.path().trim_matches('/');
    let slash = if path.is_empty() { "" } else { "/" };
    let name = format!("{}{slash}{path}", address.host_str()?);
    let kind = if path.is_empty() { None } else { kind_with_text(Path::new(path)) };
    match media_type {
        "text/html" | "application/xhtml+xml" if query.is_empty() && kind == Some(FileKind::Html) => Some(name),
        "text/html" | "application/xhtml+xml" if path.is_empty() || address.path().ends_with('/') => {
            Some(format!("{name}/index{query}.html"))
        }
        "text/html" | "application/xhtml+xml" => Some(format!("{name}{query}.html")),
        "application/pdf" => Some(format!("{name}{query}.pdf")),
        _ if query.is_empty() && kind.is_some_and(FileKind::is_binary) => Some(name),
        _ => None,
    }
}

struct PageContent<'a>(WebAnswer<'a>);

impl Content for PageContent<'_> {
    fn unpack(&mut self, most: u64, budget: &Budget) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let read = budget.limit(self.0.content()?).take(most + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("it is damaged: {error}"))?;
        Ok(self.0.marked(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_names_by_their_addresses() {
        let name = |address: &str, kind: &str| name(&Url::parse(address).unwrap(), kind);
        let html = "text/html";
        assert_eq!(name("https://x.org/", html).unwrap(), "x.org/index.html");
        assert_eq!(name("https://x.org/a/", html).unwrap(), "x.org/a/index.html");
        assert_eq!(name("https://x.org/a/b.html", html).unwrap(), "x.org/a/b.html");
        assert_eq!(name("https://x.org/a/b.php?id=1", html).unwrap(), "x.org/a/b.php?id=1.html");
        assert_eq!(name("https://x.org/a", "application/pdf").unwrap(), "x.org/a.pdf");
        #[cfg(feature = "formats")]
        assert_eq!(name("https://x.org/a.docx", "application/octet-stream").unwrap(), "x.org/a.docx");
        assert_eq!(name("https://x.org/a.png", "image/png"), None);
    }
}
