//! Converts AsciiDoc lines to Markdown blocks.

use super::inline;
use std::collections::BTreeMap;

/// Converts a page to Markdown.
pub(crate) fn to_markdown(source: &str) -> String {
    let mut reader = Reader { out: String::with_capacity(source.len()), ..Reader::default() };
    let mut lines = source.trim_start_matches('\u{feff}').lines();
    while let Some(line) = lines.next() {
        reader.line(line.trim_end(), &mut lines);
    }
    reader.end_table();
    reader.out
}

#[derive(Default)]
struct Reader {
    out: String,
    attributes: BTreeMap<String, String>,
    /// Id and language for the next block, from an attribute line.
    id: Option<String>,
    language: String,
    /// Cells of the open table, and its number of columns if an attribute declared it.
    table: Option<Table>,
    columns: Option<usize>,
    /// Whether lines with the author and the revision may follow.
    in_header: bool,
}

#[derive(Default)]
struct Table {
    columns: Option<usize>,
    cells: Vec<String>,
}

impl Reader {
    fn line<'a>(&mut self, line: &str, rest: &mut impl Iterator<Item = &'a str>) {
        if line.is_empty() {
            self.in_header = false;
            self.language.clear();
            if self.table.is_none() {
                self.out.push('\n');
            }
            return;
        }
        if self.attribute(line) {
            return;
        }
        if std::mem::take(&mut self.in_header) && !line.starts_with(['=', '[', ':', '/']) {
            self.in_header = true;
            return;
        }
        if let Some(mark) = delimiter(line) {
            self.delimited(mark, line, rest);
        } else if self.table.is_some() {
            self.cells(line);
        } else {
            self.text(line);
        }
    }

    /// Reads `:name: value`, and sets the attribute. Returns whether the line is an attribute.
    fn attribute(&mut self, line: &str) -> bool {
        let Some((name, value)) = line.strip_prefix(':').and_then(|rest| rest.split_once(':')) else { return false };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '!');
        if name.is_empty() || !name.chars().all(is_name) || !(value.is_empty() || value.starts_with(' ')) {
            return false;
        }
        self.attributes.insert(name.trim_matches('!').to_owned(), value.trim().to_owned());
        true
    }

    fn delimited<'a>(&mut self, mark: char, line: &str, rest: &mut impl Iterator<Item = &'a str>) {
        let mut inside = rest.take_while(|inner| inner.trim_end() != line);
        match mark {
            '|' => match self.table {
                Some(_) => self.end_table(),
                None => self.table = Some(Table { columns: self.columns.take(), cells: Vec::new() }),
            },
            // These are comments, and passthrough blocks, which contain HTML.
            '/' | '+' => inside.for_each(drop),
            '-' | '.' | '`' if line.len() >= 3 => {
                let code: Vec<&str> = inside.by_ref().collect();
                let code = code.join("\n");
                let fence = crate::words::fence(&code);
                let language = std::mem::take(&mut self.language);
                self.out.push_str(&format!("\n{fence}{language}\n{code}\n{fence}\n"));
            }
            // These delimit blocks that contain other blocks. The contents are kept.
            _ => self.out.push('\n'),
        }
    }

    fn text(&mut self, line: &str) {
        let level = line.bytes().take_while(|byte| *byte == b'=').count();
        let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
        let marks = level.max(hashes);
        if (1..=6).contains(&marks) && line[marks..].starts_with(' ') {
            self.title(marks, line[marks..].trim());
        } else if line.starts_with("//") || is_left_out(line) {
            // These are comments, conditions, included files and images.
        } else if let Some(attributes) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            self.block_attributes(attributes);
        } else if let Some((depth, numbered, item)) = list_item(line) {
            let mark = if numbered { "1." } else { "-" };
            let item = self.inline(item);
            self.out.push_str(&format!("{}{mark} {item}\n", "   ".repeat(depth)));
        } else if let Some((term, definition)) = definition(line) {
            let (term, definition) = (self.inline(term), self.inline(definition));
            self.out.push_str(&format!("\n- {term}: {definition}\n").replace(": \n", ":\n"));
        } else if let Some(title) = line.strip_prefix('.').filter(|title| !title.starts_with(['.', ' '])) {
            let title = self.inline(title);
            self.out.push_str(&format!("\n{title}\n\n"));
        } else {
            let line = self.inline(line.strip_suffix(" +").unwrap_or(line).trim_start());
            self.out.push_str(&format!("{line}\n"));
        }
    }

    fn title(&mut self, level: usize, title: &str) {
        let title = self.inline(title);
        let id = self.id.take().unwrap_or_else(|| id_of(&title));
        let id = if id.is_empty() { String::new() } else { format!(" {{#{id}}}") };
        self.out.push_str(&format!("\n{} {title}{id}\n\n", "#".repeat(level)));
        self.in_header = level == 1;
    }

    /// Reads `[[id]]`, `[#id]`, `[source,rust]` and `[cols="1,2"]`.
    fn block_attributes(&mut self, attributes: &str) {
        if let Some(id) = attributes.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            self.id = id.split(',').next().map(str::to_owned);
        } else if let Some(id) = attributes.strip_prefix('#') {
            self.id = id.split([',', '.', '%']).next().map(str::to_owned);
        } else if let Some(language) = attributes.strip_prefix("source,").or_else(|| attributes.strip_prefix(',')) {
            let language = language.split(',').next().unwrap_or_default().trim();
            self.language = language.chars().filter(|c| c.is_alphanumeric() || "+-#".contains(*c)).collect();
        } else if let Some((_, cols)) = attributes.split_once("cols=") {
            let list = cols.trim_start_matches('"').split('"').next().unwrap_or_default();
            let counted = list.split([',', ';']).map(|column| match column.split_once('*') {
                Some((times, _)) => times.trim().parse().unwrap_or(1),
                None => 1usize,
            });
            self.columns = Some(counted.fold(0, usize::saturating_add).clamp(1, 100));
        }
    }

    fn cells(&mut self, line: &str) {
        let line = self.inline(line);
        let Some(table) = &mut self.table else { return };
        let mut parts = line.split('|');
        let before = parts.next().unwrap_or_default();
        let mut cells = parts.peekable();
        if cells.peek().is_none() {
            // The line continues the last cell.
            if let Some(last) = table.cells.last_mut() {
                last.push_str(&format!(" {}", before.trim()));
            }
            return;
        }
        // The text before a bar declares how many columns the cell covers: `2+|`.
        let cells: Vec<String> = cells.map(|cell| cell.trim().to_owned()).collect();
        let columns = *table.columns.get_or_insert(cells.len());
        table.cells.extend(cells);
        // The last cell may continue on the next line.
        while table.cells.len() > columns {
            let row: Vec<String> = table.cells.drain(..columns).collect();
            self.out.push_str(&format!("| {} |\n", row.join(" | ")));
        }
    }

    fn end_table(&mut self) {
        if let Some(table) = self.table.take() {
            if !table.cells.is_empty() {
                self.out.push_str(&format!("| {} |\n", table.cells.join(" | ")));
            }
            self.out.push('\n');
        }
    }

    fn inline(&self, text: &str) -> String {
        inline::to_markdown(text, &self.attributes)
    }
}

