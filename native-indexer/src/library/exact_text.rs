//! Text as it is written, in every document: what neither words nor meaning find, such as punctuation, parts of words and
//! regular expressions.
//!
//! The blocks of pages that may have it are decompressed and scanned, on all cores: those with its trigrams, where a bundle
//! knows them, else all. A page of an answer says exactly how much there is in all.

use super::exact_pattern::ExactPattern;
use super::files::SourceFile;
use super::filters::PathFilter;
use super::open_bundle::OpenBundle;
use super::origin::Origin;
use super::symbols::enclosing;
use super::{Document, View};
use anyhow::Result;
use nearfind_core::format::Part;
use nearfind_core::format::blocks::BlockId;
use nearfind_core::grep::{BlockLines, Candidates, FoundLine, Search, joined, scan_block};
use nearfind_core::records::SectionStart;
use nearfind_core::symbols::SymbolKind;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Blocks of pages that are scanned before their texts may be let go of.
const BATCH: usize = 1_024;
/// Bytes of a line that are shown, around its match.
const SHOWN_BYTES: usize = 400;

/// What is asked.
#[derive(Clone)]
pub struct ExactQuestion {
    /// What is looked for.
    pub pattern: ExactPattern,
    /// Projects whose documents are searched, as [`View::project`] names them; none for all.
    pub projects: Vec<String>,
    /// The paths that are searched.
    pub path: Option<PathFilter>,
    /// Lines to leave out at the start.
    pub offset: usize,
    /// Lines wanted after them, at most.
    pub limit: usize,
    /// Lines to show before and after each.
    pub context: usize,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct ExactReply {
    /// Lines that match, in all documents.
    pub lines: usize,
    /// Documents that have such lines.
    pub documents: usize,
    /// The lines that were asked for, by project, path and number.
    pub found: Vec<ExactLine>,
    /// What is wrong with bundles that could not be searched.
    pub notices: Vec<String>,
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExactLine {
    /// Project and path.
    pub document: String,
    /// Name of the project.
    pub project: String,
    /// Path inside its source.
    pub path: String,
    /// Title of the document.
    pub title: String,
    /// Where readers find the section; `None` if nowhere.
    pub url: Option<String>,
    /// Headings above the line, joined by ` > `; in source code what is around it, as in `Session.send`.
    pub section: String,
    /// What kind of thing that is, in source code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<SymbolKind>,
    /// Its number in the document's text, from 1.
    pub line: usize,
    /// The line, or its part around the match.
    pub text: String,
    /// The lines before it.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

/// A file with lines that match.
struct Matching {
    bundle: Arc<OpenBundle>,
    /// Its first document.
    document: u32,
    /// Project and path.
    place: (String, String),
    lines: Vec<FoundLine>,
}

impl View {
    /// Looks for a text in the documents of all bundles.
    pub fn find_exact(&self, question: &ExactQuestion) -> Result<ExactReply> {
        let mut matching: Vec<Matching> = Vec::new();
        for (number, bundle) in self.bundles.iter().enumerate() {
            let mut found = bundle.matching_files(question)?;
            // Of several bundles with one document the first counts.
            for before in &self.bundles[..number] {
                let known: BTreeSet<(&str, &str)> =
                    before.listed()?.iter().map(|listed| (listed.project.as_str(), listed.path.as_str())).collect();
                found.retain(|file| !known.contains(&(file.place.0.as_str(), file.place.1.as_str())));
            }
            matching.extend(found);
        }
        matching.sort_by(|a, b| a.place.cmp(&b.place));
        let (mut lines, documents, mut shown) = (0, matching.len(), Vec::new());
        for file in &matching {
            let wanted = |at: usize| (question.offset..question.offset + question.limit).contains(&at);
            let chosen = (lines..).zip(&file.lines).filter(|(at, _)| wanted(*at)).map(|(_, line)| *line);
            let chosen: Vec<FoundLine> = chosen.collect();
            lines += file.lines.len();
            if !chosen.is_empty() {
                shown.extend(show(&file.bundle, &file.bundle.file(file.document)?, &chosen, question)?);
            }
        }
        Ok(ExactReply { lines, documents, found: shown, notices: self.problems.clone() })
    }
}

impl OpenBundle {
    /// The files with lines that match.
    fn matching_files(self: &Arc<Self>, question: &ExactQuestion) -> Result<Vec<Matching>> {
        let projects: Vec<bool> = {
            let searcher = self.searcher();
            let wanted = |name: &String| question.projects.is_empty() || question.projects.contains(name);
            searcher.root().projects.iter().map(|project| wanted(&project.name)).collect()
        };
        let accepts = |project: u32, path: &str| {
            projects.get(project as usize) == Some(&true) && question.path.as_ref().is_none_or(|wanted| wanted(path))
        };
        let mut scanned: Vec<BlockLines> = Vec::new();
        for blocks in self.candidates(&question.pattern)?.chunks(BATCH) {
            scanned.extend(self.scan(blocks, &question.pattern, &accepts)?);
            self.forget_texts();
        }
        let mut matcher = |text: &str, numbers: &mut Vec<u32>| question.pattern.matching_lines(text, numbers);
        let found = joined(&self.searcher(), scanned, &mut matcher)?;
        let mut files: Vec<Matching> = Vec::new();
        for line in found {
            let document = {
                let searcher = self.searcher();
                searcher.file_of_document(searcher.document_of(line.chunk)?)?.start
            };
            match files.last_mut() {
                Some(file) if file.document == document => file.lines.push(line),
                _ => {
                    let place = self.place_of(line.chunk)?;
                    files.push(Matching { bundle: Arc::clone(self), document, place, lines: vec![line] });
                }
            }
        }
        Ok(files)
    }

    /// The blocks of pages that may have lines that match.
    fn candidates(&self, pattern: &ExactPattern) -> Result<Vec<u32>> {
        let at_hand = matches!(self.origin(), Origin::Folder(..));
        let mut candidates = Candidates::new(pattern.plan().clone(), at_hand);
        loop {
            let search = candidates.advance(&self.searcher())?;
            match search {
                Search::Found(blocks) => return Ok(blocks),
                Search::Need(blocks) => self.bring(blocks)?,
            }
        }
    }

    /// Scans blocks of pages on all cores.
    fn scan(
        &self,
        blocks: &[u32],
        pattern: &ExactPattern,
        accepts: &(dyn Fn(u32, &str) -> bool + Sync),
    ) -> Result<Vec<BlockLines>> {
        let needed: Vec<BlockId> = blocks.iter().map(|&block| BlockId { part: Part::Pages, block }).collect();
        self.with_blocks(
            |_| Ok(needed.clone()),
            |searcher| {
                let scan_one = |&block: &u32| {
                    let mut matcher = |text: &str, numbers: &mut Vec<u32>| pattern.matching_lines(text, numbers);
                    scan_block(searcher, block, &mut |project, path| accepts(project, path), &mut matcher)
                };
                blocks.par_iter().map(scan_one).collect()
            },
        )
    }
}

/// Lines of a file with what is around them.
fn show(
    bundle: &OpenBundle,
    file: &SourceFile,
    lines: &[FoundLine],
    question: &ExactQuestion,
) -> Result<Vec<ExactLine>> {
    let document = &file.document;
    let text = document.text();
    let all: Vec<&str> = text.lines().collect();
    let sections = sections(document);
    let definitions = if document.pieces.is_empty() { Vec::new() } else { bundle.definitions(file.numbers.clone())? };
    let show_one = |found: &FoundLine| {
        let number = file.line_before(found.chunk) + found.line as usize;
        let line = *all.get(number)?;
        let at = line.as_ptr() as usize - text.as_ptr() as usize;
        let section = sections.iter().rev().find(|(start, _)| *start <= at).map(|(_, section)| *section);
        let symbol = enclosing(&definitions, number as u32 + 1);
        let anchor = match (symbol, section) {
            _ if !document.pieces.is_empty() => format!("L{}", number + 1),
            (_, Some(section)) => section.anchor.clone(),
            _ => String::new(),
        };
        let anchored = |url: &String| if anchor.is_empty() { url.clone() } else { format!("{url}#{anchor}") };
        let around = |lines: &[&str]| lines.iter().map(|line| shortened(line, 0)).collect();
        let section = match symbol {
            Some(symbol) => symbol.definition.qualified(),
            None if document.pieces.is_empty() => section.map(|section| section.title.clone()).unwrap_or_default(),
            None => String::new(),
        };
        Some(ExactLine {
            document: document.id.clone(),
            project: document.project.clone(),
            path: document.path.clone(),
            title: document.title.clone(),
            url: document.url.as_ref().map(anchored),
            section,
            kind: symbol.map(|symbol| symbol.definition.kind),
            line: number + 1,
            text: shortened(line, question.pattern.place_in(line)),
            before: around(&all[number.saturating_sub(question.context)..number]),
            after: around(&all[number + 1..(number + 1 + question.context).min(all.len())]),
        })
    };
    Ok(lines.iter().filter_map(show_one).collect())
}

/// The sections of a document, each with the byte of the text at which it begins.
fn sections(document: &Document) -> Vec<(usize, &SectionStart)> {
    let mut start = 0;
    let mut sections = Vec::new();
    for chunk in &document.chunks {
        sections.extend(chunk.sections.iter().map(|section| (start + section.at as usize, section)));
        start += chunk.text.len();
    }
    sections
}

/// A line, or of a long one the part around byte `at`.
pub(super) fn shortened(line: &str, at: usize) -> String {
    if line.len() <= SHOWN_BYTES {
        return line.to_owned();
    }
    let start = line.floor_char_boundary(at.saturating_sub(SHOWN_BYTES / 4));
    let end = line.floor_char_boundary((start + SHOWN_BYTES).min(line.len()));
    let mark = |cut: bool| if cut { "…" } else { "" };
    format!("{}{}{}", mark(start > 0), &line[start..end], mark(end < line.len()))
}

impl std::fmt::Debug for ExactQuestion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ExactQuestion").field("pattern", &self.pattern).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_its_match() {
        let line = format!("{}needle{}", "é".repeat(4000), "x".repeat(4000));
        let shown = shortened(&line, line.find("needle").unwrap());
        assert!(shown.contains("needle") && shown.starts_with('…') && shown.ends_with('…') && shown.len() < 420);
    }
}
