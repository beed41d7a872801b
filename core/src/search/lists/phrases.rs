//! Finds the chunks with a phrase. Posting lists tell which chunks contain its words, and positions tell whether the
//! words are together.

use super::dictionary::{find, term_blocks};
use crate::collection::SortedSet;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part, bytes::Cursor};
use crate::lexical::list_head::rest_of;
use crate::lexical::postings::{self, POSITIONS_BLOCK_BYTES};
use crate::lexical::term_dictionary::TermEntry;
use crate::reader::BundleReader;
use crate::search::query::query_syntax::Phrase;

/// Returns the chunks with `phrase`, ascending. A single word may also be in a title, a path or a heading. Returns
/// `None` if blocks are missing, and adds all blocks that are needed so far to `needed`.
pub(crate) fn chunks_with(
    reader: &BundleReader,
    phrase: &Phrase,
    needed: &mut SortedSet<BlockId>,
) -> Result<Option<Vec<u32>>, FormatError> {
    let terms: Vec<String> = phrase.terms.iter().flat_map(|(term, _)| [term.clone(), rest_of(term)]).collect();
    if !reader.has_all(&term_blocks(reader, &terms), needed) {
        return Ok(None);
    }
    let mut entries = Vec::with_capacity(terms.len());
    for (term, distance) in &phrase.terms {
        match find(reader, term)? {
            Some(entry) => entries.push((term, entry, *distance)),
            None => return Ok(Some(Vec::new())),
        }
    }
    if let [(term, entry, _)] = &entries[..] {
        return Ok(Some(holding(reader, term, entry)?.into_iter().map(|(chunk, _)| chunk).collect()));
    }
    let blocks = entries.iter().flat_map(|(_, entry, _)| position_blocks(entry));
    if !reader.has_all(&blocks.collect(), needed) {
        return Ok(None);
    }
    let mut starts: Option<Vec<(u32, u32)>> = None;
    for (term, entry, distance) in &entries {
        let places = places(reader, entry, &holding(reader, term, entry)?, *distance)?;
        match &mut starts {
            None => starts = Some(places),
            Some(starts) => starts.retain(|start| places.binary_search(start).is_ok()),
        }
    }
    let mut chunks: Vec<u32> = starts.unwrap_or_default().into_iter().map(|(chunk, _)| chunk).collect();
    chunks.dedup();
    Ok(Some(chunks))
}

/// Returns the blocks with the positions of a term.
fn position_blocks(entry: &TermEntry<'_>) -> impl Iterator<Item = BlockId> + use<> {
    let size = POSITIONS_BLOCK_BYTES as u64;
    let end = entry.positions_start.saturating_add(u64::from(entry.positions_bytes));
    let blocks = entry.positions_start / size..end.div_ceil(size);
    blocks.map(|block| BlockId { part: Part::Positions, block: block as u32 })
}

/// Returns the chunks with `term`, ascending, and how often their text contains it. Positions are stored in this order.
fn holding(reader: &BundleReader, term: &str, entry: &TermEntry<'_>) -> Result<Vec<(u32, u32)>, FormatError> {
    let mut chunks = Vec::new();
    let rest = find(reader, &rest_of(term))?;
    for list in std::iter::once(entry).chain(&rest) {
        postings::for_each(list.postings, reader.root().chunks, |chunk, found| chunks.push((chunk, found.body)))?;
    }
    if rest.is_some() {
        chunks.sort_unstable();
    }
    Ok(chunks)
}

/// Returns the places where a phrase would begin if its term at `distance` from the start is the term in `chunks`. Each
/// place is a chunk and a position. Ascending.
fn places(
    reader: &BundleReader,
    entry: &TermEntry<'_>,
    chunks: &[(u32, u32)],
    distance: u32,
) -> Result<Vec<(u32, u32)>, FormatError> {
    let mut stream = Vec::new();
    for id in position_blocks(entry) {
        stream.extend_from_slice(reader.block(id.part, id.block)?);
    }
    let from = (entry.positions_start % POSITIONS_BLOCK_BYTES as u64) as usize;
    let list = stream.get(from..from + entry.positions_bytes as usize);
    let list = list.ok_or(FormatError::truncated(Part::Positions.name(), "positions"))?;
    let mut places = Vec::new();
    postings::for_each_position(&mut Cursor::new(Part::Positions.name(), list), chunks, |chunk, position| {
        places.extend(position.checked_sub(distance).map(|start| (chunk, start)));
    })?;
    Ok(places)
}
