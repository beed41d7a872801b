//! Checks a whole bundle: every block, every list and every record, and whether a walk can reach every chunk.

use crate::format::blocks::BlockId;
use crate::format::manifest::MANIFEST_FILE;
use crate::format::proof::{PartHash, PartHasher, proof_of};
use crate::format::{FormatError, Part};
use crate::grep::for_each_trigram;
use crate::lexical::list_head::REST;
use crate::lexical::{postings, spelling, term_dictionary};
use crate::query_encoder::table;
use crate::reader::BundleReader;
use crate::records::page;
use crate::symbols::{for_each_definition, for_each_name};
use std::collections::BTreeMap;

/// A defect of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of the part.
    pub part: &'static str,
    /// The defect.
    pub message: String,
}

impl From<FormatError> for Finding {
    fn from(error: FormatError) -> Self {
        Self { part: error.part(), message: error.to_string() }
    }
}

/// Returns the defects of a bundle whose manifest has this `proof`. `read` returns the stored bytes of a block.
///
/// Parts are checked one after the other. A part that cannot be decoded is reported once.
///
/// ```
/// use nearfind_core::bundle::verify;
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let read = |reader: &_, id| Ok(stored(&bundle, reader, id).to_vec());
/// assert_eq!(verify(&mut open(&bundle), &bundle.manifest.proof, read), []);
///
/// // Each part is whole, but the proof is that of another bundle.
/// let findings = verify(&mut open(&bundle), &"0".repeat(64), read);
/// assert_eq!(findings[0].part, "nearfind.json");
/// ```
pub fn verify(
    reader: &mut BundleReader,
    proof: &str,
    mut read: impl FnMut(&BundleReader, BlockId) -> Result<Vec<u8>, FormatError>,
) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    // The map comes first, because it contains the tables of other parts.
    let mut hashes = Vec::new();
    for part in Part::ALL {
        match bring_all(reader, part, &mut read) {
            Ok(hash) if hash.identity() != reader.root().identities[part.index()] => {
                findings.push(replaced(part.name()));
            }
            Ok(hash) => hashes.push(hash),
            Err(error) => {
                findings.push(error.into());
                if part == Part::Map {
                    return findings;
                }
            }
        }
    }
    if findings.is_empty() && proof_of(hashes) != proof {
        findings.push(replaced(MANIFEST_FILE));
    }
    let checks: [(&[Part], Check); 10] = [
        (&[Part::Terms, Part::Positions], check_terms),
        (&[Part::Spelling], check_spelling),
        (&[Part::Pages], check_pages),
        (&[Part::Catalog], |reader| reader.catalog().map(|_| ())),
        (&[Part::Tokens], check_tokens),
        (&[Part::Rotation, Part::Cells], |reader| {
            reader.rotation()?;
            check_cells(reader)
        }),
        (&[Part::Codes, Part::Fine], |reader| {
            if reader.table(Part::Fine)?.is_empty() { Ok(()) } else { reader.fine().map(|_| ()) }
        }),
        (&[Part::Graph], check_graph),
        (&[Part::Directory, Part::Symbols], check_symbols),
        (&[Part::Directory, Part::Trigrams], check_trigrams),
    ];
    for (parts, check) in checks {
        let is_there = parts.iter().all(|part| findings.iter().all(|finding| finding.part != part.name()));
        if is_there && let Err(error) = check(reader) {
            findings.push(error.into());
        }
    }
    findings
}

/// Returns the defect of a part whose blocks are all intact, but whose content differs from the content that the bundle
/// was written with.
pub fn replaced(part: &'static str) -> Finding {
    let message = format!(
        "{part}: its content does not match the manifest. It was replaced: copy the index again from its \
        source, or rebuild it with `nearfind index --full`."
    );
    Finding { part, message }
}

type Check = fn(&BundleReader) -> Result<(), FormatError>;

fn bring_all(
    reader: &mut BundleReader,
    part: Part,
    read: &mut impl FnMut(&BundleReader, BlockId) -> Result<Vec<u8>, FormatError>,
) -> Result<PartHash, FormatError> {
    let mut hasher = PartHasher::new(reader.root().limit_of(part));
    for block in 0..reader.table(part)?.len() {
        let id = BlockId { part, block };
        let stored = read(reader, id)?;
        reader.provide(id, &stored)?;
        hasher.add_stored(&stored);
    }
    if part == Part::Map {
        reader.map()?;
    }
    if part == Part::Directory {
        reader.directory()?;
    }
    Ok(hasher.finish())
}

