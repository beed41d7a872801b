//! Data of all chunks that every query needs: the document of each chunk, and the places of its page and its codes.
//!
//! Block 0 contains, in this order:
//!
//! - for each document, the varint number of its chunks
//! - for each facet of the root and each document, the varint number of its values, and each value as a varint,
//!   ascending
//! - for each document, the varint weight in steps, zigzag-encoded
//! - for each order of the root and each document, the varint place in the order, starting at 1, or 0 if the document
//!   has none
//! - for each document, the varint difference between the document and its latest version, wrapped and zigzag-encoded,
//!   which is 0 for the latest version itself
//! - the table of `pages`
//! - the table of `codes`, with a block for each document
//! - with source code (see [`Root::has_code`]), a bit for each document, starting with the lowest bit of each byte,
//!   which tells whether the document belongs to the same file as the previous one
//!
//! If the table of `pages` or `codes` has two levels (see [`BlockTable::read_levels`]), a further block follows for
//! each group, first of `pages`, then of `codes`.

use crate::format::blocks::{BlockId, BlockTable};
use crate::format::bytes::Cursor;
use crate::format::root::Root;
use crate::format::{FormatError, Part};

const NAME: &str = "map";
/// Number of steps that double a weight.
pub const WEIGHT_STEPS: f32 = 8.0;

/// The documents of a bundle and the tables of its parts.
///
/// A [`BundleReader`](crate::reader::BundleReader) answers the same questions once it has the map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkMap {
    /// The first chunk of each document, followed by the number of chunks.
    first_chunks: Vec<u32>,
    /// The values of all documents, by facet.
    facets: Vec<FacetValues>,
    /// The weights, by document and zigzag-encoded: see [`ChunkMap::weight_of`].
    weights: Vec<u32>,
    /// For each order of the root, the place of each document in it, starting at 1, or 0 if the document has none.
    orders: Vec<Vec<u32>>,
    /// For each document, its latest version, or the document itself if it has no other version.
    latest: Vec<u32>,
    pages: BlockTable,
    chunks_per_page: u32,
    codes: BlockTable,
    /// For each document, the number of its file. Empty without source code, because each document is then a separate
    /// file.
    file_of: Vec<u32>,
}

/// The input of a map.
#[cfg(feature = "write")]
#[derive(Clone, Copy, Debug)]
pub struct MapColumns<'a> {
    /// The number of chunks in each document.
    pub chunks_of_documents: &'a [u32],
    /// For each facet of the root and each document, the numbers of the document's values.
    pub facets: &'a [Vec<Vec<u32>>],
    /// The weights, by document: see [`ChunkMap::weight_of`].
    pub weights: &'a [i8],
    /// The places, by order of the root and by document: see [`ChunkMap::place_of`].
    pub orders: &'a [Vec<u32>],
    /// For each document, its latest version.
    pub latest: &'a [u32],
    /// The table of pages.
    pub pages: &'a BlockTable,
    /// The table of codes.
    pub codes: &'a BlockTable,
    /// For each document, whether it belongs to the same file as the previous one. Empty without source code.
    pub continues_file: &'a [bool],
}

/// The values of all documents in a facet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FacetValues {
    /// For each document, the end of its values in `values`.
    ends: Vec<u32>,
    values: Vec<u32>,
}

impl FacetValues {
    fn read(cursor: &mut Cursor<'_>, documents: u32) -> Result<Self, FormatError> {
        let mut read = Self::default();
        for _ in 0..documents {
            for _ in 0..cursor.count(1, "facet")? {
                read.values.push(cursor.varint("facet")?);
            }
            read.ends.push(read.values.len() as u32);
        }
        Ok(read)
    }

    fn of(&self, document: u32) -> &[u32] {
        let at = document as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.values[start as usize..self.ends[at] as usize]
    }
}

const fn from_zigzag(number: u32) -> i32 {
    ((number >> 1) ^ (number & 1).wrapping_neg()) as i32
}

#[cfg(feature = "write")]
const fn zigzag(number: i32) -> u32 {
    ((number << 1) ^ (number >> 31)) as u32
}

