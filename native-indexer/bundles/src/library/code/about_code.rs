//! Properties of a hit in source code: its lines, and whether its file has changed since it was indexed.

use crate::bundle_folder::{BuildRecord, COMMIT_HASH, PassedOver};
use crate::library::ask::question::FoundHit;
use crate::library::documents::anchor::lines_of;
use crate::library::documents::lookup::FoundPath;
use crate::library::open::open_bundle::OpenBundle;
use anyhow::Result;
use nearfind_base::facets::{CODE_LANGUAGE, KIND};
use nearfind_base::root_folder::RootFolder;
use nearfind_core::search::{CLASS, CODE};

/// Size in bytes of the largest file that is compared with its indexed version, which is also the largest file that is
/// indexed.
const MAX_SOURCE_BYTES: u64 = 64 << 20;

/// Properties of a piece of source code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AboutCode {
    /// The piece's first and last line, starting at 1.
    pub lines: (usize, usize),
    /// The programming language.
    pub language: String,
    /// The purpose: `source`, `test` …
    pub class: String,
    /// Whether the file is known to have changed since it was indexed.
    pub is_stale: bool,
    /// If the file has changed, its current lines, or `None` if the file is gone.
    pub current: Option<String>,
}

/// A file that has changed since it was indexed.
pub(crate) enum ChangedFile {
    /// The file has this text.
    Now(String),
    /// The file is gone.
    Gone,
}

impl FoundHit {
    /// Returns the names that a piece of source code defines, with their scopes, or none for other documents.
    pub fn symbols(&self) -> Result<Vec<String>> {
        self.bundle.bring_map()?;
        if !self.bundle.reader().root().has_code() {
            return Ok(Vec::new());
        }
        let defined = self.bundle.definitions(self.hit.number..self.hit.number + 1)?;
        Ok(defined.into_iter().map(|place| place.definition.qualified()).collect())
    }

    /// Returns the properties of a piece of source code, or `None` for other documents.
    pub fn code(&self) -> Result<Option<AboutCode>> {
        let facet = |name: &str| -> Result<String> {
            Ok(self.bundle.reader().facet_of(name, self.hit.number)?.unwrap_or_default().to_owned())
        };
        self.bundle.bring_map()?;
        if !self.bundle.reader().root().has_code() || facet(KIND)? != CODE {
            return Ok(None);
        }
        let lines = lines_of(&self.hit.anchor).unwrap_or_default();
        let changed = self.bundle.changed_file(&self.hit.project, &self.hit.path);
        let current = match &changed {
            Some(ChangedFile::Now(now)) => {
                let was = self.chunk()?.unwrap_or_default();
                Some(lines_now(now, was.lines().find(|line| !line.trim().is_empty()).unwrap_or_default(), lines))
            }
            _ => None,
        };
        Ok(Some(AboutCode {
            lines,
            language: facet(CODE_LANGUAGE)?,
            class: facet(CLASS)?,
            is_stale: changed.is_some(),
            current,
        }))
    }
}

impl FoundPath {
    /// Whether the file is known to have changed since it was indexed.
    pub fn is_stale(&self) -> bool {
        self.bundle.changed_file(&self.listed.project, &self.listed.path).is_some()
    }
}

impl OpenBundle {
    /// Returns the file at `path` of a project on this machine, if it has changed since it was indexed.
    pub(crate) fn changed_file(&self, project: &str, path: &str) -> Option<ChangedFile> {
        let record = self.record()?.projects.get(project)?;
        let (folder, known) = (record.folder.as_ref()?, record.files.get(path)?);
        if known.starts_with(COMMIT_HASH) {
            return None;
        }
        match RootFolder::new(folder.clone()).read(path, MAX_SOURCE_BYTES) {
            Ok((_, hash)) if hash == *known => None,
            Ok((bytes, _)) => Some(ChangedFile::Now(String::from_utf8_lossy(&bytes).into_owned())),
            Err(_) => Some(ChangedFile::Gone),
        }
    }

    /// Returns the folder on this machine that a project was read from.
    pub(crate) fn folder_of(&self, project: &str) -> Option<&std::path::Path> {
        self.record()?.projects.get(project)?.folder.as_deref()
    }

    /// Returns how many files in the bundle's sources were not indexed, by reason, if the bundle was built here.
    pub fn passed_over(&self) -> PassedOver {
        let mut counts = PassedOver::new();
        for (reason, files) in
            self.record().iter().flat_map(|record| record.projects.values()).flat_map(|project| &project.passed_over)
        {
            *counts.entry(reason.clone()).or_default() += files;
        }
        counts
    }

    /// Returns the record of the bundle, if the bundle was built here.
    fn record(&self) -> Option<&BuildRecord> {
        self.record.get_or_init(|| self.origin().record()).as_ref()
    }
}

/// Returns the lines of `now` that correspond to the earlier lines `first` to `last`. `was` is the text of the earlier
/// line `first`. The returned lines begin at the nearest line that equals `was`, or else at the same number.
fn lines_now(now: &str, was: &str, (first, last): (usize, usize)) -> String {
    let lines: Vec<&str> = now.lines().collect();
    let before = first.saturating_sub(1);
    let same = (0..lines.len()).filter(|&at| lines[at] == was).min_by_key(|at| at.abs_diff(before));
    let start = same.unwrap_or(before).min(lines.len());
    let end = (start + 1 + last.saturating_sub(first)).min(lines.len());
    lines[start..end].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_again_where_they_moved() {
        let now = "// new\n\nfn a() {\n    2\n}\nfn b() {}\n";
        assert_eq!(lines_now(now, "fn a() {", (1, 3)), "fn a() {\n    2\n}");
        assert_eq!(lines_now(now, "fn gone() {", (6, 9)), "fn b() {}");
        assert_eq!(lines_now("", "fn a() {", (1, 3)), "");
    }
}
