//! Finds exact text in every document. Searches by words and meaning cannot find punctuation, parts of words or regular
//! expressions.
//!
//! The blocks of pages that may contain the text are decompressed and scanned, on all cores. If the bundle has the part
//! `trigrams`, these are the blocks with the text's trigrams, and otherwise all blocks. Each page of results includes
//! the exact number of all matching lines.

use crate::library::code::exact_pattern::ExactPattern;
use crate::library::documents::path_filter::PathFilter;
use crate::library::open::open_bundle::OpenBundle;
use crate::library::open::origin::Origin;
use crate::library::open::view::View;
use anyhow::{Result, ensure};
use nearfind_base::facets::{HISTORY, KIND};
use nearfind_core::format::Part;
use nearfind_core::format::blocks::BlockId;
use nearfind_core::grep::{
    BlockLines, Candidates, FoundLine, Search, Shown, ShownLine, by_file, joined, scan_block, show_lines,
};
use nearfind_core::reader::BundleReader;
use nearfind_core::records::page;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of bytes of text that are fetched for one search.
const MAX_FETCHED_BYTES: u64 = 64 << 20;
/// Number of blocks of pages that are requested from a publisher at once.
const BATCH: usize = 1_024;

/// The question of an exact search.
#[derive(Clone)]
pub struct ExactQuestion {
    /// The pattern to search for.
    pub pattern: ExactPattern,
    /// The projects to search, as [`View::project`] names them. Empty for all.
    pub projects: Vec<String>,
    /// Restricts the paths to search.
    pub path: Option<PathFilter>,
    /// Number of lines to skip.
    pub offset: usize,
    /// Maximum number of lines to return.
    pub limit: usize,
    /// Number of lines to show before and after each matching line.
    pub context: usize,
}

/// The reply to an exact search.
#[derive(Clone, Debug, Serialize)]
pub struct ExactReply {
    /// Number of matching lines in all documents.
    pub lines: usize,
    /// Number of documents with such lines.
    pub documents: usize,
    /// The requested lines, ordered by project, path and number.
    pub found: Vec<ShownLine>,
    /// The documents of these lines whose files are known to have changed since they were indexed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
    /// Notices about the answer, such as bundles that could not be searched and files that have changed.
    pub notices: Vec<String>,
}

/// Maximum number of changed files that a notice names.
const MAX_NAMED: usize = 5;

/// A file with matching lines.
struct Matching {
    bundle: Arc<OpenBundle>,
    /// Project and path.
    place: (String, String),
    lines: Vec<FoundLine>,
}

impl View {
    /// Searches for a text in the documents of all bundles.
    pub fn find_exact(&self, question: &ExactQuestion) -> Result<ExactReply> {
        let without_commits = self.without_commits(question)?;
        let question = without_commits.as_ref().unwrap_or(question);
        let mut matching: Vec<Matching> = Vec::new();
        for (number, bundle) in self.bundles.iter().enumerate() {
            let mut found = bundle.matching_files(question)?;
            // If several bundles have the same document, the first one counts.
            for before in &self.bundles[..number] {
                let known: BTreeSet<(&str, &str)> =
                    before.files()?.iter().map(|listed| (listed.project.as_str(), listed.path.as_str())).collect();
                found.retain(|file| !known.contains(&(file.place.0.as_str(), file.place.1.as_str())));
            }
            matching.extend(found);
        }
        matching.sort_by(|a, b| a.place.cmp(&b.place));
        let (mut lines, documents, mut shown, mut stale) = (0, matching.len(), Vec::new(), Vec::new());
        for file in &matching {
            let wanted = |at: usize| (question.offset..question.offset + question.limit).contains(&at);
            let chosen = (lines..).zip(&file.lines).filter(|(at, _)| wanted(*at)).map(|(_, line)| *line);
            let chosen: Vec<FoundLine> = chosen.collect();
            lines += file.lines.len();
            if !chosen.is_empty() {
                let (project, path) = &file.place;
                if file.bundle.changed_file(project, path).is_some() {
                    stale.push(format!("{project}/{path}"));
                }
                shown.extend(file.bundle.show(&chosen, question)?);
            }
        }
        let mut notices = self.problems.clone();
        if !stale.is_empty() {
            let mut named = stale.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
            if stale.len() > MAX_NAMED {
                named += &format!(" and {} more", stale.len() - MAX_NAMED);
            }
            notices.push(format!("changed since they were indexed, so lines may have moved: {named}"));
        }
        Ok(ExactReply { lines, documents, found: shown, stale, notices })
    }

    /// Returns the question restricted to files, if there are commits and the question has no path: a search does not
    /// look for lines that no longer exist.
    fn without_commits(&self, question: &ExactQuestion) -> Result<Option<ExactQuestion>> {
        if question.path.is_some() || !self.values_of(KIND).contains(HISTORY) {
            return Ok(None);
        }
        let files = self.paths(None)?.into_iter().filter(|found| !found.listed.is_commit);
        let files = PathFilter::of_files(files.map(|found| (found.listed.project, found.listed.path)));
        Ok(Some(ExactQuestion { path: Some(files), ..question.clone() }))
    }
}

