use super::bundle_arguments::BundleArguments;
use super::print_hits::plain;
use anyhow::Result;
use clap::Args;
use nearfind_base::say;
use nearfind_bundles::library::PlaceInFile;
use nearfind_models::model::ModelStore;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// The document: its id, its path or the end of its path, its address, or the path of a page that redirects to it.
    /// To print only some lines, append them, as in a.py:12-40
    document: String,
    /// Where to begin: a heading, `page 34`, `slide 4`, a sheet's name or `row 7`; in source code, `L120` or a
    /// definition such as `Session.send`
    #[arg(long, value_name = "PLACE")]
    at: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let library = arguments.bundle.open(store)?;
    let (document, span) = library.read(|view| {
        let (found, place) = view.find_place(&arguments.document, None)?;
        let document = found.read()?;
        let place = arguments.at.clone().map(PlaceInFile::Called).or(place);
        let span = place.map(|place| found.span(&document, &place)).transpose()?;
        Ok((document, span.unwrap_or_default()))
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
    let before = span.first.saturating_sub(1);
    let lines = span.last.map_or(usize::MAX, |last| (last + 1).saturating_sub(before + 1));
    let asked: String = text.split_inclusive('\n').skip(before).take(lines).collect();
    // Blank lines at the start stand for what was left out there, such as front matter.
    say!("{}", if before == 0 { asked.trim_start_matches('\n') } else { &asked });
    Ok(ExitCode::SUCCESS)
}