impl ChunkMap {
    /// Reads the first block of the map of the bundle with this `root`.
    pub fn parse(raw: &[u8], root: &Root) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(NAME, raw);
        let first_chunks = read_counts(&mut cursor, root.documents as usize, root.chunks)?;
        let documents = root.documents;
        let mut facets = Vec::with_capacity(root.facets.len());
        for _ in &root.facets {
            facets.push(FacetValues::read(&mut cursor, documents)?);
        }
        let weights = cursor.varints(documents as usize, "weight")?;
        let mut orders = Vec::with_capacity(root.orders.len());
        for _ in &root.orders {
            orders.push(cursor.varints(documents as usize, "order")?);
        }
        let mut latest = cursor.varints(documents as usize, "latest version")?;
        for (document, latest) in (0..documents).zip(&mut latest) {
            *latest = document.wrapping_add_signed(from_zigzag(*latest));
            if *latest >= documents {
                return Err(FormatError::corrupt(NAME, "latest version"));
            }
        }
        let table = |cursor: &mut Cursor<'_>, part: Part| {
            BlockTable::read_levels(cursor, part, root.identities[part.index()], root.limit_of(part))
        };
        let pages = table(&mut cursor, Part::Pages)?;
        let chunks_per_page = root.chunks_per_page;
        if pages.len() != root.chunks.div_ceil(chunks_per_page) {
            return Err(FormatError::corrupt(NAME, "blocks of pages"));
        }
        let codes = table(&mut cursor, Part::Codes)?;
        if !codes.is_empty() && codes.len() != root.documents {
            return Err(FormatError::corrupt(NAME, "blocks of codes"));
        }
        let file_of = if root.has_code() { read_files(&mut cursor, documents)? } else { Vec::new() };
        cursor.finish("bytes after the end")?;
        Ok(Self { first_chunks, facets, weights, orders, latest, pages, chunks_per_page, codes, file_of })
    }

    /// Returns the uncompressed blocks. [`ChunkMap::parse`] reads the first block, and [`ChunkMap::provide_group`] the
    /// others.
    #[cfg(feature = "write")]
    pub fn to_blocks(columns: &MapColumns<'_>) -> Vec<Vec<u8>> {
        use crate::format::bytes::put_varint;
        let mut out = Vec::new();
        let put = |out: &mut Vec<u8>, value: u32| put_varint(out, u64::from(value));
        columns.chunks_of_documents.iter().for_each(|&count| put(&mut out, count));
        for values in columns.facets.iter().flatten() {
            put(&mut out, values.len() as u32);
            values.iter().for_each(|&value| put(&mut out, value));
        }
        columns.weights.iter().for_each(|&weight| put(&mut out, zigzag(i32::from(weight))));
        columns.orders.iter().flatten().for_each(|&place| put(&mut out, place));
        for (document, latest) in (0u32..).zip(columns.latest) {
            put(&mut out, zigzag(latest.wrapping_sub(document) as i32));
        }
        let groups_of_pages = columns.pages.write_levels(&mut out);
        let groups_of_codes = columns.codes.write_levels(&mut out);
        let byte = |bits: &[bool]| bits.iter().rev().fold(0u8, |byte, bit| byte << 1 | u8::from(*bit));
        out.extend(columns.continues_file.chunks(8).map(byte));
        std::iter::once(out).chain(groups_of_pages).chain(groups_of_codes).collect()
    }

    /// Returns the block of the map that must be loaded before the location of block `block` of `part` is known, or
    /// `None` if the location is known.
    pub fn unknown_table(&self, part: Part, block: u32) -> Option<u32> {
        match part {
            Part::Pages => Some(1 + self.pages.unknown_group(block)?),
            Part::Codes => Some(1 + self.pages.groups_elsewhere() + self.codes.unknown_group(block)?),
            _ => None,
        }
    }

    /// Adds a block other than the first one.
    pub fn provide_group(&self, block: u32, raw: &[u8]) -> Result<(), FormatError> {
        let group = block.checked_sub(1).ok_or(FormatError::corrupt(NAME, "block number"))?;
        match group.checked_sub(self.pages.groups_elsewhere()) {
            Some(group) => self.codes.provide_group(Part::Codes, group, raw),
            None => self.pages.provide_group(Part::Pages, group, raw),
        }
    }

    /// Returns the block table of `pages`.
    pub const fn pages(&self) -> &BlockTable {
        &self.pages
    }

    /// Returns the block table of `codes`.
    pub const fn codes(&self) -> &BlockTable {
        &self.codes
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> usize {
        self.first_chunks.len() - 1
    }

    /// Returns the document of `chunk`, which must be below the number of chunks.
    pub fn document_of(&self, chunk: u32) -> u32 {
        (self.first_chunks.partition_point(|&first| first <= chunk) - 1) as u32
    }

    /// Returns the chunks of `document`.
    pub fn chunks_of(&self, document: u32) -> std::ops::Range<u32> {
        self.first_chunks[document as usize]..self.first_chunks[document as usize + 1]
    }

    /// Returns the numbers of the values of `document` in the root's facet number `facet`.
    pub fn facet_of(&self, facet: usize, document: u32) -> &[u32] {
        self.facets.get(facet).map_or(&[], |values| values.of(document))
    }

    /// Returns the place of `document` in the root's order number `order`, starting at 1, or 0 if it has none.
    pub fn place_of(&self, order: usize, document: u32) -> u32 {
        self.orders.get(order).map_or(0, |places| places[document as usize])
    }

    /// Returns the weight of `document` in steps: see [`WEIGHT_STEPS`]. 0 is the normal weight, 8 is twice the normal
    /// weight, and -8 is half of it.
    pub fn weight_of(&self, document: u32) -> i8 {
        from_zigzag(self.weights[document as usize]) as i8
    }

    /// Returns the latest version of `document`, or the document itself if it has no other version.
    pub fn latest_of(&self, document: u32) -> u32 {
        self.latest[document as usize]
    }

    /// Returns the number of the file that `document` belongs to. Without source code, each document is a separate
    /// file.
    pub fn file_of(&self, document: u32) -> u32 {
        self.file_of.get(document as usize).copied().unwrap_or(document)
    }

    /// Returns the first document of file number `file`, if there is such a file.
    pub fn first_of_file(&self, file: u32) -> Option<u32> {
        let first = if self.file_of.is_empty() { file } else { self.file_of.partition_point(|&of| of < file) as u32 };
        Some(first).filter(|&first| (first as usize) < self.documents() && self.file_of(first) == file)
    }

    /// Returns the block of pages that contains `chunk`, and the chunk's number in it.
    pub const fn page_of(&self, chunk: u32) -> (BlockId, u32) {
        let block = chunk / self.chunks_per_page;
        (BlockId { part: Part::Pages, block }, chunk % self.chunks_per_page)
    }

    /// Returns the chunks in a block of pages.
    pub fn chunks_of_page(&self, block: u32) -> std::ops::Range<u32> {
        let chunks = self.first_chunks[self.documents()];
        let end = |block: u32| block.saturating_mul(self.chunks_per_page).min(chunks);
        end(block)..end(block.saturating_add(1))
    }
}

