//! Superscripts and subscripts in HTML, and footnote marks, which are left out.

use crate::scripts::Script;
use scraper::{ElementRef, Node};

/// Maximum number of nodes to inspect in a mark.
const MAX_NODES: usize = 16;

/// Returns the separator between the text `before` and a superscript or subscript.
pub(super) fn before_script(before: &str, script: ElementRef<'_>) -> &'static str {
    let place = if script.value().name() == "sup" { Script::Raised } else { Script::Lowered };
    place.separator(before, script.text().flat_map(str::chars))
}

/// Whether `element` is a mark that leads to a footnote: a superscript that contains only a short link within the page,
/// such as a number or a sign, or a link that leads to a note.
pub(super) fn is_footnote_mark(element: ElementRef<'_>) -> bool {
    match element.value().name() {
        "sup" => {}
        "a" if leads_to_note(element) => {}
        _ => return false,
    }
    let mut links = 0;
    for node in element.descendants().take(MAX_NODES) {
        match node.value() {
            Node::Element(inner) if inner.name() == "a" => {
                links += usize::from(inner.attr("href").is_some_and(|target| target.starts_with('#')));
            }
            // The text may be a number, a letter or a sign, possibly in brackets.
            Node::Text(text) => {
                let mark = text.trim().trim_matches(['[', ']', '(', ')']);
                let is_mark = mark.chars().all(|c| c.is_ascii_digit()) || mark.chars().count() == 1;
                let is_linked =
                    node.ancestors().any(|around| around.value().as_element().is_some_and(|e| e.name() == "a"));
                if !is_mark || (!mark.is_empty() && !is_linked) {
                    return false;
                }
            }
            _ => {}
        }
    }
    links == 1
}

/// Whether a link declares that it leads to a note, as in Pandoc, Docutils and DPUB-ARIA, or contains only a
/// superscript.
fn leads_to_note(link: ElementRef<'_>) -> bool {
    let value = link.value();
    let says_so = value.attr("role") == Some("doc-noteref")
        || value.classes().any(|class| matches!(class, "footnote-ref" | "footnote-reference"));
    let mut inside = link.children().filter(|child| child.value().as_text().is_none_or(|text| !text.trim().is_empty()));
    let is_script = |child: ego_tree::NodeRef<'_, Node>| child.value().as_element().is_some_and(|e| e.name() == "sup");
    says_so || (inside.next().is_some_and(is_script) && inside.next().is_none())
}

#[cfg(test)]
mod tests {
    fn markdown(page: &str) -> String {
        crate::html::part(&format!("<!doctype html><main>{page}</main>")).unwrap().text.trim().to_owned()
    }

    #[test]
    fn raised_numbers_stay_apart_from_numbers_before_them() {
        for (page, text) in [
            ("2<sup>8</sup> bytes", "2^8 bytes"),
            ("10<sup>\u{2212}3</sup> m", "10^\u{2212}3 m"),
            ("(a + b)<sup>2</sup>", "(a + b)^2"),
            ("1010<sub>2</sub> is ten", "1010_2 is ten"),
            ("H<sub>2</sub>O", "H2O"),
            ("5 km<sup>2</sup>", "5 km2"),
            ("the 1<sup>st</sup> and 2<sup>nd</sup>", "the 1st and 2nd"),
            ("Name<sup>TM</sup>", "NameTM"),
            ("As was shown.<sup>12</sup> Then", "As was shown. 12 Then"),
        ] {
            assert_eq!(markdown(&format!("<p>{page}</p>")), text, "{page}");
        }
    }

    #[test]
    fn marks_of_footnotes_are_left_out() {
        for (page, text) in [
            ("It grew by 12<sup><a href='#fn3'>3</a></sup> in a year", "It grew by 12 in a year"),
            ("word<sup id='ref1'><a href='#note-1'>[1]</a></sup>, and", "word, and"),
            ("word<sup class='r'><a href='#x'><span>[</span>a<span>]</span></a></sup>.", "word."),
            ("word<a href='#fn1' class='footnote-ref' id='r1' role='doc-noteref'><sup>1</sup></a>.", "word."),
            ("word <a class='footnote-reference brackets' href='#id2'>2</a>.", "word ."),
            ("grew by 12<a href='#n'><sup>3</sup></a>", "grew by 12"),
            ("<a href='#part-3'>3</a> parts", "3 parts"),
            // External links and links with words are text.
            ("see<sup><a href='/new'>new</a></sup>", "seenew"),
            ("x<sup><a href='https://example.org'>2</a></sup>", "x2"),
        ] {
            assert_eq!(markdown(&format!("<p>{page}</p>")), text, "{page}");
        }
    }
}
