//! Finds documents that are near a document, by the vectors in the bundle. A walk of the graph begins at the document
//! itself.

use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::reader::BundleReader;
use crate::search::lists::meaning_list::score_of;
use crate::search::lists::method::{VectorMethod, choose_method};
use crate::search::lists::ranking::by_document;
use crate::vector::query_codes::QueryCodes;
use crate::vector::{dot_fine, exact_scan, graph_search};

/// Number of chunks to keep for each requested document, because documents repeat, and the first chunks are the
/// document's own.
const CHUNKS_PER_DOCUMENT: usize = 4;

/// The nearest documents, or the blocks needed to find them.
///
/// [`related`] has an example.
#[derive(Clone, Debug, PartialEq)]
pub enum Related {
    /// Blocks to provide before the next call.
    Need(Vec<BlockId>),
    /// Numbers of other documents with their scores by meaning, best first. A score is the cosine of the best chunk,
    /// reduced for long documents.
    Found(Vec<(u32, f32)>),
}

/// Returns at most `limit` documents, those nearest to `chunk` of `document`, or to its beginning. Both numbers must
/// exist in the bundle.
///
/// ```
/// use nearfind_core::search::{Related, related};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// let near = loop {
///     match related(&reader, 0, None, 1)? {
///         Related::Found(documents) => break documents,
///         Related::Need(blocks) => bring(&bundle, &mut reader, blocks),
///     }
/// };
/// // The vector of the second document is nearest to that of the first.
/// assert_eq!(near[0].0, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn related(reader: &BundleReader, document: u32, chunk: Option<u32>, limit: usize) -> Result<Related, FormatError> {
    if !reader.has(BundleReader::MAP) {
        return Ok(Related::Need(vec![BundleReader::MAP]));
    }
    let (root, map) = (reader.root(), reader.map()?);
    if reader.table(Part::Fine)?.is_empty() {
        return Ok(Related::Found(Vec::new()));
    }
    let kept = (limit + 1) * CHUNKS_PER_DOCUMENT;
    let walks =
        choose_method(root.chunks as usize, kept) == VectorMethod::Walk && !reader.table(Part::Graph)?.is_empty();
    let parts = [Part::Codes, Part::Fine, Part::Graph];
    let missing = reader.missing_of(if walks { &parts } else { &parts[..2] })?;
    if !missing.is_empty() {
        return Ok(Related::Need(missing));
    }
    let fine = reader.fine()?;
    let first = chunk.unwrap_or_else(|| map.chunks_of(document).start);
    let query = QueryCodes::new(&fine.vector(first, root.vectors.step));
    let score = |chunk: u32| dot_fine(&query.codes, fine.row(chunk));
    let nearest = if walks {
        graph_search::walk(reader.graph()?, first, kept, score).nearest
    } else {
        exact_scan::nearest((0..root.chunks).map(score), kept)
    };
    let cosine = query.cosine_of(&fine.centers, root.vectors.step, 1);
    let cosines = nearest.into_iter().map(|found| (found.chunk, cosine.of(found.score)));
    let ranked = by_document(map, cosines, limit + 1, |best, _, chunks| score_of(best, chunks, root.chunk_length));
    let others = ranked.into_iter().filter(|ranked| ranked.document != document).take(limit);
    Ok(Related::Found(others.map(|ranked| (ranked.document, ranked.score)).collect()))
}
