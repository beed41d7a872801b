//! Vectors of chunks as the model gave them, to compare with those of other bundles of the same model.

use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::reader::BundleReader;

/// Vectors, or the blocks that are needed for them.
#[derive(Clone, Debug, PartialEq)]
pub enum ChunkVectors {
    /// Blocks to bring before the next call.
    Need(Vec<BlockId>),
    /// One vector for each chunk, of about unit length, as exact as fine codes are.
    Found(Vec<Vec<f32>>),
}

/// Returns the vectors of `chunks`, which must exist; none for a bundle without vectors.
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
