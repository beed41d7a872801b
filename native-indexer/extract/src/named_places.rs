//! What names a document and its places is repeated wherever they are shown, in every chunk and in every answer: whatever a
//! file says, it is short.

use crate::extracted::Extracted;

/// Longer headings are text: the longest that people make are signatures.
const MAX_TITLE_CHARS: usize = 1000;
/// A description is a sentence or two.
const MAX_DESCRIPTION_CHARS: usize = 2000;
/// What rows of a table are understood with: the names of its columns.
const MAX_CONTEXT_CHARS: usize = 2000;
/// Longer addresses lead nowhere: servers refuse them.
const MAX_ADDRESS_BYTES: usize = 2000;

/// Shortens what is too long to be a name.
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
    fn an_endless_heading_is_text() {
        let long = "word\n".repeat(50_000);
        let extracted = document("page.md", &format!("{long}====\n\n## Real\n\nText.\n"));
        assert_eq!(extracted.headings.iter().map(|heading| &*heading.title).collect::<Vec<_>>(), ["Real"]);
        assert_eq!(extracted.title.chars().count(), MAX_TITLE_CHARS + 1);
        assert!(extracted.text.starts_with(&long));
    }

    #[test]
    fn an_endless_anchor_is_none() {
        let page = format!("<!doctype html><main><h1 id='{}'>A</h1><p>Text</main>", "x".repeat(100_000));
        let extracted = document("page.html", &page);
        assert_eq!((extracted.headings[0].title.as_str(), extracted.headings[0].anchor.as_str()), ("A", ""));
    }
}
