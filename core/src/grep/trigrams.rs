//! Records which blocks of pages contain a sequence of three bytes. Bytes are folded, so that one index serves patterns
//! in any case: ASCII letters become lower case, and the long s and the Kelvin sign become `s` and `k`, because they
//! are cases of these letters. A block contains the trigrams of all lines that are at least partly in it. A trigram
//! never contains a line feed.
//!
//! A block of the part has any number of trigrams, ascending. Each trigram has the varint difference from the previous
//! trigram (for the first one, from the trigram in the directory), and a varint 2n or 2n + 1, where n is the number of
//! blocks of pages that contain the trigram. If this varint is odd, a bit for every block of pages follows, starting
//! with the lowest bit of each byte. Otherwise, each of the n blocks follows as the varint difference from one more
//! than the previous block.

use crate::collection::SortedSet;
use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "trigrams";

/// Three bytes. The first byte is the highest.
pub type Trigram = u32;

/// Folds bytes for trigrams: converts ASCII letters, and characters that are cases of them, to lower case.
pub fn fold(bytes: &[u8]) -> Vec<u8> {
    let mut folded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after) {
            // ſ and K (the Kelvin sign) are cases of s and k.
            (0xc5, [0xbf, after @ ..]) => {
                folded.push(b's');
                rest = after;
            }
            (0xe2, [0x84, 0xaa, after @ ..]) => {
                folded.push(b'k');
                rest = after;
            }
            _ => folded.push(byte.to_ascii_lowercase()),
        }
    }
    folded
}

/// Returns the different trigrams of folded bytes, ascending. This function is meant for patterns, which have few
/// trigrams.
pub fn trigrams_of(folded: &[u8]) -> Vec<Trigram> {
    windows_of(folded).collect::<SortedSet<Trigram>>().into_vec()
}

/// Returns the trigrams of folded bytes in order.
fn windows_of(folded: &[u8]) -> impl Iterator<Item = Trigram> {
    let of = |window: &[u8]| u32::from(window[0]) << 16 | u32::from(window[1]) << 8 | u32::from(window[2]);
    folded.windows(3).filter(|window| !window.contains(&b'\n')).map(of)
}

/// Returns the different trigrams of a block of text, ascending.
#[cfg(feature = "write")]
fn trigrams_of_text(folded: &[u8]) -> Vec<Trigram> {
    let mut trigrams: Vec<Trigram> = windows_of(folded).collect();
    trigrams.sort_unstable();
    trigrams.dedup();
    trigrams
}

/// The blocks of pages that contain a trigram, in their stored form.
#[derive(Clone, Copy, Debug)]
pub struct StoredBlocks<'a> {
    list: &'a [u8],
    is_bits: bool,
    count: usize,
    pages: u32,
}

impl StoredBlocks<'_> {
    /// Returns the numbers of the blocks, ascending.
    pub fn read(&self) -> Result<Vec<u32>, FormatError> {
        let corrupt = || FormatError::corrupt(NAME, "blocks of a trigram");
        let mut blocks = Vec::with_capacity(self.count.min(self.pages as usize));
        if self.is_bits {
            blocks.extend((0..self.pages).filter(|block| self.list[*block as usize / 8] >> (block % 8) & 1 == 1));
            return if blocks.len() == self.count { Ok(blocks) } else { Err(corrupt()) };
        }
        let mut cursor = Cursor::new(NAME, self.list);
        let mut next = 0u32;
        while cursor.remaining() > 0 {
            let block = next.checked_add(cursor.varint("block")?).filter(|block| *block < self.pages);
            blocks.push(block.ok_or_else(corrupt)?);
            next = blocks[blocks.len() - 1] + 1;
        }
        Ok(blocks)
    }
}

/// Calls `visit(trigram, blocks)` for each trigram of a block that begins with `first`, until it returns `false`.
/// `pages` is the number of blocks of pages.
pub fn for_each(
    block: &[u8],
    first: Trigram,
    pages: u32,
    visit: &mut dyn FnMut(Trigram, StoredBlocks<'_>) -> bool,
) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, block);
    let mut trigram = first;
    let mut is_first = true;
    while cursor.remaining() > 0 {
        let difference = cursor.varint("trigram")?;
        let next = trigram.checked_add(difference).filter(|_| is_first == (difference == 0));
        trigram = next.ok_or(FormatError::corrupt(NAME, "order of trigrams"))?;
        is_first = false;
        let head = cursor.varint("number of blocks")?;
        let (count, is_bits) = ((head >> 1) as usize, head & 1 == 1);
        let bytes = if is_bits { (pages as usize).div_ceil(8) } else { length_of(&cursor, count)? };
        let list = cursor.take(bytes, "blocks")?;
        if !visit(trigram, StoredBlocks { list, is_bits, count, pages }) {
            break;
        }
    }
    Ok(())
}

