//! Divides a document into chunks at headings, and packs them up to a token budget.
//!
//! A document is split at every heading, mark and block. Pieces larger than the budget are split at lines, then at
//! spaces, and then anywhere. Pieces are packed greedily: a whole section joins the previous chunk if it fits, and
//! otherwise begins a new chunk. A fragment, which has fewer than [`SMALL_CHARS`] characters and at most half the
//! budget, joins its neighbor even beyond the budget, so that it is not alone. In this case, the model does not read
//! the last few words, but search by words finds them.
//!
//! Invariant: the chunks cover the text without gaps or overlaps.

use super::table_leads::{TableLead, table_leads};
use nearfind_core::records::SectionStart;
use nearfind_extract::Extracted;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Chunks with fewer characters join a neighbor.
const SMALL_CHARS: usize = 100;
/// Maximum length of a section's headings together. If they are longer, outer headings are left out.
const MAX_TITLE_BYTES: usize = 1000;

/// A chunk of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Byte range in the document's text.
    pub range: Range<usize>,
    /// The section that continues at the beginning of the chunk, and then the sections that begin in the chunk.
    pub sections: Vec<SectionStart>,
    /// Context that helps to understand the chunk but is not part of it: the names of columns, and the text that
    /// introduces a table. May be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
}

/// A section from a heading or mark to the next.
struct Section {
    range: Range<usize>,
    /// The section's headings without the document's title, and the label of its place.
    title: String,
    anchor: String,
    context: String,
}

/// A range with its number of tokens: a piece that is not split further, or several pieces packed together.
struct Piece {
    range: Range<usize>,
    tokens: usize,
}

/// Divides `document` into chunks of at most `budget` tokens, as counted by `count`. Returns at least one chunk.
///
/// ```
/// use nearfind_extract::{Extraction, extract};
/// use nearfind_indexing::chunk::chunk;
///
/// let text = "# Git\n\n## Undo\n\nRun git revert to undo a commit.\n\n## Branches\n\nCreate one with git switch.\n";
/// let Extraction::Document(document) = extract("git.md", text.as_bytes())? else { panic!("Markdown is a document") };
/// // Eight words at most.
/// let chunks = chunk(&document, 8, &|text| text.split_whitespace().count());
/// assert!(chunks.len() > 1);
/// // The chunks cover the text.
/// let joined: String = chunks.iter().map(|chunk| &document.text[chunk.range.clone()]).collect();
/// assert_eq!(joined, document.text);
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn chunk(document: &Extracted, budget: usize, count: &dyn Fn(&str) -> usize) -> Vec<Chunk> {
    let text = document.text.as_str();
    let sections = sections(document);
    let is_small =
        |piece: &Piece| piece.tokens * 2 <= budget && text[piece.range.clone()].trim().chars().count() < SMALL_CHARS;
    let mut packed: Vec<Piece> = Vec::new();
    let mut current: Option<Piece> = None;
    for section in &sections {
        let pieces = pieces(document, section.range.clone(), budget, count);
        let section_tokens: usize = pieces.iter().map(|piece| piece.tokens).sum();
        // A section that does not fit begins a new chunk, unless that would leave a fragment behind.
        let ends = |current: &mut Piece| current.tokens + section_tokens > budget && !is_small(current);
        packed.extend(current.take_if(ends));
        for piece in pieces {
            match &mut current {
                Some(current) if current.tokens + piece.tokens <= budget => current.join(&piece),
                _ => packed.extend(current.replace(piece)),
            }
        }
    }
    packed.extend(current);
    if let Some(first) = packed.first_mut() {
        first.range.start = 0;
    }
    let leads = table_leads(text);
    let merged = merge(packed, is_small).into_iter().map(|piece| piece.range);
    merged
        .map(|range| {
            // Sections are sorted, so binary search is possible. A sheet with a hundred thousand rows has thousands.
            let first = sections.partition_point(|section| section.range.end <= range.start);
            let touched = sections[first..].iter().take_while(|section| section.range.start < range.end);
            let touched: Vec<&Section> = touched.collect();
            let context = touched.iter().map(|section| &section.context).find(|context| !context.is_empty());
            Chunk {
                context: context.cloned().or_else(|| lead_at(&leads, range.start)).unwrap_or_default(),
                sections: starts(&touched, &sections, &range),
                range,
            }
        })
        .collect()
}

