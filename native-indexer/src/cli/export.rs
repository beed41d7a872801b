//! Exports the documents of a bundle, for programs, and for language models that read a site without searching it.

use super::bundle_arguments::BundleArguments;
use super::export_pages;
use super::llms_list::{address, entry};
use anyhow::Result;
use clap::{Args, ValueEnum};
use nearfind_base::say;
use nearfind_base::terminal::print_json;
use nearfind_bundles::library::Document;
use nearfind_core::records::ChunkRecord;
use nearfind_extract::one_line;
use nearfind_models::model::ModelStore;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use url::Url;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// Output format: JSON lines, a list of pages in the llms.txt format (https://llmstxt.org), or the text of all
    /// pages
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
    /// Write Markdown into the indexed site instead: `page.md` next to each page, llms.txt, llms-full.txt and, if the
    /// index is in the site, .well-known/nearfind.json with the location of the index
    #[arg(long, value_name = "SITE", conflicts_with = "format")]
    pages: Option<PathBuf>,
    /// Address of the published index, used to make page addresses absolute
    #[arg(long, value_name = "URL")]
    at: Option<Url>,
    /// Title of the site, for llms.txt and llms-full.txt
    #[arg(long, default_value = "Documentation")]
    title: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Json,
    Llms,
    LlmsFull,
}

/// A document in the output.
#[derive(Serialize)]
struct Exported<'a> {
    document: &'a str,
    path: &'a str,
    url: Option<&'a str>,
    title: &'a str,
    description: &'a str,
    aliases: &'a [String],
    /// The definitions in the pieces of source code, as in their ids.
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
    if let Some(site) = &arguments.pages {
        return export_pages::write(
            site,
            arguments.bundle.in_folder(),
            &documents,
            arguments.at.as_ref(),
            &arguments.title,
        );
    }
    if arguments.format == Format::Json {
        for path in documents {
            if !print(&path.read()?) {
                break;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    say!("# {}", one_line(&arguments.title));
    let mut project = String::new();
    let mut looked_up = Vec::new();
    for path in documents {
        let document = path.read()?;
        let url = address(&document, arguments.at.as_ref());
        if arguments.format == Format::LlmsFull {
            let text: String = document.chunks.iter().map(|chunk| chunk.text.as_str()).collect();
            say!("\n# {}\n\nSource: {url}\n\n{}", one_line(&document.title), text.trim_end());
        } else if document.is_reference {
            looked_up.push(entry(&document, &url));
        } else {
            if project != document.project {
                project.clone_from(&document.project);
                say!("\n## {}\n", one_line(&project));
            }
            say!("{}", entry(&document, &url));
        }
    }
    if !looked_up.is_empty() {
        // The format allows readers with little space to leave out this part.
        say!("\n## Optional\n\n{}", looked_up.join("\n"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a document as a line of JSON. Returns `false` if the reader has stopped reading.
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

/// Returns the sections of a document. A section may extend over several chunks.
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
