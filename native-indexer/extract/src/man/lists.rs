//! Lists of manuals: options with what they do, items, rows of columns.

use super::arguments::arguments;
use super::escapes::plain;
use super::{MAX_DEPTH, Reader, mdoc};
use crate::words::one_line;

/// What the items of a list are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    /// Each with a word or an option before it.
    Tagged,
    Plain,
    /// Rows of columns.
    Columns,
}

impl Reader {
    pub(super) fn begin_list(&mut self, rest: &str) {
        self.end_paragraph();
        let kind = if rest.contains("-column") {
            List::Columns
        } else if ["-bullet", "-dash", "-enum", "-hyphen", "-item"].iter().any(|kind| rest.contains(kind)) {
            List::Plain
        } else {
            List::Tagged
        };
        if self.lists.len() < MAX_DEPTH {
            self.lists.push(kind);
        }
    }

    pub(super) fn item(&mut self, rest: &str) {
        self.end_paragraph();
        let mut words = arguments(rest);
        match self.lists.last() {
            Some(List::Columns) => {
                let text = words.split(|word| word == "Ta").map(|cell| plain(&mdoc::text(cell, &self.name, true)));
                let cells: Vec<String> =
                    text.flat_map(|cell| cell.split('\t').map(one_line).collect::<Vec<_>>()).collect();
                self.writer.row(&cells);
            }
            Some(List::Plain) => self.set_tag(String::new()),
            _ => {
                self.is_tag_open = words.last().is_some_and(|last| last == "Xo");
                words.retain(|word| word != "Xo");
                let tag = plain(&mdoc::text(&words, &self.name, !self.is_unspaced));
                self.set_tag(tag);
            }
        }
    }

    /// An item begins.
    pub(super) fn set_tag(&mut self, tag: String) {
        self.depth = self.indent.max(self.lists.len().saturating_sub(1));
        self.tag = Some(tag);
    }
}

/// A mark of an item that is a bullet says nothing.
pub(super) fn without_bullet(tag: &str) -> String {
    if matches!(tag.trim(), "•" | "*" | "-" | "o" | "·" | "○" | "–" | "+") {
        String::new()
    } else {
        tag.to_owned()
    }
}
