//! What every query needs of all chunks: which document each belongs to, how long it is, and where its page and its codes
//! are. One block, in this order: varint chunks of each document; a length code of each chunk; for each facet of
//! the root and each document varint number of its value, from 1, or 0; for each document varint difference to its
//! latest version, wrapped and in zigzag, so 0 for that; the table of `pages`; varint chunks of each block of pages; the table of
//! `codes`, a block a document.

use crate::format::blocks::{BlockId, BlockTable};
use crate::format::bytes::Cursor;
use crate::format::root::Root;
use crate::format::{FormatError, Part};

const NAME: &str = "map";

/// Documents, lengths and tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkMap {
    /// First chunk of each document, and the number of chunks.
    first_chunks: Vec<u32>,
    lengths: Vec<u8>,
    /// By facet: the value of each document, from 1, or 0.
    facets: Vec<Vec<u32>>,
    /// By document: its latest version, itself if it has no other.
    latest: Vec<u32>,
    pages: BlockTable,
    /// First chunk of each block of pages, and the number of chunks.
    page_chunks: Vec<u32>,
    codes: BlockTable,
}

impl ChunkMap {
    /// Reads the raw block of the map of the bundle with `root`.
    pub fn parse(raw: &[u8], root: &Root) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(NAME, raw);
        let first_chunks = read_counts(&mut cursor, root.documents as usize, root.chunks)?;
        let lengths = cursor.take(root.chunks as usize, "lengths")?.to_vec();
        let documents = root.documents;
        let mut facets = Vec::with_capacity(root.facets.len());
        for _ in &root.facets {
            facets.push((0..documents).map(|_| cursor.varint("facet")).collect::<Result<_, _>>()?);
        }
        let mut latest = Vec::new();
        for document in 0..documents {
            let difference = cursor.varint("latest version")?;
            let latest_of = document.wrapping_add((difference >> 1) ^ (difference & 1).wrapping_neg());
            if latest_of >= documents {
                return Err(FormatError::corrupt(NAME, "latest version"));
            }
            latest.push(latest_of);
        }
        let table = |cursor: &mut Cursor<'_>, part: Part| {
            BlockTable::read(cursor, part, root.identities[part.index()], root.limit_of(part))
        };
        let pages = table(&mut cursor, Part::Pages)?;
        let page_chunks = read_counts(&mut cursor, pages.len() as usize, root.chunks)?;
        let codes = table(&mut cursor, Part::Codes)?;
        if !codes.is_empty() && codes.len() != root.documents {
            return Err(FormatError::corrupt(NAME, "blocks of codes"));
        }
        cursor.finish("bytes after the end")?;
        Ok(Self { first_chunks, lengths, facets, latest, pages, page_chunks, codes })
    }

    /// The raw block; [`ChunkMap::parse`] reads it.
    #[cfg(feature = "write")]
    pub fn to_bytes(
        chunks_of_documents: &[u32],
        lengths: &[u32],
        facets: &[Vec<u32>],
        latest: &[u32],
        pages: &BlockTable,
        chunks_of_pages: &[u32],
        codes: &BlockTable,
    ) -> Vec<u8> {
        use crate::format::bytes::put_varint;
        let mut out = Vec::new();
        chunks_of_documents.iter().for_each(|&count| put_varint(&mut out, u64::from(count)));
        out.extend(lengths.iter().map(|&length| length_code(length)));
        facets.iter().flatten().for_each(|&value| put_varint(&mut out, u64::from(value)));
        for (document, latest) in (0u32..).zip(latest) {
            let difference = latest.wrapping_sub(document) as i32;
            put_varint(&mut out, u64::from(((difference << 1) ^ (difference >> 31)) as u32));
        }
        pages.write(&mut out);
        chunks_of_pages.iter().for_each(|&count| put_varint(&mut out, u64::from(count)));
        codes.write(&mut out);
        out
    }

    /// The block table of `pages`.
    pub const fn pages(&self) -> &BlockTable {
        &self.pages
    }

    /// The block table of `codes`.
    pub const fn codes(&self) -> &BlockTable {
        &self.codes
    }

    /// Number of documents.
    pub fn documents(&self) -> usize {
        self.first_chunks.len() - 1
    }

    /// The document of `chunk`, which is below the number of chunks.
    pub fn document_of(&self, chunk: u32) -> u32 {
        (self.first_chunks.partition_point(|&first| first <= chunk) - 1) as u32
    }

    /// The chunks of `document`.
    pub fn chunks_of(&self, document: u32) -> std::ops::Range<u32> {
        self.first_chunks[document as usize]..self.first_chunks[document as usize + 1]
    }

    /// The number of the value that `document` has of the root's facet number `facet`.
    pub fn facet_of(&self, facet: usize, document: u32) -> Option<usize> {
        (*self.facets.get(facet)?.get(document as usize)?).checked_sub(1).map(|value| value as usize)
    }

    /// The latest version of `document`; itself if it has no other.
    pub fn latest_of(&self, document: u32) -> u32 {
        self.latest[document as usize]
    }

    /// About how many tokens `chunk` has.
    pub fn length_of(&self, chunk: u32) -> u32 {
        length_of_code(self.lengths[chunk as usize])
    }

    /// The block of pages that holds `chunk`, and the chunk's number in it.
    pub fn page_of(&self, chunk: u32) -> (BlockId, u32) {
        let block = self.page_chunks.partition_point(|&first| first <= chunk) - 1;
        (BlockId { part: Part::Pages, block: block as u32 }, chunk - self.page_chunks[block])
    }

    /// The chunks in a block of pages.
    pub fn chunks_of_page(&self, block: u32) -> std::ops::Range<u32> {
        self.page_chunks[block as usize]..self.page_chunks[block as usize + 1]
    }
}

