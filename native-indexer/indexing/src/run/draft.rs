//! The first bundle, which has only the meaning of words and is ready in seconds; and writing text on all cores.

use super::corpus::{Chunked, ProjectReport};
use super::word_meaning::{WordMeaning, WordTable};
use anyhow::Result;
use nearfind_base::progress::Progress;
use nearfind_bundles::bundle_folder::{BuildRecord, BundleWriter};
use nearfind_core::bundle::{
    Bundle, BundleDocument, BundleOptions, BundleText, BundleVectors, Tasks, write_bundle, write_text,
};
use nearfind_core::vector::graph::Graph;
use nearfind_models::model::LoadedModel;
use rayon::prelude::*;

/// A bundle with the meaning of words that was written.
pub(super) struct Draft {
    /// What of it is made of text alone.
    pub text: BundleText,
    /// Bytes of its files.
    pub bytes: u64,
}

/// Writes the bundle with the meaning of words, by the table `known` if there is one; it is there afterwards.
pub(super) fn write_draft(
    writer: &mut BundleWriter,
    record: BuildRecord,
    model: &LoadedModel,
    chunked: &Chunked,
    options: &BundleOptions,
    known: &mut Option<WordTable>,
    progress: Progress,
) -> Result<Draft> {
    let texts = chunked.texts();
    let table_of = |known: Option<WordTable>| match known.filter(|known| known.model == model.hash()) {
        Some(known) => Ok(known),
        None => WordTable::of(model, &texts, progress),
    };
    let before = known.take();
    let (made, text) = rayon::join(
        || table_of(before).map(|mut table| (table.meaning(model, &texts), table)),
        || text_of(&chunked.projects, &chunked.documents, options),
    );
    let (WordMeaning { rotation, vectors }, table) = made?;
    let encoder = &known.insert(table).encoder;
    let graph = Graph::default();
    let vectors = BundleVectors {
        rotated: &vectors,
        rotation: &rotation,
        graph: &graph,
        graph_entry: 0,
        encoder: Some(encoder),
        // The words' meaning is from the local model, even where a provider embeds the passages later.
        knows_latin_alone: model.encoder.tokenizer().knows_latin_alone(),
    };
    let bundle =
        write_bundle(text.clone(), &chunked.documents, &vectors, WordMeaning::reference(model), options, &together);
    writer.write(&bundle, &[], record)?;
    Ok(Draft { text, bytes: bytes_of(&bundle) })
}

/// The parts of a bundle that are made of text alone.
pub(super) fn text_of(projects: &[ProjectReport], documents: &[BundleDocument], options: &BundleOptions) -> BundleText {
    let names: Vec<String> = projects.iter().map(|project| project.name.clone()).collect();
    write_text(&names, documents, options, &together)
}

/// Does tasks on all cores.
pub(super) fn together(tasks: Tasks<'_>) {
    tasks.into_par_iter().for_each(|task| task());
}

/// Bytes of all files of a bundle but a shipped model.
pub(super) fn bytes_of(bundle: &Bundle) -> u64 {
    bundle.parts.iter().map(|file| file.bytes.len() as u64).sum()
}
