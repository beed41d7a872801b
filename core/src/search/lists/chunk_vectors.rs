//! Vectors of chunks as the model gave them, to be compared with those of other bundles of the same model.

use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::reader::BundleReader;

/// Vectors, or what it takes to know them.
#[derive(Clone, Debug, PartialEq)]
pub enum ChunkVectors {
    /// Blocks to bring; then it is asked again.
    Need(Vec<BlockId>),
    /// One for each chunk, of about unit length: as near as fine codes come.
    Found(Vec<Vec<f32>>),
}

/// The vectors of `chunks`, whose numbers are below that of all; none of a bundle without vectors.
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