/// Reads `count` numbers above 0 that add up to `total`; gives the sums before each, and the total.
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

/// A byte for a length: exact up to 16, then eight codes an octave.
#[cfg(feature = "write")]
fn length_code(length: u32) -> u8 {
    if length < 16 {
        return length as u8;
    }
    let octave = length.ilog2();
    let code = 16 + (octave - 4) * 8 + ((length >> (octave - 3)) & 7);
    code.min(255) as u8
}

/// The middle of the lengths that share a code.
const fn length_of_code(code: u8) -> u32 {
    if code < 16 {
        return code as u32;
    }
    let octave = (code as u32 - 16) / 8 + 4;
    let step = 1u64 << (octave - 3);
    let length = (8 + (code as u64 - 16) % 8) * step + step / 2;
    if length > u32::MAX as u64 { u32::MAX } else { length as u32 }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::blocks::PartWriter;
    use crate::format::root::Facet;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lengths_are_near(length in any::<u32>()) {
            let back = f64::from(length_of_code(length_code(length)));
            prop_assert!((back - f64::from(length)).abs() <= f64::from(length) / 15.0, "{length} {back}");
        }

        #[test]
        fn maps_round_trip_and_hostile_ones_are_refused(documents in prop::collection::vec(1u32..5, 1..20), damage in any::<prop::sample::Index>(), value in any::<u8>()) {
            let chunks: u32 = documents.iter().sum();
            let write = |blocks: usize| {
                let mut part = PartWriter::default();
                (0..blocks).for_each(|block| part.push(&[block as u8; 9]));
                part.finish(Part::Pages, 0).table
            };
            let (pages, codes) = (write(2.min(chunks as usize)), write(documents.len()));
            let page_chunks = if chunks == 1 { vec![1] } else { vec![1, chunks - 1] };
            let lengths: Vec<u32> = (0..chunks).collect();
            let count = documents.len() as u32;
            let latest: Vec<u32> = (0..count).map(|document| (document ^ 1).min(count - 1)).collect();
            let mut root = Root::empty(2);
            root.facets.push(Facet { name: "version".into(), values: vec!["1".into()] });
            let values = vec![(0..count).map(|document| document % 2).collect()];
            let mut raw = ChunkMap::to_bytes(&documents, &lengths, &values, &latest, &pages, &page_chunks, &codes);
            (root.documents, root.chunks) = (documents.len() as u32, chunks);
            root.set_table(Part::Pages, &pages);
            root.set_table(Part::Codes, &codes);
            let map = ChunkMap::parse(&raw, &root).unwrap();
            prop_assert_eq!((map.pages(), map.codes()), (&pages, &codes));
            let mut chunk = 0;
            for (document, count) in documents.iter().enumerate() {
                prop_assert_eq!(map.chunks_of(document as u32), chunk..chunk + count);
                prop_assert_eq!(map.latest_of(document as u32), latest[document]);
                prop_assert_eq!(map.facet_of(0, document as u32), (document % 2 == 1).then_some(0));
                for _ in 0..*count {
                    prop_assert_eq!(map.document_of(chunk), document as u32);
                    prop_assert_eq!(map.page_of(chunk), (BlockId { part: Part::Pages, block: u32::from(chunk > 0) }, chunk.saturating_sub(1)));
                    chunk += 1;
                }
            }
            let at = damage.index(raw.len());
            raw[at] = value;
            let _ = ChunkMap::parse(&raw, &root);
            raw.truncate(at);
            prop_assert!(ChunkMap::parse(&raw, &root).is_err());
        }
    }
}
