//! The part `cells` contains codes of documents, which a reader compares before it requests the codes of chunks.
//!
//! Block 0 has the u8 spread of each near component. If it is the only block, it also has a byte for each document with
//! its number of codes, and a stream of all codes, with steps of [`CELL`]. Otherwise, it has a stream with a center for
//! each further block. Each of these blocks is a cluster of similar codes, and similar clusters are next to each other.
//! A cluster has the varint number of its codes, for each code the varint difference between its document and that of
//! the previous code (from 0 for the first), and the stream of the codes. Most queries read only a few clusters.

use super::MAX_CELLS;
use super::codes::{CELL, CodeTables, Components, read_spreads};
use super::dot::dot_coarse;
use super::query_codes::{Cosine, QueryCodes};
use crate::collection::best_first;
use crate::format::bytes::Cursor;
use crate::format::root::Root;
use crate::format::{FormatError, FormatErrorKind, Part};

const NAME: &str = Part::Cells.name();
/// Maximum number of codes or centers in a block. A code may take less than a bit in the stream, but takes a byte of
/// memory for each component.
const MAX_ROWS: usize = 1 << 16;

/// The content of the first block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    spreads: Vec<u8>,
    /// The centers of clusters, row-major. Empty without clusters.
    centers: Vec<i8>,
    /// All codes, if there are no clusters.
    all: Cluster,
}

/// Codes of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// The document of each code, ascending.
    documents: Vec<u32>,
    /// The codes, row-major.
    codes: Vec<i8>,
}

impl Cells {
    /// Reads the first block.
    pub fn parse(raw: &[u8], root: &Root, tables: &CodeTables) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(NAME, raw);
        let spreads = read_spreads(&mut cursor, root.vectors.near.len())?;
        let clusters = root.table(Part::Cells).len().saturating_sub(1) as usize;
        let mut cells = Self { spreads, centers: Vec::new(), all: Cluster::default() };
        if clusters > 0 {
            cells.centers = cells.read_rows(&mut cursor, clusters, tables)?;
        } else {
            let counts = cursor.take(root.documents as usize, "numbers of codes")?;
            if counts.iter().any(|count| !(1..=MAX_CELLS).contains(count)) {
                return Err(FormatError::corrupt(NAME, "number of codes"));
            }
            for (document, &count) in (0..).zip(counts) {
                cells.all.documents.resize(cells.all.documents.len() + usize::from(count), document);
            }
            cells.all.codes = cells.read_rows(&mut cursor, cells.all.documents.len(), tables)?;
        }
        Ok(cells)
    }

    /// Reads the block of a cluster.
    pub fn parse_cluster(&self, raw: &[u8], documents: u32, tables: &CodeTables) -> Result<Cluster, FormatError> {
        let mut cursor = Cursor::new(NAME, raw);
        let count = cursor.varint("number of codes")? as usize;
        let mut of_codes = cursor.varints(count, "document")?;
        let mut document = 0u32;
        for of_code in &mut of_codes {
            let next = document.checked_add(*of_code).filter(|&next| next < documents);
            document = next.ok_or(FormatError::corrupt(NAME, "document number"))?;
            *of_code = document;
        }
        Ok(Cluster { documents: of_codes, codes: self.read_rows(&mut cursor, count, tables)? })
    }

    fn read_rows(&self, cursor: &mut Cursor<'_>, rows: usize, tables: &CodeTables) -> Result<Vec<i8>, FormatError> {
        if rows > MAX_ROWS {
            let (limit, got) = (MAX_ROWS as u64, rows as u64);
            return Err(FormatErrorKind::TooLarge { part: NAME, what: "number of codes", limit, got }.into());
        }
        tables.coarse_rows(NAME, cursor.take(cursor.remaining(), "codes")?, rows, &self.spreads)
    }

    /// Returns the block numbers of the clusters, nearest to the query first.
    pub fn nearest(&self, query: &QueryCodes) -> Vec<u32> {
        let rows = self.centers.chunks_exact(self.spreads.len().max(1));
        let order = best_first(rows.map(|row| dot_coarse(&query.codes, row) as f32));
        order.into_iter().map(|cluster| cluster + 1).collect()
    }

    /// Returns all codes, if there are no clusters.
    pub const fn all(&self) -> &Cluster {
        &self.all
    }
}

