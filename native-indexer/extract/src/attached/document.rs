//! Reads attached documents.

use super::literal::literal;
use crate::extracted::Extracted;
use crate::extraction::Extraction;
use crate::extraction::ReadPart;
use crate::html;
use crate::kinds::FileKind;
use crate::left_out::LeftOut;

/// Reads the attached `file`, or returns the reason why there is no document.
pub(crate) fn attached_document(
    kind: FileKind,
    name: &str,
    file: &[u8],
    read: ReadPart<'_>,
) -> Result<Extracted, String> {
    let outcome = if kind == FileKind::Html {
        // Instructions to robots and browsers in a page apply to a site, and not to an attachment.
        let (page, note) = html::decode(file);
        html::part(&page).map(|mut page| {
            page.notes.extend(note);
            Extraction::Document(Box::new(page))
        })
    } else {
        read(name, file)
    };
    match outcome.map_err(|error| error.to_string())? {
        Extraction::Document(document) if document.text.trim().is_empty() && document.notes.is_empty() => {
            Err("no text was found in it".to_owned())
        }
        Extraction::Document(document) if kind == FileKind::Text => Ok(literal(&document)),
        Extraction::Document(document) => Ok(*document),
        Extraction::LeftOut(LeftOut::Empty) => Err("no text was found in it".to_owned()),
        Extraction::Redirect(_) => Err("it leads to another file".to_owned()),
        _ => Err("it is not a document for readers".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::extracted::Extracted;
    use crate::extraction::Extraction;
    use crate::mail::mail_fixture as mail;
    use crate::read::extract;

    /// Reads `source` as a document.
    fn read(name: &str, source: &[u8]) -> Extracted {
        match extract(name, source).unwrap() {
            Extraction::Document(extracted) => *extracted,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn pages_that_are_attached_are_read_whatever_they_ask_of_robots() {
        let attached =
            |name: &str| format!("Content-Type: text/html\nContent-Disposition: attachment; filename={name}");
        let (hidden, leading, empty) = (attached("hidden.html"), attached("leading.html"), attached("empty.html"));
        let extracted = read(
            "a.eml",
            mail(&[
                ("Content-Type: text/plain", "Text"),
                (&hidden, "<html><head><meta name=robots content=noindex></head><body><p>Kettles</p></body></html>"),
                (&leading, "<html><head><meta http-equiv=refresh content='0; url=b.html'></head><body><p>Lids</p></body></html>"),
                (&empty, "<html><body></body></html>"),
            ])
            .as_bytes(),
        );
        assert!(
            extracted.text.ends_with("## hidden.html\n\nKettles\n\n## leading.html\n\nLids\n"),
            "{}",
            extracted.text
        );
        assert_eq!(extracted.notes, ["its attachment empty.html was left out: no text was found in it"]);
    }
}
