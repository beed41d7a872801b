//! Reads manual pages with Unix macros (man) or BSD macros (mdoc): sections, paragraphs, options, tables and examples.

mod about;
mod arguments;
mod conditions;
mod definitions;
mod escapes;
mod lists;
mod mdoc;
mod recognition;
mod requests;
mod tables;

pub(super) use recognition::is_manual;

use crate::document_writer::{DocumentWriter, clean};
use crate::extracted::Extracted;
use crate::extraction::Extraction;
use crate::words::one_line;
use about::About;
use arguments::arguments;
use conditions::{Conditions, Shown};
use definitions::Definitions;
use escapes::plain;
use lists::List;
use recognition::{is_comment, only_inclusion};

/// Maximum depth of nested lists, of indentation, and of macro calls.
const MAX_DEPTH: usize = 16;
/// Beginnings of lines with a section title.
const SECTIONS: [&str; 4] = [".SH", ".SS", ".Sh", ".Ss"];

/// Reads a manual page.
pub(super) fn extract(text: &str) -> Extraction {
    if let Some(page) = only_inclusion(text) {
        return Extraction::Redirect(page);
    }
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.line(line);
    }
    Extraction::Document(Box::new(reader.finish()))
}

#[derive(Debug, Default)]
struct Reader {
    writer: DocumentWriter,
    conditions: Conditions,
    /// The line that ends the skipped lines.
    passes_to: Option<String>,
    definitions: Definitions,
    /// The macro that the skipped lines define.
    defines: Option<String>,
    /// Number of nested macro calls.
    call_depth: usize,
    table: Option<tables::Table>,
    about: About,
    is_in_name: bool,
    paragraph: String,
    /// The tag of the open item, such as an option. Empty for an item without a tag.
    tag: Option<String>,
    /// Whether the next line is the tag, and whether further lines continue it.
    is_tag_next: bool,
    is_tag_open: bool,
    /// The level of the heading, if the next line is its title.
    heading_next: Option<usize>,
    verbatim: Option<Vec<String>>,
    lists: Vec<List>,
    indent: usize,
    /// Depth of the open item.
    depth: usize,
    /// Whether there are no spaces between words, and whether the first of these words has not been read yet.
    is_unspaced: bool,
    is_first_unspaced: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(end) = &self.passes_to {
            if line.trim_end() == end {
                self.passes_to = None;
                self.defines = None;
            } else if let Some(name) = &self.defines {
                self.definitions.add_line(name, line);
            }
            return;
        }
        // A section ends an unclosed table.
        if self.table.is_some() && SECTIONS.iter().any(|section| line.starts_with(section)) {
            self.end_table();
        }
        if let Some(table) = &mut self.table {
            if line.starts_with(".TE") {
                self.end_table();
            } else {
                table.line(line);
            }
            return;
        }
        if is_comment(line) {
            return;
        }
        let Shown::Line(line) = self.conditions.shown(line) else { return };
        let line = &*self.definitions.with_strings(line);
        let request = line.strip_prefix(['.', '\'']).map(|rest| rest.trim_start_matches([' ', '\t']));
        match request {
            Some(request) if line.starts_with('.') || !request.is_empty() => {
                let end = request.find([' ', '\t']).unwrap_or(request.len());
                let (name, rest) = request.split_at(end);
                self.request(name, rest);
            }
            _ => self.text(line),
        }
    }

    /// Reads a line of text.
    fn text(&mut self, line: &str) {
        let shown = plain(line);
        if shown.trim().is_empty() && line.trim().is_empty() && self.verbatim.is_none() {
            self.end_paragraph();
            return;
        }
        self.add(&shown);
    }

    /// Adds text to the open block: a heading, an example, a tag or a paragraph.
    fn add(&mut self, text: &str) {
        if let Some(level) = self.heading_next.take() {
            self.heading(level, text);
        } else if let Some(lines) = &mut self.verbatim {
            lines.push(text.trim_end().to_owned());
        } else {
            let is_tag = self.is_tag_next || self.is_tag_open;
            let joins = self.is_unspaced && !std::mem::take(&mut self.is_first_unspaced);
            let to = if is_tag { self.tag.get_or_insert_default() } else { &mut self.paragraph };
            if !to.is_empty() && !joins {
                to.push(' ');
            }
            to.push_str(text.trim());
            self.is_tag_next = false;
        }
    }

    fn add_line(&mut self, text: &str) {
        if !text.is_empty() {
            self.add(text);
        }
    }

    fn section(&mut self, level: usize, rest: &str) {
        self.end_verbatim();
        self.end_paragraph();
        self.indent = 0;
        self.lists.clear();
        let title = plain(&arguments(rest).join(" "));
        if title.trim().is_empty() { self.heading_next = Some(level) } else { self.heading(level, &title) }
    }

    fn heading(&mut self, level: usize, title: &str) {
        self.is_in_name = title.trim().eq_ignore_ascii_case("name");
        self.writer.heading(level, title);
    }

    fn begin_verbatim(&mut self) {
        if self.verbatim.is_none() {
            self.end_paragraph();
            self.verbatim = Some(Vec::new());
        }
    }

    fn end_verbatim(&mut self) {
        if let Some(lines) = self.verbatim.take() {
            self.writer.code(&lines.join("\n"));
        }
    }

    fn begin_list(&mut self, rest: &str) {
        self.end_paragraph();
        if self.lists.len() < MAX_DEPTH {
            self.lists.push(List::of(rest));
        }
    }

    fn item(&mut self, rest: &str) {
        self.end_paragraph();
        let mut words = arguments(rest);
        match self.lists.last() {
            Some(List::Columns) => {
                let text =
                    words.split(|word| word == "Ta").map(|cell| plain(&mdoc::text(cell, &self.about.name, true)));
                let cells: Vec<String> =
                    text.flat_map(|cell| cell.split('\t').map(one_line).collect::<Vec<_>>()).collect();
                self.writer.row(&cells);
            }
            Some(List::Plain) => self.set_tag(String::new()),
            _ => {
                self.is_tag_open = words.last().is_some_and(|last| last == "Xo");
                words.retain(|word| word != "Xo");
                let tag = plain(&mdoc::text(&words, &self.about.name, !self.is_unspaced));
                self.set_tag(tag);
            }
        }
    }

    /// Begins an item.
    fn set_tag(&mut self, tag: String) {
        self.depth = self.indent.max(self.lists.len().saturating_sub(1));
        self.tag = Some(tag);
    }

    fn end_paragraph(&mut self) {
        (self.is_tag_next, self.is_tag_open) = (false, false);
        let text = one_line(&std::mem::take(&mut self.paragraph));
        if self.is_in_name && self.about.description.is_empty() {
            self.about.describe(&text);
        }
        match self.tag.take() {
            Some(tag) => {
                let tag = one_line(&tag);
                let item = match (tag.as_str(), text.as_str()) {
                    ("", text) => text.to_owned(),
                    (tag, "") => tag.to_owned(),
                    (tag, text) => format!("{}: {text}", tag.trim_end_matches(':')),
                };
                self.writer.item(self.depth, &item);
            }
            None => self.writer.paragraph(&text),
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let (rows, text) = table.finish();
        rows.iter().for_each(|row| self.writer.row(row));
        self.writer.paragraph(&text);
    }

    fn finish(mut self) -> Extracted {
        self.end_table();
        self.end_verbatim();
        self.end_paragraph();
        let mut extracted = self.writer.finish(Vec::new());
        extracted.title = self.about.title();
        extracted.description = one_line(&clean(&self.about.description));
        extracted.date = self.about.date;
        extracted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(source: &str) -> Extracted {
        match extract(source) {
            Extraction::Document(extracted) => *extracted,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn manuals_of_unix_are_read() {
        let source = ".\\\" comment\n.TH DESCALE 1 \"2 May 2024\" \"kettle 1.0\"\n.de XX\n.B not shown\n..\n.ie n \\{\\\n.ds a b\n.\\}\n.el .ds a c\n.SH NAME\ndescale \\- take \\fIlime\\fR out\n\
                      .SH SYNOPSIS\n.B descale\n.RI [ options ]\n.SH OPTIONS\n.TP\n.BR \\-f , \" \" \\-\\-force\nDo it\nat once.\n.IP\nAnd more.\n.IP \\(bu 2\nItem\n.SS Examples\n.nf\n  descale \\-f\n\n  done\n.fi\n\
                      .TS\ntab(;);\nl l.\nName;Size\n_\nT{\nlid\nT};3\n.TE\n.if t not shown\n.PP\nEnd.";
        let extracted = read(source);
        assert_eq!(
            extracted.text,
            "## NAME\n\ndescale - take lime out\n\n## SYNOPSIS\n\ndescale [options]\n\n## OPTIONS\n\n- -f, --force: Do it at once.\n\nAnd more.\n\n- Item\n\n### Examples\n\n\
             ```\n  descale -f\n\n  done\n```\n\n| Name | Size |\n| lid | 3 |\n\nEnd.\n"
        );
        assert_eq!((extracted.title.as_str(), extracted.description.as_str()), ("descale(1)", "take lime out"));
        assert_eq!(extracted.date.unwrap().to_string(), "2024-05-02");
    }

    #[test]
    fn macros_and_strings_of_a_page_are_read() {
        let source = ".TH A 1\n.ds PN kettle\n.de FN\n\\fB\\\\$1\\fP in \\\\$2\n..\n.de LOOP\n.LOOP\n.LOOP\n..\n.SH FILES\nThe \\*(PN has\n.FN lid \"the box\"\nand \\N'65'.\n.LOOP\n";
        assert_eq!(read(source).text, "## FILES\n\nThe kettle has lid in the box and A.\n");
    }

    #[test]
    fn manuals_of_bsd_are_read() {
        let source = ".Dd May 2, 2024\n.Dt CAT 1\n.Os\n.Sh NAME\n.Nm cat\n.Nd concatenate files\n.Sh SYNOPSIS\n.Nm\n.Op Fl benstuv\n.Op Ar\n.Sh DESCRIPTION\nThe\n.Nm\nutility reads, see\n.Xr ls 1 .\n\
                      .Bl -tag -width indent\n.It Fl b\nNumber lines.\n.It Xo\n.Fl e\n.Ar x\n.Xc\nThe end.\n.El\n.Bd -literal\n$ cat a\n.Ed\n.Bl -bullet\n.It\nOne\n.El\n";
        let extracted = read(source);
        assert_eq!(
            extracted.text,
            "## NAME\n\ncat — concatenate files\n\n## SYNOPSIS\n\ncat [-benstuv] [file ...]\n\n## DESCRIPTION\n\nThe cat utility reads, see ls(1).\n\n\
             - -b: Number lines.\n- -e x: The end.\n\n```\n$ cat a\n```\n\n- One\n"
        );
        assert_eq!((extracted.title.as_str(), extracted.description.as_str()), ("cat(1)", "concatenate files"));
    }

    #[test]
    fn options_that_docbook_writes_as_paragraphs_are_items() {
        let source = ".TH \"GIT\\-ADD\" \"1\"\n.SH \"OPTIONS\"\n.PP\n\\-n, \\-\\-dry\\-run\n.RS 4\nDo nothing\\&.\n.sp\nMore\\&.\n.RE\n.PP\nAfter\n";
        let extracted = read(source);
        assert_eq!(extracted.text, "## OPTIONS\n\n- -n, --dry-run: Do nothing.\n\nMore.\n\nAfter\n");
        assert_eq!(extracted.title, "git-add(1)");
        let joined =
            read(".Dt SSH 1\n.Sh A\nas\n.Sm off\n.Oo Ar user @ Oc\n.Ar host\n.Sm on\nor (default:\n.Ql ~ ) .\n");
        assert_eq!(joined.text, "## A\n\nas [user@]host or (default: ‘~’).\n");
    }

    #[test]
    fn a_table_without_an_end_loses_nothing() {
        let source = ".TH A 1\n.SH ONE\n.TS\nl l.\na\tb\n.SH TWO\nText\n.TS\nl.\nc\n";
        assert_eq!(read(source).text, "## ONE\n\n| a | b |\n\n## TWO\n\nText\n\n| c |\n");
        assert_eq!(read(".SH ONE\n.TS\nAll that\nfollows\n").text, "## ONE\n\nAll that follows\n");
    }

    proptest! {
        #[test]
        fn any_lines_are_read(lines in prop::collection::vec(prop::sample::select(vec![
            ".TH A 1", ".SH", ".SH x", ".TP", ".TQ", ".IP", ".IP \\(bu", ".RS", ".RE", ".nf", ".fi", ".if n \\{", ".ie t .if n .el x", ".el \\{\\", ".\\}", ".TS", "l l.", "a\tb", "T{", "T}\tx", ".TE",
            ".de x", "..", ".Bl -tag", ".Bl -column", ".It Fl a", ".It Xo", ".Xc", ".El", ".Op Fl", ".Nm", "'", ".", "text \\f", "é\\(", ".Bd -literal", ".Ed", "", "```", "# a",
        ]), 0..40)) {
            if let Extraction::Document(extracted) = extract(&lines.join("\n")) {
                prop_assert!(extracted.headings.iter().all(|heading| extracted.text.is_char_boundary(heading.at)));
            }
        }
    }
}
