//! Reads the wiki text of MediaWiki, Wikipedia's software. Converts it to HTML for the web page reader.
//!
//! The available crates need the wiki's settings, or read only tables.

mod inline;
mod kept;
mod tables;
mod templates;
mod verbatim;

use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::html;
use kept::Kept;
use tables::Line;

/// Maximum depth of nested lists, and of nested tables.
const MAX_DEPTH: usize = 12;

/// Reads a page.
pub(super) fn extract(source: &str) -> Result<Extracted, ExtractError> {
    let mut extracted = html::part(&to_html(source))?;
    extracted.first_link = None;
    Ok(extracted)
}

fn to_html(source: &str) -> String {
    let mut kept = Kept::default();
    let text = templates::resolved(&source.replace("\r\n", "\n"), &mut kept);
    let mut page = Page::default();
    text.lines().for_each(|line| page.line(line));
    page.end_blocks();
    kept.put_back(&page.out)
}

/// The state of the conversion.
#[derive(Default)]
struct Page {
    out: String,
    /// Marks of the open lists, outer ones first.
    lists: Vec<char>,
    /// Lines of the open paragraph.
    paragraph: Vec<String>,
    /// Lines of the open code block, without the space at their beginning.
    code: Vec<String>,
    tables: usize,
    is_gallery: bool,
}

impl Page {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim_start();
        if self.is_gallery || trimmed.starts_with("<gallery") {
            self.gallery(trimmed);
        } else if trimmed.trim_start_matches(':').starts_with("{|") {
            self.end_blocks();
            if self.tables < MAX_DEPTH {
                self.tables += 1;
                self.out.push_str("<table><tr>");
            }
        } else if self.tables > 0 && tables::line_of(line) != Line::More {
            self.end_blocks();
            self.table_line(line);
        } else if let Some((level, title)) = heading(line) {
            self.end_blocks();
            let title = inline::to_html(title);
            let anchor = anchor(&title);
            self.out.push_str(&format!("<h{level} id=\"{anchor}\">{title}</h{level}>\n"));
        } else if line.starts_with("----") {
            self.end_blocks();
            self.out.push_str("<hr>\n");
            self.line(line.trim_start_matches('-'));
        } else if line.starts_with(['*', '#', ':', ';']) {
            self.end_code();
            self.end_paragraph();
            self.item(line);
        } else if line.starts_with(' ')
            && !trimmed.is_empty()
            && self.paragraph.is_empty()
            && self.tables == 0
            && !trimmed.starts_with('<')
        {
            self.end_lists();
            self.code.push(line[1..].to_owned());
        } else {
            self.end_code();
            self.end_lists();
            if trimmed.is_empty() {
                self.end_paragraph();
            } else {
                self.paragraph.push(line.to_owned());
            }
        }
    }

    /// Reads a line in a gallery, which contains a picture's name and its caption.
    fn gallery(&mut self, line: &str) {
        self.end_blocks();
        self.is_gallery = !line.contains("</gallery>");
        let caption = line.rsplit_once('|').map_or("", |(_, caption)| caption);
        if !line.starts_with('<') && !caption.is_empty() {
            self.out.push_str(&format!("<p>{}</p>\n", inline::to_html(caption)));
        }
    }

    fn table_line(&mut self, line: &str) {
        match tables::line_of(line) {
            Line::Caption(caption) => self.out.push_str(&format!("<caption>{}</caption>", inline::to_html(caption))),
            Line::Row => self.out.push_str("</tr>\n<tr>"),
            Line::Cells(cells, is_head) => self.out.push_str(&tables::cells(cells, is_head)),
            Line::End(after) => {
                self.tables -= 1;
                self.out.push_str("</tr></table>\n");
                if !after.trim().is_empty() {
                    self.line(after);
                }
            }
            Line::More => {}
        }
    }

    /// Writes a list item. Its marks determine the list.
    fn item(&mut self, line: &str) {
        let marks: Vec<char> =
            line.chars().take_while(|c| matches!(c, '*' | '#' | ':' | ';')).take(MAX_DEPTH).collect();
        let text = line.trim_start_matches(['*', '#', ':', ';']).trim();
        // A term and its definition belong to the same list.
        let is_same = |(open, mark): &(&char, &char)| kind(**open) == kind(**mark);
        let common = self.lists.iter().zip(&marks).take_while(is_same).count();
        self.close_lists(common);
        if common == marks.len() {
            let is_term = marks.last() == Some(&';');
            let open = self.lists.pop();
            self.out.push_str(&format!(
                "</{}><{}>",
                open.map_or("li", item),
                if is_term { "dt" } else { marks.last().map_or("li", |mark| item(*mark)) }
            ));
            self.lists.extend(marks.last());
        }
        for mark in &marks[common.min(marks.len())..] {
            self.out.push_str(&format!("<{}><{}>", kind(*mark), item(*mark)));
            self.lists.push(*mark);
        }
        match text.split_once(" : ").filter(|_| marks.last() == Some(&';')) {
            Some((term, said)) => {
                self.out.push_str(&format!("{}</dt><dd>{}", inline::to_html(term), inline::to_html(said)));
                self.lists.pop();
                self.lists.push(':');
            }
            None => self.out.push_str(&inline::to_html(text)),
        }
    }

    fn close_lists(&mut self, depth: usize) {
        while self.lists.len() > depth {
            if let Some(mark) = self.lists.pop() {
                self.out.push_str(&format!("</{}></{}>\n", item(mark), kind(mark)));
            }
        }
    }

    fn end_lists(&mut self) {
        self.close_lists(0);
    }

    fn end_code(&mut self) {
        if !self.code.is_empty() {
            let code = inline::to_html(&std::mem::take(&mut self.code).join("\n"));
            self.out.push_str(&format!("<pre>{code}</pre>\n"));
        }
    }

    fn end_paragraph(&mut self) {
        if !self.paragraph.is_empty() {
            let text = inline::to_html(&std::mem::take(&mut self.paragraph).join("\n"));
            self.out.push_str(&format!("<p>{text}</p>\n"));
        }
    }

    fn end_blocks(&mut self) {
        self.end_code();
        self.end_lists();
        self.end_paragraph();
    }
}

