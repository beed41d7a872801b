//! Reads Markdown. The text is kept except for the marks of directives, and pulldown-cmark locates headings and blocks.

mod comments;
mod containers;
mod directives;
mod html_tables;

use crate::extracted::{Extracted, Heading};
use crate::extraction::Extraction;
use crate::front_matter::FrontMatter;
use crate::source_lines::aligned;
use crate::words::one_line;
use containers::shallow;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Reads a page with its front matter.
pub(super) fn extract(source: &str) -> Extraction {
    extract_from(source, source)
}

/// Reads a page that was made from the file `source`.
pub(super) fn extract_from(page: &str, source: &str) -> Extraction {
    let (front_matter, text) = FrontMatter::split(page);
    if let Some(reason) = front_matter.left_out() {
        return Extraction::KeptOut(reason, front_matter.notes);
    }
    let mut extracted = structure_from(text, source);
    extracted.date = front_matter.date();
    extracted.language = front_matter.language();
    extracted.metadata = front_matter.metadata();
    if let Some(title) = front_matter.title() {
        extracted.title = one_line(&title);
    }
    if let Some(description) = front_matter.description() {
        extracted.description = one_line(&description);
    }
    extracted.notes.extend(front_matter.notes);
    Extraction::Document(Box::new(extracted))
}

/// Reads a text without front matter.
#[cfg(test)]
pub(super) fn structure(text: &str) -> Extracted {
    structure_from(text, text)
}

/// Reads a text that was made from the file `source`.
pub(super) fn structure_from(text: &str, source: &str) -> Extracted {
    // Comments are removed before and after converting directives: a comment may hide the end of a directive, and
    // comments inside a directive that looks like code are kept the first time.
    let (shown, is_cut) = comments::without_comments(text);
    let plain = directives::plain(&shown);
    let has_directives = plain != *shown;
    let (text, is_cut_inside) =
        if has_directives { comments::without_comments(&plain) } else { (Cow::Borrowed(plain.as_str()), false) };
    let text = html_tables::in_markdown(&text);
    let text = &*aligned(&text, source);
    let mut extracted = Extracted { text: text.to_owned(), ..Extracted::default() };
    if is_cut || is_cut_inside {
        extracted.notes.push("a comment in it has no end, so nothing after it is read".to_owned());
    }
    // `Options::all` would also interpret other text as definition lists and metadata blocks.
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut slugs = Slugs::default();
    let mut depth = 0usize;
    let mut open: Option<Heading> = None;
    let mut first_paragraph: Option<String> = None;
    let mut in_paragraph = false;
    let parsed = shallow(text);
    for (event, range) in Parser::new_ext(&parsed, options).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    extracted.blocks.push(line_start(text, range.start));
                    match tag {
                        Tag::Heading { level, id, .. } => {
                            let anchor = id.map(|id| id.to_string()).unwrap_or_default();
                            let at = line_start(text, range.start);
                            open = Some(Heading { at, level: level as u8, title: String::new(), anchor });
                        }
                        Tag::Paragraph if first_paragraph.is_none() => {
                            first_paragraph = Some(String::new());
                            in_paragraph = true;
                        }
                        _ => {}
                    }
                }
                depth += 1;
            }
            Event::End(end) => {
                depth -= 1;
                if depth == 0 {
                    in_paragraph = false;
                }
                if let (TagEnd::Heading(_), 0, Some(mut heading)) = (end, depth, open.take()) {
                    heading.title = one_line(&heading.title);
                    if heading.anchor.is_empty() {
                        heading.anchor = slugs.unique(&heading.title);
                    }
                    extracted.headings.push(heading);
                }
            }
            Event::Text(piece) | Event::Code(piece) => {
                if let Some(heading) = &mut open {
                    heading.title.push_str(&piece);
                }
                if let Some(paragraph) = first_paragraph.as_mut().filter(|_| in_paragraph) {
                    paragraph.push_str(&piece);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut open {
                    heading.title.push(' ');
                }
                if let Some(paragraph) = first_paragraph.as_mut().filter(|_| in_paragraph) {
                    paragraph.push(' ');
                }
            }
            _ => {}
        }
    }
    extracted.blocks.dedup();
    // A first heading after other text is the title only if its level is 1. Otherwise it names a part of the page.
    let begins = |heading: &&Heading| extracted.blocks.first() == Some(&heading.at);
    let first_level = extracted.headings.iter().find(|heading| heading.level == 1);
    let first_heading = first_level.or(extracted.headings.first().filter(begins));
    extracted.title = one_line(first_heading.map_or("", |heading| &heading.title));
    extracted.description = one_line(&first_paragraph.unwrap_or_default());
    extracted
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Generates heading anchors like GitHub and mdBook.
#[derive(Default)]
struct Slugs(BTreeMap<String, u32>);

