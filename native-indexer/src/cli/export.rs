use crate::bundle_folder::BundleFolder;
use anyhow::Result;
use clap::Args;
use nearfind_core::records::{ChunkRecord, DocumentRecord};
use serde::Serialize;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folder of the bundle, or @NAME for that of a collection
    #[arg(value_parser = super::place::bundle)]
    bundle: PathBuf,
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
    sections: Vec<Section<'a>>,
}

#[derive(Serialize)]
struct Section<'a> {
    title: &'a str,
    anchor: &'a str,
    text: String,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut bundle = BundleFolder::open(&arguments.bundle)?;
    for (record, chunks) in bundle.documents()? {
        if !print(&record, &chunks)? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a document as a line of JSON. Whoever reads may have seen enough: then it is false.
pub(super) fn print(record: &DocumentRecord, chunks: &[ChunkRecord]) -> Result<bool> {
    let exported = Exported {
        document: &record.id,
        path: &record.path,
        url: Some(record.url.as_str()).filter(|url| !url.is_empty()),
        title: &record.title,
        description: &record.description,
        aliases: &record.aliases,
        sections: sections(chunks),
    };
    Ok(writeln!(std::io::stdout(), "{}", serde_json::to_string(&exported)?).is_ok())
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
