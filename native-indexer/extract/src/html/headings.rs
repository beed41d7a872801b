//! Names and anchors of headings, and of terms in definition lists that have their own anchor.

use super::main_content::is_left_out;
use scraper::ElementRef;

/// Maximum number of levels between a heading and the section that it opens.
const MAX_LEVELS_TO_SECTION: usize = 3;

/// Maximum length of a declaration's name in bytes. If the name is longer, the title is the whole text.
const MAX_NAME_BYTES: usize = 1000;

/// Classes of headings that are declarations, in rustdoc, ExDoc and YARD, mkdocstrings, and RDoc.
const SIGNATURES: [&str; 4] = ["code-header", "signature", "doc-heading", "method-heading"];

/// Returns the level of a heading. Doxygen marks page titles only with a class, and RDoc marks methods in the same way.
pub(super) fn heading_level(element: ElementRef<'_>) -> Option<u8> {
    match element.value().name() {
        name @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => return Some(name.as_bytes()[1] - b'0'),
        "div" => {}
        _ => return None,
    }
    let has = |element: ElementRef<'_>, name: &str| element.value().classes().any(|class| class == name);
    let around = element.parent().and_then(ElementRef::wrap)?;
    if has(element, "title") && has(around, "headertitle") {
        return Some(1);
    }
    (has(element, "method-heading") && has(around, "method-detail")).then_some(4)
}

/// Whether a heading is a declaration. Its name is the text before the parameters.
pub(super) fn is_signature(heading: ElementRef<'_>) -> bool {
    heading.value().classes().any(|class| SIGNATURES.contains(&class))
}

/// Whether a term has its own anchor, like Sphinx declarations and glossary terms, and is not a note. If several terms
/// share an explanation, only the first counts.
pub(super) fn is_place(term: ElementRef<'_>) -> bool {
    let value = term.value();
    let before = term.prev_siblings().find_map(ElementRef::wrap);
    let has_anchor =
        value.id().is_some_and(|id| !id.is_empty()) && before.is_none_or(|before| before.value().name() != "dt");
    has_anchor && !value.classes().any(|class| matches!(class, "label" | "brackets" | "footnote"))
}

/// Returns the name in a Sphinx declaration, with its prefix, or all names of an option. Returns `None` for other
/// terms.
pub(super) fn declared_name(term: ElementRef<'_>) -> Option<String> {
    let mut declared = String::new();
    let mut has_name = false;
    for part in term.descendants().filter_map(ElementRef::wrap) {
        let has = |name: &str| part.value().classes().any(|class| class == name);
        let is_name = has("descname");
        if is_name || (has("descclassname") && !has_name) {
            if is_name && has_name {
                declared.push_str(", ");
            }
            has_name |= is_name;
            for text in part.text() {
                // Names nested inside names would repeat their text many times.
                if declared.len() > MAX_NAME_BYTES {
                    return None;
                }
                declared.push_str(text);
            }
        }
    }
    has_name.then(|| crate::words::one_line(&declared))
}

/// Whether an element in a heading is a badge, such as a version or `beta`, rather than a part of the name.
pub(super) fn is_badge(element: ElementRef<'_>) -> bool {
    element.value().classes().any(|class| class.to_ascii_lowercase().contains("badge"))
}

/// Returns the id of the heading. If it has no id, returns the id of an anchor in or directly before it, of its link to
/// itself, or of the section that it opens.
pub(super) fn heading_anchor<'a>(heading: ElementRef<'a>) -> String {
    let own = heading.value().attr("id");
    let named = |element: ElementRef<'a>| {
        Some(element)
            .filter(|element| element.value().name() == "a")
            .and_then(|a| a.value().attr("id").or(a.value().attr("name")))
    };
    let inside = || heading.descendants().filter_map(ElementRef::wrap).find_map(named);
    let before = || {
        let sibling =
            heading.prev_siblings().find(|node| node.value().as_text().is_none_or(|text| !text.trim().is_empty()))?;
        named(ElementRef::wrap(sibling)?).filter(|_| !sibling.has_children())
    };
    let permalink = || {
        let links = heading.descendants().filter_map(ElementRef::wrap).filter(|inner| is_left_out(*inner));
        links.filter_map(|link| link.value().attr("href")?.strip_prefix('#')).find(|anchor| !anchor.is_empty())
    };
    let section = || {
        let mut opener = heading;
        for _ in 0..MAX_LEVELS_TO_SECTION {
            let parent = opener.parent().and_then(ElementRef::wrap)?;
            // Searches backward. Otherwise, the search for each heading would visit the same elements before the first
            // heading.
            let mut before = opener.prev_siblings().filter_map(ElementRef::wrap);
            let opens = matches!(parent.value().name(), "section" | "div" | "header")
                && before.all(|sibling| sibling.value().name() == "span" || is_left_out(sibling));
            if !opens {
                return None;
            }
            if let Some(id) = parent.value().attr("id") {
                return Some(id);
            }
            opener = parent;
        }
        None
    };
    own.or_else(inside).or_else(before).or_else(permalink).or_else(section).unwrap_or_default().to_owned()
}