fn check_terms(reader: &BundleReader) -> Result<(), FormatError> {
    let root = reader.root();
    let positions = reader.all_blocks(Part::Positions)?.concat();
    let corrupt = |what| Err(FormatError::corrupt(Part::Terms.name(), what));
    let mut previous: Option<Vec<u8>> = None;
    // Continuations of long posting lists precede all other terms.
    let mut rests: BTreeMap<Vec<u8>, Vec<(u32, u32)>> = BTreeMap::new();
    let mut next_positions = 0;
    for (block, separator) in reader.all_blocks(Part::Terms)?.iter().zip(&root.term_separators) {
        let mut result = Ok(());
        let before = previous.clone();
        term_dictionary::for_each(block, |term, entry| {
            let ordered = previous.as_deref().is_none_or(|previous| previous < term);
            let separated =
                term >= separator.as_bytes() && before.as_deref().is_none_or(|last| last < separator.as_bytes());
            if !ordered || !separated || entry.positions_start != next_positions {
                result = corrupt("order of terms");
                return false;
            }
            next_positions = entry.positions_start.saturating_add(u64::from(entry.positions_bytes));
            previous = Some(term.to_vec());
            let mut chunks = Vec::new();
            result = postings::for_each(entry.postings, root.chunks, |chunk, found| chunks.push((chunk, found.body)));
            if let Some(whole) = term.strip_prefix(REST.as_bytes()) {
                rests.insert(whole.to_vec(), chunks);
            } else if result.is_ok() {
                chunks.extend(rests.remove(term).into_iter().flatten());
                let range = entry.positions_start as usize..next_positions as usize;
                result = check_list(chunks, entry.chunks, positions.get(range));
            }
            result.is_ok()
        })?;
        result?;
    }
    if next_positions == positions.len() as u64 && rests.is_empty() {
        Ok(())
    } else {
        corrupt("length of the positions")
    }
}

/// Checks the `count` chunks of a term, each with its frequency in the body, and the `positions` of the term.
fn check_list(mut chunks: Vec<(u32, u32)>, count: u32, positions: Option<&[u8]>) -> Result<(), FormatError> {
    chunks.sort_unstable();
    if chunks.len() != count as usize || chunks.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(FormatError::corrupt(Part::Terms.name(), "chunks of a term"));
    }
    let positions = positions.ok_or(FormatError::corrupt(Part::Terms.name(), "place of positions"))?;
    let mut cursor = crate::format::bytes::Cursor::new(Part::Positions.name(), positions);
    postings::for_each_position(&mut cursor, &chunks, |_, _| {})?;
    cursor.finish("positions")
}

fn check_cells(reader: &BundleReader) -> Result<(), FormatError> {
    let mut has_code = vec![false; reader.root().documents as usize];
    let mut note = |documents: &[u32]| documents.iter().for_each(|&document| has_code[document as usize] = true);
    note(reader.cells()?.all().documents());
    for block in 1..reader.table(Part::Cells)?.len() {
        note(reader.cluster(block)?.documents());
    }
    let all_have = has_code.into_iter().all(|has| has);
    if all_have { Ok(()) } else { Err(FormatError::corrupt(Part::Cells.name(), "a document without a code")) }
}