impl OpenBundle {
    /// Returns the files with matching lines.
    fn matching_files(self: &Arc<Self>, question: &ExactQuestion) -> Result<Vec<Matching>> {
        let projects: Vec<Option<String>> = {
            let reader = self.reader();
            let wanted = |name: &String| question.projects.is_empty() || question.projects.contains(name);
            reader
                .root()
                .projects
                .iter()
                .map(|project| Some(&project.name).filter(|name| wanted(name)).cloned())
                .collect()
        };
        let accepts = |project: u32, path: &str| {
            let project = projects.get(project as usize).and_then(Option::as_deref);
            project.is_some_and(|name| question.path.as_ref().is_none_or(|wanted| wanted.admits(name, path)))
        };
        let ids: Vec<BlockId> =
            self.candidates(&question.pattern)?.into_iter().map(|block| BlockId { part: Part::Pages, block }).collect();
        self.ensure_fetchable(&ids)?;
        let scan = |reader: &BundleReader, id: BlockId, raw: &[u8]| {
            let mut matcher = |text: &str, numbers: &mut Vec<u32>| question.pattern.matching_lines(text, numbers);
            let mut accepts = |project: u32, path: &str| accepts(project, path);
            let lines = scan_block(reader, id.block, raw, &mut accepts, &mut matcher)?;
            let places = if lines.may_match() { places_of(reader, id.block, raw)? } else { Vec::new() };
            Ok((lines, places))
        };
        let (mut scanned, mut places): (Vec<BlockLines>, Vec<Place>) = (Vec::new(), Vec::new());
        for ids in ids.chunks(BATCH) {
            for (lines, of_block) in self.each_block(ids, &scan)? {
                scanned.push(lines);
                places.extend(of_block);
            }
        }
        let mut matcher = |text: &str, numbers: &mut Vec<u32>| question.pattern.matching_lines(text, numbers);
        let found = joined(&self.reader(), scanned, &mut matcher)?;
        let files = by_file(&self.reader(), &found)?;
        let reader = self.reader();
        let matching = |lines: Vec<FoundLine>| {
            let (_, project, path) =
                &places[places.partition_point(|(chunk, ..)| *chunk <= lines[0].chunk).checked_sub(1)?];
            let project = reader.root().projects.get(*project as usize)?.name.clone();
            Some(Matching { bundle: Arc::clone(self), place: (project, path.clone()), lines })
        };
        Ok(files.into_iter().filter_map(matching).collect())
    }

    /// Returns the blocks of pages that may have matching lines.
    fn candidates(&self, pattern: &ExactPattern) -> Result<Vec<u32>> {
        let at_hand = matches!(self.origin(), Origin::Folder(..));
        let mut candidates = Candidates::new(pattern.plan().clone(), at_hand);
        loop {
            let search = candidates.advance(&self.reader())?;
            match search {
                Search::Found(blocks) => return Ok(blocks),
                Search::Need(blocks) => self.bring(blocks)?,
            }
        }
    }

    /// Returns an error if a search would fetch more from a publisher than a user would wait for.
    fn ensure_fetchable(&self, ids: &[BlockId]) -> Result<()> {
        if matches!(self.origin(), Origin::Folder(..)) {
            return Ok(());
        }
        let reader = self.reader();
        let missing = ids.iter().filter(|&&id| !reader.has(id));
        let bytes = missing.map(|&id| Ok(u64::from(reader.request(id)?.bytes))).sum::<Result<u64>>()?;
        ensure!(
            bytes <= MAX_FETCHED_BYTES,
            "{}: this would fetch {} MB of text: search for three letters or more in a row, or for rarer text",
            self.label,
            bytes >> 20
        );
        Ok(())
    }

    /// Returns lines of one file, with the lines around them.
    fn show(&self, lines: &[FoundLine], question: &ExactQuestion) -> Result<Vec<ShownLine>> {
        loop {
            let shown =
                show_lines(&self.reader(), lines, question.context, &mut |line| question.pattern.place_in(line))?;
            match shown {
                Shown::Need(blocks) => self.bring(blocks)?,
                Shown::Lines(mut lines) => {
                    for line in &mut lines {
                        line.url = line.url.take().map(|url| self.origin().address(&url));
                    }
                    return Ok(lines);
                }
            }
        }
    }
}

/// A chunk where a document begins or continues, with the number of the project and the path.
type Place = (u32, u32, String);

/// Returns the documents of a block of pages.
fn places_of(reader: &BundleReader, block: u32, raw: &[u8]) -> Result<Vec<Place>> {
    let mut chunk = reader.chunks_of_page(block)?.start;
    let mut places = Vec::new();
    page::for_each_text(raw, &mut |document, _| {
        places.extend(document.map(|(project, path)| (chunk, project, path.to_owned())));
        chunk += 1;
    })?;
    Ok(places)
}

impl std::fmt::Debug for ExactQuestion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ExactQuestion").field("pattern", &self.pattern).finish_non_exhaustive()
    }
}
