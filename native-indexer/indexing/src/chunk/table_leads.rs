//! Finds the text that introduces a table: its caption, and the sentence before it. Like the column names, this text
//! makes the later parts of a long table understandable.

use std::ops::Range;

/// A shorter table usually fits into a chunk.
const MIN_TABLE_BYTES: usize = 600;
/// Maximum length in bytes of the text that introduces a table.
const MAX_BYTES: usize = 240;

/// A table, and the text that introduces it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TableLead {
    pub range: Range<usize>,
    pub lead: String,
}

/// Returns the long tables in `text` that have an introduction, in order.
pub(super) fn table_leads(text: &str) -> Vec<TableLead> {
    let mut leads: Vec<TableLead> = Vec::new();
    let mut paragraphs = Paragraphs::default();
    let mut table: Option<Range<usize>> = None;
    let mut fence: Option<&str> = None;
    let mut end = 0;
    for line in text.split_inclusive('\n').chain([""]) {
        let start = end;
        end += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with('|') && fence.is_none() {
            table = Some(table.map_or(start, |table| table.start)..end);
            continue;
        }
        if let Some(range) = table.take() {
            let lead = paragraphs.lead();
            if range.len() >= MIN_TABLE_BYTES && !lead.is_empty() {
                leads.push(TableLead { range, lead });
            }
            paragraphs = Paragraphs::default();
        }
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        if fence.is_some() || mark.is_some() || trimmed.starts_with('#') {
            fence = if fence.is_none() { mark } else { fence.filter(|open| mark != Some(open)) };
            paragraphs = Paragraphs::default();
        } else {
            paragraphs.take(trimmed);
        }
    }
    leads
}

/// The last two paragraphs. The last one may still be open.
#[derive(Default)]
struct Paragraphs<'a> {
    before: Vec<&'a str>,
    last: Vec<&'a str>,
    is_closed: bool,
}

impl<'a> Paragraphs<'a> {
    fn take(&mut self, line: &'a str) {
        if line.is_empty() {
            self.is_closed = true;
            return;
        }
        if std::mem::take(&mut self.is_closed) && !self.last.is_empty() {
            self.before = std::mem::take(&mut self.last);
        }
        self.last.push(line);
    }

    /// Returns the last sentence. If it is a caption, returns the sentence before the caption as well.
    fn lead(&self) -> String {
        let last = last_sentence(&self.last);
        let is_caption = !last.is_empty() && !last.ends_with(['.', ':', '。', '：']);
        let before = if is_caption { last_sentence(&self.before) } else { String::new() };
        let lead = format!("{before} {last}").trim().to_owned();
        if lead.len() <= MAX_BYTES { lead } else { last }
    }
}

/// Returns the last sentence of a paragraph, or the beginning of that sentence if it is too long.
fn last_sentence(lines: &[&str]) -> String {
    // A long paragraph may be hostile, and its last lines are enough.
    let text = lines[lines.len().saturating_sub(20)..].join(" ");
    let end = text.trim_end_matches(['.', ':', '。', '：', ' ']).len();
    let start = text[..end].rfind(". ").map_or(0, |at| at + 2).max(text[..end].rfind('。').map_or(0, |at| at + 3));
    let sentence = text[start..].trim();
    sentence[..sentence.floor_char_boundary(MAX_BYTES)].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leads(text: &str) -> Vec<String> {
        table_leads(text).into_iter().map(|table| table.lead).collect()
    }

    #[test]
    fn a_long_table_is_introduced_by_its_caption_and_the_sentence_before() {
        let table = "| Name | Size |\n| --- | --- |\n".to_owned() + &"| lid | 3 |\n".repeat(60);
        assert_eq!(
            leads(&format!("# A\n\nOther. The sizes\nare these:\n\n{table}\nText.\n")),
            ["The sizes are these:"]
        );
        assert_eq!(leads(&format!("Old. These fit.\n\nTable 1: Sizes\n\n{table}")), ["These fit. Table 1: Sizes"]);
        assert_eq!(leads(&format!("大小。这些是。\n\n{table}")), ["这些是。"]);
        for other in ["# Heading\n\n", "```\nText\n```\n", "Text\n\n| a |\n\n# B\n\n"] {
            assert!(leads(&format!("{other}{table}")).is_empty(), "{other}");
        }
        assert!(leads(&format!("Text\n\n```\n{table}```\n")).is_empty());
        assert!(leads("Text:\n\n| a |\n").is_empty(), "it fits a chunk");
        assert!(leads(&format!("{}\n\n{table}", "é".repeat(900)))[0].len() <= MAX_BYTES);
    }
}
