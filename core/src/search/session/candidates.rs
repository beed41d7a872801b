//! Chooses the documents to show, their order and their chunks, and turns them into hits.

use super::answer::{Hit, ListEvidence, Passage, Why};
use super::fit::{ENOUGH, Measure};
use crate::analysis::{Analyzer, key_of, pin_key};
use crate::collection::best_first;
use crate::excerpt::{Wanted, best_excerpt};
use crate::format::{FormatError, Part};
use crate::rank::{Fused, Standards, fuse};
use crate::reader::BundleReader;
use crate::records::map::WEIGHT_STEPS;
use crate::records::{ChunkMap, ChunkRecord, DocumentRecord, page};
use crate::search::lists::chunk_scores::ChunkScores;
use crate::search::lists::code_signals::{CodeSignals, by_file};
use crate::search::lists::ranking::RankedDocument;
use crate::search::query::scope::Scope;

/// How much better an older version of a page must be to replace the latest one.
const VERSION_MARGIN: f32 = 0.5;

/// A document of the fused list, with the chunks to show and the evidence of both lists.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    fused: Fused,
    /// The chunks to show, best first. There is at least one.
    pub chunks: Vec<u32>,
    pub why: Why,
    pub pinned: bool,
    /// See [`Hit::score`].
    pub relevance: f32,
}

impl Candidate {
    /// The key that sorts candidates of several bundles, highest first. Pinned ones come before all others.
    pub(crate) const fn order(&self) -> f32 {
        if self.pinned { f32::MAX } else { self.fused.score }
    }
}

/// The documents of a bundle that may be shown.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    /// The best candidates, up to the limit.
    pub shown: Vec<Candidate>,
    /// The number of all candidates.
    pub found: usize,
    /// How well the best candidate fits.
    pub best: f32,
}

/// The data that decides which documents to show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<'a> {
    /// The lists by words and by meaning. `None` for a list that takes no part.
    pub lists: [Option<&'a [RankedDocument]>; 2],
    /// The scores of chunks in the lists.
    pub chunk_scores: ChunkScores<'a>,
    /// Documents whose name is the question, with points for how exact the match is.
    pub named: &'a [(u32, u8)],
    /// The part of the question that concerns source code.
    pub code: Option<&'a CodeSignals>,
    pub scope: &'a Scope,
    /// The statistics that the lists are measured by.
    pub standards: &'a Standards,
    /// The weight of each list.
    pub weights: [f32; 2],
    /// The query's text without marks.
    pub text: &'a str,
    pub limit: usize,
    /// The maximum number of passages per document.
    pub passages: usize,
    /// Measures how well documents fit.
    pub measure: Measure,
    /// Whether to show documents that do not fit.
    pub unfit: bool,
    /// The number of the order to sort by, and whether the largest value comes first.
    pub order: Option<(usize, bool)>,
}

/// Returns the documents to show: pinned documents, then fused ones, or those of the only list.
pub(crate) fn candidates(reader: &BundleReader, choice: &Choice<'_>) -> Result<Candidates, FormatError> {
    let (root, map) = (reader.root(), reader.map()?);
    let Choice { lists, scope, .. } = *choice;
    let scores = lists
        .map(|list| list.map(|list| list.iter().map(|ranked| (ranked.document, ranked.score)).collect::<Vec<_>>()));
    let [words, meaning] = &scores;
    let fused = fuse(
        [words.as_deref(), meaning.as_deref()],
        choice.weights,
        choice.named,
        root.documents as usize,
        choice.standards,
    );
    let fused = weighted(map, fused, choice.code);
    let key = if root.pins.is_empty() { String::new() } else { pin_key(choice.text) };
    let pinned = root.pins.iter().filter(|pin| pin.key == key).flat_map(|pin| pin.documents.iter().copied());
    let pinned: Vec<u32> = pinned.filter(|&document| scope.admits(document)).collect();
    let places = |fused: &Fused| [0, 1].map(|list| Some(lists[list]?[fused.ranks[list]? as usize - 1]));
    // A document with this name fits, whatever its text is.
    let fit = |fused: &Fused| choice.measure.fit(places(fused)).max(f32::from(fused.names.min(1)));
    let candidate = |fused: Fused| {
        let found: [Option<RankedDocument>; 2] = places(&fused);
        let evidence = |list: usize| {
            let score = found[list].map_or(0.0, |ranked| ranked.score);
            Some(ListEvidence { rank: fused.ranks[list], score, z: fused.z[list]?, weight: choice.weights[list] })
        };
        let chunks = choice.chunk_scores.passages(map.chunks_of(fused.document), choice.passages.max(1));
        let pinned = pinned.contains(&fused.document);
        let (defines, aside) = choice.code.map_or((0.0, 0.0), |code| code.of_document(map, fused.document));
        let why = Why {
            defines,
            aside,
            words: evidence(0),
            meaning: evidence(1),
            fused: fused.score,
            named: fused.names > 0,
            fit: fit(&fused),
        };
        Candidate { fused, chunks, why, pinned, relevance: 0.0 }
    };
    let mut found = one_version(map, &fused, &pinned);
    if root.has_code() {
        found = by_file(map, found);
    }
    let best = found.iter().map(fit).fold(0.0, f32::max);
    found.retain(|fused| choice.unfit || fit(fused) >= ENOUGH || pinned.contains(&fused.document));
    if let Some((order, descending)) = choice.order {
        found.retain(|fused| fused.ranks[0].is_some() || lists[0].is_none());
        // Documents with the property come first. Among documents with equal values, the better answer comes first.
        let place = |fused: &Fused| match map.place_of(order, fused.document) as f32 {
            0.0 => f32::MIN,
            place if descending => place,
            place => -place,
        };
        found = best_first(found.iter().map(place)).into_iter().map(|at| found[at as usize]).collect();
    }
    let all = found.len();
    Ok(Candidates { shown: found.into_iter().take(choice.limit).map(candidate).collect(), found: all, best })
}

