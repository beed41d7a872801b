//! Superscripts and subscripts: a number keeps apart from the one before it, as 2<sup>8</sup> is not 28; marks of
//! footnotes are left out.

use scraper::{ElementRef, Node};

/// Nodes of a mark that are looked at.
const MAX_NODES: usize = 16;

/// What separates the text of a superscript or subscript from the text `before` it.
pub(super) fn before_script(before: &str, script: ElementRef<'_>) -> &'static str {
    let first = script.text().flat_map(str::chars).find(|c| !c.is_whitespace());
    let is_number = first.is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '\u{2212}'));
    let is_raised = script.value().name() == "sup";
    match before.chars().next_back() {
        Some(last) if is_number && (last.is_ascii_digit() || last == ')') => {
            if is_raised {
                "^"
            } else {
                "_"
            }
        }
        // The number of a footnote at the end of a sentence.
        Some('.' | ',' | ';' | ':' | '!' | '?' | '"' | '\u{201d}' | '\u{bb}') if is_number && is_raised => " ",
        _ => "",
    }
}

/// Whether `element` is a mark that leads to a footnote: all of it is a link inside the page, with a number or a sign.
pub(super) fn is_footnote_mark(element: ElementRef<'_>) -> bool {
    if element.value().name() != "sup" {
        return false;
    }
    let mut links = 0;
    for node in element.descendants().skip(1).take(MAX_NODES) {
        match node.value() {
            Node::Element(inner) if inner.name() == "a" => {
                links += usize::from(inner.attr("href").is_some_and(|target| target.starts_with('#')));
            }
            // A number, a letter or a sign, perhaps in brackets.
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

#[cfg(test)]
mod tests {
    fn markdown(page: &str) -> String {
        crate::html::part(&format!("<!doctype html><main>{page}</main>")).unwrap().text.trim().to_owned()
    }

    #[test]
    fn numbers_keep_apart_from_those_that_they_stand_at() {
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
            // A link to elsewhere, or in words, is text.
            ("see<sup><a href='/new'>new</a></sup>", "seenew"),
            ("x<sup><a href='https://example.org'>2</a></sup>", "x2"),
        ] {
            assert_eq!(markdown(&format!("<p>{page}</p>")), text, "{page}");
        }
    }
}
