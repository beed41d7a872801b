//! Blocks of names, sorted by their lower case, so that an identifier is found in any case. Each entry has a key,
//! encoded as in `terms`, and the varint number of variants, the spellings of the name. Each variant has:
//!
//! - the name as a string, empty if it is the key
//! - the varint number of definitions, and for each the varint difference from the previous document and the varint
//!   number among the document's definitions
//! - the varint number of files that mention it, and for each file a varint 2d, or 2d + 1 if a single line of the file
//!   mentions it, where d is the difference from one more than the previous file. After 2d, the varint number of lines
//!   follows. Each line is stored as the varint difference from the previous one.
//!
//! Files are counted like documents, but the pieces of a source file count once.

use crate::format::{FormatError, bytes::Cursor};

const NAME: &str = "symbols";

/// A name in lower case, with its variants.
///
/// `NameWriter` has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameEntry {
    /// The name in lower case.
    pub key: String,
    /// The spellings of the name, ascending.
    pub variants: Vec<Variant>,
}

/// A name as written.
///
/// `NameWriter` has an example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// The name.
    pub name: String,
    /// The definitions of the name: for each, the document, and the number among the document's definitions.
    pub definitions: Vec<(u32, u32)>,
    /// The mentions of the name: numbers of files, ascending, each with its lines, ascending, starting at 1.
    pub mentions: Vec<(u32, Vec<u32>)>,
}

/// Calls `visit(entry)` for each entry of a block, until it returns `false`.
pub fn for_each(block: &[u8], visit: &mut dyn FnMut(NameEntry) -> bool) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, block);
    let mut key = Vec::new();
    while cursor.remaining() > 0 {
        cursor.shared_prefix(&mut key)?;
        let text = std::str::from_utf8(&key).map_err(|_| FormatError::corrupt(NAME, "name"))?;
        let variants = cursor.list(3, "ways of writing", |cursor| read(cursor, text))?;
        if !visit(NameEntry { key: text.to_owned(), variants }) {
            break;
        }
    }
    Ok(())
}

fn read(cursor: &mut Cursor<'_>, key: &str) -> Result<Variant, FormatError> {
    let overflow = || FormatError::corrupt(NAME, "place of a name");
    let name = cursor.string("name")?;
    let mut variant =
        Variant { name: if name.is_empty() { key.to_owned() } else { name.to_owned() }, ..Variant::default() };
    let mut document = 0u32;
    for _ in 0..cursor.count(2, "definitions of a name")? {
        document = document.checked_add(cursor.varint("document")?).ok_or_else(overflow)?;
        variant.definitions.push((document, cursor.varint("number of a definition")?));
    }
    let mut next = 0u32;
    for _ in 0..cursor.count(2, "mentions of a name")? {
        let head = cursor.varint("file")?;
        let file = next.checked_add(head >> 1).ok_or_else(overflow)?;
        next = file.checked_add(1).ok_or_else(overflow)?;
        let count = if head & 1 == 1 { 1 } else { cursor.count(1, "lines of a name")? };
        let mut line = 0u32;
        let mut lines = Vec::new();
        for _ in 0..count {
            line = line.checked_add(cursor.varint("line")?).ok_or_else(overflow)?;
            lines.push(line);
        }
        variant.mentions.push((file, lines));
    }
    Ok(variant)
}

/// Writes names into blocks.
///
/// ```
/// use nearfind_core::symbols::{NameEntry, NameWriter, Variant, for_each_name};
///
/// let variant = Variant { name: "Session".into(), definitions: vec![(2, 0)], mentions: vec![(0, vec![7, 9])] };
/// let entry = NameEntry { key: "session".into(), variants: vec![variant] };
/// let mut writer = NameWriter::default();
/// writer.push(&entry);
/// let (blocks, _separators) = writer.finish();
///
/// let mut found = Vec::new();
/// for_each_name(&blocks[0], &mut |entry| {
///     found.push(entry);
///     true
/// })?;
/// assert_eq!(found, [entry]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "write")]
#[derive(Debug, Default)]
pub struct NameWriter {
    block: Vec<u8>,
    blocks: Vec<Vec<u8>>,
    separators: Vec<String>,
    previous: String,
}

