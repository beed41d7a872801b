use super::bundle_arguments::BundleArguments;
use super::print_hits::plain;
use anyhow::Result;
use clap::Args;
use nearfind_base::say;
use nearfind_models::model::ModelStore;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// The document: its id, its path or the end of it, its address, or the path of a page that leads to it
    document: String,
    /// Where to begin: a heading, `page 34`, `slide 4`, the name of a sheet, `row 7`, of source code `L120` or what is
    /// defined, as in `Session.send`
    #[arg(long, value_name = "PLACE")]
    at: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let library = arguments.bundle.open(store)?;
    let (document, piece) = library.read(|view| {
        let (found, piece) = view.find_piece(&arguments.document, None)?;
        Ok((found.read()?, piece))
    })?;
    if arguments.json {
        super::export::print(&document);
        return Ok(ExitCode::SUCCESS);
    }
    say!("{}\n{}", plain(&document.title), document.id);
    let date = document.date.map(|date| date.to_string());
    for line in [&document.url, &document.source_url, &date].into_iter().flatten() {
        say!("{}", plain(line));
    }
    say!("");
    let text = document.text();
    let from = match (&arguments.at, piece) {
        (Some(place), _) => document.byte_of(place)?,
        (None, piece) => piece.and_then(|piece| document.byte_of_code(piece)).unwrap_or(0),
    };
    say!("{}", &text[from..]);
    Ok(ExitCode::SUCCESS)
}
