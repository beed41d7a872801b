//! Blocks of definitions by document. Each entry has the varint difference from the previous document (for the first
//! one of a block, from the document in the directory) and the varint number of definitions. Each definition has the u8
//! kind, the name and the scope as strings, the varint difference between its first line and that of the previous
//! definition (from 0 for the first one of a document), the varint number of further lines, the varint byte offset in
//! the document's text where its signature begins, and the varint length of the signature in bytes.

use super::SymbolKind;
use crate::format::{FormatError, bytes::Cursor};
use std::ops::Range;

const NAME: &str = "symbols";
/// Minimum number of bytes in a definition.
const SMALLEST: usize = 7;

/// A definition in a piece of source code.
///
/// ```
/// use nearfind_core::symbols::{Definition, SymbolKind};
///
/// let text = "class Session:\n    def send(self,\n             body):\n        pass\n";
/// let start = text.find("def").unwrap() as u32;
/// let end = text.find(":\n        pass").unwrap() as u32;
/// let send = Definition {
///     name: "send".into(),
///     kind: SymbolKind::Method,
///     scope: "Session".into(),
///     lines: (2, 4),
///     signature: start..end,
/// };
/// assert_eq!(send.qualified(), "Session.send");
/// assert_eq!(send.signature_in(text), "def send(self, body)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The definition's name as written.
    pub name: String,
    /// The definition's kind.
    pub kind: SymbolKind,
    /// The names of the definitions around this one, outermost first, joined by dots. May be empty.
    pub scope: String,
    /// The definition's first and last line in its file, starting at 1.
    pub lines: (u32, u32),
    /// The byte range of the signature in the document's text. The signature precedes the body.
    pub signature: Range<u32>,
}

impl Definition {
    /// Returns the scope and the name, such as `Session.send`.
    pub fn qualified(&self) -> String {
        if self.scope.is_empty() { self.name.clone() } else { format!("{}.{}", self.scope, self.name) }
    }

    /// Returns the signature on one line, given the document's text.
    pub fn signature_in(&self, text: &str) -> String {
        let range = self.signature.start as usize..self.signature.end as usize;
        let words: Vec<&str> = text.get(range).unwrap_or_default().split_whitespace().collect();
        words.join(" ")
    }
}

