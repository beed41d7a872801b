use super::print_hits::plain;
use super::takes_styles;
use crate::library::{ExactLine, ExactPattern, ExactQuestion, ExactReply, Library, PathFilter};
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use nearfind_core::search::{Filter, PROJECT};
use std::io::Write;
use std::process::ExitCode;

/// Text as it is written, in place of a question.
#[derive(Clone, Debug, Args)]
pub(super) struct ExactArguments {
    /// Show the lines that hold the text as it is written, in place of documents that answer
    #[arg(long, conflicts_with_all = ["mode", "content", "passages", "sort", "stdin"])]
    exact: bool,
    /// Like --exact, and the text is a regular expression
    #[arg(long, conflicts_with_all = ["mode", "content", "passages", "sort", "stdin"])]
    regex: bool,
    /// With --exact or --regex: upper and lower case are different letters
    #[arg(long)]
    case_sensitive: bool,
    /// With --exact or --regex: lines to show before and after each
    #[arg(short = 'C', long, value_name = "LINES", default_value_t = 0)]
    context: usize,
}

impl ExactArguments {
    /// Whether the text is to be found as it is written.
    pub(super) const fn is_wanted(&self) -> bool {
        self.exact || self.regex
    }

    /// Looks for `text` and prints the lines.
    pub(super) fn run(
        &self,
        library: &Library,
        text: &str,
        filters: &[Filter],
        path: Option<PathFilter>,
        limit: usize,
        as_json: bool,
    ) -> Result<ExitCode> {
        let mut question = ExactQuestion {
            pattern: ExactPattern::new(text, self.regex, self.case_sensitive)?,
            projects: Vec::new(),
            path,
            offset: 0,
            limit,
            context: self.context,
        };
        let reply = library.read(|view| {
            for Filter { name, values } in filters {
                ensure!(name == PROJECT, "lines are filtered by --project and path_regex alone, not by `{name}`");
                question.projects = values.iter().map(|value| view.project(value)).collect::<Result<_>>()?;
            }
            view.find_exact(&question)
        })?;
        if as_json {
            println!("{}", serde_json::to_string(&reply)?);
        } else {
            print(&mut std::io::stdout(), &reply, takes_styles(&std::io::stdout())).context("standard output")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Lines below the names of their documents.
fn print(out: &mut impl Write, reply: &ExactReply, bold: bool) -> std::io::Result<()> {
    let mut before: Option<&ExactLine> = None;
    for line in &reply.found {
        if before.is_none_or(|before| before.document != line.document) {
            let name = plain(&line.document);
            if bold { writeln!(out, "\u{1b}[1m{name}\u{1b}[0m")? } else { writeln!(out, "{name}")? }
        }
        let first = line.line - line.before.len();
        for (number, text) in (first..).zip(&line.before) {
            writeln!(out, "{number}-{}", line_of(text))?;
        }
        writeln!(out, "{}:{}", line.line, line_of(&line.text))?;
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

/// A line for a terminal, which shows tabs in widths of its own.
fn line_of(text: &str) -> String {
    plain(&text.replace('\t', "    "))
}
