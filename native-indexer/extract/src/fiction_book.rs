//! Reads FictionBook, a format for books in a single XML file. Converts the body to HTML for the web page reader.

use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::html;
use crate::html_tags::verbatim;
use crate::words::{language_tag, one_line};

/// Number of tags at the beginning of a file to search for the root element.
const MAX_TAGS_BEFORE: usize = 100;
/// The lowest level of headings in HTML.
const MAX_LEVEL: usize = 6;

/// Reads a book.
pub(super) fn extract(bytes: &[u8]) -> Result<Extracted, ExtractError> {
    let (text, note) = html::decode(bytes);
    if !text.split('<').take(MAX_TAGS_BEFORE).any(|tag| local_name(tag) == "FictionBook") {
        return Err(ExtractError::Damaged("it is not a FictionBook".to_owned()));
    }
    let Page { html, title, language } = Page::of(&text);
    let mut extracted = html::part(&html)?;
    extracted.title = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"]
        .into_iter()
        .zip(["&", "<", ">", "\"", "'"])
        .rev()
        .fold(one_line(&title), |title, (entity, sign)| title.replace(entity, sign));
    extracted.language = language_tag(&language);
    extracted.first_link = None;
    extracted.headings.iter_mut().for_each(|heading| heading.anchor.clear());
    extracted.notes.extend(note);
    Ok(extracted)
}

/// A book as a web page under construction.
#[derive(Default)]
struct Page {
    /// The content of the book's bodies.
    html: String,
    title: String,
    language: String,
}

impl Page {
    fn of(text: &str) -> Self {
        let mut page = Self::default();
        page.html = page.bodies(text);
        page
    }

    /// Adds text of the element `name` in the description.
    fn describe(&mut self, name: &str, text: &str) {
        match name {
            "book-title" => self.title.push_str(text),
            "lang" => self.language.push_str(text),
            _ => {}
        }
    }

    fn bodies(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let (mut bodies, mut sections, mut is_title) = (0usize, 0usize, false);
        // The open element in the description, and the elements that were read. A translation contains a second title,
        // which is ignored.
        let (mut open, mut known): (&str, Vec<&str>) = ("", Vec::new());
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            let (before, tag) = rest.split_at(at);
            if bodies > 0 {
                out.push_str(before);
            } else {
                self.describe(open, before);
            }
            if let Some(comment) = tag.strip_prefix("<!--") {
                rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
                continue;
            }
            if let Some(data) = tag.strip_prefix("<![CDATA[") {
                let (data, after) = data.split_once("]]>").unwrap_or((data, ""));
                if bodies > 0 {
                    out.push_str(&verbatim(data));
                } else {
                    self.describe(open, &verbatim(data));
                }
                rest = after;
                continue;
            }
            let Some((inside, after)) = tag[1..].split_once('>') else { return out };
            rest = after;
            let is_end = inside.starts_with('/');
            let is_empty = inside.ends_with('/');
            let name = local_name(inside);
            if bodies == 0 {
                known.extend((is_end && name == open).then_some(name));
                open = if is_end || is_empty || known.contains(&name) || !matches!(name, "book-title" | "lang") {
                    ""
                } else {
                    name
                };
            }
            match (name, is_end) {
                ("body", false) if !is_empty => bodies += 1,
                ("body", true) => (bodies, sections) = (bodies.saturating_sub(1), 0),
                _ if bodies == 0 => {}
                ("section", false) if !is_empty => sections += 1,
                ("section", true) => sections = sections.saturating_sub(1),
                ("title", _) => {
                    let level = (sections + 1).min(MAX_LEVEL);
                    is_title = !is_end && !is_empty;
                    out.push_str(&if is_end { format!("</h{level}>") } else { format!("<h{level}>") });
                }
                ("p" | "v" | "subtitle" | "text-author" | "empty-line", _) if is_title => out.push(' '),
                ("p" | "v" | "subtitle" | "text-author", false) => out.push_str("<p>"),
                ("p" | "v" | "subtitle" | "text-author", true) => out.push_str("</p>"),
                ("table" | "tr" | "th" | "td" | "sub" | "sup" | "code", end) => {
                    out.push_str(&if end { format!("</{name}>") } else { format!("<{name}>") });
                }
                _ => {}
            }
        }
        out
    }
}

/// Returns the name of the element in a tag, without the prefix of its namespace.
fn local_name(tag: &str) -> &str {
    let name = tag
        .trim_start_matches('/')
        .split(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))
        .next()
        .unwrap_or_default();
    name.rsplit(':').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sections_are_chapters() {
        let source = r#"<?xml version="1.0" encoding="UTF-8"?><FictionBook xmlns="x"><description><title-info><book-title>Kettles &amp; pots</book-title><lang>en</lang></title-info></description>
            <body><title><p>Kettles</p><p>and pots</p></title><section><title><p>One</p></title><epigraph><p>Said</p></epigraph><p>First <emphasis>text</emphasis>.</p>
            <section><title><p>Inner</p></title><poem><stanza><v>A line</v></stanza></poem><!-- <p>no</p> --></section></section></body>
            <body name="notes"><section><title><p>1</p></title><p>A note.</p></section></body><binary id="a">iVBORw</binary></FictionBook>"#;
        let extracted = extract(source.as_bytes()).unwrap();
        assert_eq!(
            extracted.text,
            "# Kettles and pots\n\n## One\n\nSaid\n\nFirst text.\n\n### Inner\n\nA line\n\n## 1\n\nA note.\n"
        );
        assert_eq!((extracted.title.as_str(), extracted.language.as_str()), ("Kettles & pots", "en"));
        assert!(matches!(extract(b"<html>"), Err(ExtractError::Damaged(_))));
    }

    #[test]
    fn titles_have_attributes_and_names_have_prefixes() {
        let source = "<?xml version='1.0'?><fb:FictionBook xmlns:fb='x'><fb:description><fb:title-info><fb:book-title lang='de'>K\u{e4}nnchen</fb:book-title><fb:lang>de</fb:lang></fb:title-info>
            <fb:src-title-info><fb:book-title>Pots</fb:book-title><fb:lang>en</fb:lang></fb:src-title-info></fb:description><fb:body><fb:section><fb:title><fb:p>Eins</fb:p></fb:title><fb:p><![CDATA[a < b]]> &amp; c</fb:p></fb:section></fb:body></fb:FictionBook>";
        let extracted = extract(source.as_bytes()).unwrap();
        assert_eq!(extracted.text, "## Eins\n\na < b & c\n");
        assert_eq!((extracted.title.as_str(), extracted.language.as_str()), ("K\u{e4}nnchen", "de"));
    }

    #[test]
    fn pictures_after_an_empty_body_are_no_text() {
        let source =
            "<FictionBook><body><p>Text</p></body><body name='notes'/><binary id='a'>iVBORw</binary></FictionBook>";
        assert_eq!(extract(source.as_bytes()).unwrap().text, "Text\n");
    }

    proptest! {
        #[test]
        fn any_book_is_read_or_refused(parts in prop::collection::vec(prop::sample::select(vec![
            "<body>", "</body>", "<section>", "</section>", "<title>", "</title>", "<p>", "</p>", "<!--", "<", ">", "é", "<![CDATA[", "]]>", "<a:p>", "<lang>", "<table>", "<td>", "<title/>",
        ]), 0..40)) {
            let _ = extract(format!("<FictionBook>{}", parts.concat()).as_bytes());
        }
    }
}
