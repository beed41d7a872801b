//! Converts content to Markdown. The walk is iterative, so deep pages do not overflow the stack.
//!
//! Links and emphasis keep their text and lose their markup, because the text is searched and read, not rendered.

use super::formulas::formula;
use super::headings::{declared_name, heading_anchor, heading_level, is_badge, is_place, is_signature};
use super::main_content::is_left_out;
use super::metadata::marked;
use super::scripts::before_script;
use super::tables::{Cell, Line, Table};
use crate::extracted::{Extracted, Heading};
use scraper::{ElementRef, Node};

/// Converts `roots`, in order, to text with headings and blocks.
pub(super) fn convert(roots: &[ElementRef<'_>]) -> Extracted {
    let mut writer = Writer::default();
    for root in roots {
        writer.begin_block();
        walk(&mut writer, *root);
    }
    writer.finish()
}

fn walk(writer: &mut Writer, root: ElementRef<'_>) {
    let mut next = root.first_child();
    while let Some(node) = next {
        let mut descends = false;
        match node.value() {
            Node::Text(text) => writer.text(text),
            // This is the content of a template. A template that is not shown is left out completely.
            Node::Fragment => descends = true,
            Node::Element(_) => {
                let element = ElementRef::wrap(node).expect("the node is an element");
                if let Some(formula) = formula(element).filter(|_| element.attr("hidden").is_none()) {
                    writer.text(&formula);
                } else if !(is_left_out(element) || writer.heading.is_some() && is_badge(element)) {
                    writer.open(element);
                    writer.named_attributes(element);
                    descends = true;
                }
            }
            _ => {}
        }
        if descends && node.has_children() {
            next = node.first_child();
            continue;
        }
        if descends {
            writer.close(node.value().as_element().map_or("", |element| element.name()));
        }
        let mut at = node;
        next = loop {
            if let Some(sibling) = at.next_sibling() {
                break Some(sibling);
            }
            match at.parent() {
                Some(parent) if parent.id() != root.id() => {
                    writer.close(parent.value().as_element().map_or("", |element| element.name()));
                    at = parent;
                }
                _ => break None,
            }
        };
    }
}

/// Separates blocks inside a table cell, because a Markdown table row is a single line.
const BLOCK_IN_CELL: char = '\u{2028}';

/// An open list.
#[derive(Debug)]
struct List {
    is_numbered: bool,
    /// Whether the list is part of an item in another list.
    is_inner: bool,
    /// Number of items so far.
    items: u32,
}

/// A heading that is being written.
#[derive(Debug)]
struct OpenHeading {
    level: u8,
    anchor: String,
    /// Position of the heading's text in the output.
    at: usize,
    /// Name of the heading, if it is not the whole text.
    name: Option<String>,
    /// Whether the heading is a declaration. Its name is the text before the parameters.
    is_signature: bool,
    /// Whether the heading is a term in a definition list.
    is_term: bool,
    /// Whether only a class makes the element a heading.
    is_block: bool,
}

/// An open definition list.
#[derive(Debug)]
struct Terms {
    /// The heading above the list, if there is one.
    above: Option<Heading>,
    /// Whether any of the list's terms became headings.
    has_headings: bool,
    /// Whether the list is inside a heading or a cell, where terms never become headings.
    is_inner: bool,
}

#[derive(Default)]
struct Writer {
    out: String,
    headings: Vec<Heading>,
    blocks: Vec<usize>,
    /// Number of newlines before the next text: 2 between blocks, 1 between list items and rows.
    owed: usize,
    lists: Vec<List>,
    /// Whether the pending newline is a line break inside a block, which Markdown marks with two spaces.
    breaks_line: bool,
    heading: Option<OpenHeading>,
    terms: Vec<Terms>,
    /// The heading whose section continues after a definition list.
    resumed: Option<Heading>,
    /// Code block that is being collected, with its language.
    pre: Option<(String, String)>,
    /// Inline code that is being collected.
    code: Option<String>,
    /// Cells of the table row that is being written.
    row: Option<Vec<Cell>>,
    /// Whether that row is in the head of its table.
    is_row_in_head: bool,
    /// Start in `out` of the cell that is being written.
    cell: Option<usize>,
    /// The cell that is being written, without its text.
    open_cell: Cell,
    /// The outermost table.
    table: Table,
    /// Number of open tables. A table inside another table is written as plain text in the cell.
    tables: usize,
    /// Number of newlines before the row that is being written.
    row_owed: usize,
    /// Pending list mark before the next text.
    mark: Option<String>,
    /// Target of the first relative link outside headings.
    first_link: Option<String>,
}

impl Writer {
    fn open(&mut self, element: ElementRef<'_>) {
        let name = element.value().name();
        if let Some((code, _)) = &mut self.pre {
            // Some highlighters make every line a block.
            if is_block(name) && !code.is_empty() && !code.ends_with('\n') {
                code.push('\n');
            }
        }
        let level = heading_level(element).filter(|_| self.cell.is_none() && self.heading.is_none());
        if let Some(level) = level.filter(|_| name != "div" || self.pre.is_none()) {
            self.begin_heading(OpenHeading {
                level,
                anchor: heading_anchor(element),
                at: 0,
                name: None,
                is_signature: is_signature(element),
                is_term: false,
                is_block: name == "div",
            });
            return;
        }
        match name {
            "dl" => {
                self.begin_block();
                let above = self.resumed.as_ref().or(self.headings.last()).cloned();
                self.terms.push(Terms {
                    above,
                    has_headings: false,
                    is_inner: self.cell.is_some() || self.heading.is_some(),
                });
            }
            "dt" if self.terms.last().is_some_and(|terms| !terms.is_inner)
                && self.pre.is_none()
                && is_place(element) =>
            {
                let terms = self.terms.last_mut();
                let above = terms.map_or(0, |terms| {
                    terms.has_headings = true;
                    terms.above.as_ref().map_or(0, |above| above.level)
                });
                self.begin_heading(OpenHeading {
                    // Level 1 is only for the page's title.
                    level: (above + 1).clamp(2, 6),
                    anchor: heading_anchor(element),
                    at: 0,
                    name: declared_name(element),
                    is_signature: false,
                    is_term: true,
                    is_block: false,
                });
            }
            "pre" => {
                self.begin_block();
                self.pre = Some((String::new(), code_language(element)));
            }
            "code" | "kbd" | "samp" if self.pre.is_none() => self.code = Some(String::new()),
            "code" => {
                if let Some((_, language)) = self.pre.as_mut().filter(|(_, language)| language.is_empty()) {
                    *language = code_language(element);
                }
            }
            "ul" | "menu" => self.open_list(false),
            "ol" => self.open_list(true),
            "li" => {
                self.begin_item();
                let mark = match self.lists.last_mut() {
                    Some(List { is_numbered: true, items, .. }) => format!("{items}. "),
                    _ => "- ".into(),
                };
                self.mark = Some(mark).filter(|_| self.cell.is_none());
            }
            "table" => {
                self.begin_block();
                self.tables += 1;
                if self.tables == 1 {
                    self.table.begin();
                }
            }
            "tr" if self.tables == 1 && self.heading.is_none() => {
                self.row = Some(Vec::new());
                let parent = element.parent().and_then(ElementRef::wrap);
                self.is_row_in_head = parent.is_some_and(|parent| parent.value().name() == "thead");
                self.row_owed = std::mem::take(&mut self.owed);
                self.mark = None;
            }
            "td" | "th" if self.tables == 1 && self.row.is_some() => {
                let span = |name| element.attr(name).and_then(|span| span.trim().parse().ok()).unwrap_or(1);
                let (columns, rows) = (span("colspan"), span("rowspan"));
                self.open_cell = Cell { columns, rows, is_head: name == "th", ..Cell::default() };
                self.cell = Some(self.out.len());
            }
            "td" | "th" => self.space(),
            "br" => match self.pre.as_mut() {
                Some((code, _)) => code.push('\n'),
                None => self.break_line(),
            },
            "a" if self.heading.is_none() && self.first_link.is_none() => {
                let target = element.value().attr("href").unwrap_or_default();
                let relative = !target.is_empty() && !target.starts_with('#') && !target.contains(':');
                self.first_link = relative.then(|| target.to_owned());
            }
            "sup" | "sub" if self.pre.is_none() && self.code.is_none() && self.owed == 0 => {
                self.out.push_str(before_script(&self.out, element));
            }
            "img" => self.image(element.value().attr("alt").unwrap_or_default()),
            name if is_block(name) => self.begin_block(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
                if self.heading.as_ref().is_none_or(|heading| !heading.is_term && !heading.is_block) =>
            {
                self.close_heading();
            }
            "div" if self.heading.as_ref().is_some_and(|heading| heading.is_block) => self.close_heading(),
            "dt" if self.heading.as_ref().is_some_and(|heading| heading.is_term)
                && self.terms.last().is_some_and(|terms| !terms.is_inner) =>
            {
                self.close_heading();
            }
            "dl" => {
                // Text after the list is not part of the last term.
                if let Some(Terms { above: Some(above), has_headings: true, .. }) = self.terms.pop() {
                    self.resumed = Some(above);
                }
                self.owe_block();
            }
            "pre" => self.close_pre(),
            "code" | "kbd" | "samp" => {
                if let Some(code) = self.code.take() {
                    self.inline_code(&code);
                }
            }
            "ul" | "menu" | "ol" => {
                self.lists.pop();
                self.mark = None;
                self.owe_block();
            }
            "li" => self.owe(1),
            "td" | "th" if self.tables == 1 && self.row.is_some() => self.close_cell(),
            "tr" if self.tables == 1 => self.close_row(),
            "table" => {
                if self.tables == 1 {
                    let lines = self.table.end();
                    self.table_lines(lines);
                }
                self.tables = self.tables.saturating_sub(1);
                self.owe_block();
            }
            name if is_block(name) => self.owe_block(),
            _ => {}
        }
    }

    /// Writes the attributes that the page marks as content.
    fn named_attributes(&mut self, element: ElementRef<'_>) {
        for name in marked(element, "index-attrs").into_iter().flat_map(|names| names.split(',')) {
            if let Some(value) = element.value().attr(name.trim()) {
                self.space();
                self.text(value);
                self.space();
            }
        }
    }

    /// Writes the alternative text of an image. Search can find it, but it is not shown, because readers see the image.
    fn image(&mut self, alt: &str) {
        let alt = crate::words::one_line(&alt.replace(['[', ']'], " "));
        if !alt.is_empty() && self.heading.is_none() && self.code.is_none() && self.pre.is_none() {
            self.begin_text();
            self.out.push_str(&format!("![{alt}]()"));
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((code, _)) = &mut self.pre {
            code.push_str(text);
        } else if let Some(code) = &mut self.code {
            code.push_str(text);
        } else {
            self.inline(text);
        }
    }

    fn inline(&mut self, text: &str) {
        let begins_with_space = text.starts_with(char::is_whitespace);
        if begins_with_space {
            self.space();
        }
        for (number, word) in text.split_whitespace().enumerate() {
            if number > 0 {
                self.space();
            }
            self.begin_text();
            self.out.push_str(word);
        }
        if text.ends_with(char::is_whitespace) && !text.trim().is_empty() {
            self.space();
        }
    }

    fn inline_code(&mut self, code: &str) {
        let code = crate::words::one_line(code);
        if code.is_empty() {
            return;
        }
        let ticks = "`".repeat(longest_run(&code, '`') + 1);
        let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
        self.begin_text();
        self.out.push_str(&format!("{ticks}{pad}{code}{pad}{ticks}"));
    }

    /// Writes a space, unless the text already ends with one or a line begins.
    fn space(&mut self) {
        let at_cell_start = self.cell == Some(self.out.len());
        if self.owed == 0
            && self.mark.is_none()
            && !at_cell_start
            && !self.out.is_empty()
            && !self.out.ends_with([' ', '\n'])
        {
            self.out.push(' ');
        }
    }

    fn owe(&mut self, newlines: usize) {
        if let Some(start) = self.cell {
            if self.out.len() > start && !self.out.ends_with(BLOCK_IN_CELL) {
                self.out.push(BLOCK_IN_CELL);
            }
        } else if self.heading.is_some() {
            self.space();
        } else {
            self.owed = self.owed.max(newlines);
        }
    }

    /// Ends a block with a blank line.
    fn owe_block(&mut self) {
        self.owe(2);
    }

    /// Ends a line inside a block.
    fn break_line(&mut self) {
        self.owe(1);
        self.breaks_line = self.owed == 1 && self.cell.is_none();
    }

    /// Begins an item on the line after the previous item.
    fn begin_item(&mut self) {
        self.owe(1);
        let Some(list) = self.lists.last_mut() else { return };
        list.items += 1;
        if list.items > 1 || list.is_inner {
            self.owed = self.owed.min(1);
        }
    }

    fn begin_block(&mut self) {
        // The first block of an item begins after the item's mark.
        if self.mark.is_none() {
            self.owe_block();
        }
    }

    fn open_list(&mut self, is_numbered: bool) {
        self.begin_block();
        self.lists.push(List { is_numbered, is_inner: !self.lists.is_empty(), items: 0 });
    }

    /// Writes pending newlines, indentation and the list mark before text, and records the start of a block.
    fn begin_text(&mut self) {
        let at_start = self.out.is_empty();
        if self.owed == 0 && self.mark.is_none() && !at_start {
            return;
        }
        let outermost = self.lists.is_empty() || (self.lists.len() == 1 && self.mark.is_some());
        let starts_block = at_start || self.owed >= 2 || (self.owed == 1 && outermost && self.cell.is_none());
        self.pay_newlines();
        if starts_block {
            self.blocks.push(self.out.len());
            if let Some(resumed) = self.resumed.take_if(|_| self.cell.is_none()) {
                self.headings.push(Heading { at: self.out.len(), ..resumed });
            }
        }
        if self.out.is_empty() || self.out.ends_with('\n') {
            let indent =
                self.lists.len().saturating_sub(1) * 2 + usize::from(!self.lists.is_empty() && self.mark.is_none()) * 2;
            self.out.push_str(&" ".repeat(indent));
        }
        if let Some(mark) = self.mark.take() {
            self.out.push_str(&mark);
        }
    }

    fn pay_newlines(&mut self) {
        let owed = std::mem::take(&mut self.owed);
        self.out.truncate(self.out.trim_end_matches(' ').len());
        if self.out.is_empty() {
            return;
        }
        let breaks_line = std::mem::take(&mut self.breaks_line);
        if breaks_line && owed == 1 && !self.out.ends_with('\n') {
            self.out.push_str("  ");
        }
        let standing = self.out.len() - self.out.trim_end_matches('\n').len();
        for _ in standing..owed {
            self.out.push('\n');
        }
    }

    /// Begins a line that is a separate block and starts with `prefix`, and returns its start.
    fn begin_line(&mut self, prefix: &str) -> usize {
        self.mark = None;
        self.owed = 2;
        self.pay_newlines();
        let at = self.out.len();
        self.blocks.push(at);
        self.out.push_str(prefix);
        at
    }

    fn begin_heading(&mut self, heading: OpenHeading) {
        self.begin_block();
        self.resumed = None;
        let hashes = "#".repeat(heading.level.into());
        let at = self.begin_line(&format!("{hashes} "));
        self.heading = Some(OpenHeading { at, ..heading });
    }

    fn close_heading(&mut self) {
        let Some(OpenHeading { level, anchor, at, name, is_signature, .. }) = self.heading.take() else { return };
        self.out.truncate(self.out.trim_end().len());
        let title = self.out.get(at + usize::from(level) + 1..).unwrap_or_default().replace('`', "");
        // Search can find a function's parameters, but they are not part of its name.
        let title = if is_signature { title.split('(').next().unwrap_or_default() } else { &title };
        let title = name.as_deref().unwrap_or(title);
        if title.trim().is_empty() {
            self.out.truncate(at);
            self.forget_blocks(at);
        } else {
            self.headings.push(Heading { at, level, title: title.trim().to_owned(), anchor });
        }
        self.owed = 2;
    }

    /// Removes the blocks that begin at or after `start`, which are the last blocks.
    fn forget_blocks(&mut self, start: usize) {
        let kept = self.blocks.iter().rposition(|&at| at < start).map_or(0, |last| last + 1);
        self.blocks.truncate(kept);
    }

    fn close_pre(&mut self) {
        let Some((code, language)) = self.pre.take() else { return };
        let code = code.trim_matches('\n');
        if code.trim().is_empty() {
            return;
        }
        if self.cell.is_some() || self.heading.is_some() {
            self.inline_code(code);
            return;
        }
        let fence = "`".repeat(longest_run(code, '`').max(2) + 1);
        self.begin_text();
        self.out.push_str(&format!("{fence}{language}\n{code}\n{fence}"));
        self.owe_block();
    }

    fn close_cell(&mut self) {
        let Some(start) = self.cell.take() else { return };
        let cell = self.out.split_off(start.min(self.out.len()));
        self.forget_blocks(start);
        let blocks = cell.split(BLOCK_IN_CELL).map(crate::words::one_line).filter(|block| !block.is_empty());
        let blocks = blocks.collect::<Vec<_>>().join(&BLOCK_IN_CELL.to_string()).replace('|', "\\|");
        let cell = Cell { text: blocks, ..std::mem::take(&mut self.open_cell) };
        self.row.get_or_insert_default().push(cell);
        self.owed = 0;
    }

    fn close_row(&mut self) {
        self.cell = None;
        self.owed = std::mem::take(&mut self.row_owed);
        let Some(row) = self.row.take().filter(|row| !row.is_empty()) else { return };
        let lines = self.table.row(row, self.is_row_in_head);
        self.table_lines(lines);
        self.mark = None;
    }

    fn table_lines(&mut self, lines: Vec<Line>) {
        for line in lines {
            self.begin_text();
            match line {
                Line::Title(title) => {
                    self.out.push_str(&title.replace(BLOCK_IN_CELL, " "));
                    self.owed = 2;
                    continue;
                }
                Line::Names(names) => {
                    let row = format!("| {} |", names.join(" | "));
                    // A name is a single block, because other cells have their columns to separate blocks.
                    self.out.push_str(&row.replace(BLOCK_IN_CELL, " "));
                    self.out.push_str(&format!("\n|{}", " --- |".repeat(names.len())));
                }
                Line::Row(cells) => self.out.push_str(&format!("| {} |", cells.join(" | "))),
            }
            // All rows of a table form one block.
            self.owed = 1;
        }
    }

    fn finish(mut self) -> Extracted {
        self.out.truncate(self.out.trim_end().len());
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        let length = self.out.len();
        self.blocks.retain(|&at| at < length);
        self.blocks.dedup();
        let Self { out: text, headings, blocks, first_link, .. } = self;
        Extracted { first_link, text, headings, blocks, ..Extracted::default() }
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "div"
            | "section"
            | "article"
            | "main"
            | "blockquote"
            | "figure"
            | "details"
            | "dl"
            | "hr"
            | "address"
            | "aside"
            | "header"
            | "dt"
            | "dd"
            | "summary"
            | "figcaption"
            | "caption"
            | "fieldset"
            | "center"
    )
}

/// Returns the language in a class `language-x` or `lang-x` on the element, or `highlight-x` around it.
fn code_language(element: ElementRef<'_>) -> String {
    let around = element.ancestors().filter_map(ElementRef::wrap).take(2);
    let classes = std::iter::once(element).chain(around).flat_map(|element| element.value().classes());
    let language = classes.filter_map(|class| {
        let name = ["language-", "highlight-", "lang-"].iter().find_map(|prefix| class.strip_prefix(prefix))?;
        name.chars().all(|c| c.is_ascii_alphanumeric() || "+#-_.".contains(c)).then_some(name)
    });
    language.filter(|name| !matches!(*name, "default" | "none" | "text")).map(str::to_owned).next().unwrap_or_default()
}

fn longest_run(text: &str, c: char) -> usize {
    text.split(|other| other != c).map(str::len).max().unwrap_or(0)
}