/// Calls `visit(document, definition)` for each definition of a block that begins with document `first`, until it
/// returns `false`. Documents and their definitions are in ascending order.
pub fn for_each(block: &[u8], first: u32, visit: &mut dyn FnMut(u32, Definition) -> bool) -> Result<(), FormatError> {
    let mut cursor = Cursor::new(NAME, block);
    let mut document = first;
    let mut is_first = true;
    while cursor.remaining() > 0 {
        let difference = cursor.varint("document")?;
        let next = document.checked_add(difference).filter(|_| is_first == (difference == 0));
        document = next.ok_or(FormatError::corrupt(NAME, "order of documents"))?;
        is_first = false;
        let mut line = 0;
        for _ in 0..cursor.count(SMALLEST, "definitions")? {
            let definition = read(&mut cursor, line)?;
            line = definition.lines.0;
            if !visit(document, definition) {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn read(cursor: &mut Cursor<'_>, before: u32) -> Result<Definition, FormatError> {
    let overflow = FormatError::corrupt(NAME, "place of a definition");
    let kind = SymbolKind::ALL.get(usize::from(cursor.u8("kind")?)).copied();
    let kind = kind.ok_or(FormatError::corrupt(NAME, "kind"))?;
    let (name, scope) = (cursor.string("name")?.to_owned(), cursor.string("scope")?.to_owned());
    let line = before.checked_add(cursor.varint("line")?).ok_or(overflow.clone())?;
    let last = line.checked_add(cursor.varint("lines")?).ok_or(overflow.clone())?;
    let start = cursor.varint("signature")?;
    let end = start.checked_add(cursor.varint("length of a signature")?).ok_or(overflow)?;
    Ok(Definition { name, kind, scope, lines: (line, last), signature: start..end })
}

/// Writes definitions into blocks.
///
/// ```
/// use nearfind_core::symbols::{Definition, DefinitionWriter, SymbolKind, for_each_definition};
///
/// let (kind, scope) = (SymbolKind::Function, String::new());
/// let undo = Definition { name: "undo".into(), kind, scope, lines: (1, 2), signature: 0..9 };
/// let mut writer = DefinitionWriter::default();
/// writer.push(4, &[&undo]);
/// let (blocks, first_documents) = writer.finish();
///
/// let mut found = Vec::new();
/// for_each_definition(&blocks[0], first_documents[0], &mut |document, definition| {
///     found.push((document, definition));
///     true
/// })?;
/// assert_eq!(found, [(4, undo)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "write")]
#[derive(Debug, Default)]
pub struct DefinitionWriter {
    block: Vec<u8>,
    blocks: Vec<Vec<u8>>,
    firsts: Vec<u32>,
    last: u32,
}

#[cfg(feature = "write")]
impl DefinitionWriter {
    /// Uncompressed size that ends a block.
    const BLOCK_BYTES: usize = 8 << 10;

    /// Appends the definitions of a document, sorted by first line. Documents must be in ascending order.
    pub fn push(&mut self, document: u32, definitions: &[&Definition]) {
        use crate::format::bytes::{put_string, put_varint};
        if definitions.is_empty() {
            return;
        }
        if self.block.is_empty() {
            self.firsts.push(document);
            self.last = document;
        }
        let out = &mut self.block;
        put_varint(out, u64::from(document - self.last));
        put_varint(out, definitions.len() as u64);
        let mut before = 0;
        for definition in definitions {
            out.push(SymbolKind::ALL.iter().position(|kind| *kind == definition.kind).unwrap_or_default() as u8);
            put_string(out, &definition.name);
            put_string(out, &definition.scope);
            let (first, last) = definition.lines;
            put_varint(out, u64::from(first - std::mem::replace(&mut before, first)));
            put_varint(out, u64::from(last.saturating_sub(first)));
            put_varint(out, u64::from(definition.signature.start));
            put_varint(out, definition.signature.len() as u64);
        }
        self.last = document;
        if self.block.len() >= Self::BLOCK_BYTES {
            self.blocks.push(std::mem::take(&mut self.block));
        }
    }

    /// Returns the blocks, and the first document of each.
    pub fn finish(mut self) -> (Vec<Vec<u8>>, Vec<u32>) {
        if !self.block.is_empty() {
            self.blocks.push(self.block);
        }
        (self.blocks, self.firsts)
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn definition() -> impl Strategy<Value = Definition> {
        ("[a-zé]{1,12}", 0..SymbolKind::ALL.len(), "[a-z.]{0,12}", 1u32..9000, 0u32..400, 0u32..900, 0u32..200)
            .prop_map(|(name, kind, scope, line, lines, start, bytes)| Definition {
                name,
                kind: SymbolKind::ALL[kind],
                scope,
                lines: (line, line + lines),
                signature: start..start + bytes,
            })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(documents in prop::collection::btree_map(0u32..5000, prop::collection::vec(definition(), 0..40), 0..60)) {
            let by_line = |(document, mut definitions): (u32, Vec<Definition>)| {
                definitions.sort_by_key(|definition| definition.lines.0);
                (document, definitions)
            };
            let documents: std::collections::BTreeMap<u32, Vec<Definition>> = documents.into_iter().map(by_line).collect();
            let mut writer = DefinitionWriter::default();
            documents.iter().for_each(|(document, definitions)| writer.push(*document, &definitions.iter().collect::<Vec<_>>()));
            let (blocks, firsts) = writer.finish();
            prop_assert!(firsts.is_sorted() && firsts.len() == blocks.len());
            let mut read = Vec::new();
            for (block, first) in blocks.iter().zip(firsts) {
                for_each(block, first, &mut |document, definition| { read.push((document, definition)); true }).unwrap();
            }
            let expected: Vec<(u32, Definition)> = documents
                .iter()
                .flat_map(|(document, definitions)| definitions.iter().map(|definition| (*document, definition.clone())))
                .collect();
            prop_assert_eq!(read, expected);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(0u8..14, 0..96), first in any::<u32>()) {
            let _ = for_each(&bytes, first, &mut |_, _| true);
        }
    }

    #[test]
    fn a_signature_is_one_line_and_never_beyond_the_text() {
        let definition = Definition {
            name: "send".into(),
            kind: SymbolKind::Method,
            scope: "Session".into(),
            lines: (3, 9),
            signature: 4..21,
        };
        assert_eq!(definition.signature_in("    def send(\n  a)\n"), "");
        assert_eq!(definition.signature_in("    def send(a,\n b):\n"), "def send(a, b):");
        assert_eq!(definition.qualified(), "Session.send");
    }
}
