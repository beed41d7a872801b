//! `nearfind grep`: finds lines with exact text or a pattern.

use super::bundle_arguments::{BundleArguments, location};
use super::print_hits::{plain, takes_styles};
use anyhow::{Context as _, Result};
use clap::Args;
use nearfind_base::location::Location;
use nearfind_base::terminal::print_json;
use nearfind_bundles::library::{ExactPattern, ExactQuestion, ExactReply, PathFilter, View, path_filter};
use nearfind_core::grep::ShownLine;
use nearfind_models::model::ModelStore;
use nearfind_models::provider::ProviderSettings;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// A regular expression, matched line by line
    #[arg(allow_hyphen_values = true)]
    pattern: String,
    /// Another index to search together with the first; can be repeated
    #[arg(long = "and", value_name = "INDEX", value_parser = location)]
    others: Vec<Location>,
    /// Treat the pattern as literal text
    #[arg(short = 'F', long)]
    fixed_strings: bool,
    /// Ignore case
    #[arg(short, long)]
    ignore_case: bool,
    /// Lines to show before and after each match
    #[arg(short = 'C', long, value_name = "LINES", default_value_t = 0)]
    context: usize,
    #[command(flatten)]
    narrowed: NarrowingArguments,
    /// Maximum number of lines to show
    #[arg(short = 'n', long, default_value_t = 50)]
    limit: usize,
    /// Number of lines to skip at the start
    #[arg(long, value_name = "LINES", default_value_t = 0)]
    offset: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Where of a bundle something is looked for.
#[derive(Debug, Args)]
pub(super) struct NarrowingArguments {
    /// Search only this project; can be repeated
    #[arg(long, value_name = "NAME")]
    project: Vec<String>,
    /// Search only files whose path matches this regular expression
    #[arg(long, value_name = "REGEX")]
    path: Option<String>,
}

impl NarrowingArguments {
    /// Returns the full names of the projects. An empty list means all projects.
    pub(super) fn projects(&self, view: &View) -> Result<Vec<String>> {
        self.project.iter().map(|name| view.project(name)).collect()
    }

    /// Returns the paths to search.
    pub(super) fn path(&self) -> Result<Option<PathFilter>> {
        path_filter(self.path.as_deref())
    }
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let library = arguments.bundle.open_with(&arguments.others, None, ProviderSettings::default(), store)?;
    let mut question = ExactQuestion {
        pattern: ExactPattern::new(&arguments.pattern, !arguments.fixed_strings, !arguments.ignore_case)?,
        projects: Vec::new(),
        path: arguments.narrowed.path()?,
        offset: arguments.offset,
        limit: arguments.limit,
        context: arguments.context,
    };
    let reply = library.read(|view| {
        question.projects = arguments.narrowed.projects(view)?;
        view.find_exact(&question)
    })?;
    if arguments.json {
        print_json(&reply)?;
    } else {
        print(&mut std::io::stdout(), &reply, takes_styles(&std::io::stdout())).context("standard output")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints lines below the names of their documents.
fn print(out: &mut impl Write, reply: &ExactReply, bold: bool) -> std::io::Result<()> {
    let mut before: Option<&ShownLine> = None;
    for line in &reply.found {
        if before.is_none_or(|before| before.document != line.document) {
            let name = plain(&line.document);
            if bold { writeln!(out, "\u{1b}[1m{name}\u{1b}[0m")? } else { writeln!(out, "{name}")? }
        }
        let first = line.line - line.before.len();
        for (number, text) in (first..).zip(&line.before) {
            writeln!(out, "{number}-{}", line_of(text))?;
        }
        let section = if line.kind.is_some() { format!("  [{}]", plain(&line.section)) } else { String::new() };
        writeln!(out, "{}:{}{section}", line.line, line_of(&line.text))?;
        for (number, text) in (line.line + 1..).zip(&line.after) {
            writeln!(out, "{number}-{}", line_of(text))?;
        }
        before = Some(line);
    }
    let shown = if reply.found.len() < reply.lines {
        format!(", {} shown: --limit shows more", reply.found.len())
    } else {
        String::new()
    };
    let s = |count: usize| if count == 1 { "" } else { "s" };
    writeln!(
        out,
        "{} line{} in {} document{}{shown}",
        reply.lines,
        s(reply.lines),
        reply.documents,
        s(reply.documents)
    )?;
    reply.notices.iter().try_for_each(|notice| writeln!(out, "warning: {notice}"))
}

/// Returns a line for a terminal. Tabs become four spaces, because their width differs between terminals.
fn line_of(text: &str) -> String {
    plain(&text.replace('\t', "    "))
}
