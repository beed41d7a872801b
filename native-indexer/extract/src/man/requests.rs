//! Handles the requests and macros of a manual page.

use super::about::date;
use super::arguments::arguments;
use super::escapes::plain;
use super::lists::without_bullet;
use super::{MAX_DEPTH, Reader, mdoc, tables};
use crate::words::one_line;

/// Maximum length in bytes of a paragraph that is an option's name.
const MAX_TAG: usize = 160;

impl Reader {
    pub(super) fn request(&mut self, name: &str, rest: &str) {
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
                // An indented paragraph without a tag continues the previous item.
                if let Some(tag) = words().first() {
                    self.set_tag(without_bullet(&plain(tag)));
                }
            }
            "RS" => {
                // DocBook writes an option as a paragraph, and its description indented below.
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
                self.defines = words().first().filter(|_| matches!(name, "de" | "de1")).cloned();
                if let Some(name) = &self.defines {
                    self.definitions.begin_macro(name);
                }
            }
            "ds" => self.definitions.define_string(rest),
            "Sm" => {
                self.is_unspaced = rest.trim() == "off";
                self.is_first_unspaced = self.is_unspaced;
            }
            "br" | "Bk" | "Ek" | "Os" | "Rs" | "Re" | "Ex" | "Rv" => {}
            _ if name.starts_with('%') => self.add(&format!("{},", shown(" "))),
            _ => match self.definitions.called(name, rest) {
                Some(_) if self.call_depth == MAX_DEPTH => {}
                Some(lines) => {
                    self.call_depth += 1;
                    lines.iter().for_each(|line| self.line(line));
                    self.call_depth -= 1;
                }
                None => self.mdoc(name, rest),
            },
        }
    }

    /// Handles an mdoc macro. Unknown requests are ignored, because most concern the layout.
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
}
