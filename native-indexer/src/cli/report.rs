//! Prints the results of a run.

use super::output::print_published;
use super::print_hits::plain;
use nearfind_base::{remark, say};
use nearfind_bundles::bucket::PublishReport;
use nearfind_indexing::run::{Failure, IndexRun, Inventory, ProjectChanges, Report};
use nearfind_indexing::source::report_line;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

/// How many of the files that were left out are listed for each project.
const SHOWN_WARNINGS: usize = 20;
/// How many changes of each kind are listed for each project.
const SHOWN_CHANGES: usize = 10;

/// The results of a run.
#[derive(Debug, Serialize)]
pub(super) struct Done {
    /// The results of indexing.
    #[serde(flatten)]
    pub run: IndexRun,
    /// The files that were uploaded, or `None` if the bundle is in a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishReport>,
}

/// Prints warnings and errors. The exit code tells whether a project could not be brought up to date.
pub(super) fn finish(run: &IndexRun) -> ExitCode {
    for project in run.written.iter().flat_map(|report| &report.projects) {
        project.warnings.iter().take(SHOWN_WARNINGS).for_each(|warning| remark!("warning: {warning}"));
        if let Some(more) = project.warnings.len().checked_sub(SHOWN_WARNINGS).filter(|more| *more > 0) {
            remark!("warning: {}: {more} more files were left out; `nearfind stats` lists them all", project.name);
        }
    }
    print_failures(&run.failures)
}

pub(super) fn print_failures(failures: &[Failure]) -> ExitCode {
    for Failure { project, problem, kept } in failures {
        let instead = if *kept { "its pages are unchanged" } else { "it is not in the index" };
        remark!("error: {project}: {problem}; {instead}");
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

pub(super) fn print_summary(done: &Done, out: &Path) {
    let Done { run, published } = done;
    let Some(report) = &run.written else {
        match published {
            Some(published) => print_published(published),
            None => say!("nothing has changed: {} is up to date", out.display()),
        }
        return;
    };
    if let Some(reason) = run.reason {
        say!("wrote the index: {reason}");
    }
    say!(
        "{:<24} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9}",
        "project",
        "documents",
        "reference",
        "chunks",
        "embedded",
        "chunking",
        "embedding"
    );
    for project in &report.projects {
        say!(
            "{:<24} {:>9} {:>9} {:>8} {:>9} {:>7.1} s {:>7.1} s",
            project.name,
            project.documents,
            project.reference,
            project.chunks,
            project.embedded,
            project.chunk_seconds,
            project.embed_seconds
        );
    }
    let total = |of: fn(&nearfind_indexing::run::ProjectReport) -> usize| report.projects.iter().map(of).sum::<usize>();
    for line in report.projects.iter().filter_map(|project| report_line(&project.name, &project.passed_over)) {
        say!("{line}");
    }
    say!(
        "{} documents, {} passages, {} embedded, {:.2} MB in {} in {:.1} s (reading {:.1} s, query encoder {:.1} s, graph {:.1} s, writing {:.1} s)",
        total(|project| project.documents),
        total(|project| project.chunks),
        total(|project| project.embedded),
        report.bytes as f64 / 1e6,
        published.as_ref().map_or_else(|| out.display().to_string(), |published| published.address.clone()),
        report.seconds,
        report.read_seconds,
        report.encoder_seconds,
        report.graph_seconds,
        report.write_seconds
    );
    print_encoder(report);
    published.iter().for_each(print_published);
}

fn print_encoder(report: &Report) {
    if report.encoder_texts == 0 {
        return;
    }
    let when =
        if report.encoder_was_known { "reused from an earlier build of nearly the same pages:" } else { "fitted on" };
    let mut line = format!("query encoder {when} {} texts", report.encoder_texts);
    if let Some(closeness) = &report.closeness {
        line += &format!(
            "; on {} texts of other documents: cosine to the model {:.3}, nDCG@10 alone {:.3} (the model's {:.3})",
            closeness.texts, closeness.cosine, closeness.table_ndcg, closeness.model_ndcg
        );
    }
    say!("{line}");
}

/// Prints what a run would read: the amount of each kind, the largest files, and what it would leave out.
pub(super) fn print_inventory(projects: &[Inventory]) {
    let kb = |bytes: u64| format!("{:.1} KB", bytes as f64 / 1e3);
    for Inventory { project, files, skipped, passed_over } in projects {
        let bytes = files.iter().map(|file| file.bytes).sum();
        say!("{project}: {} files, {}", files.len(), kb(bytes));
        let mut kinds: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
        for file in files {
            let (count, bytes) = kinds.entry(file.kind).or_default();
            (*count, *bytes) = (*count + 1, *bytes + file.bytes);
        }
        for (kind, (count, bytes)) in kinds {
            say!("  {kind:<12} {count:>7} {:>14}", kb(bytes));
        }
        say!("  the largest:");
        for file in files.iter().take(SHOWN_WARNINGS) {
            say!("  {:>14}  {} ({})", kb(file.bytes), plain(&file.path), file.kind);
        }
        report_line(project, passed_over).iter().for_each(|line| say!("{line}"));
        skipped.iter().take(SHOWN_WARNINGS).for_each(|line| say!("{}", plain(line)));
        if let Some(more) = skipped.len().checked_sub(SHOWN_WARNINGS).filter(|more| *more > 0) {
            say!("{project}: {more} more files are left out");
        }
    }
}

pub(super) fn print_changes(changes: &[ProjectChanges]) {
    for change in changes {
        let (added, changed, removed) = (change.added.len(), change.changed.len(), change.removed.len());
        say!("{}: {added} new, {changed} changed, {} moved, {removed} gone", change.project, change.moved.len());
        if let Some((before, now)) = &change.commits {
            let short = |commit: &Option<String>| commit.as_deref().map_or("none", |commit| &commit[..8]).to_owned();
            say!("  commit {} → {}", short(before), short(now));
        }
        let kinds = [("+", &change.added), ("~", &change.changed), ("-", &change.removed)];
        for (sign, paths) in kinds {
            paths.iter().take(SHOWN_CHANGES).for_each(|path| say!("  {sign} {path}"));
            if paths.len() > SHOWN_CHANGES {
                say!("  {sign} and {} more", paths.len() - SHOWN_CHANGES);
            }
        }
        change.moved.iter().take(SHOWN_CHANGES).for_each(|(from, to)| say!("  > {from} → {to}"));
    }
}
