//! The locations of the blocks of `symbols` and `trigrams`, and the first key of each block. Only navigation in source
//! code and exact search read them.
//!
//! A single block contains the table of `symbols`, the varint number of its blocks with definitions, and, for each of
//! these, the varint difference between its first document and that of the previous block. They are followed by a
//! varint count and a separator for each of the other blocks, which contain names. Then come the table of `trigrams`
//! and, for each of its blocks, the varint difference between its first trigram and that of the previous block. The
//! block ends with the varint number of blocks of `pages` that begin inside a line, and each of them as the varint
//! difference from one more than the previous one.

use crate::format::blocks::BlockTable;
use crate::format::bytes::Cursor;
use crate::format::root::{Root, read_keys};
use crate::format::{FormatError, Part};

const NAME: &str = "directory";

/// The tables of `symbols` and `trigrams`, and the keys of their blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    /// The table of `symbols`.
    pub symbols: BlockTable,
    /// The first document of each block of definitions. These blocks precede the others.
    pub first_documents: Vec<u32>,
    /// A separator for each block of names.
    pub name_separators: Vec<String>,
    /// The table of `trigrams`.
    pub trigrams: BlockTable,
    /// The first trigram of each block of `trigrams`.
    pub first_trigrams: Vec<u32>,
    /// The blocks of pages that begin inside a line, ascending.
    pub inside_lines: Vec<u32>,
}

impl Directory {
    /// Reads the block of the directory of the bundle with this `root`.
    pub fn parse(raw: &[u8], root: &Root) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(NAME, raw);
        let table = |cursor: &mut Cursor<'_>, part: Part| {
            BlockTable::read(cursor, part, root.identities[part.index()], root.limit_of(part))
        };
        let symbols = table(&mut cursor, Part::Symbols)?;
        let count = cursor.count(1, "blocks of definitions")?;
        let first_documents = read_ascending(&mut cursor, count, 0)?;
        let name_separators = read_keys(&mut cursor)?;
        if first_documents.len() + name_separators.len() != symbols.len() as usize {
            return Err(FormatError::corrupt(NAME, "blocks of symbols"));
        }
        let trigrams = table(&mut cursor, Part::Trigrams)?;
        let first_trigrams = read_ascending(&mut cursor, trigrams.len() as usize, 0)?;
        let count = cursor.count(1, "blocks inside of lines")?;
        let inside_lines = read_ascending(&mut cursor, count, 1)?;
        cursor.finish("bytes after the end")?;
        Ok(Self { symbols, first_documents, name_separators, trigrams, first_trigrams, inside_lines })
    }

    /// Returns the uncompressed block, which [`Directory::parse`] reads.
    #[cfg(feature = "write")]
    pub fn to_bytes(&self) -> Vec<u8> {
        use crate::format::bytes::put_varint;
        use crate::format::root::write_keys;
        let mut out = Vec::new();
        self.symbols.write(&mut out);
        put_varint(&mut out, self.first_documents.len() as u64);
        put_ascending(&mut out, &self.first_documents, 0);
        write_keys(&self.name_separators, &mut out);
        self.trigrams.write(&mut out);
        put_ascending(&mut out, &self.first_trigrams, 0);
        put_varint(&mut out, self.inside_lines.len() as u64);
        put_ascending(&mut out, &self.inside_lines, 1);
        out
    }

    /// Returns the block that would contain the definitions of `document`.
    pub fn definitions_block(&self, document: u32) -> Option<u32> {
        let after = self.first_documents.partition_point(|&first| first <= document);
        after.checked_sub(1).map(|block| block as u32)
    }

    /// Returns the block of names that would contain `key`.
    pub fn names_block(&self, key: &str) -> Option<u32> {
        let after = self.name_separators.partition_point(|separator| separator.as_str() <= key);
        after.checked_sub(1).map(|block| (self.first_documents.len() + block) as u32)
    }

    /// Returns the block that would contain `trigram`.
    pub fn trigrams_block(&self, trigram: u32) -> Option<u32> {
        let after = self.first_trigrams.partition_point(|&first| first <= trigram);
        after.checked_sub(1).map(|block| block as u32)
    }
}

/// Reads `count` ascending numbers, each as the difference from the previous one plus `step`.
fn read_ascending(cursor: &mut Cursor<'_>, count: usize, step: u32) -> Result<Vec<u32>, FormatError> {
    let mut next = Some(0u32);
    let mut numbers = Vec::with_capacity(count.min(cursor.remaining()));
    for _ in 0..count {
        let difference = cursor.varint("number")?;
        let number = next.and_then(|next| next.checked_add(difference));
        let number = number.ok_or(FormatError::corrupt(NAME, "order of numbers"))?;
        numbers.push(number);
        next = number.checked_add(step);
    }
    Ok(numbers)
}

#[cfg(feature = "write")]
fn put_ascending(out: &mut Vec<u8>, numbers: &[u32], step: u32) {
    let mut next = 0;
    for &number in numbers {
        crate::format::bytes::put_varint(out, u64::from(number - next));
        next = number + step;
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::format::blocks::PartWriter;
    use proptest::prelude::*;

    fn directory(blocks: usize) -> (Directory, Root) {
        let mut root = Root::empty(4);
        let mut part = |kind: Part, blocks: usize| {
            let mut writer = PartWriter::default();
            (0..blocks).for_each(|block| writer.push(&[block as u8; 9]));
            let table = writer.finish(kind, 0).table;
            root.set_table(kind, &table);
            table
        };
        let directory = Directory {
            symbols: part(Part::Symbols, blocks * 2),
            first_documents: (0..blocks as u32).map(|block| block * 7).collect(),
            name_separators: (0..blocks).map(|block| format!("n{block:04}")).collect(),
            trigrams: part(Part::Trigrams, blocks),
            first_trigrams: (0..blocks as u32).map(|block| block * 500).collect(),
            inside_lines: (0..blocks as u32).map(|block| block * 2).collect(),
        };
        (directory, root)
    }

    #[test]
    fn a_directory_round_trips_and_finds_blocks() {
        for blocks in [0, 1, 40] {
            let (directory, root) = directory(blocks);
            assert_eq!(Directory::parse(&directory.to_bytes(), &root).unwrap(), directory);
        }
        let (directory, _) = directory(3);
        assert_eq!([0, 6, 7, 900].map(|document| directory.definitions_block(document)), [0, 0, 1, 2].map(Some));
        assert_eq!(["n0000", "n0001x", "z"].map(|name| directory.names_block(name)), [3, 4, 5].map(Some));
        assert_eq!(directory.names_block("a"), None, "no name is before the first");
        assert_eq!([499, 500, 90_000].map(|trigram| directory.trigrams_block(trigram)), [0, 1, 2].map(Some));
    }

    proptest! {
        #[test]
        fn a_damaged_directory_is_read_or_refused(at in any::<prop::sample::Index>(), value in any::<u8>(), cut in any::<prop::sample::Index>()) {
            let (directory, root) = directory(5);
            let mut bytes = directory.to_bytes();
            let at = at.index(bytes.len());
            bytes[at] = value;
            bytes.truncate(cut.index(bytes.len() + 1));
            let _ = Directory::parse(&bytes, &root);
        }
    }
}
