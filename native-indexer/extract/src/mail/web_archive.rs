//! Reads web pages that a browser saved as a message together with their resources (MHTML).

use super::internet;
use super::message::{Body, Sent};
use crate::error::ExtractError;
use crate::extraction::Extraction;
use crate::html;
use crate::left_out::LeftOut;

/// Reads a saved page.
pub(crate) fn extract(bytes: &[u8]) -> Result<Extraction, ExtractError> {
    let no_page = || ExtractError::Damaged("it is not a saved web page".to_owned());
    // Word omits the headers of the message.
    let message = internet::parse_any(bytes, 0).ok_or_else(no_page)?;
    let page = message.styled.iter().filter_map(|body| match body {
        Body::Page(page) => Some(page.as_str()),
        Body::Plain(_) => None,
    });
    let page = page.collect::<Vec<_>>().join("\n\n");
    if page.trim().is_empty() {
        internet::parse(bytes, 0).ok_or_else(no_page)?;
        return Ok(Extraction::LeftOut(LeftOut::Empty));
    }
    match html::extract("", &page)? {
        Extraction::Document(mut extracted) => {
            // The canonical address of the original page is not the address of the saved one.
            extracted.canonical_url = None;
            if extracted.title.is_empty() {
                extracted.title = crate::words::one_line(&message.subject);
            }
            extracted.date = extracted.date.or_else(|| message.sent.and_then(Sent::date));
            extracted.headings.iter_mut().for_each(|heading| heading.anchor.clear());
            Ok(Extraction::Document(extracted))
        }
        // If a page redirects or is a generated list, its saved content is still read.
        Extraction::Redirect(_) | Extraction::LeftOut(_) | Extraction::KeptOut(..) => {
            let extracted = html::part(&page)?;
            let is_empty = extracted.text.trim().is_empty();
            Ok(if is_empty { Extraction::LeftOut(LeftOut::Empty) } else { Extraction::Document(Box::new(extracted)) })
        }
        other => Ok(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_pages_are_read() {
        let source = "From: <Saved by Blink>\r\nSubject: =?utf-8?Q?Gr=C3=B6=C3=9Fe?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: https://x.org/\r\n\r\n<!DOCTYPE html><html><head><title>Gr=C3=B6=C3=9Fe</title></head><body><h1 id=3Da>Gr=C3=B6=C3=9Fe</h1><p>Text</p></body></html>\r\n--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBO\r\n--b--\r\n";
        let Ok(Extraction::Document(extracted)) = extract(source.as_bytes()) else { panic!() };
        assert_eq!((extracted.title.as_str(), extracted.text.as_str()), ("Größe", "# Größe\n\nText\n"));
        assert_eq!(extracted.headings[0].anchor, "");
        assert!(matches!(extract(b"nothing"), Err(ExtractError::Damaged(_))));
    }
}