/// Applies the weights of documents: a document with twice the weight is a standard deviation better in each list.
/// Source code has its own signals.
fn weighted(map: &ChunkMap, mut fused: Vec<Fused>, code: Option<&CodeSignals>) -> Vec<Fused> {
    for fused in &mut fused {
        let lists = fused.z.iter().flatten().count() as f32;
        fused.score += f32::from(map.weight_of(fused.document)) / WEIGHT_STEPS * lists;
    }
    if let Some(code) = code {
        code.apply(map, &mut fused);
    }
    best_first(fused.iter().map(|fused| fused.score)).into_iter().map(|at| fused[at as usize]).collect()
}

/// If a document's title is the question, shows the document from its top. The page of its passage must be loaded.
pub(crate) fn go_to_top(
    reader: &BundleReader,
    candidate: &mut Candidate,
    analyzer: &Analyzer,
    key: &str,
) -> Result<(), FormatError> {
    let map = reader.map()?;
    let top = map.chunks_of(candidate.fused.document).start;
    if candidate.chunks[0] != top {
        let (page, number) = map.page_of(candidate.chunks[0]);
        let (document, _) = page::find(reader.block(page.part, page.block)?, number)?;
        if key_of(analyzer, &document.title) == key {
            candidate.chunks.retain(|&chunk| chunk != top);
            candidate.chunks.insert(0, top);
        }
    }
    Ok(())
}

/// Returns the pinned documents, followed by the fused ones. Only the latest version of a page is kept, unless another
/// version is clearly better.
fn one_version(map: &ChunkMap, fused: &[Fused], pinned: &[u32]) -> Vec<Fused> {
    let of = |document: u32| fused.iter().find(|fused| fused.document == document).copied();
    let unlisted = |document| Fused { document, score: 0.0, ranks: [None; 2], z: [None; 2], names: 0 };
    let mut shown: Vec<Fused> = pinned.iter().map(|&document| of(document).unwrap_or(unlisted(document))).collect();
    let mut is_shown = vec![false; map.documents()];
    pinned.iter().for_each(|&document| is_shown[map.latest_of(document) as usize] = true);
    for &best in fused {
        let page = map.latest_of(best.document);
        if !std::mem::replace(&mut is_shown[page as usize], true) {
            let latest = if page == best.document { None } else { of(page) };
            shown.push(latest.filter(|latest| latest.score + VERSION_MARGIN >= best.score).unwrap_or(best));
        }
    }
    shown
}

/// Turns a candidate into a hit. The pages of the candidate must be loaded.
pub(crate) fn hit(
    reader: &BundleReader,
    bundle: usize,
    candidate: &Candidate,
    wanted: Wanted<'_>,
    with_text: bool,
) -> Result<Hit, FormatError> {
    let top = reader.map()?.chunks_of(candidate.fused.document).start;
    let mut passages: Vec<Passage> = Vec::with_capacity(candidate.chunks.len());
    let (mut record, mut text) = (None, None);
    for &chunk in &candidate.chunks {
        let (document, mut passage, body) = passage(reader, chunk, wanted)?;
        if passages.is_empty()
            && chunk == top
            && !body.is_source
            && key_of(wanted.analyzer, &document.title) == wanted.key
        {
            // The question names the page, and not a location in it.
            (passage.section, passage.anchor) = (String::new(), String::new());
        }
        if with_text && passages.is_empty() {
            // `join` would add code to every page.
            let mut whole = document.title.clone();
            for line in [passage.section.as_str(), "", &body.text] {
                whole.push('\n');
                whole.push_str(line);
            }
            text = Some(whole);
        }
        record.get_or_insert(document);
        // A second passage from the same section would repeat the location.
        if passages.iter().all(|known| (&known.section, &known.anchor) != (&passage.section, &passage.anchor)) {
            passages.push(passage);
        }
    }
    let record = record.ok_or(FormatError::corrupt(Part::Pages.name(), "chunk of a document"))?;
    let Passage { section, anchor, excerpt, chunk } = passages.remove(0);
    let project = reader.root().projects.get(record.project as usize);
    let project = project.ok_or(FormatError::corrupt(Part::Pages.name(), "project number"))?;
    Ok(Hit {
        document: record.id,
        project: project.name.clone(),
        path: record.path,
        url: Some(record.url).filter(|url| !url.is_empty()),
        title: record.title,
        section,
        anchor,
        meta: record.meta,
        score: candidate.relevance,
        pinned: candidate.pinned,
        versions: record.versions,
        excerpt,
        more: passages,
        why: candidate.why,
        bundle,
        text,
        number: candidate.fused.document,
        chunk,
    })
}

/// Returns the passage of a chunk with its document, and the chunk.
fn passage(
    reader: &BundleReader,
    chunk: u32,
    wanted: Wanted<'_>,
) -> Result<(DocumentRecord, Passage, ChunkRecord), FormatError> {
    let (page, number) = reader.map()?.page_of(chunk);
    let (document, body) = page::find(reader.block(page.part, page.block)?, number)?;
    let excerpt = best_excerpt(&body, wanted);
    let section = body.section_at(excerpt.start).cloned().unwrap_or_default();
    Ok((document, Passage { section: section.title, anchor: section.anchor, excerpt, chunk }, body))
}
