//! Reads Textile, the markup that Redmine and older sites use. Converts it to HTML for the web page reader.
//!
//! The Textile crate is not maintained.

mod inline;
mod tables;

use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::html;
use crate::html_tags::verbatim;
use regex::Regex;
use std::sync::LazyLock;

/// The signature of a block, which consists of its kind and its attributes: `h2(class#id){style}[en]<. `
static SIGNATURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(h[1-6]|p|bq|bc|pre|notextile|fn\d{1,4}\^?|table|###)((?:\([^)\n]*\)|\{[^}\n]*\}|\[[^\]\n]*\]|[<>=()-])*)(\.\.?)(?::\S*)?(?:[ \t]+|$)")
        .expect("the pattern is valid")
});
/// A list item. The number of marks is its depth.
static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*([*#]{1,12})(?:\([^)\n]*\)|\{[^}\n]*\}|\[[^\]\n]*\])?[ \t]+(.*)$").expect("the pattern is valid")
});
/// A definition: `- term := definition`.
static DEFINITION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^-\s+(.+?)\s*:=\s*(.*)$").expect("the pattern is valid"));
/// A name for an address: `[name]address`. Links may use the name.
static LINK_NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\[[^\]\s]+\](?:https?|ftp|mailto):\S+$").expect("the pattern is valid"));

/// Reads a page.
pub(super) fn extract(source: &str) -> Result<Extracted, ExtractError> {
    let mut extracted = html::part(&to_html(source))?;
    extracted.first_link = None;
    Ok(extracted)
}

fn to_html(source: &str) -> String {
    let source = source.replace("\r\n", "\n");
    let mut page = Page::default();
    source.lines().for_each(|line| page.line(line));
    page.end_block();
    page.end_extended();
    page.out
}

/// The state of the conversion.
#[derive(Default)]
struct Page {
    out: String,
    block: Block,
    /// The signature for blocks without their own signature, after a signature with two dots.
    extended: Option<Signature>,
}

/// The open block.
#[derive(Default)]
enum Block {
    #[default]
    None,
    /// Lines of a paragraph.
    Text(Signature, Vec<String>),
    /// Marks of the open lists, outer ones first.
    List(Vec<char>),
    /// The rows of a table. The last row may continue.
    Table(Vec<String>),
    /// A definition list.
    Definitions,
    /// Lines of an element without markup, and the tag that ends it.
    Raw(&'static str, Vec<String>),
}

/// The kind of a block, such as `h2`, and its id.
#[derive(Clone, Debug, Default)]
struct Signature {
    name: String,
    id: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if let Block::Raw(end, lines) = &mut self.block {
            lines.push(line.to_owned());
            if trimmed.contains(*end) {
                self.end_block();
            }
            return;
        }
        if trimmed.is_empty() {
            match &mut self.block {
                // A row continues until a line ends with a bar.
                Block::Table(rows) if rows.last().is_some_and(|row| !row.trim_end().ends_with('|')) => {}
                // Code after a signature with two dots may contain empty lines.
                Block::Text(signature, lines) if self.extended.is_some() && is_code(&signature.name) => {
                    lines.push(String::new());
                }
                _ => self.end_block(),
            }
            return;
        }
        if let Some(found) = SIGNATURE.captures(line) {
            self.end_block();
            self.end_extended();
            let signature = Signature { name: found[1].to_owned(), id: id_of(&found[2]) };
            if &found[3] == ".." {
                self.extended = Some(signature.clone());
            }
            let text = &line[found.get(0).map_or(0, |whole| whole.end())..];
            if signature.name == "table" {
                self.block = Block::Table(Vec::new());
            } else {
                self.block = Block::Text(signature, if text.is_empty() { Vec::new() } else { vec![text.to_owned()] });
            }
            return;
        }
        if matches!(self.block, Block::None)
            && let Some(signature) = self.extended.clone()
        {
            self.block = Block::Text(signature, vec![line.to_owned()]);
            return;
        }
        if self.begins_block(line, trimmed) {
            return;
        }
        match &mut self.block {
            Block::Text(_, lines) => lines.push(line.to_owned()),
            Block::Table(rows) if rows.last().is_some_and(|row| !row.trim_end().ends_with('|')) => {
                if let Some(row) = rows.last_mut() {
                    row.push('\n');
                    row.push_str(line);
                }
            }
            Block::Definitions => {
                self.out.push_str(&format!("<br>{}", inline::to_html(line.trim_end_matches("=:"))));
            }
            Block::List(_) => self.out.push_str(&format!("<br>{}", inline::to_html(line))),
            _ => {
                self.end_block();
                self.block = Block::Text(Signature::default(), vec![line.to_owned()]);
            }
        }
    }

