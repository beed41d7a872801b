//! Manual pages: the macros of Unix (man) and of BSD (mdoc), which are read to sections, paragraphs, options and examples.

mod about;
mod arguments;
mod conditions;
mod escapes;
mod lists;
mod mdoc;
mod recognition;
mod tables;

pub(super) use recognition::is_manual;

use crate::document_writer::{DocumentWriter, clean};
use crate::extracted::Extracted;
use crate::extraction::Extraction;
use crate::words::one_line;
use about::{About, date};
use arguments::arguments;
use conditions::{Conditions, Shown};
use escapes::plain;
use lists::{List, without_bullet};
use recognition::{is_comment, only_inclusion};

/// Lists and indents inside each other that are counted.
const MAX_DEPTH: usize = 16;
/// A longer paragraph is no name of an option.
const MAX_TAG: usize = 160;
/// How the lines of titles of sections begin.
const SECTIONS: [&str; 4] = [".SH", ".SS", ".Sh", ".Ss"];

/// Reads a manual.
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
    /// The line that ends what is passed over.
    passes_to: Option<String>,
    table: Option<tables::Table>,
    about: About,
    is_in_name: bool,
    paragraph: String,
    /// The option that the paragraph is about; empty for an item without one.
    tag: Option<String>,
    /// Whether the next line is one, or goes on with it.
    is_tag_next: bool,
    is_tag_open: bool,
    /// The level of the heading that the next line is.
    heading_next: Option<usize>,
    verbatim: Option<Vec<String>>,
    lists: Vec<List>,
    indent: usize,
    /// How deep the item is that has begun.
    depth: usize,
    /// Whether words follow each other without a space, and whether the first of them is still to come.
    is_unspaced: bool,
    is_first_unspaced: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(end) = &self.passes_to {
            if line.trim_end() == end {
                self.passes_to = None;
            }
            return;
        }
        // A section ends a table that has no end.
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

    /// A line of text.
    fn text(&mut self, line: &str) {
        let shown = plain(line);
        if shown.trim().is_empty() && line.trim().is_empty() && self.verbatim.is_none() {
            self.end_paragraph();
            return;
        }
        self.add(&shown);
    }

    /// Text that was read, wherever it belongs.
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

    fn request(&mut self, name: &str, rest: &str) {
        let words = || arguments(rest);
        let shown = |separator: &str| plain(&words().join(separator));
        match name {
            "TH" | "Dt" => self.about.begin(&words()),
            "Dd" => self.about.date = date(&plain(rest)),
            "SH" | "Sh" => self.section(2, rest),
            "SS" | "Ss" => self.section(3, rest),
            "PP" | "P" | "LP" | "Pp" | "HP" | "sp" | "Lp" | "SY" => {
                match &mut self.verbatim {
                    Some(lines) => lines.push(String::new()),
                    None => self.end_paragraph(),
                }
                if name == "SY" {
                    self.add(&shown(" "));
                }
            }
            "TP" => {
                self.end_paragraph();
                self.set_tag(String::new());
                self.is_tag_next = true;
            }
            "TQ" => {
                if let Some(tag) = &mut self.tag {
                    tag.push(',');
                }
                self.is_tag_next = true;
            }
            "IP" => {
                self.end_paragraph();
                // An indented paragraph without a mark goes on with what is before.
                if let Some(tag) = words().first() {
                    self.set_tag(without_bullet(&plain(tag)));
                }
            }
            "RS" => {
                // DocBook writes an option as a paragraph, and what it does indented below.
                if self.tag.is_none() && !self.paragraph.is_empty() && self.paragraph.len() <= MAX_TAG {
                    self.set_tag(String::new());
                    self.tag = Some(std::mem::take(&mut self.paragraph));
                } else if self.tag.is_none() {
                    self.end_paragraph();
                }
                self.indent = (self.indent + 1).min(MAX_DEPTH);
            }
            "RE" => {
                self.end_paragraph();
                self.indent = self.indent.saturating_sub(1);
            }
            "B" | "I" | "SM" | "SB" | "R" | "MR" if name != "MR" || words().len() < 2 => self.add_line(&shown(" ")),
            "MR" => {
                let words = words();
                let page = words.first().map_or("", String::as_str);
                let section = words.get(1).map_or("", String::as_str);
                self.add_line(&plain(&format!("{page}({section}){}", words.get(2).map_or("", String::as_str))));
            }
            "BR" | "RB" | "BI" | "IB" | "IR" | "RI" => self.add_line(&shown("")),
            "OP" => self.add_line(&format!("[{}]", shown(" "))),
            "UR" | "MT" => self.add_line(&shown(" ")),
            "nf" | "EX" | "Vb" => self.begin_verbatim(),
            "fi" | "EE" | "Ve" => self.end_verbatim(),
            "Bd" if rest.contains("-literal") || rest.contains("-unfilled") => self.begin_verbatim(),
            "Bd" => self.end_paragraph(),
            "Ed" => {
                self.end_verbatim();
                self.end_paragraph();
            }
            "Dl" | "D1" => {
                self.begin_verbatim();
                let text = mdoc::text(&words(), &self.about.name, true);
                self.add(&plain(&text));
                self.end_verbatim();
            }
            "Bl" => self.begin_list(rest),
            "El" => {
                self.end_paragraph();
                self.lists.pop();
            }
            "It" => self.item(rest),
            "Xc" => self.is_tag_open = false,
            "Nd" => {
                self.about.description = one_line(&plain(rest));
                self.add(&format!("— {}", plain(rest).trim()));
            }
            "TS" => {
                self.end_paragraph();
                self.table = Some(tables::Table::default());
            }
            "de" | "de1" | "am" | "ig" | "EQ" | "PS" => {
                let end = match (name, words().get(1)) {
                    ("EQ", _) => ".EN".to_owned(),
                    ("PS", _) => ".PE".to_owned(),
                    ("ig", _) | (_, None) => "..".to_owned(),
                    (_, Some(end)) => format!(".{end}"),
                };
                self.passes_to = Some(end);
            }
            "Sm" => {
                self.is_unspaced = rest.trim() == "off";
                self.is_first_unspaced = self.is_unspaced;
            }
            "br" | "Bk" | "Ek" | "Os" | "Rs" | "Re" | "Ex" | "Rv" => {}
            _ if name.starts_with('%') => self.add(&format!("{},", shown(" "))),
            _ => self.mdoc(name, rest),
        }
    }

    /// A line whose first word is a macro of BSD; others are about looks.
    fn mdoc(&mut self, name: &str, rest: &str) {
        let mut words = arguments(rest);
        if name == "Nm" && self.about.name.is_empty() {
            self.about.name = words.first().map(|word| plain(word)).unwrap_or_default();
        }
        let is_known = name.len() == 2 || name.len() == 3;
        if !is_known || !name.starts_with(|c: char| c.is_ascii_uppercase()) || !mdoc::is_callable(name) {
            return;
        }
        words.insert(0, name.to_owned());
        let text = mdoc::text(&words, &self.about.name, !self.is_unspaced);
        self.add_line(&plain(&text));
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

    /// An item begins.
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