/// Returns the longest context that a chunk of `document` can have.
pub fn widest_context(document: &Extracted) -> String {
    let leads = table_leads(&document.text).into_iter().map(|table| table.lead);
    let contexts = document.marks.iter().map(|mark| mark.context.clone());
    contexts.chain(leads).max_by_key(String::len).unwrap_or_default()
}

/// Returns the text that introduces the table that began before `at` and continues there.
fn lead_at(leads: &[TableLead], at: usize) -> Option<String> {
    let next = leads.partition_point(|table| table.range.end <= at);
    leads.get(next).filter(|table| table.range.start < at).map(|table| table.lead.clone())
}

/// Joins each small piece to the previous one, or to the next one if it is the first.
fn merge(pieces: Vec<Piece>, is_small: impl Fn(&Piece) -> bool) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::new();
    for piece in pieces {
        match merged.last_mut() {
            Some(last) if is_small(&piece) || is_small(last) => last.join(&piece),
            _ => merged.push(piece),
        }
    }
    merged
}

impl Piece {
    /// Appends the next piece.
    const fn join(&mut self, next: &Self) {
        self.range.end = next.range.end;
        self.tokens += next.tokens;
    }
}

impl Section {
    /// Returns the start of the section in `range`.
    fn start_in(&self, range: &Range<usize>) -> SectionStart {
        SectionStart {
            at: self.range.start.saturating_sub(range.start) as u32,
            title: self.title.clone(),
            anchor: self.anchor.clone(),
        }
    }
}

fn sections(document: &Extracted) -> Vec<Section> {
    let mut cuts: Vec<usize> = document.headings.iter().map(|heading| heading.at).collect();
    cuts.extend(document.marks.iter().map(|mark| mark.at));
    cuts.push(0);
    cuts.sort_unstable();
    cuts.dedup();
    let ends = cuts.iter().skip(1).copied().chain([document.text.len()]);
    let mut headings = document.headings.iter().peekable();
    let mut marks = document.marks.iter().peekable();
    let mut chain: Vec<(u8, &str)> = Vec::new();
    let (mut anchor, mut label, mut context) = ("", "", "");
    let mut sections = Vec::new();
    for (start, end) in cuts.iter().copied().zip(ends) {
        while let Some(mark) = marks.next_if(|mark| mark.at <= start) {
            (anchor, label, context) = (&mark.anchor, &mark.label, &mark.context);
        }
        while let Some(heading) = headings.next_if(|heading| heading.at <= start) {
            chain.retain(|(level, _)| *level < heading.level);
            chain.push((heading.level, &heading.title));
            anchor = &heading.anchor;
        }
        let is_blank = || document.text[start..end].trim().is_empty() && end < document.text.len();
        // Blank lines at the beginning replace front matter.
        if start == end && !document.text.is_empty() || start == 0 && is_blank() {
            continue;
        }
        let title = section_title(&chain, &document.title);
        let comma = if title.is_empty() || label.is_empty() { "" } else { ", " };
        sections.push(Section {
            range: start..end,
            title: format!("{title}{comma}{label}"),
            anchor: anchor.to_owned(),
            context: context.to_owned(),
        });
    }
    sections
}

/// Joins the headings of `chain`, without the document's title. If they are too long, only the innermost are kept,
/// because each section repeats them.
fn section_title(chain: &[(u8, &str)], of_document: &str) -> String {
    let (mut kept, mut bytes) = (Vec::new(), 0);
    for title in chain.iter().rev().map(|(_, title)| *title).filter(|title| *title != of_document) {
        bytes += title.len();
        if bytes > MAX_TITLE_BYTES && !kept.is_empty() {
            break;
        }
        kept.push(title);
    }
    kept.reverse();
    kept.join(" > ")
}