/// Returns the character that identifies the delimiter of a block.
fn delimiter(line: &str) -> Option<char> {
    if matches!(line, "|===" | ",===" | ":===" | "!===") {
        return Some('|');
    }
    let mark = line.chars().next().filter(|mark| "-.+/=*_`".contains(*mark))?;
    let is_block = line.chars().all(|c| c == mark) && (line.len() >= 4 || line == "--" || line == "```");
    let is_fence = mark == '`' && line.starts_with("```") && !line[3..].contains('`') && line.len() > 3;
    (is_block || is_fence).then_some(mark).filter(|_| !is_fence || line[3..].is_empty())
}

/// Whether a line shows nothing, or something other than text.
fn is_left_out(line: &str) -> bool {
    const MACROS: [&str; 11] = [
        "include::",
        "ifdef::",
        "ifndef::",
        "ifeval::",
        "endif::",
        "image::",
        "video::",
        "toc::",
        "audio::",
        "<<<",
        "'''",
    ];
    line == "+" || MACROS.iter().any(|start| line.starts_with(start))
}

/// Returns the depth of an item, whether it is numbered, and its text.
fn list_item(line: &str) -> Option<(usize, bool, &str)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| "*.-".contains(*mark))?;
    let depth = line.chars().take_while(|c| *c == mark).count();
    let text = line[depth..].strip_prefix(' ').filter(|_| depth <= 5)?;
    let text = ["[ ] ", "[x] ", "[*] "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text);
    Some((depth - 1, mark == '.', text.trim()))
}

/// Splits `term:: definition`.
fn definition(line: &str) -> Option<(&str, &str)> {
    let at = line.find("::")?;
    let end = at + line[at..].bytes().take_while(|byte| *byte == b':').count();
    let (term, text) = (line[..at].trim(), &line[end..]);
    (!term.is_empty() && end - at <= 4 && (text.is_empty() || text.starts_with(' '))).then_some((term, text.trim()))
}

/// Returns the id that Asciidoctor generates for a section, such as `_getting_started`.
fn id_of(title: &str) -> String {
    let mut id = String::from("_");
    for c in title.to_lowercase().chars() {
        match c {
            ' ' | '-' | '.' | '_' if !id.ends_with('_') => id.push('_'),
            c if c.is_alphanumeric() => id.push(c),
            _ => {}
        }
    }
    id.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown;
    use proptest::prelude::*;

    const PAGE: &str = "\
= The Guide
Jane Doe <jane@x.org>
v1.0, 2024-01-01
:product: Widget
:toc:

Intro to {product}.

// a comment
== Getting started
include::other.adoc[]

[source,bash]
----
= not a title
run {product}
----

[[own-id]]
=== Steps
. First
.. Inner
* Bullet
+
More of it.

CPU:: The brain.

.A title of a table
[cols=\"1,2\"]
|===
|Name |Meaning

|a
|Letter a
goes on
|b |Letter b
|===

====
NOTE: Inside an example.
====
++++
<b>html</b>
++++
";

    #[test]
    fn a_page_becomes_markdown() {
        let markdown = to_markdown(PAGE);
        let extracted = markdown::structure(&markdown);
        let headings: Vec<_> =
            extracted.headings.iter().map(|h| (h.level, h.title.as_str(), h.anchor.as_str())).collect();
        assert_eq!(
            headings,
            [(1, "The Guide", "_the_guide"), (2, "Getting started", "_getting_started"), (3, "Steps", "own-id")]
        );
        for kept in [
            "Intro to Widget.",
            "```bash\n= not a title\nrun {product}\n```",
            "1. First\n   1. Inner\n- Bullet\nMore of it.",
            "- CPU: The brain.",
            "| Name | Meaning |\n| a | Letter a goes on |\n| b | Letter b |",
            "NOTE: Inside an example.",
        ] {
            assert!(markdown.contains(kept), "{kept:?} in {markdown}");
        }
        for gone in ["Jane", "v1.0", "comment", "include", "====", "html", ":toc:"] {
            assert!(!markdown.contains(gone), "{gone:?} in {markdown}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[=*.|\\-+/:\\[\\] a{}<>_`\n]{0,120}") {
            to_markdown(&text);
        }
    }
}