    /// Reads a line that begins a block, or continues a list or a table. Returns `false` for any other line.
    fn begins_block(&mut self, line: &str, trimmed: &str) -> bool {
        let is_text = matches!(self.block, Block::Text(..));
        // Lines of code may look like any block.
        if matches!(&self.block, Block::Text(signature, _) if is_code(&signature.name)) {
            return false;
        }
        for (start, end) in [("<pre", "</pre>"), ("<notextile>", "</notextile>")] {
            if trimmed.starts_with(start) {
                self.end_block();
                self.block = Block::Raw(end, vec![line.to_owned()]);
                if trimmed.contains(end) {
                    self.end_block();
                }
                return true;
            }
        }
        if let Some(found) = ITEM.captures(line) {
            self.item(&found[1].chars().collect::<Vec<_>>(), &found[2]);
        } else if let Some(found) = DEFINITION.captures(line) {
            if !matches!(self.block, Block::Definitions) {
                self.end_block();
                self.out.push_str("<dl>");
                self.block = Block::Definitions;
            }
            self.out.push_str(&format!("<dt>{}</dt><dd>{}", inline::to_html(&found[1]), inline::to_html(&found[2])));
        } else if !is_text && tables::is_row(trimmed) {
            if let Block::Table(rows) = &mut self.block {
                rows.push(trimmed.to_owned());
            } else {
                self.end_block();
                self.block = Block::Table(vec![trimmed.to_owned()]);
            }
        } else if trimmed.len() > 2 && trimmed.bytes().all(|byte| byte == b'-') {
            self.end_block();
            self.out.push_str("<hr>\n");
        } else {
            // A name for an address is not text.
            return !is_text && LINK_NAME.is_match(trimmed);
        }
        true
    }

    fn item(&mut self, marks: &[char], text: &str) {
        if !matches!(self.block, Block::List(_)) {
            self.end_block();
            self.block = Block::List(Vec::new());
        }
        let Block::List(open) = &mut self.block else { return };
        // The last mark determines the kind of the list. The others only count.
        let Some(kind) = marks.last() else { return };
        while open.len() > marks.len() || open.len() == marks.len() && open.last() != Some(kind) {
            self.out.push_str(close(open.pop()));
        }
        if open.len() == marks.len() {
            self.out.push_str("</li><li>");
        }
        while open.len() < marks.len() {
            self.out.push_str(if *kind == '#' { "<ol><li>" } else { "<ul><li>" });
            open.push(*kind);
        }
        self.out.push_str(&inline::to_html(text));
    }

    fn end_extended(&mut self) {
        self.extended = None;
    }

    fn end_block(&mut self) {
        match std::mem::take(&mut self.block) {
            Block::None => {}
            Block::Text(signature, lines) => self.text(&signature, &lines.join("\n")),
            Block::List(mut open) => {
                while !open.is_empty() {
                    self.out.push_str(close(open.pop()));
                }
                self.out.push('\n');
            }
            Block::Definitions => self.out.push_str("</dd></dl>\n"),
            Block::Table(rows) => self.out.push_str(&tables::to_html(&rows)),
            Block::Raw(end, lines) => self.raw(end, &lines.join("\n")),
        }
    }

    fn text(&mut self, signature: &Signature, text: &str) {
        let Signature { name, id } = signature;
        match name.as_str() {
            "###" => {}
            "bc" | "pre" => self.out.push_str(&format!("<pre>{}</pre>\n", verbatim(text.trim_end()))),
            "notextile" => self.out.push_str(&format!("<p>{}</p>\n", verbatim(text))),
            "bq" => self.out.push_str(&format!("<blockquote><p>{}</p></blockquote>\n", inline::to_html(text))),
            heading if heading.starts_with('h') => {
                self.out.push_str(&format!("<{heading} id=\"{id}\">{}</{heading}>\n", inline::to_html(text)));
            }
            note if note.starts_with("fn") => {
                let number = note.trim_start_matches("fn").trim_end_matches('^');
                self.out.push_str(&format!("<p>[{number}] {}</p>\n", inline::to_html(text)));
            }
            _ if text.trim_start().starts_with('<') => self.out.push_str(&format!("{}\n", inline::to_html(text))),
            _ => self.out.push_str(&format!("<p>{}</p>\n", inline::to_html(text))),
        }
    }

