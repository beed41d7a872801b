//! What is to be known of a hit in source code: its lines, and whether its file has changed since it was indexed.

use super::{FoundHit, OpenBundle};
use crate::bundle_folder::BuildRecord;
use crate::facets::{CODE_LANGUAGE, KIND};
use anyhow::Result;
use nearfind_core::search::{CLASS, CODE};
use std::path::Path;

/// What is known of a piece of source code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AboutCode {
    /// Its first and last line, from 1.
    pub lines: (usize, usize),
    /// Its programming language.
    pub language: String,
    /// What it is there for: `source`, `test` …
    pub class: String,
    /// Whether its file is another one now, where that can be seen.
    pub is_stale: bool,
}

impl FoundHit {
    /// What is known of a piece of source code; `None` for any other document.
    pub fn code(&self) -> Result<Option<AboutCode>> {
        let facet = |name: &str| -> Result<String> {
            Ok(self.bundle.searcher().facet_of(name, self.hit.number)?.unwrap_or_default().to_owned())
        };
        self.bundle.bring_map()?;
        if !self.bundle.searcher().root().has_code() || facet(KIND)? != CODE {
            return Ok(None);
        }
        Ok(Some(AboutCode {
            lines: lines_of(&self.hit.anchor).unwrap_or_default(),
            language: facet(CODE_LANGUAGE)?,
            class: facet(CLASS)?,
            is_stale: self.bundle.has_changed(&self.hit.project, &self.hit.path),
        }))
    }
}

impl OpenBundle {
    /// Whether the file at `path` of a project on this machine is another one than was indexed.
    fn has_changed(&self, project: &str, path: &str) -> bool {
        let Some(record) = self.record() else { return false };
        let Some(record) = record.projects.get(project) else { return false };
        let (Some(folder), Some(known)) = (&record.folder, record.files.get(path)) else { return false };
        match std::fs::read(Path::new(folder).join(path)) {
            Ok(bytes) => blake3::hash(&bytes).to_hex().as_str() != known,
            Err(_) => true,
        }
    }

    /// What the bundle was made of, if it was made here.
    fn record(&self) -> Option<&BuildRecord> {
        self.record.get_or_init(|| self.origin().record()).as_ref()
    }
}

/// The lines that an anchor of source code leads to: `L12-L34`, or `L12`.
pub(super) fn lines_of(anchor: &str) -> Option<(usize, usize)> {
    let (first, last) = anchor.split_once('-').unwrap_or((anchor, anchor));
    let number = |line: &str| line.trim_start_matches(['L', 'l']).parse().ok();
    Some((number(first)?, number(last)?)).filter(|_| anchor.starts_with(['L', 'l']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_of_source_code_are_lines() {
        assert_eq!(lines_of("L12-L34"), Some((12, 34)));
        assert_eq!(lines_of("l7"), Some((7, 7)));
        assert_eq!([lines_of("page=3"), lines_of("Lists"), lines_of("")], [None; 3]);
    }
}
