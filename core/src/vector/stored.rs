//! The stored vectors of chunks: coarse codes (`codes`), and the remainders that turn them into fine codes (`fine`).
//!
//! The part `codes` has a block for each document, the stream of its chunks' coarse codes. In the part `fine`, block 0
//! has the number of components beyond the near ones, and these components. Each further block is a stream for
//! [`FINE_ROWS`] chunks, or fewer in the last block. For each chunk, it has the fine code of each near component,
//! followed by the coarse and the fine code of each other component.

use super::ans::Decoder;
use super::codes::{CodeTables, Components};
use crate::format::bytes::Cursor;
use crate::format::root::Root;
use crate::format::{FormatError, Part};

/// Number of chunks in a block of `fine`.
pub const FINE_ROWS: usize = 256;

/// Reads the coarse codes of the `chunks` chunks of a document, row-major.
pub fn read_codes(raw: &[u8], chunks: usize, root: &Root, tables: &CodeTables) -> Result<Vec<i8>, FormatError> {
    tables.coarse_rows(Part::Codes.name(), raw, chunks, &root.vectors.near.spreads)
}

/// The fine codes of all chunks, ready for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FineRows {
    /// The codes, row-major.
    codes: Vec<i16>,
    dimensions: usize,
    /// The centers of all components.
    pub centers: Vec<i16>,
}

impl FineRows {
    /// Decodes the blocks of `fine` with the `coarse` codes of all chunks.
    pub fn decode(coarse: &[i8], fine: &[&[u8]], root: &Root, tables: &CodeTables) -> Result<Self, FormatError> {
        const NAME: &str = "fine";
        let (header, blocks) = fine.split_first().ok_or(FormatError::truncated(NAME, "blocks"))?;
        let (near, dimensions) = (&root.vectors.near, root.vectors.dimensions as usize);
        let mut cursor = Cursor::new(NAME, header);
        let count = cursor.varint("number of components")? as usize;
        if count != dimensions - near.len() {
            return Err(FormatError::corrupt(NAME, "number of components"));
        }
        let far = Components::read(&mut cursor, count)?;
        cursor.finish("bytes after the components")?;
        if blocks.len() != (root.chunks as usize).div_ceil(FINE_ROWS) {
            return Err(FormatError::corrupt(NAME, "number of blocks"));
        }
        if coarse.len() != root.chunks as usize * near.len() {
            return Err(FormatError::corrupt(NAME, "coarse codes"));
        }
        let mut rows = Self { codes: Vec::new(), dimensions, centers: super::query_codes::all_centers(near, &far) };
        for (number, block) in blocks.iter().enumerate() {
            let mut decoder = Decoder::new(NAME, block)?;
            for row in number * FINE_ROWS..((number + 1) * FINE_ROWS).min(root.chunks as usize) {
                let coarse = &coarse[row * near.len()..(row + 1) * near.len()];
                for (&spread, &coarse) in near.spreads.iter().zip(coarse) {
                    rows.codes.push(tables.fine(&mut decoder, spread, coarse)?);
                }
                for &spread in &far.spreads {
                    let coarse = tables.coarse(&mut decoder, spread)?;
                    rows.codes.push(tables.fine(&mut decoder, spread, coarse)?);
                }
            }
            decoder.finish()?;
        }
        Ok(rows)
    }

    /// Returns all codes, row-major.
    pub fn codes(&self) -> &[i16] {
        &self.codes
    }

    /// Returns the codes of `chunk`.
    pub fn row(&self, chunk: u32) -> &[i16] {
        &self.codes[chunk as usize * self.dimensions..][..self.dimensions]
    }

    /// Returns the rotated vector of `chunk`, as exact as its codes with steps of `step` allow.
    pub fn vector(&self, chunk: u32, step: f32) -> Vec<f32> {
        let of_code = |(&code, &center): (&i16, &i16)| f32::from(code.saturating_add(center)) * step;
        self.row(chunk).iter().zip(&self.centers).map(of_code).collect()
    }
}

#[cfg(feature = "write")]
pub use writer::{StoredVectors, write_vectors};

#[cfg(feature = "write")]
mod writer {
    use super::FINE_ROWS;
    use crate::format::blocks::PartWriter;
    use crate::format::bytes::put_varint;
    use crate::format::root::VectorLayout;
    use crate::vector::ans::Encoder;
    use crate::vector::cells::write_cells;
    use crate::vector::codes::{CodeTables, Components, coarse_of, coarse_rows_to_stream, code_rows};
    use crate::vector::document_codes::document_codes;

    /// The three written parts, and the data about them that the root stores.
    #[derive(Debug)]
    pub struct StoredVectors {
        /// See [`crate::vector::cells`].
        pub cells: PartWriter,
        /// See [`super::read_codes`].
        pub codes: PartWriter,
        /// See [`super::FineRows`].
        pub fine: PartWriter,
        /// The storage format of the vectors, for the root.
        pub layout: VectorLayout,
    }

    /// Stores rotated vectors, row-major, in chunk order. `near` is the number of components with coarse codes, and
    /// `chunks` has the number of chunks of each document.
    pub fn write_vectors(rotated: &[f32], dimensions: usize, near: usize, step: f32, chunks: &[u32]) -> StoredVectors {
        let tables = CodeTables::default();
        let coded = code_rows(rotated, dimensions, step);
        let Components { centers, spreads } = coded.components;
        let (near_spreads, far_spreads) = spreads.split_at(near);
        let row_codes = |chunk: usize| &coded.codes[chunk * dimensions..(chunk + 1) * dimensions];
        let near_codes = |chunks: std::ops::Range<usize>| -> Vec<i16> {
            chunks.flat_map(|chunk| row_codes(chunk)[..near].iter().copied()).collect()
        };

        let mut codes = PartWriter::default();
        let (mut cell_codes, mut counts) = (Vec::new(), Vec::new());
        let mut first = 0;
        for &count in chunks {
            let range = first..first + count as usize;
            let of_document = near_codes(range);
            codes.push(&coarse_rows_to_stream(&tables, &of_document, near_spreads));
            let cells = document_codes(&of_document, near);
            counts.push((cells.len() / near.max(1)) as u8);
            cell_codes.extend(cells);
            first += count as usize;
        }
        let cells = write_cells(&tables, &cell_codes, &counts, near);

        let mut fine = PartWriter::default();
        let mut header = Vec::new();
        put_varint(&mut header, far_spreads.len() as u64);
        Components { centers: centers[near..].to_vec(), spreads: far_spreads.to_vec() }.write(&mut header);
        fine.push(&header);
        let rows: Vec<usize> = (0..first).collect();
        for block in rows.chunks(FINE_ROWS) {
            let mut encoder = Encoder::default();
            for &chunk in block {
                let (near_row, far_row) = row_codes(chunk).split_at(near);
                for (&code, &spread) in near_row.iter().zip(near_spreads) {
                    tables.push_fine(&mut encoder, spread, code);
                }
                for (&code, &spread) in far_row.iter().zip(far_spreads) {
                    tables.push_coarse(&mut encoder, spread, coarse_of(code));
                    tables.push_fine(&mut encoder, spread, code);
                }
            }
            fine.push(&encoder.finish());
        }
        let near = Components { centers: centers[..near].to_vec(), spreads: near_spreads.to_vec() };
        StoredVectors { cells, codes, fine, layout: VectorLayout { dimensions: dimensions as u32, step, near } }
    }
}
