//! Checks a whole bundle: every block, every list, every record, and that a walk can reach every chunk.

use crate::format::{FormatError, Part, blocks::BlockId};
use crate::lexical::{postings, term_dictionary};
use crate::records::{self, ChunkMapRow, ChunkRecord, DocumentRecord};
use crate::search::Searcher;
use crate::vector::graph::Graph;

/// Something wrong with a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of the part.
    pub part: &'static str,
    /// What is wrong with it.
    pub message: String,
}

impl From<FormatError> for Finding {
    fn from(error: FormatError) -> Self {
        let part = match &error {
            FormatError::Truncated { part, .. }
            | FormatError::Corrupt { part, .. }
            | FormatError::Checksum { part, .. }
            | FormatError::Version { part, .. }
            | FormatError::TooLarge { part, .. } => part,
            FormatError::Manifest(_) => "nearfind.json",
        };
        Self { part, message: error.to_string() }
    }
}

/// What is wrong with a bundle, given the whole stored bytes of each part in [`Part::ALL`] order.
///
/// Parts are checked one after the other; a part that cannot be decoded is reported once.
pub fn verify(searcher: &Searcher, files: &[Vec<u8>; Part::ALL.len()]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut streams: [Option<Vec<Vec<u8>>>; Part::ALL.len()] = Default::default();
    for part in Part::ALL {
        match decode_all(searcher, part, &files[part.index()]) {
            Ok(blocks) => streams[part.index()] = Some(blocks),
            Err(error) => findings.push(error.into()),
        }
    }
    let blocks = |part: Part| streams[part.index()].as_ref();
    let mut note = |result: Result<(), FormatError>| findings.extend(result.err().map(Finding::from));
    if let (Some(terms), Some(lists)) = (blocks(Part::Terms), blocks(Part::Postings)) {
        note(check_terms(searcher, terms, &lists.concat()));
    }
    if let Some(map) = blocks(Part::ChunkMap) {
        note(check_chunk_map(searcher, &map.concat()));
    }
    if let Some(documents) = blocks(Part::Documents) {
        note(check_documents(searcher, documents));
    }
    if let (Some(chunks), Some(text)) = (blocks(Part::Chunks), blocks(Part::Text)) {
        note(check_chunks(searcher, chunks, &text.concat()));
    }
    if let Some(graph) = blocks(Part::Graph) {
        note(check_graph(searcher, &graph.concat()));
    }
    findings
}

fn corrupt(part: Part, what: &'static str) -> FormatError {
    FormatError::Corrupt { part: part.name(), what }
}

fn decode_all(searcher: &Searcher, part: Part, file: &[u8]) -> Result<Vec<Vec<u8>>, FormatError> {
    let table = searcher.root().table(part);
    if file.len() as u64 != table.stored_total() {
        return Err(FormatError::Truncated { part: part.name(), what: "file" });
    }
    (0..table.len()).map(|block| table.decode_in(BlockId { part, block }, file)).collect()
}

fn check_terms(searcher: &Searcher, blocks: &[Vec<u8>], lists: &[u8]) -> Result<(), FormatError> {
    let chunks = searcher.root().chunks;
    let mut previous: Option<Vec<u8>> = None;
    for (block, first) in blocks.iter().zip(&searcher.root().first_terms) {
        let mut result = Ok(());
        let mut at_start = true;
        term_dictionary::for_each(block, |term, entry| {
            let ordered = previous.as_deref().is_none_or(|previous| previous < term);
            if !ordered || (at_start && term != first.as_bytes()) {
                result = Err(corrupt(Part::Terms, "order of terms"));
                return false;
            }
            at_start = false;
            previous = Some(term.to_vec());
            let list = usize::try_from(entry.start)
                .ok()
                .and_then(|start| lists.get(start..start.checked_add(entry.length as usize)?));
            result = match list {
                Some(list) => postings::decode(list, entry.chunks, chunks).map(|_| ()),
                None => Err(corrupt(Part::Terms, "place of a posting list")),
            };
            result.is_ok()
        })?;
        result?;
    }
    Ok(())
}

fn check_chunk_map(searcher: &Searcher, map: &[u8]) -> Result<(), FormatError> {
    let mut previous = 0;
    for row in map.as_chunks().0 {
        let ChunkMapRow { document, .. } = ChunkMapRow::from_bytes(*row);
        if document < previous || document >= searcher.root().documents {
            return Err(corrupt(Part::ChunkMap, "document number"));
        }
        previous = document;
    }
    Ok(())
}

fn check_documents(searcher: &Searcher, blocks: &[Vec<u8>]) -> Result<(), FormatError> {
    let mut documents = 0;
    let mut next_chunk = 0;
    for (block, first) in blocks.iter().zip(&searcher.root().first_documents) {
        if *first != documents {
            return Err(corrupt(Part::Documents, "first document of a block"));
        }
        for record in records::all::<DocumentRecord>(Part::Documents.name(), block)? {
            let known = (record.project as usize) < searcher.manifest().projects.len();
            if !known || record.first_chunk != next_chunk || record.chunks == 0 {
                return Err(corrupt(Part::Documents, "project or chunks of a document"));
            }
            next_chunk += record.chunks;
            documents += 1;
        }
    }
    if (documents, next_chunk) == (searcher.root().documents, searcher.root().chunks) {
        Ok(())
    } else {
        Err(corrupt(Part::Documents, "number of documents"))
    }
}

fn check_chunks(searcher: &Searcher, blocks: &[Vec<u8>], text: &[u8]) -> Result<(), FormatError> {
    let text = std::str::from_utf8(text).map_err(|_| corrupt(Part::Text, "not UTF-8"))?;
    let (mut chunks, mut next) = (0, 0u64);
    for (block, first) in blocks.iter().zip(&searcher.root().first_chunks) {
        if *first != chunks {
            return Err(corrupt(Part::Chunks, "first chunk of a block"));
        }
        for record in records::all::<ChunkRecord>(Part::Chunks.name(), block)? {
            let end = next + u64::from(record.text_bytes);
            if record.text_start != next || end > text.len() as u64 || !text.is_char_boundary(end as usize) {
                return Err(corrupt(Part::Chunks, "text of a chunk"));
            }
            next = end;
            chunks += 1;
        }
    }
    if chunks == searcher.root().chunks && next == text.len() as u64 {
        Ok(())
    } else {
        Err(corrupt(Part::Chunks, "number of chunks"))
    }
}

fn check_graph(searcher: &Searcher, bytes: &[u8]) -> Result<(), FormatError> {
    let graph = Graph::parse(bytes, searcher.root().chunks)?;
    if graph.unreachable_from(searcher.root().graph_entry).is_empty() {
        Ok(())
    } else {
        Err(corrupt(Part::Graph, "chunks that no walk reaches"))
    }
}
