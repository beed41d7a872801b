//! A search for lines on its way, over one bundle or several, for a host that brings blocks and matches texts.

use super::candidates::{Candidates, Search};
use super::lines::{FoundLine, Matcher, joined, scan_block};
use super::plan::Plan;
use super::shown::{Shown, ShownLine, show_lines};
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::reader::BundleReader;
use serde::Serialize;

/// Which of the lines that match are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Lines to leave out at the start.
    pub offset: usize,
    /// Lines wanted after them, at most.
    pub limit: usize,
    /// Lines to show before and after each.
    pub context: usize,
    /// Bytes of texts that may be fetched; 0 for as many as it takes.
    pub most_bytes: u64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GrepAnswer {
    /// Lines that match, in all documents.
    pub lines: usize,
    /// Documents that have such lines.
    pub documents: usize,
    /// The lines that were asked for, by bundle, document and number.
    pub found: Vec<ShownLine>,
}

/// How far a search is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrepStep {
    /// Blocks to bring, each with the number of its bundle; then it goes on.
    Need(Vec<(usize, BlockId)>),
    /// More bytes than may be fetched: the pattern says too little.
    TooMuch(u64),
    /// What was found.
    Done(GrepAnswer),
}

/// How the host matches.
#[allow(missing_debug_implementations, reason = "it holds functions of the host")]
pub struct Engine<'a> {
    /// The lines that match.
    pub matcher: Matcher<'a>,
    /// The byte of a line at which it matches.
    pub place_in: &'a mut dyn FnMut(&str) -> usize,
    /// Whether the lines of a project and a path are wanted.
    pub accepts: &'a mut dyn FnMut(&str, &str) -> bool,
}

/// A search on its way.
#[derive(Debug)]
pub struct GrepSession {
    bundles: Vec<Bundle>,
    wanted: Wanted,
}

#[derive(Debug)]
struct Bundle {
    candidates: Candidates,
    /// Its lines by file, once they are known.
    files: Option<Vec<Vec<FoundLine>>>,
}

impl GrepSession {
    /// A search in `count` bundles for lines that meet `plan`. It reads all trigrams at once where bundles are at hand.
    pub fn new(count: usize, plan: &Plan, wanted: Wanted, at_hand: bool) -> Self {
        let bundle = |_| Bundle { candidates: Candidates::new(plan.clone(), at_hand), files: None };
        Self { bundles: (0..count).map(bundle).collect(), wanted }
    }

    /// Goes as far as the blocks that `readers` have allow. They are the ones that the search was made for.
    pub fn advance(&mut self, readers: &[&BundleReader], engine: &mut Engine<'_>) -> Result<GrepStep, FormatError> {
        let mut needed: Vec<(usize, BlockId)> = Vec::new();
        for (number, (bundle, reader)) in self.bundles.iter_mut().zip(readers).enumerate() {
            if bundle.files.is_some() {
                continue;
            }
            let blocks = match bundle.candidates.advance(reader)? {
                Search::Need(blocks) => {
                    needed.extend(blocks.into_iter().map(|id| (number, id)));
                    continue;
                }
                Search::Found(blocks) => blocks,
            };
            let ids = blocks.iter().map(|&block| BlockId { part: Part::Pages, block });
            let missing = reader.known_first(ids.filter(|&id| !reader.has(id)))?.into_vec();
            let bytes =
                missing.iter().map(|&id| Ok(u64::from(reader.request(id)?.bytes))).sum::<Result<u64, FormatError>>()?;
            if self.wanted.most_bytes > 0 && bytes > self.wanted.most_bytes {
                return Ok(GrepStep::TooMuch(bytes));
            }
            if missing.is_empty() {
                bundle.files = Some(scan(reader, &blocks, engine)?);
            }
            needed.extend(missing.into_iter().map(|id| (number, id)));
        }
        if !needed.is_empty() {
            return Ok(GrepStep::Need(needed));
        }
        self.show(readers, engine)
    }

    /// The lines that are wanted of those that were found.
    fn show(&self, readers: &[&BundleReader], engine: &mut Engine<'_>) -> Result<GrepStep, FormatError> {
        let mut answer = GrepAnswer::default();
        let mut needed = Vec::new();
        let Wanted { offset, limit, context, .. } = self.wanted;
        for (number, (bundle, reader)) in self.bundles.iter().zip(readers).enumerate() {
            for lines in bundle.files.iter().flatten() {
                let from = offset.saturating_sub(answer.lines).min(lines.len());
                let to = (offset + limit).saturating_sub(answer.lines).min(lines.len());
                answer.lines += lines.len();
                answer.documents += 1;
                if from < to {
                    match show_lines(reader, &lines[from..to], context, engine.place_in)? {
                        Shown::Need(blocks) => needed.extend(blocks.into_iter().map(|id| (number, id))),
                        Shown::Lines(lines) => answer.found.extend(lines),
                    }
                }
            }
        }
        Ok(if needed.is_empty() { GrepStep::Done(answer) } else { GrepStep::Need(needed) })
    }
}

/// The lines of `blocks` that match, by file.
fn scan(reader: &BundleReader, blocks: &[u32], engine: &mut Engine<'_>) -> Result<Vec<Vec<FoundLine>>, FormatError> {
    let projects = &reader.root().projects;
    let mut accepts = |project: u32, path: &str| {
        projects.get(project as usize).is_some_and(|project| (engine.accepts)(&project.name, path))
    };
    let mut scanned = Vec::with_capacity(blocks.len());
    for &block in blocks {
        scanned.push(scan_block(reader, block, reader.block(Part::Pages, block)?, &mut accepts, engine.matcher)?);
    }
    by_file(reader, &joined(reader, scanned, engine.matcher)?)
}

/// Lines, which ascend, by file.
pub fn by_file(reader: &BundleReader, lines: &[FoundLine]) -> Result<Vec<Vec<FoundLine>>, FormatError> {
    let mut files: Vec<Vec<FoundLine>> = Vec::new();
    let mut last = None;
    for &line in lines {
        let file = reader.file_number(reader.document_of(line.chunk)?)?;
        match files.last_mut() {
            Some(lines) if last == Some(file) => lines.push(line),
            _ => files.push(vec![line]),
        }
        last = Some(file);
    }
    Ok(files)
}