fn check_symbols(reader: &BundleReader) -> Result<(), FormatError> {
    let Some(directory) = reader.directory()? else { return Ok(()) };
    let documents = reader.root().documents;
    let corrupt = |what| Err(FormatError::corrupt(Part::Symbols.name(), what));
    let blocks = reader.all_blocks(Part::Symbols)?;
    let (definitions, names) = blocks.split_at(directory.first_documents.len());
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for (block, first) in definitions.iter().zip(&directory.first_documents) {
        let mut last = counts.last_key_value().map(|(document, _)| *document);
        let mut is_sound = last.is_none_or(|last| last < *first);
        for_each_definition(block, *first, &mut |document, _| {
            is_sound &= document < documents && last.is_none_or(|last| last <= document);
            last = Some(document);
            *counts.entry(document).or_default() += 1;
            is_sound
        })?;
        if !is_sound {
            return corrupt("documents of definitions");
        }
    }
    let mut previous: Option<String> = None;
    for (block, separator) in names.iter().zip(&directory.name_separators) {
        let mut is_sound = previous.as_ref().is_none_or(|previous| previous < separator);
        for_each_name(block, &mut |entry| {
            is_sound &= entry.key >= *separator && previous.as_ref().is_none_or(|previous| *previous < entry.key);
            let variants = || entry.variants.iter();
            is_sound &= variants()
                .flat_map(|variant| &variant.definitions)
                .all(|(document, number)| counts.get(document).is_some_and(|count| number < count));
            is_sound &= variants().flat_map(|variant| &variant.mentions).all(|(file, _)| *file < documents);
            previous = Some(entry.key);
            is_sound
        })?;
        if !is_sound {
            return corrupt("names");
        }
    }
    Ok(())
}

fn check_trigrams(reader: &BundleReader) -> Result<(), FormatError> {
    let Some(directory) = reader.directory()? else { return Ok(()) };
    let pages = reader.table(Part::Pages)?.len();
    let mut last = None;
    for (block, first) in reader.all_blocks(Part::Trigrams)?.into_iter().zip(&directory.first_trigrams) {
        let mut result = if last.is_none_or(|last| last < *first) {
            Ok(())
        } else {
            Err(FormatError::corrupt(Part::Trigrams.name(), "order of trigrams"))
        };
        for_each_trigram(block, *first, pages, &mut |trigram, blocks| {
            last = Some(trigram);
            if result.is_ok() {
                result = blocks.read().map(drop);
            }
            result.is_ok()
        })?;
        result?;
    }
    let is_known = |block: &u32| *block < pages;
    if directory.inside_lines.iter().all(is_known) {
        Ok(())
    } else {
        Err(FormatError::corrupt(Part::Directory.name(), "blocks inside of lines"))
    }
}

fn check_spelling(reader: &BundleReader) -> Result<(), FormatError> {
    let blocks = reader.all_blocks(Part::Spelling)?;
    blocks.into_iter().try_for_each(|block| spelling::for_each(block, &mut |_, _| ()))
}

fn check_pages(reader: &BundleReader) -> Result<(), FormatError> {
    let map = reader.map()?;
    let mut documents = 0;
    let mut known = true;
    for (number, block) in reader.all_blocks(Part::Pages)?.into_iter().enumerate() {
        let chunks = map.chunks_of_page(number as u32);
        let mut chunk = chunks.start;
        page::for_each(block, &mut |document, _| {
            known &= (document.project as usize) < reader.root().projects.len() && !document.title.is_empty();
            if chunk < chunks.end && map.chunks_of(map.document_of(chunk)).start == chunk {
                documents += 1;
            }
            chunk += 1;
            true
        })?;
        known &= chunk == chunks.end;
    }
    if known && documents == reader.root().documents {
        Ok(())
    } else {
        Err(FormatError::corrupt(Part::Pages.name(), "documents and chunks"))
    }
}

fn check_tokens(reader: &BundleReader) -> Result<(), FormatError> {
    let near = reader.root().vectors.near.len();
    for block in reader.all_blocks(Part::Tokens)? {
        let mut previous: Option<Vec<u8>> = None;
        let mut ordered = true;
        table::for_each(block, near, |key, _| {
            ordered &= previous.as_deref().is_none_or(|previous| previous < key);
            previous = Some(key.to_vec());
        })?;
        if !ordered {
            return Err(FormatError::corrupt(Part::Tokens.name(), "order of tokens"));
        }
    }
    Ok(())
}

fn check_graph(reader: &BundleReader) -> Result<(), FormatError> {
    let is_left_out = reader.table(Part::Graph)?.is_empty() && reader.table(Part::Fine)?.is_empty();
    if is_left_out || reader.graph()?.unreachable_from(reader.root().graph_entry).is_empty() {
        Ok(())
    } else {
        Err(FormatError::corrupt(Part::Graph.name(), "chunks that no walk reaches"))
    }
}