impl Cluster {
    /// Calls `visit(document, cosine)` for each code.
    pub fn each(&self, query: &QueryCodes, near: &Components, step: f32, mut visit: impl FnMut(u32, f32)) {
        let cosine: Cosine = query.cosine_of(&near.centers, step, CELL);
        let rows = self.codes.chunks_exact(near.len().max(1));
        for (&document, row) in self.documents.iter().zip(rows) {
            visit(document, cosine.of(dot_coarse(&query.codes, row)));
        }
    }

    /// Returns the document of each code, ascending.
    pub fn documents(&self) -> &[u32] {
        &self.documents
    }
}

#[cfg(feature = "write")]
pub(super) use writer::write_cells;

#[cfg(feature = "write")]
mod writer {
    use crate::format::blocks::PartWriter;
    use crate::format::bytes::put_varint;
    use crate::vector::clusters::{clusters, mean};
    use crate::vector::codes::{CodeTables, coarse_rows_to_stream, spread_of};

    /// Minimum number of codes for storing them in clusters. A query then reads about as many codes, so with fewer
    /// codes, a single block is better.
    const CLUSTERED: usize = 4096;

    /// Writes the part for row-major `codes`. `counts` has the number of codes of each document.
    pub(crate) fn write_cells(tables: &CodeTables, codes: &[i16], counts: &[u8], near: usize) -> PartWriter {
        let width = near.max(1);
        let rows: Vec<&[i16]> = codes.chunks_exact(width).collect();
        let spreads: Vec<u8> = (0..near).map(|d| spread_of(codes.iter().skip(d).step_by(width).copied())).collect();
        let mut part = PartWriter::default();
        let mut first = spreads.clone();
        if rows.len() < CLUSTERED {
            first.extend(counts);
            first.extend(coarse_rows_to_stream(tables, codes, &spreads));
            part.push(&first);
            return part;
        }
        let of_row: Vec<u32> =
            (0..).zip(counts).flat_map(|(document, &count)| (0..count).map(move |_| document)).collect();
        let clusters = clusters(codes, width);
        let center = |members: &Vec<u32>| mean(members.iter().map(|&row| rows[row as usize]), width);
        let centers: Vec<i16> = clusters.iter().flat_map(center).map(|x| x.round() as i16).collect();
        first.extend(coarse_rows_to_stream(tables, &centers, &spreads));
        part.push(&first);
        for members in &clusters {
            let mut block = Vec::new();
            put_varint(&mut block, members.len() as u64);
            let mut previous = 0;
            for &row in members {
                let document = of_row[row as usize];
                put_varint(&mut block, u64::from(document - previous));
                previous = document;
            }
            let of_cluster: Vec<i16> = members.iter().flat_map(|&row| rows[row as usize]).copied().collect();
            block.extend(coarse_rows_to_stream(tables, &of_cluster, &spreads));
            part.push(&block);
        }
        part
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::blocks::BlockId;
    use crate::vector::codes::coarse_of;
    use proptest::prelude::*;

    /// Creates documents with one to three codes each, near the corners of a grid.
    fn rows(documents: u32) -> (Vec<i16>, Vec<u8>) {
        let mut random = numbers(7);
        let counts: Vec<u8> = (0..documents).map(|document| (document % 3 + 1) as u8).collect();
        let total: usize = counts.iter().map(|&count| usize::from(count)).sum();
        let codes = (0..total).flat_map(|row| {
            let corner = [row % 7, row % 5, row % 3, row % 2].map(|x| x as i16 * 30);
            corner.map(|x| x + (random() % 20) as i16)
        });
        (codes.collect(), counts)
    }

    /// Creates pseudo-random numbers, the same in every run.
    fn numbers(mut state: u32) -> impl FnMut() -> u32 {
        move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        }
    }