impl Slugs {
    fn unique(&mut self, title: &str) -> String {
        let slug: String = title
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                c if c.is_whitespace() => Some('-'),
                _ => None,
            })
            .collect();
        let seen = self.0.entry(slug.clone()).or_default();
        *seen += 1;
        if *seen == 1 { slug } else { format!("{slug}-{}", *seen - 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn extract(source: &str) -> Extracted {
        match super::extract(source) {
            Extraction::Document(extracted) => *extracted,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn headings_in_code_fences_do_not_split() {
        let text = "# One\n\nText `x`.\n\n~~~~\n# not a heading\n```\n~~~~\n\n## Two `b` {#second}\n\n- # nested\n\n## Two b\n";
        let extracted = extract(text);
        let found: Vec<_> = extracted.headings.iter().map(|h| (h.level, h.title.as_str(), h.anchor.as_str())).collect();
        assert_eq!(found, [(1, "One", "one"), (2, "Two b", "second"), (2, "Two b", "two-b")]);
        assert_eq!(extracted.text, text);
        assert!(extracted.text[extracted.headings[1].at..].starts_with("## Two"));
        assert_eq!((extracted.title.as_str(), extracted.description.as_str()), ("One", "Text x."));
    }

    #[test]
    fn front_matter_has_the_title_and_a_rule_is_not_front_matter() {
        let extracted = extract("\u{feff}---\ntitle: \"A: b\"\ntags: [x]\n---\nBody\n");
        assert_eq!((extracted.title.as_str(), extracted.text.as_str()), ("A: b", "\n\n\n\nBody\n"));
        let dated = |lines: &str| extract(&format!("---\n{lines}\n---\nBody\n")).date.map(|date| date.to_string());
        assert_eq!(dated("date: 2024-05-01"), Some("2024-05-01".into()));
        assert_eq!(dated("date: 2023\nlastmod: '2024-02-03T10:00:00Z'"), Some("2024-02-03".into()));
        assert_eq!(dated("date: soon"), None);
        let rule = "---\n\nJust text, and a rule.\n\n---\n\nMore\n";
        assert_eq!(extract(rule).text, rule);
    }

    #[test]
    fn deeply_nested_containers_are_removed() {
        let marks = |line: &str| containers::container_marks(line).count();
        assert_eq!(
            [marks("> > - 1. a - b"), marks("12) > x"), marks("a > b"), marks("--- a"), marks("")],
            [4, 2, 0, 0, 0]
        );
        let deep = format!("# A\n\n{}text\n\n# B\n", "> * ".repeat(1000));
        assert_eq!(shallow(&deep).len(), deep.len());
        let extracted = extract(&deep);
        assert_eq!((extracted.headings.len(), extracted.text), (2, deep));
    }

    proptest! {
        #[test]
        fn ordinary_nesting_is_not_changed(text in "[-+*>0-9.) a\n]{0,200}") {
            prop_assert_eq!(shallow(&text), text.as_str());
        }

        #[test]
        fn offsets_are_ascending_line_starts(text in "[#a`~\n \\->é|:]{0,200}") {
            let extracted = extract(&text);
            prop_assert!(extracted.blocks.is_sorted());
            for at in extracted.blocks.iter().copied().chain(extracted.headings.iter().map(|heading| heading.at)) {
                prop_assert!(at == 0 || extracted.text.as_bytes()[at - 1] == b'\n');
            }
        }
    }
}