    /// Writes the content of an element without markup.
    fn raw(&mut self, end: &str, text: &str) {
        let inside = text.trim_start().split_once('>').map_or("", |(_, inside)| inside);
        let (inside, after) = inside.split_once(end).unwrap_or((inside, ""));
        if end == "</pre>" {
            let (language, code) = code_of(inside);
            let code = verbatim(&code.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"));
            self.out.push_str(&format!("<pre><code class=\"language-{language}\">{code}</code></pre>\n"));
        } else {
            self.out.push_str(&format!("<p>{}</p>\n", verbatim(inside)));
        }
        if !after.trim().is_empty() {
            self.out.push_str(&format!("<p>{}</p>\n", inline::to_html(after)));
        }
    }
}

fn is_code(name: &str) -> bool {
    matches!(name, "bc" | "pre" | "notextile" | "###")
}

const fn close(mark: Option<char>) -> &'static str {
    if matches!(mark, Some('#')) { "</li></ol>" } else { "</li></ul>" }
}

/// Returns the language and the text of `<code class="ruby">…</code>` inside an element.
fn code_of(inside: &str) -> (String, &str) {
    let Some(rest) = inside.trim_start().strip_prefix("<code") else { return (String::new(), inside) };
    let Some((attributes, code)) = rest.split_once('>') else { return (String::new(), inside) };
    let class = attributes.split_once("class=").map_or("", |(_, class)| class).trim_start_matches(['"', '\'']);
    let language = class.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#')).take(20);
    (language.collect(), code.rsplit_once("</code>").map_or(code, |(code, _)| code))
}

/// Returns the id in attributes such as `(class#id)`.
fn id_of(attributes: &str) -> String {
    let inside = attributes.split_once('#').map_or("", |(_, id)| id);
    inside.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(source: &str) -> String {
        extract(source).unwrap().text
    }

    #[test]
    fn pages_have_headings_lists_tables_and_code() {
        let source = "h1(#top). Kettles\n\nThe *kettle* boils \"water(of any kind)\":https://x.org/a, see [[Manual|the manual]].[1]\nAn !lid.png(open lid)! and @a<b@.\n\n\
                      h2. Use\n\n* Fill it\n** to the _mark_\n* Switch it on\n\n# one\n# two\n\n|_. Name |_. Size |\n| lid | 3 |\n| base\nplate | 4 |\n\n\
                      bc.. run <x>\n\n  more\n\np. Done.\n\n<pre><code class=\"ruby\">\nputs 1\n</code></pre>\n\n- lid := a cover\n\n###. secret\n\nfn1. A note.\n";
        assert_eq!(
            text(source),
            "# Kettles\n\nThe kettle boils water, see the manual.[1]  \nAn open lid and `a<b`.\n\n## Use\n\n- Fill it\n  - to the mark\n- Switch it on\n\n1. one\n2. two\n\n\
             | Name | Size |\n| --- | --- |\n| lid | 3 |\n| base\u{2028}plate | 4 |\n\n```\nrun <x>\n\n  more\n```\n\nDone.\n\n```ruby\nputs 1\n```\n\nlid\n\na cover\n\n[1] A note.\n"
        );
    }

    #[test]
    fn the_text_of_hostile_pages_is_bounded_by_their_length() {
        for part in [
            "* ", "*a", "|a\n", "\"a\":", "@", "==", "<pre>\n", "bc.. ", "[[", "{{", "!a.", "_a", "<code>", "(a", "h1(",
        ] {
            let source = part.repeat(100_000);
            match extract(&source) {
                Ok(page) => assert!(page.text.len() <= 3 * source.len(), "{part:?}: {}", page.text.len()),
                Err(error) => assert!(matches!(error, ExtractError::TooDeep(_)), "{part:?}: {error}"),
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(parts in prop::collection::vec(prop::sample::select(vec![
            "h1. ", "bc.. ", "bc. ", "p. ", "* ", "** ", "# ", "*# ", "|", "|_. ", "\n", "\n\n", " ", "@", "==", "\"a\":http://x", "!a.png!", "<pre>", "</pre>",
            "<notextile>", "_", "*", "- a := b", "fn1. ", "table. ", "é", "###. ", "[a]http://x", "(", "#", "{",
        ]), 0..60)) {
            let _ = extract(&parts.concat());
        }
    }
}