/// Returns the list tag for a mark.
const fn kind(mark: char) -> &'static str {
    match mark {
        '*' => "ul",
        '#' => "ol",
        _ => "dl",
    }
}

const fn item(mark: char) -> &'static str {
    match mark {
        '*' | '#' => "li",
        ';' => "dt",
        _ => "dd",
    }
}

/// Returns the level and the title of a heading such as `== Title ==`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let level = line.bytes().take_while(|byte| *byte == b'=').count().min(6);
    let end = line.bytes().rev().take_while(|byte| *byte == b'=').count().min(6);
    let level = level.min(end);
    let title = line.get(level..line.len().checked_sub(level)?)?.trim();
    (level > 0 && !title.is_empty() && line.len() > 2 * level).then_some((level, title))
}

/// Returns the anchor of a heading with this title in a wiki.
fn anchor(title: &str) -> String {
    title
        .chars()
        .filter(|c| !matches!(c, '"' | '<' | '>' | '&' | '\'' | '\u{f8fa}' | '\u{f8fb}'))
        .map(|c| if c.is_whitespace() { '_' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(source: &str) -> String {
        extract(source).unwrap().text
    }

    #[test]
    fn pages_have_headings_lists_and_links() {
        let source = "{{Infobox kettle\n| name = '''Model 7'''\n| volume = {{convert|2|litres}}\n}}\nThe '''kettle''' boils<!-- secret --> [[Water (drink)|water]].<ref>See [https://x.org the manual].</ref>\n\n\
                      == Use ==\n* Fill it\n** to the [[mark]]\n* Switch it on\n# one\n#: more\n; Lid : A cover\n[[Category:Kettles]]\n[[File:a.jpg|thumb|200px|The ''lid'']]\n\n=== Clean ===\n descale \\\n   --now\n\n\
                      <syntaxhighlight lang=\"sh\">\nrun <x>\ndone\n</syntaxhighlight>\nUse <code>a<b</code> &amp; <nowiki>''c''</nowiki>. __NOTOC__\n";
        assert_eq!(
            text(source),
            "- name: Model 7\n- volume: 2, litres\n\nThe kettle boils water. (See the manual.)\n\n## Use\n\n- Fill it\n  - to the mark\n- Switch it on\n\n1. one\n\n  more\n\n\
             Lid\n\nA cover\n\nThe lid\n\n### Clean\n\n```\ndescale \\\n  --now\n```\n\n```sh\nrun <x>\ndone\n```\n\nUse `a<b` & ''c''.\n"
        );
    }

    #[test]
    fn tables_keep_their_heads() {
        let source = "{| class=\"wikitable\"\n|+ Sizes\n! Name !! style=\"x\" | Size\n|-\n| lid || 3\n|-\n| base\n| 4\nand more\n|}\nAfter";
        assert_eq!(
            text(source),
            "Sizes\n\n| Name | Size |\n| --- | --- |\n| lid | 3 |\n| base | 4\u{2028}and more |\n\nAfter\n"
        );
    }

    #[test]
    fn what_is_not_closed_is_text() {
        assert_eq!(text("a {{b|c"), "a {{b|c\n");
        assert_eq!(text("a [[b"), "a [[b\n");
        assert_eq!(text("a <!-- b"), "a <!-- b\n");
        assert_eq!(text("<nowiki>a"), "a\n");
    }

    #[test]
    fn the_text_of_hostile_pages_is_bounded_by_their_length() {
        for part in [
            "{{", "{{{", "[[", "<!--", "<pre>", "<nowiki>", "<ref>", "{|\n", "''", "* ", "[http:", "{{a|", "<a", "|-\n",
        ] {
            let source = part.repeat(200_000);
            match extract(&source) {
                Ok(page) => assert!(page.text.len() <= 3 * source.len(), "{part:?}: {}", page.text.len()),
                Err(error) => assert!(matches!(error, ExtractError::TooDeep(_)), "{part:?}: {error}"),
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(parts in prop::collection::vec(prop::sample::select(vec![
            "{{", "}}", "{{{", "}}}", "|", "[[", "]]", "[", "]", "{|", "|}", "|-", "!", "!!", "\n", " ", "*", "#", ":", ";", "=", "==", "<!--", "-->",
            "<nowiki>", "</nowiki>", "<pre>", "</pre>", "<ref>", "</ref>", "é", "http://x", "''", "<br>", "<table>", "</p>", "\u{f8fa}0\u{f8fb}",
        ]), 0..60)) {
            let _ = extract(&parts.concat());
        }
    }
}
