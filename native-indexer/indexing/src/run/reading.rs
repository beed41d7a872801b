//! Reads sources, and records what the next run needs to know about them.

use super::corpus::ProjectReport;
use super::options::IndexOptions;
use super::scan::Scan;
use crate::page_cache::PageCache;
use crate::source::{self, OpenSource, SourceContent, report_line};
use anyhow::{Result, bail};
use nearfind_base::progress::Progress;
use nearfind_bundles::bundle_folder::{BuildRecord, ProjectRecord};
use std::collections::BTreeMap;

/// Reads the documents of every source. If there are no documents at all, returns an error that says why.
pub(super) fn read_sources(
    scan: &Scan,
    options: &IndexOptions,
    pages: &mut PageCache,
    progress: Progress,
) -> Result<Vec<SourceContent>> {
    let several = options.sources.len() > 1;
    let mut contents = Vec::new();
    for source in &scan.sources {
        progress.check()?;
        let bar = progress.bar(&format!("{}: reading", source.spec.name), source.files.len() as u64);
        let content = source::read(source, several, pages, &options.readers, &bar)?;
        bar.finish();
        let (documents, s) = (content.documents.len(), if content.documents.len() == 1 { "" } else { "s" });
        progress.note(&format!("{}: {documents} document{s}", content.project));
        contents.push(content);
    }
    if contents.iter().all(|content| content.documents.is_empty()) {
        let reasons = contents.into_iter().flat_map(|content| {
            let passed_over = report_line(&content.project, &content.passed_over);
            content.warnings.into_iter().chain(passed_over)
        });
        let failed = scan.failures.iter().map(|failure| format!("{}: {}", failure.project, failure.problem));
        bail!("there is nothing to index: {}", failed.chain(reasons).collect::<Vec<_>>().join("; "));
    }
    Ok(contents)
}

/// Returns the record of each project that the next run needs. `before` is the record of the last build.
pub(super) fn recorded(
    scan: &Scan,
    contents: &[SourceContent],
    before: Option<&BuildRecord>,
    now: u64,
) -> BTreeMap<String, ProjectRecord> {
    let record = |(source, content): (&OpenSource, &SourceContent)| {
        let known = || before?.projects.get(&content.project)?.checked;
        let record = ProjectRecord {
            checked: if scan.checked.contains(&content.project) { Some(now) } else { known() },
            commit: content.commit.clone(),
            files: content.files.clone(),
            dates: source.dates.clone(),
            folder: source.folder(),
            ..ProjectRecord::default()
        };
        (content.project.clone(), record)
    };
    scan.sources.iter().zip(contents).map(record).collect()
}

/// Adds the results of each project to its record.
pub(super) fn note_results(records: &mut BTreeMap<String, ProjectRecord>, projects: &[ProjectReport], scan: &Scan) {
    for (project, source) in projects.iter().zip(&scan.sources) {
        if let Some(record) = records.get_mut(&project.name) {
            (record.documents, record.chunks) = (project.documents, project.chunks);
            record.passed_over.clone_from(&project.passed_over);
            let place = source.spec.place();
            // The project's path on this machine is useless on other machines.
            let below_project = |warning: &String| match warning.strip_prefix(&place) {
                Some(rest) => format!("{}{rest}", project.name),
                None => warning.clone(),
            };
            record.skipped = project.warnings.iter().map(below_project).collect();
        }
    }
}
