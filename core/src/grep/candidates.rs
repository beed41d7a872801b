//! Finds the blocks of pages that may contain matching lines, with the part `trigrams`.

use super::plan::Plan;
use super::trigrams::{Trigram, for_each, trigrams_of};
use crate::collection::SortedSet;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::reader::BundleReader;

/// Total number of a text's trigrams to read by the end of each round, as long as many blocks are left. Each trigram
/// may require a separate block, and a few rare trigrams are usually enough.
const ROUNDS: [usize; 3] = [3, 9, usize::MAX];
/// If at most this many blocks are left after a round, the blocks are read instead of more trigrams.
const FEW: [usize; 3] = [4, 24, usize::MAX];
/// Characters in source code and English, starting with the most frequent.
const FREQUENT: &[u8] = b" etrniaoslcdpumfhgbyv_wxkzjq";

/// A running search for blocks.
///
/// ```
/// use nearfind_core::grep::{Candidates, Plan, Search};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// let mut candidates = Candidates::new(Plan::of_text("no page has this text"), true);
/// let blocks = loop {
///     match candidates.advance(&reader)? {
///         Search::Found(blocks) => break blocks,
///         Search::Need(blocks) => bring(&bundle, &mut reader, blocks),
///     }
/// };
/// assert!(blocks.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Candidates {
    plan: Plan,
    round: usize,
    /// The trigrams read so far, with their blocks.
    lists: Vec<(Trigram, Vec<u32>)>,
}

/// The next step of a search for blocks.
///
/// [`Candidates`] has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// Blocks to provide before the next call.
    Need(Vec<BlockId>),
    /// The blocks of pages that may contain matching lines, ascending.
    Found(Vec<u32>),
}

impl Candidates {
    /// Creates a search for lines that meet `plan`. A `thorough` search reads all trigrams at once, for local bundles.
    pub const fn new(plan: Plan, thorough: bool) -> Self {
        Self { plan, round: if thorough { ROUNDS.len() - 1 } else { 0 }, lists: Vec::new() }
    }

    /// Continues as far as the loaded blocks of `reader` allow.
    pub fn advance(&mut self, reader: &BundleReader) -> Result<Search, FormatError> {
        if !reader.has(BundleReader::MAP) {
            return Ok(Search::Need(vec![BundleReader::MAP]));
        }
        if let Some(missing) = reader.missing_directory() {
            return Ok(Search::Need(vec![missing]));
        }
        let pages = reader.table(Part::Pages)?.len();
        let everything = || Ok(Search::Found((0..pages).collect()));
        let Some(directory) = reader.directory()?.filter(|directory| !directory.trigrams.is_empty()) else {
            return everything();
        };
        loop {
            let mut wanted = SortedSet::new();
            chosen(&self.plan, ROUNDS[self.round], &mut wanted);
            if wanted.as_slice().is_empty() {
                return everything();
            }
            wanted.retain(|trigram| self.list(*trigram).is_none());
            let mut missing = SortedSet::new();
            for &trigram in wanted.as_slice() {
                let Some(block) = directory.trigrams_block(trigram) else { continue };
                missing.extend(Some(BlockId { part: Part::Trigrams, block }).filter(|&id| !reader.has(id)));
            }
            if !missing.as_slice().is_empty() {
                return Ok(Search::Need(missing.into_vec()));
            }
            for &trigram in wanted.as_slice() {
                self.lists.push((trigram, list_of(reader, trigram, pages)?));
            }
            let found = self.meeting(&self.plan, ROUNDS[self.round]);
            let Some(found) = found else { return everything() };
            if found.len() <= FEW[self.round] || self.round + 1 == ROUNDS.len() {
                return Ok(Search::Found(found));
            }
            self.round += 1;
        }
    }

    fn list(&self, trigram: Trigram) -> Option<&Vec<u32>> {
        self.lists.iter().find(|(known, _)| *known == trigram).map(|(_, list)| list)
    }

    /// Returns the blocks that meet `plan`, judged by `count` trigrams of each text, or `None` for all blocks.
    fn meeting(&self, plan: &Plan, count: usize) -> Option<Vec<u32>> {
        match plan {
            Plan::All => None,
            Plan::Has(bytes) => {
                let lists = rarest(bytes, count).into_iter().filter_map(|trigram| self.list(trigram));
                lists.cloned().reduce(|a, b| both(&a, &b))
            }
            Plan::And(plans) => plans.iter().filter_map(|plan| self.meeting(plan, count)).reduce(|a, b| both(&a, &b)),
            Plan::Or(plans) => {
                let mut any = Vec::new();
                for plan in plans {
                    any = either(&any, &self.meeting(plan, count)?);
                }
                Some(any)
            }
        }
    }
}

/// Adds the trigrams to read for `plan`, `count` for each text, to `wanted`.
fn chosen(plan: &Plan, count: usize, wanted: &mut SortedSet<Trigram>) {
    match plan {
        Plan::All => {}
        Plan::Has(bytes) => wanted.extend(rarest(bytes, count)),
        Plan::And(plans) | Plan::Or(plans) => plans.iter().for_each(|plan| chosen(plan, count, wanted)),
    }
}

/// Returns at most `count` trigrams of folded bytes, probably the rarest ones.
fn rarest(bytes: &[u8], count: usize) -> Vec<Trigram> {
    let mut rest = trigrams_of(bytes);
    let frequency = |byte: u8| FREQUENT.iter().position(|&frequent| frequent == byte).map_or(3, |rank| 30 - rank);
    let frequency_of =
        |trigram: &Trigram| trigram.to_be_bytes()[1..].iter().map(|&byte| frequency(byte)).sum::<usize>();
    // They are chosen one by one, because another sort would enlarge every page.
    let mut chosen = Vec::new();
    while chosen.len() < count && !rest.is_empty() {
        let mut rarest = 0;
        for at in 1..rest.len() {
            if frequency_of(&rest[at]) < frequency_of(&rest[rarest]) {
                rarest = at;
            }
        }
        chosen.push(rest.remove(rarest));
    }
    chosen
}

/// Returns the union of two ascending lists, ascending.
fn either(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    let mut all = Vec::new();
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(&x), Some(&y)) => x.min(y),
            (Some(&x), None) | (None, Some(&x)) => x,
            (None, None) => return all,
        };
        a.next_if_eq(&next);
        b.next_if_eq(&next);
        all.push(next);
    }
}

fn both(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter().copied().filter(|block| b.binary_search(block).is_ok()).collect()
}

/// Returns the blocks of pages that contain `trigram`. The block of `trigrams` that would contain it must be loaded.
fn list_of(reader: &BundleReader, trigram: Trigram, pages: u32) -> Result<Vec<u32>, FormatError> {
    let Some(directory) = reader.directory()? else { return Ok(Vec::new()) };
    let Some(block) = directory.trigrams_block(trigram) else { return Ok(Vec::new()) };
    let first = directory.first_trigrams[block as usize];
    let mut list = Ok(Vec::new());
    for_each(reader.block(Part::Trigrams, block)?, first, pages, &mut |candidate, blocks| {
        if candidate == trigram {
            list = blocks.read();
        }
        candidate < trigram
    })?;
    list
}
