//! A running search for lines, in one bundle or several. The host provides blocks and matches texts.

use super::candidates::{Candidates, Search};
use super::lines::{FoundLine, Matcher, joined, scan_block};
use super::plan::Plan;
use super::shown::{Shown, ShownLine, show_lines};
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::reader::BundleReader;
use serde::Serialize;

/// Selects lines among those that match.
///
/// [`GrepSession`] has an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The number of lines to skip.
    pub offset: usize,
    /// The maximum number of lines to return.
    pub limit: usize,
    /// The number of lines to show before and after each matching line.
    pub context: usize,
    /// The maximum number of bytes of text to fetch. 0 means no limit.
    pub most_bytes: u64,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GrepAnswer {
    /// The number of matching lines in all documents.
    pub lines: usize,
    /// The number of documents with such lines.
    pub documents: usize,
    /// The requested lines, ordered by bundle, document and number.
    pub found: Vec<ShownLine>,
}

/// The next step of a search.
///
/// [`GrepSession`] has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrepStep {
    /// Blocks to provide before the next call, each with the number of its bundle.
    Need(Vec<(usize, BlockId)>),
    /// The pattern is too general: a search for it would need more bytes than may be fetched.
    TooMuch(u64),
    /// The result.
    Done(GrepAnswer),
}

/// The host's regular expression engine.
///
/// [`GrepSession`] has an example.
#[allow(missing_debug_implementations, reason = "it holds functions of the host")]
pub struct Engine<'a> {
    /// Finds the matching lines of a text.
    pub matcher: Matcher<'a>,
    /// Returns the byte offset of the match in a line.
    pub place_in: &'a mut dyn FnMut(&str) -> usize,
    /// Whether to search documents with this project and path.
    pub accepts: &'a mut dyn FnMut(&str, &str) -> bool,
}

/// A running search.
///
/// ```
/// use nearfind_core::grep::{Engine, GrepSession, GrepStep, Plan, Wanted};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// let text = "git revert";
/// // A host with regular expressions uses them in these functions.
/// let mut engine = Engine {
///     matcher: &mut |lines, found| {
///         let matching = lines.lines().enumerate().filter(|(_, line)| line.contains(text));
///         found.extend(matching.map(|(number, _)| number as u32));
///     },
///     place_in: &mut |line| line.find(text).unwrap_or(0),
///     accepts: &mut |project, _path| project == "docs",
/// };
/// let wanted = Wanted { limit: 10, ..Wanted::default() };
/// let mut session = GrepSession::new(1, &Plan::of_text(text), wanted, true);
/// let answer = loop {
///     match session.advance(&[&reader], &mut engine)? {
///         GrepStep::Done(answer) => break answer,
///         GrepStep::TooMuch(bytes) => panic!("would fetch {bytes} bytes"),
///         GrepStep::Need(blocks) => bring(&bundle, &mut reader, blocks.into_iter().map(|(_, block)| block)),
///     }
/// };
/// assert_eq!((answer.lines, answer.found[0].document.as_str()), (1, "docs/undo.md"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GrepSession {
    bundles: Vec<Bundle>,
    wanted: Wanted,
}

#[derive(Debug)]
struct Bundle {
    candidates: Candidates,
    /// The matching lines by file, once they are known.
    files: Option<Vec<Vec<FoundLine>>>,
}

impl GrepSession {
    /// Creates a search in `count` bundles for lines that meet `plan`. If the bundles are `at_hand`, it reads all
    /// trigrams at once.
    pub fn new(count: usize, plan: &Plan, wanted: Wanted, at_hand: bool) -> Self {
        let bundle = |_| Bundle { candidates: Candidates::new(plan.clone(), at_hand), files: None };
        Self { bundles: (0..count).map(bundle).collect(), wanted }
    }

    /// Continues as far as the loaded blocks of `readers` allow. Pass the readers that the search was created for.
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

    /// Returns the requested lines among the matching ones.
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

/// Returns the matching lines of `blocks` by file.
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

/// Groups ascending lines by file.
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
