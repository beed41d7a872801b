//! Lists and hashes the files of sources without extracting their text, which is enough to find out whether the bundle
//! is up to date.

use super::options::IndexOptions;
use crate::source::OpenSource;
use nearfind_bundles::bundle_folder::BuildRecord;
use nearfind_core::analysis::ANALYZER;
use nearfind_core::format::FORMAT_VERSION;
use serde::Serialize;
use std::collections::BTreeSet;

/// A project that could not be brought up to date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Name of the project.
    pub project: String,
    /// The reason.
    pub problem: String,
    /// Whether the project's pages from the last build stay in the bundle.
    pub kept: bool,
}

/// The sources, listed and hashed.
#[derive(Default)]
pub(super) struct Scan {
    /// The sources that can be read.
    pub sources: Vec<OpenSource>,
    /// The projects that could not be brought up to date.
    pub failures: Vec<Failure>,
    /// Names of the sources that were listed in this run, instead of being read from the record of the last build.
    pub checked: BTreeSet<String>,
}

impl Scan {
    /// Lists and hashes the sources in `options`. If a source must be left alone or cannot be read, its files come from
    /// `record`, if it contains the source.
    pub(super) fn of(options: &IndexOptions, record: Option<&BuildRecord>) -> Self {
        let mut scan = Self::default();
        for spec in &options.sources {
            let known = record.and_then(|record| record.projects.get(&spec.name));
            let recorded = || OpenSource::recorded(spec.clone(), &options.cache, known?).ok();
            let failed = options.failures.iter().find(|(project, _)| *project == spec.name);
            let opened = match failed {
                Some((_, problem)) => Err(problem.clone()),
                None if options.left_alone.contains(&spec.name) && known.is_some() => {
                    scan.sources.extend(recorded());
                    continue;
                }
                None => OpenSource::open(spec.clone(), &options.cache).map_err(|error| format!("{error:#}")),
            };
            match opened {
                Ok(source) => {
                    scan.checked.insert(spec.name.clone());
                    scan.sources.push(source);
                }
                Err(problem) => {
                    let kept = recorded();
                    scan.failures.push(Failure { project: spec.name.clone(), problem, kept: kept.is_some() });
                    scan.sources.extend(kept);
                }
            }
        }
        scan
    }

    /// Returns a hash of all files, their dates and `settings_hash`. The same hash means the same bundle.
    pub(super) fn fingerprint(&self, settings_hash: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(settings_hash.as_bytes());
        for source in &self.sources {
            hasher.update(format!("\n\n{}\n", source.spec.name).as_bytes());
            for (path, hash) in &source.files {
                let date = source.dates.get(path).map_or(0, |date| date.number());
                hasher.update(format!("{path}\n{hash} {date}\n").as_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// Returns a hash of everything that a bundle depends on, except files. `model` identifies the model and the provider.
pub(super) fn settings_hash(options: &IndexOptions, model: &str) -> String {
    let bundle = (options.ship_model, options.query_encoder, options.trigrams, options.file_limit, options.chunk_size);
    let bundle = (bundle, options.quick, options.small_encoder);
    let writing =
        options.writing.as_ref().map(|writer| (writer.provider, &writer.model, writer.questions, writer.summaries));
    let ocr = options.readers.ocr_identity();
    let all =
        (&options.build, FORMAT_VERSION, ANALYZER, model, bundle, writing, ocr, &options.search, &options.sources);
    blake3::hash(format!("{all:?}").as_bytes()).to_hex().to_string()
}
