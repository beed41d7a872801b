//! Writes the draft of a bundle, which can be searched by the meaning of words until the model has read the text. Also
//! runs the writing tasks on all cores.

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

/// A draft that was written.
pub(super) struct Draft {
    /// The parts of the bundle that depend only on text.
    pub text: BundleText,
    /// Size of the bundle's parts in bytes.
    pub bytes: u64,
}

/// Writes a bundle with the meaning of words. Uses the table in `known` if it comes from the same model. Otherwise
/// makes a table and leaves it in `known`.
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
        // Words get their vectors from the local model, even if a provider embeds the passages later.
        knows_latin_alone: model.encoder.tokenizer().knows_latin_alone(),
    };
    let bundle =
        write_bundle(text.clone(), &chunked.documents, &vectors, WordMeaning::reference(model), options, &together);
    writer.write(&bundle, &[], record)?;
    Ok(Draft { text, bytes: bytes_of(&bundle) })
}

/// Returns the parts of a bundle that depend only on text.
pub(super) fn text_of(projects: &[ProjectReport], documents: &[BundleDocument], options: &BundleOptions) -> BundleText {
    let names: Vec<String> = projects.iter().map(|project| project.name.clone()).collect();
    write_text(&names, documents, options, &together)
}

/// Runs tasks on all cores.
pub(super) fn together(tasks: Tasks<'_>) {
    tasks.into_par_iter().for_each(|task| task());
}

/// Returns the size in bytes of all parts of a bundle, without the manifest and model packs.
pub(super) fn bytes_of(bundle: &Bundle) -> u64 {
    bundle.parts.iter().map(|file| file.bytes.len() as u64).sum()
}
