//! `nearfind report`: the report for the owner of a site.

use super::bundle_arguments::BundleArguments;
use super::search::TierArgument;
use anyhow::{Context as _, Result};
use clap::Args;
use nearfind_base::root_folder::RootFolder;
use nearfind_base::terminal::print_pretty_json;
use nearfind_base::{remark, say};
use nearfind_models::model::ModelStore;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::site_report::{SiteReport, answers, as_page, dead_links, read_questions, report};

/// Number of rows of each kind in a terminal.
const SHOWN: usize = 8;
/// Number of headings between two progress messages.
const STEP: usize = 1_000;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// Folder of the indexed site, searched for links that lead nowhere
    #[arg(long, value_name = "FOLDER")]
    site: Option<PathBuf>,
    /// File with readers' questions, one per line or as JSON lines with `query`, to find questions that no page answers
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Write a page with the whole report, to open in a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tier: TierArgument,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let library = arguments.bundle.open(store)?;
    let encoder = arguments.tier.encoder();
    let told = |asked: usize, all: usize| {
        if asked.is_multiple_of(STEP) {
            remark!("searched for {asked} of {all} headings");
        }
    };
    let mut found = report(&library, encoder, &told)?;
    if let Some(site) = &arguments.site {
        let paths = library.read(|view| view.paths(None))?;
        let paths: Vec<String> = paths.iter().filter_map(|path| path.names().next().map(str::to_owned)).collect();
        found.dead_links = Some(dead_links(&RootFolder::new(site.clone()), &paths)?);
    }
    if let Some(path) = &arguments.questions {
        found.questions = Some(answers(&library, encoder, &read_questions(path)?)?);
    }
    if let Some(path) = &arguments.html {
        std::fs::write(path, as_page(&found)).with_context(|| path.display().to_string())?;
    }
    if arguments.json {
        print_pretty_json(&found)?;
    } else {
        print(&found);
        arguments.html.iter().for_each(|path| say!("the whole report: {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn print(report: &SiteReport) {
    say!("{} pages; searched for {} headings as the search box does", report.pages, report.by_headings.headings_asked);
    if let Some(questions) = &report.questions {
        let unanswered: Vec<String> = questions
            .iter()
            .filter(|question| question.first.is_none())
            .map(|question| format!("{:>6} times: {}", question.times, question.question))
            .collect();
        list(&format!("readers' questions that no page answers, of {}", questions.len()), &unanswered);
    }
    let lines: Vec<String> =
        report.by_headings.unfound.iter().map(|page| format!("{} ({})", page.title, page.document)).collect();
    list("pages that a search for their own headings does not find", &lines);
    let lines: Vec<String> = report
        .by_headings
        .elsewhere
        .iter()
        .map(|heading| format!("{:?} of {} finds {}", heading.heading, heading.page.document, heading.first.document))
        .collect();
    list("headings that lead to another page first", &lines);
    if let Some(dead) = &report.dead_links {
        let lines: Vec<String> =
            dead.iter().map(|link| format!("{} from {} pages, as {}", link.to, link.links, link.from)).collect();
        list("links that lead nowhere", &lines);
    }
    let lines: Vec<String> = report
        .overview
        .same_titles
        .iter()
        .map(|same| format!("{:?}: {}", same.title, same.documents.join(", ")))
        .collect();
    list("titles that several pages share", &lines);
    let lines: Vec<String> = report
        .overview
        .long
        .iter()
        .map(|long| format!("{}: {} characters", long.page.document, long.characters))
        .collect();
    list("pages with a lot of text", &lines);
}

fn list(name: &str, lines: &[String]) {
    say!("\n{}: {name}", lines.len());
    lines.iter().take(SHOWN).for_each(|line| say!("  {line}"));
    if lines.len() > SHOWN {
        say!("  and {} more", lines.len() - SHOWN);
    }
}