/// Returns the section that continues at the beginning of `range`, and then the sections that begin in `range`.
fn starts(touched: &[&Section], sections: &[Section], range: &Range<usize>) -> Vec<SectionStart> {
    let found: Vec<_> = touched.iter().map(|section| section.start_in(range)).collect();
    if found.is_empty() { sections.first().map(|section| section.start_in(range)).into_iter().collect() } else { found }
}

fn pieces(document: &Extracted, section: Range<usize>, budget: usize, count: &dyn Fn(&str) -> usize) -> Vec<Piece> {
    let first = document.blocks.partition_point(|at| *at <= section.start);
    let inside = document.blocks[first..].iter().copied().take_while(|at| *at < section.end);
    let starts: Vec<usize> = std::iter::once(section.start).chain(inside).collect();
    let ends = starts.iter().skip(1).copied().chain([section.end]);
    let mut pieces = Vec::new();
    for (start, end) in starts.iter().copied().zip(ends) {
        split(&document.text, start..end, budget, count, &mut pieces);
    }
    pieces
}

/// Splits `range` until each piece fits: at lines, then at spaces, and then in the middle. Appends the pieces.
fn split(text: &str, range: Range<usize>, budget: usize, count: &dyn Fn(&str) -> usize, pieces: &mut Vec<Piece>) {
    let mut open = vec![range];
    while let Some(range) = open.pop() {
        let part = &text[range.clone()];
        let tokens = count(part);
        let cut = if tokens > budget { middle_cut(part) } else { None };
        match cut {
            // The second half is pushed first, so that the first half is processed next.
            Some(cut) => open.extend([range.start + cut..range.end, range.start..range.start + cut]),
            None => pieces.push(Piece { range, tokens }),
        }
    }
}