/// Returns the length in bytes of the next `count` numbers.
fn length_of(cursor: &Cursor<'_>, count: usize) -> Result<usize, FormatError> {
    let mut ahead = cursor.clone();
    for _ in 0..count {
        ahead.varint("block")?;
    }
    Ok(cursor.remaining() - ahead.remaining())
}

/// Writes the part `trigrams`.
///
/// ```
/// use nearfind_core::grep::{TrigramWriter, for_each_trigram, trigrams_of};
///
/// let mut writer = TrigramWriter::default();
/// writer.push(0, "undo a commit\n", true);
/// writer.push(1, "undo a merge\n", true);
/// let written = writer.finish(2);
///
/// let wanted = trigrams_of(b"com")[0];
/// let mut found = Vec::new();
/// for_each_trigram(&written.blocks[0], written.firsts[0], 2, &mut |trigram, blocks| {
///     if trigram == wanted {
///         found = blocks.read().unwrap();
///     }
///     true
/// })?;
/// assert_eq!(found, [0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "write")]
#[derive(Debug, Default)]
pub struct TrigramWriter {
    /// Pairs with the trigram in the upper half and the block in the lower half.
    pairs: Vec<u64>,
    inside_lines: Vec<u32>,
    /// The parts of the current line, which has not ended yet, with their blocks.
    open: Vec<(u32, Vec<u8>)>,
    /// The current block, and its whole lines.
    block: Option<u32>,
    lines: Vec<u8>,
}

/// The output of [`TrigramWriter`].
#[cfg(feature = "write")]
#[derive(Clone, Debug, Default)]
pub struct WrittenTrigrams {
    /// The blocks of the part.
    pub blocks: Vec<Vec<u8>>,
    /// The first trigram of each block.
    pub firsts: Vec<Trigram>,
    /// The blocks of pages that begin inside a line.
    pub inside_lines: Vec<u32>,
}

#[cfg(feature = "write")]
impl TrigramWriter {
    /// Uncompressed size that ends a block.
    const BLOCK_BYTES: usize = 4 << 10;

    /// Adds the text of the next chunk, which is in block `block` of pages. `begins` tells whether a file begins with
    /// the chunk.
    pub fn push(&mut self, block: u32, text: &str, begins: bool) {
        if begins {
            self.end_line();
        }
        // An empty chunk counts only if a line is open, because readers follow the line through its block.
        if text.is_empty() && self.open.is_empty() {
            return;
        }
        if self.block != Some(block) {
            self.end_block();
            self.block = Some(block);
            if !self.open.is_empty() {
                self.inside_lines.push(block);
            }
        }
        let mut rest = text.as_bytes();
        if !self.open.is_empty() {
            let end = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
            self.open.push((block, rest[..end].to_vec()));
            if !rest[..end].ends_with(b"\n") {
                return;
            }
            self.end_line();
            rest = &rest[end..];
        }
        let end = rest.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        self.lines.extend_from_slice(&rest[..end]);
        if end < rest.len() {
            self.open.push((block, rest[end..].to_vec()));
        }
    }

    /// Ends the open line. Every block with a part of the line gets all of its trigrams.
    fn end_line(&mut self) {
        let open = std::mem::take(&mut self.open);
        if open.is_empty() {
            return;
        }
        let line: Vec<u8> = open.iter().flat_map(|(_, part)| part.iter().copied()).collect();
        let trigrams = trigrams_of_text(&fold(&line));
        let mut blocks: Vec<u32> = open.into_iter().map(|(block, _)| block).collect();
        blocks.dedup();
        for block in blocks {
            self.add(block, &trigrams);
        }
    }

    fn end_block(&mut self) {
        if let Some(block) = self.block {
            let trigrams = trigrams_of_text(&fold(&self.lines));
            self.add(block, &trigrams);
            self.lines.clear();
        }
    }

    fn add(&mut self, block: u32, trigrams: &[Trigram]) {
        self.pairs.extend(trigrams.iter().map(|&trigram| u64::from(trigram) << 32 | u64::from(block)));
    }

