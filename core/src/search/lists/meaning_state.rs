//! The state of the list by meaning: the query is encoded, compared and ranked as blocks arrive.

use super::found::Corrected;
use super::meaning_list::{
    Breadth, MeaningList, cell_cosines, code_blocks, full_blocks, promising as promising_documents, rank_full,
    rank_near, read_in_scope,
};
use super::ranking::RankedDocument;
use crate::collection::SortedSet;
use crate::format::blocks::BlockId;
use crate::format::{FormatError, Part};
use crate::query_encoder::{self, Encoded};
use crate::rank::LIST_DOCUMENTS;
use crate::reader::BundleReader;
use crate::search::query::query_settings::Reach;
use crate::search::query::scope::Scope;
use crate::vector::query_codes::QueryCodes;

const CELLS: BlockId = BlockId { part: Part::Cells, block: 0 };
const ROTATION: BlockId = BlockId { part: Part::Rotation, block: 0 };

/// The list by meaning while it is built.
#[derive(Debug)]
pub(crate) enum Meaning {
    /// The query has no codes yet. `words` are the words that the bundle's query encoder looks up.
    Unencoded { words: Vec<String> },
    /// The query has codes.
    Encoded(QueryCodes),
    /// Only for near: the nearest clusters of documents' codes are known, and so is the number of clusters that are
    /// read.
    Clusters { codes: QueryCodes, nearest: Vec<u32>, read: usize },
    /// Only for near: the promising documents are known.
    Promising { codes: QueryCodes, cosines: Vec<f32>, promising: SortedSet<u32> },
    /// The list is complete.
    Ranked(MeaningList),
}

/// The data that the list by meaning depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs<'a> {
    /// The model's vector of the query, if there is one.
    pub vector: Option<&'a [f32]>,
    pub reach: Reach,
    /// The number of documents in the list.
    pub depth: usize,
    /// Whether the mistyped words are known.
    pub words_are_known: bool,
    /// The documents that may answer the query, once they are known.
    pub scope: Option<&'a Scope>,
    /// The list by words, once it is complete. Empty if it takes no part.
    pub by_words: Option<&'a [RankedDocument]>,
}

impl Meaning {
    /// Applies the corrections of the list by words to the query encoder.
    pub(crate) fn correct(&mut self, corrections: &[Corrected]) {
        let Self::Unencoded { words } = self else { return };
        for Corrected { word, meant } in corrections {
            words.iter_mut().filter(|known| *known == word).for_each(|known| known.clone_from(meant));
        }
    }

    /// Returns the list, once it is complete.
    pub(crate) const fn list(&self) -> Option<&MeaningList> {
        match self {
            Self::Ranked(list) => Some(list),
            _ => None,
        }
    }

    /// Whether no word of the query has a vector.
    pub(crate) const fn found_no_word(&self) -> bool {
        matches!(self, Self::Ranked(MeaningList { cost: None, .. }))
    }

    /// Continues as far as the loaded blocks allow, and adds missing blocks to `needed`.
    pub(crate) fn advance(
        &mut self,
        reader: &BundleReader,
        inputs: &Inputs<'_>,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<(), FormatError> {
        // A very large site has no fine codes.
        let is_near = inputs.reach == Reach::Near || reader.table(Part::Fine)?.is_empty();
        if is_near {
            // This block is requested together with those for the words of the query, because it does not depend on the
            // words.
            needed.insert(CELLS);
        }
        if let Self::Unencoded { words } = self
            && let Some(encoded) = encoded(reader, words, inputs, needed)?
        {
            *self = encoded;
        }
        if is_near {
            return self.advance_near(reader, inputs, needed);
        }
        if let (Self::Encoded(codes), Some(scope), true) = (&*self, inputs.scope, reader.has(BundleReader::MAP)) {
            let blocks = full_blocks(reader, inputs.depth, scope)?;
            if blocks.iter().all(|&id| reader.has(id)) {
                *self = Self::Ranked(rank_full(reader, codes, inputs.depth, scope)?);
            }
            needed.extend(blocks);
        }
        Ok(())
    }

    fn advance_near(
        &mut self,
        reader: &BundleReader,
        inputs: &Inputs<'_>,
        needed: &mut SortedSet<BlockId>,
    ) -> Result<(), FormatError> {
        let breadth = Breadth::of(inputs.reach);
        if let (Self::Encoded(codes), true) = (&mut *self, reader.has(CELLS)) {
            let nearest = reader.cells()?.nearest(codes);
            let read = breadth.clusters[0].min(nearest.len());
            *self = Self::Clusters { codes: std::mem::take(codes), read, nearest };
        }
        while let Self::Clusters { codes, nearest, read } = self {
            let clusters = &nearest[..*read];
            let blocks = clusters.iter().map(|&block| BlockId { part: Part::Cells, block }).collect();
            // Chunks of documents that were found by words are compared as well, so words come first.
            let (true, Some(scope), Some(by_words), true) =
                (reader.has_all(&blocks, needed), inputs.scope, inputs.by_words, reader.has(BundleReader::MAP))
            else {
                return Ok(());
            };
            let cosines = cell_cosines(reader, codes, clusters)?;
            let most = breadth.clusters[1].min(nearest.len());
            let wanted = LIST_DOCUMENTS.min(scope.len(reader.root().documents));
            if *read < most && read_in_scope(&cosines, scope) < wanted {
                *read = (2 * *read).min(most);
                continue;
            }
            let promising = promising_documents(&cosines, by_words, scope, breadth);
            *self = Self::Promising { codes: std::mem::take(codes), cosines, promising };
        }
        let Some(scope) = inputs.scope else { return Ok(()) };
        if let Self::Promising { codes, cosines, promising } = self {
            let blocks: Vec<BlockId> = code_blocks(promising).collect();
            if blocks.iter().all(|&id| reader.has(id)) {
                *self = Self::Ranked(rank_near(reader, codes, cosines, promising, scope)?);
            }
            needed.extend(blocks);
        }
        Ok(())
    }
}

/// Returns the codes of the query, from the model's vector or by the query encoder, or `None` if blocks are missing.
fn encoded(
    reader: &BundleReader,
    words: &[String],
    inputs: &Inputs<'_>,
    needed: &mut SortedSet<BlockId>,
) -> Result<Option<Meaning>, FormatError> {
    if let Some(vector) = inputs.vector {
        needed.insert(ROTATION);
        if !reader.has(ROTATION) {
            return Ok(None);
        }
        return Ok(Some(Meaning::Encoded(QueryCodes::new(&reader.rotation()?.apply(vector)))));
    }
    let root = reader.root();
    Ok(match query_encoder::encode(words, root, |block| reader.get(Part::Tokens, block))? {
        Encoded::Need(blocks) => {
            needed.extend(blocks.into_iter().map(|block| BlockId { part: Part::Tokens, block }));
            None
        }
        // Wait until the mistyped words are known, so that the order of blocks does not matter.
        _ if !inputs.words_are_known => None,
        Encoded::Vector(mut near) => {
            near.resize(root.vectors.dimensions as usize, 0.0);
            Some(Meaning::Encoded(QueryCodes::new(&near)))
        }
        Encoded::Nothing => Some(Meaning::Ranked(MeaningList::default())),
    })
}
