//! Decodes vectors of chunks, for comparison with vectors in other bundles of the same model.

use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::reader::BundleReader;

/// Vectors, or the blocks needed for them.
#[derive(Clone, Debug, PartialEq)]
pub enum ChunkVectors {
    /// Blocks to provide before the next call.
    Need(Vec<BlockId>),
    /// A vector for each chunk, of about unit length, as exact as fine codes allow.
    Found(Vec<Vec<f32>>),
}

/// Returns the vectors of `chunks`, which must exist. The result is empty for a bundle without fine codes.
///
/// ```
/// use nearfind_core::search::{ChunkVectors, chunk_vectors};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// let vectors = loop {
///     match chunk_vectors(&reader, &[2])? {
///         ChunkVectors::Found(vectors) => break vectors,
///         ChunkVectors::Need(blocks) => bring(&bundle, &mut reader, blocks),
///     }
/// };
/// // Codes are rounded, so the vector is nearly [0, 1].
/// assert!((vectors[0][1] - 1.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn chunk_vectors(reader: &BundleReader, chunks: &[u32]) -> Result<ChunkVectors, FormatError> {
    if !reader.has(BundleReader::MAP) {
        return Ok(ChunkVectors::Need(vec![BundleReader::MAP]));
    }
    if reader.table(Part::Fine)?.is_empty() {
        return Ok(ChunkVectors::Found(Vec::new()));
    }
    let missing = reader.missing_of(&[Part::Codes, Part::Fine, Part::Rotation])?;
    if !missing.is_empty() {
        return Ok(ChunkVectors::Need(missing));
    }
    let (fine, rotation, step) = (reader.fine()?, reader.rotation()?, reader.root().vectors.step);
    Ok(ChunkVectors::Found(chunks.iter().map(|&chunk| rotation.undo(&fine.vector(chunk, step))).collect()))
}