    fn read(documents: u32) -> (Cells, Vec<Cluster>) {
        let (codes, counts) = rows(documents);
        let tables = CodeTables::default();
        let part = write_cells(&tables, &codes, &counts, 4).finish(Part::Cells, 0);
        let mut root = Root::empty(4);
        root.vectors.near = Components { centers: vec![0; 4], spreads: vec![40; 4] };
        root.documents = documents;
        root.set_table(Part::Cells, &part.table);
        let block = |block| part.decode(BlockId { part: Part::Cells, block }).unwrap();
        let cells = Cells::parse(&block(0), &root, &tables).unwrap();
        let clusters = (1..part.table.len()).map(|number| cells.parse_cluster(&block(number), documents, &tables));
        let clusters = clusters.collect::<Result<_, _>>().unwrap();
        (cells, clusters)
    }

    #[test]
    fn few_codes_are_in_one_block_in_the_order_of_documents() {
        let (cells, clusters) = read(100);
        let (codes, counts) = rows(100);
        assert!(clusters.is_empty() && cells.nearest(&QueryCodes::new(&[1.0; 4])).is_empty());
        assert_eq!(cells.all.codes, codes.iter().map(|&code| coarse_of(code)).collect::<Vec<_>>());
        assert_eq!(cells.all.documents.iter().filter(|document| **document == 2).count(), usize::from(counts[2]));
    }

    #[test]
    fn many_are_in_clusters_and_each_code_is_in_one() {
        let documents = 3000;
        let (cells, clusters) = read(documents);
        let (codes, counts) = rows(documents);
        assert!(clusters.len() > 30 && cells.all.documents.is_empty());
        let mut found: Vec<(u32, Vec<i8>)> = Vec::new();
        for cluster in &clusters {
            let rows = cluster.codes.chunks_exact(4).map(<[i8]>::to_vec);
            found.extend(cluster.documents.iter().copied().zip(rows));
        }
        found.sort();
        let of_row = (0..).zip(&counts).flat_map(|(document, &count)| (0..count).map(move |_| document));
        let coarse = |row: &[i16]| row.iter().map(|&code| coarse_of(code)).collect::<Vec<i8>>();
        let mut expected: Vec<(u32, Vec<i8>)> = of_row.zip(codes.chunks_exact(4).map(coarse)).collect();
        expected.sort();
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn any_cluster_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64), count in 0u8..9) {
            let cells = Cells { spreads: vec![8; 4], centers: vec![0; 4], all: Cluster::default() };
            let bytes = [vec![count], bytes].concat();
            if let Ok(cluster) = cells.parse_cluster(&bytes, 50, &CodeTables::default()) {
                prop_assert!(cluster.documents.is_sorted() && cluster.documents.iter().all(|&document| document < 50));
                prop_assert_eq!(cluster.codes.len(), 4 * cluster.documents.len());
            }
        }
    }

    #[test]
    fn the_nearest_clusters_hold_the_nearest_code() {
        let (cells, clusters) = read(3000);
        let near = Components { centers: vec![0; 4], spreads: vec![40; 4] };
        for query in [[1.0, 0.1, 0.3, 0.2], [-0.5, 1.0, 0.0, 0.7], [0.1, -0.2, 1.0, -1.0]] {
            let query = QueryCodes::new(&query);
            let best = |cluster: &Cluster| {
                let mut best = f32::MIN;
                cluster.each(&query, &near, 0.01, |_, cosine| best = best.max(cosine));
                best
            };
            let of_all = clusters.iter().map(best).fold(f32::MIN, f32::max);
            let nearest = cells.nearest(&query);
            let of_nearest = nearest[..16].iter().map(|block| best(&clusters[*block as usize - 1]));
            assert!(of_nearest.fold(f32::MIN, f32::max) >= of_all, "{nearest:?}");
        }
    }
}
