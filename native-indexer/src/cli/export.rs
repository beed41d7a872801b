use super::bundle_arguments::BundleArguments;
use crate::library::Document;
use crate::model::ModelStore;
use crate::terminal::print_json;
use anyhow::Result;
use clap::Args;
use nearfind_core::records::ChunkRecord;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
}

/// A document as it is printed.
#[derive(Serialize)]
struct Exported<'a> {
    document: &'a str,
    path: &'a str,
    url: Option<&'a str>,
    title: &'a str,
    description: &'a str,
    aliases: &'a [String],
    /// Of source code what its pieces define, as their ids have it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pieces: Vec<&'a str>,
    sections: Vec<Section<'a>>,
}

#[derive(Serialize)]
struct Section<'a> {
    title: &'a str,
    anchor: &'a str,
    text: String,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let library = arguments.bundle.open(store)?;
    let documents = library.read(|view| view.paths(None))?;
    for path in documents {
        if !print(&path.read()?) {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a document as a line of JSON. Whoever reads may have seen enough: then it is false.
pub(super) fn print(document: &Document) -> bool {
    let exported = Exported {
        document: &document.id,
        path: &document.path,
        url: document.url.as_deref(),
        title: &document.title,
        description: &document.description,
        aliases: &document.aliases,
        pieces: document.pieces.iter().map(|(name, _)| name.as_str()).collect(),
        sections: sections(&document.chunks),
    };
    print_json(&exported).is_ok()
}

/// The sections of a document, each whole: a chunk begins with the section that the one before ended in.
fn sections<'a>(chunks: &'a [ChunkRecord]) -> Vec<Section<'a>> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    for chunk in chunks {
        for (number, start) in chunk.sections.iter().enumerate() {
            let end = chunk.sections.get(number + 1).map_or(chunk.text.len(), |next| next.at as usize);
            let text = chunk.text.get(start.at as usize..end).unwrap_or_default();
            let goes_on =
                |last: &&mut Section<'_>| number == 0 && last.title == start.title && last.anchor == start.anchor;
            match sections.last_mut().filter(goes_on) {
                Some(last) => last.text.push_str(text),
                None => sections.push(Section { title: &start.title, anchor: &start.anchor, text: text.to_owned() }),
            }
        }
    }
    sections
}