/// Reads `count` numbers above 0 that add up to `total`. Returns the sum before each number, and the total.
fn read_counts(cursor: &mut Cursor<'_>, count: usize, total: u32) -> Result<Vec<u32>, FormatError> {
    if count > cursor.remaining() {
        return Err(FormatError::truncated(NAME, "numbers of chunks"));
    }
    let mut sums = Vec::with_capacity(count + 1);
    let mut sum = 0u32;
    for _ in 0..count {
        sums.push(sum);
        let chunks = cursor.varint("number of chunks")?;
        let next = sum.checked_add(chunks).filter(|&next| chunks > 0 && next <= total);
        sum = next.ok_or(FormatError::corrupt(NAME, "number of chunks"))?;
    }
    sums.push(sum);
    if sum == total { Ok(sums) } else { Err(FormatError::corrupt(NAME, "sum of chunks")) }
}

/// Reads which documents belong to the same file. Returns the number of each document's file.
fn read_files(cursor: &mut Cursor<'_>, documents: u32) -> Result<Vec<u32>, FormatError> {
    let bits = cursor.take(documents.div_ceil(8) as usize, "files")?;
    let mut file = 0;
    let mut file_of = Vec::with_capacity(documents as usize);
    for document in 0..documents {
        let continues = bits[document as usize / 8] >> (document % 8) & 1 == 1;
        file += u32::from(!continues && document > 0);
        file_of.push(file);
    }
    Ok(file_of)
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::blocks::PartWriter;
    use crate::format::root::Facet;
    use crate::format::vocabulary::{CODE, KIND};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn maps_round_trip_and_hostile_ones_are_refused(documents in prop::collection::vec(1u32..5, 1..20), damage in any::<prop::sample::Index>(), value in any::<u8>()) {
            let chunks: u32 = documents.iter().sum();
            let write = |blocks: usize| {
                let mut part = PartWriter::default();
                (0..blocks).for_each(|block| part.push(&[block as u8; 9]));
                part.finish(Part::Pages, 0).table
            };
            let (pages, codes) = (write(2.min(chunks as usize)), write(documents.len()));
            let count = documents.len() as u32;
            let latest: Vec<u32> = (0..count).map(|document| (document ^ 1).min(count - 1)).collect();
            let mut root = Root::empty(2);
            root.facets.push(Facet { name: "version".into(), values: vec!["1".into()] });
            // Every second bundle has source code.
            let continues: Vec<bool> = if count.is_multiple_of(2) { (0..count).map(|document| document % 3 != 0).collect() } else { Vec::new() };
            if !continues.is_empty() {
                root.facets.push(Facet { name: KIND.into(), values: vec![CODE.into()] });
            }
            root.orders.push("date".into());
            let mut values = vec![(0..count).map(|document| (0..document % 3).collect()).collect()];
            values.resize(root.facets.len(), vec![Vec::new(); documents.len()]);
            let weights: Vec<i8> = (0..count).map(|document| document as i8 - 9).collect();
            let places = vec![(0..count).collect()];
            let mut raw = ChunkMap::to_blocks(&MapColumns {
                chunks_of_documents: &documents,
                facets: &values,
                weights: &weights,
                orders: &places,
                latest: &latest,
                pages: &pages,
                codes: &codes,
                continues_file: &continues,
            }).remove(0);
            (root.documents, root.chunks, root.chunks_per_page) = (documents.len() as u32, chunks, chunks.div_ceil(2));
            root.set_table(Part::Pages, &pages);
            root.set_table(Part::Codes, &codes);
            let map = ChunkMap::parse(&raw, &root).unwrap();
            prop_assert_eq!((map.pages(), map.codes()), (&pages, &codes));
            let mut chunk = 0;
            for (document, count) in documents.iter().enumerate() {
                prop_assert_eq!(map.chunks_of(document as u32), chunk..chunk + count);
                prop_assert_eq!(map.latest_of(document as u32), latest[document]);
                let begins = (1..=document).filter(|&at| !continues.get(at).copied().unwrap_or(false)).count();
                prop_assert_eq!(map.file_of(document as u32), begins as u32);
                let expected: Vec<u32> = (0..document as u32 % 3).collect();
                prop_assert_eq!(map.facet_of(0, document as u32), expected);
                prop_assert_eq!(map.weight_of(document as u32), weights[document]);
                prop_assert_eq!(map.place_of(0, document as u32), document as u32);
                for _ in 0..*count {
                    prop_assert_eq!(map.document_of(chunk), document as u32);
                    let (page, number) = map.page_of(chunk);
                    prop_assert_eq!(map.chunks_of_page(page.block).nth(number as usize), Some(chunk));
                    chunk += 1;
                }
            }
            let of_pages = (0..pages.len()).flat_map(|block| map.chunks_of_page(block));
            prop_assert!(of_pages.eq(0..chunks));
            let at = damage.index(raw.len());
            raw[at] = value;
            let _ = ChunkMap::parse(&raw, &root);
            raw.truncate(at);
            prop_assert!(ChunkMap::parse(&raw, &root).is_err());
        }
    }
}