/// Returns where to split `part`: at the line end nearest to its middle, or else at a space, or else between
/// characters.
fn middle_cut(part: &str) -> Option<usize> {
    let middle = part.len() / 2;
    let nearest = |is_cut: fn(char) -> bool| {
        let cuts = part.char_indices().filter(|(_, c)| is_cut(*c)).map(|(at, c)| at + c.len_utf8());
        cuts.filter(|cut| *cut < part.len()).min_by_key(|cut| cut.abs_diff(middle))
    };
    nearest(|c| c == '\n').or_else(|| nearest(char::is_whitespace)).or_else(|| nearest(|_| true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearfind_extract::{Extraction, Mark, extract};
    use proptest::prelude::*;

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn markdown(text: &str) -> Extracted {
        match extract("page.md", text.as_bytes()).unwrap() {
            Extraction::Document(extracted) => *extracted,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn whole_sections_are_packed_with_their_titles() {
        let section = |title: &str, length: usize| format!("## {title}\n\n{}\n\n", "word ".repeat(length).trim());
        let text = format!("# Doc\n\nIntro.\n\n{}{}{}", section("A", 30), section("B", 30), section("C", 50));
        let chunks = chunk(&markdown(&text), 70, &words);
        let titles: Vec<Vec<_>> =
            chunks.iter().map(|chunk| chunk.sections.iter().map(|section| section.title.as_str()).collect()).collect();
        assert_eq!(titles, [vec!["", "A", "B"], vec!["C"]]);
        assert_eq!(chunks[0].sections[1].anchor, "a");
        assert!(text[chunks[0].sections[1].at as usize..].starts_with("## A"));
    }

    #[test]
    fn long_headings_are_reduced_to_the_innermost() {
        let long = "word ".repeat(150);
        let chain = [(1, "Doc"), (2, "Part"), (3, long.as_str()), (4, "Here")];
        assert_eq!(section_title(&chain, "Doc"), format!("Part > {long} > Here"));
        let longer = long.repeat(2);
        let chain = [(2, "Part"), (3, longer.as_str()), (4, "Here")];
        assert_eq!(section_title(&chain, "Doc"), "Here");
        assert_eq!(section_title(&chain[..2], "Doc"), longer);
    }

    #[test]
    fn a_long_code_block_is_cut_at_lines() {
        let code = "let value = call(argument);\n".repeat(60);
        let text = format!("# Doc\n\n```rust\n{code}```\n");
        let chunks = chunk(&markdown(&text), 40, &words);
        assert!(chunks.len() > 3);
        for chunk in &chunks[..chunks.len() - 1] {
            assert!(text[chunk.range.clone()].ends_with('\n'));
        }
    }

    #[test]
    fn small_sections_are_kept_with_their_neighbor() {
        let text = format!("# Doc\n\n{}\n\n## Tiny\n\n--zap\n", "word ".repeat(60));
        let chunks = chunk(&markdown(&text), 62, &words);
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].sections[1].title, "Tiny");
    }

    #[test]
    fn marks_divide_sections_and_have_anchors() {
        let page = "word ".repeat(20);
        let text = format!("# A\n\n{page}\n\n{page}\n\n# B\n\n{page}\n");
        let mut document = markdown(&text);
        document.title = "Doc".to_owned();
        let second = text[10..].find("word word").map(|_| 5 + page.len() + 1).unwrap();
        let mark = |at, anchor: &str, label: &str, context: &str| Mark {
            at,
            anchor: anchor.into(),
            label: label.into(),
            context: context.into(),
        };
        document.headings.iter_mut().for_each(|heading| heading.anchor = "page=2".into());
        document.headings[0].anchor = "page=1".into();
        document.marks = vec![mark(0, "page=1", "p. i", ""), mark(second, "page=2", "", "Name, Size")];
        let chunks = chunk(&document, 70, &words);
        assert_eq!(chunks.len(), 1);
        let places: Vec<_> =
            chunks[0].sections.iter().map(|start| (start.title.as_str(), start.anchor.as_str())).collect();
        assert_eq!(places, [("A, p. i", "page=1"), ("A", "page=2"), ("B", "page=2")]);
        assert_eq!(chunks[0].context, "Name, Size");
    }

    #[test]
    fn parts_of_a_long_table_go_with_what_introduces_it() {
        let rows = "| lid | 3 |\n".repeat(80);
        let text = format!("# A\n\nOther. The sizes:\n\n| Name | Size |\n| --- | --- |\n{rows}\nAfter it.\n");
        let chunks = chunk(&markdown(&text), 100, &words);
        let contexts: Vec<&str> = chunks.iter().map(|chunk| chunk.context.as_str()).collect();
        assert!(contexts.len() > 3 && contexts[0].is_empty());
        assert!(contexts[1..].iter().all(|context| *context == "The sizes:"), "{contexts:?}");
        assert_eq!(widest_context(&markdown(&text)), "The sizes:");
    }

    #[test]
    fn blank_lines_of_front_matter_belong_to_the_first_section() {
        let chunks = chunk(&markdown("---\ntitle: A\n---\n## B\n\nText.\n"), 100, &words);
        assert_eq!((chunks.len(), chunks[0].range.start), (1, 0));
        let sections: Vec<_> = chunks[0].sections.iter().map(|section| (section.at, section.title.as_str())).collect();
        assert_eq!(sections, [(3, "B")]);
    }

    #[test]
    fn an_empty_document_has_one_chunk() {
        assert_eq!(chunk(&markdown(""), 10, &words).len(), 1);
    }

    proptest! {
        #[test]
        fn chunks_rebuild_the_document_and_fit(text in "(# [ab]{1,3}\n|## c\n\n|[a-d é]{0,30}\n|\n|```\n|[a-z]{200}\n){0,40}", budget in 3usize..40) {
            let document = markdown(&text);
            let chunks = chunk(&document, budget, &words);
            let rebuilt: String = chunks.iter().map(|chunk| &document.text[chunk.range.clone()]).collect();
            prop_assert_eq!(&rebuilt, &document.text);
            for chunk in &chunks {
                // Only a fragment on each side may exceed the budget, each with at most half the budget.
                let tokens = words(&document.text[chunk.range.clone()]);
                prop_assert!(tokens <= budget + 2 * (budget / 2), "{tokens} of {budget}");
                prop_assert!(!chunk.sections.is_empty());
                prop_assert!(chunk.sections.is_sorted_by_key(|section| section.at));
            }
        }
    }
}
