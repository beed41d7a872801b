//! Limits the length of document and place names, because every chunk and every answer repeats them.

use crate::extracted::Extracted;

/// Maximum number of characters in a title. Longer headings are text. The longest headings that authors write are
/// signatures.
const MAX_TITLE_CHARS: usize = 1000;
/// Maximum number of characters in a description, which is a sentence or two.
const MAX_DESCRIPTION_CHARS: usize = 2000;
/// Maximum number of characters in the context of a table's rows, which consists of column names.
const MAX_CONTEXT_CHARS: usize = 2000;
/// Maximum length of an address in bytes. Servers refuse longer addresses.
const MAX_ADDRESS_BYTES: usize = 2000;

/// Shortens or removes names that are too long.
pub(super) fn shorten(extracted: &mut Extracted) {
    cut(&mut extracted.title, MAX_TITLE_CHARS);
    cut(&mut extracted.description, MAX_DESCRIPTION_CHARS);
    extracted.headings.retain(|heading| heading.title.chars().nth(MAX_TITLE_CHARS).is_none());
    for anchor in extracted.headings.iter_mut().map(|heading| &mut heading.anchor) {
        clear_long_address(anchor);
    }
    for mark in &mut extracted.marks {
        cut(&mut mark.label, MAX_TITLE_CHARS);
        cut(&mut mark.context, MAX_CONTEXT_CHARS);
        clear_long_address(&mut mark.anchor);
    }
    extracted.canonical_url.take_if(|url| url.len() > MAX_ADDRESS_BYTES);
    extracted.first_link.take_if(|link| link.len() > MAX_ADDRESS_BYTES);
}

fn cut(text: &mut String, chars: usize) {
    if let Some((at, _)) = text.char_indices().nth(chars) {
        text.truncate(at);
        text.push('…');
    }
}

fn clear_long_address(address: &mut String) {
    if address.len() > MAX_ADDRESS_BYTES {
        address.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::Extraction;
    use crate::read::extract;

    fn document(name: &str, text: &str) -> Extracted {
        match extract(name, text.as_bytes()).unwrap() {
            Extraction::Document(extracted) => *extracted,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn very_long_headings_are_text() {
        let long = "word\n".repeat(50_000);
        let extracted = document("page.md", &format!("{long}====\n\n## Real\n\nText.\n"));
        assert_eq!(extracted.headings.iter().map(|heading| &*heading.title).collect::<Vec<_>>(), ["Real"]);
        assert_eq!(extracted.title.chars().count(), MAX_TITLE_CHARS + 1);
        assert!(extracted.text.starts_with(&long));
    }

    #[test]
    fn very_long_anchors_are_removed() {
        let page = format!("<!doctype html><main><h1 id='{}'>A</h1><p>Text</main>", "x".repeat(100_000));
        let extracted = document("page.html", &page);
        assert_eq!((extracted.headings[0].title.as_str(), extracted.headings[0].anchor.as_str()), ("A", ""));
    }
}