#[cfg(feature = "write")]
impl NameWriter {
    /// Uncompressed size that ends a block.
    const BLOCK_BYTES: usize = 4 << 10;

    /// Appends a name. Keys must be in ascending byte order.
    pub fn push(&mut self, entry: &NameEntry) {
        use crate::format::bytes::{put_shared_prefix, put_string, put_varint};
        use crate::lexical::separator;
        if self.block.is_empty() {
            let first = self.separators.is_empty();
            self.separators.push(if first { String::new() } else { separator(&self.previous, &entry.key).to_owned() });
            put_shared_prefix(&mut self.block, "", &entry.key);
        } else {
            put_shared_prefix(&mut self.block, &self.previous, &entry.key);
        }
        let out = &mut self.block;
        put_varint(out, entry.variants.len() as u64);
        for variant in &entry.variants {
            put_string(out, if variant.name == entry.key { "" } else { &variant.name });
            put_varint(out, variant.definitions.len() as u64);
            let mut before = 0;
            for &(document, number) in &variant.definitions {
                put_varint(out, u64::from(document - before));
                put_varint(out, u64::from(number));
                before = document;
            }
            put_varint(out, variant.mentions.len() as u64);
            let mut next = 0;
            for (file, lines) in &variant.mentions {
                put_varint(out, u64::from(file - next) * 2 + u64::from(lines.len() == 1));
                next = file + 1;
                if lines.len() != 1 {
                    put_varint(out, lines.len() as u64);
                }
                let mut before = 0;
                for &line in lines {
                    put_varint(out, u64::from(line - before));
                    before = line;
                }
            }
        }
        entry.key.clone_into(&mut self.previous);
        if self.block.len() >= Self::BLOCK_BYTES {
            self.blocks.push(std::mem::take(&mut self.block));
        }
    }

    /// Returns the blocks, and the separator of each.
    pub fn finish(mut self) -> (Vec<Vec<u8>>, Vec<String>) {
        if !self.block.is_empty() {
            self.blocks.push(self.block);
        }
        (self.blocks, self.separators)
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn variant() -> impl Strategy<Value = Variant> {
        let definitions = prop::collection::btree_set((0u32..3000, 0u32..9), 0..6);
        let lines = prop::collection::btree_set(1u32..5000, 1..6);
        let mentions = prop::collection::btree_map(0u32..3000, lines, 0..8);
        (definitions, mentions).prop_map(|(definitions, mentions)| Variant {
            name: String::new(),
            definitions: definitions.into_iter().collect(),
            mentions: mentions.into_iter().map(|(document, lines)| (document, lines.into_iter().collect())).collect(),
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(names in prop::collection::btree_map("[a-zé_]{1,12}", prop::collection::vec(variant(), 1..3), 0..300)) {
            let mut writer = NameWriter::default();
            let mut expected = Vec::new();
            for (key, mut variants) in names {
                for (number, variant) in variants.iter_mut().enumerate() {
                    variant.name = if number == 0 { key.clone() } else { key.to_uppercase() };
                }
                let entry = NameEntry { key, variants };
                writer.push(&entry);
                expected.push(entry);
            }
            let (blocks, separators) = writer.finish();
            prop_assert!(separators.is_sorted() && separators.len() == blocks.len());
            let mut read = Vec::new();
            for block in &blocks {
                for_each(block, &mut |entry| { read.push(entry); true }).unwrap();
            }
            prop_assert_eq!(read, expected);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(0u8..6, 0..96)) {
            let _ = for_each(&bytes, &mut |_| true);
        }
    }
}