    /// Returns the blocks of the part. `pages` is the number of blocks of pages.
    pub fn finish(mut self, pages: u32) -> WrittenTrigrams {
        use crate::format::bytes::put_varint;
        self.end_line();
        self.end_block();
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let mut written = WrittenTrigrams { inside_lines: self.inside_lines, ..WrittenTrigrams::default() };
        let mut out = Vec::new();
        let mut last = 0;
        for pairs in self.pairs.chunk_by(|a, b| a >> 32 == b >> 32) {
            let trigram = (pairs[0] >> 32) as u32;
            if out.is_empty() {
                written.firsts.push(trigram);
                last = trigram;
            }
            put_varint(&mut out, u64::from(trigram - last));
            last = trigram;
            let mut list = Vec::new();
            let mut next = 0;
            for pair in pairs {
                let block = *pair as u32;
                put_varint(&mut list, u64::from(block - next));
                next = block + 1;
            }
            let bits = (pages as usize).div_ceil(8);
            let is_bits = bits < list.len();
            put_varint(&mut out, pairs.len() as u64 * 2 + u64::from(is_bits));
            if is_bits {
                let start = out.len();
                out.resize(start + bits, 0);
                pairs.iter().for_each(|pair| out[start + *pair as u32 as usize / 8] |= 1 << (*pair % 8));
            } else {
                out.extend(list);
            }
            if out.len() >= Self::BLOCK_BYTES {
                written.blocks.push(std::mem::take(&mut out));
            }
        }
        if !out.is_empty() {
            written.blocks.push(out);
        }
        written
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn read(written: &WrittenTrigrams, pages: u32) -> BTreeMap<u32, Vec<u32>> {
        let mut read = BTreeMap::new();
        for (block, first) in written.blocks.iter().zip(&written.firsts) {
            for_each(block, *first, pages, &mut |trigram, blocks| {
                read.insert(trigram, blocks.read().unwrap());
                true
            })
            .unwrap();
        }
        read
    }

    proptest! {
        /// The oracle goes through every line and the blocks of its bytes. An empty chunk counts as a zero byte of the
        /// open line before it, and as nothing between lines.
        #[test]
        fn a_block_has_the_trigrams_of_all_lines_that_touch_it(
            files in prop::collection::vec(prop::collection::vec(("[abK\n]{0,9}", 0u32..2), 1..6), 1..6),
        ) {
            let mut writer = TrigramWriter::default();
            let (mut expected, mut inside) = (BTreeMap::<u32, BTreeSet<u32>>::new(), BTreeSet::new());
            let mut block = 0;
            for chunks in &files {
                // Each byte of the file with its block.
                let mut bytes: Vec<(u8, u32)> = Vec::new();
                for (number, (text, step)) in chunks.iter().enumerate() {
                    block += step;
                    writer.push(block, text, number == 0);
                    let is_open = bytes.last().is_some_and(|(byte, _)| *byte != b'\n');
                    bytes.extend((text.is_empty() && is_open).then_some((0, block)));
                    bytes.extend(text.bytes().map(|byte| (byte, block)));
                }
                let inner = bytes.windows(2).filter(|pair| pair[0].1 < pair[1].1 && pair[0].0 != b'\n');
                inside.extend(inner.map(|pair| pair[1].1));
                for line in bytes.split_inclusive(|(byte, _)| *byte == b'\n') {
                    let text: Vec<u8> = line.iter().map(|(byte, _)| *byte).filter(|byte| *byte != b'\n' && *byte != 0).collect();
                    for trigram in trigrams_of(&fold(&text)) {
                        expected.entry(trigram).or_default().extend(line.iter().map(|(_, block)| *block));
                    }
                }
            }
            let written = writer.finish(block + 1);
            let expected: BTreeMap<u32, Vec<u32>> = expected.into_iter().map(|(trigram, blocks)| (trigram, blocks.into_iter().collect())).collect();
            prop_assert_eq!(read(&written, block + 1), expected);
            prop_assert_eq!(written.inside_lines, inside.into_iter().collect::<Vec<u32>>());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(0u8..20, 0..64), pages in 0u32..40) {
            let _ = for_each(&bytes, 0, pages, &mut |_, blocks| blocks.read().is_ok());
        }
    }

    #[test]
    fn cases_of_a_letter_are_one() {
        assert_eq!(fold("\u{212a}elvin Ma\u{17f}s É".as_bytes()), "kelvin mass É".as_bytes());
    }

    #[test]
    fn a_trigram_of_most_blocks_has_bits() {
        let mut writer = TrigramWriter::default();
        (0..900).for_each(|block| writer.push(block, "abc\n", true));
        let written = writer.finish(900);
        assert!(written.blocks[0].len() < 130);
        assert_eq!(read(&written, 900)[&0x61_62_63], (0..900).collect::<Vec<_>>());
    }
}
