//! Filters files by path and project.

use anyhow::{Context as _, Result};
use regex::{Regex, RegexBuilder};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Selects files by path alone, or by project and path, because two projects may have files with the same path.
///
/// ```
/// use nearfind_bundles::library::{PathFilter, path_filter};
///
/// let pages = path_filter(Some(r"\.md$"))?.unwrap();
/// let guides = pages.and(Some(PathFilter::of_paths(|path| path.starts_with("guide/"))));
/// assert!(guides.admits("docs", "guide/undo.md"));
/// assert!(!guides.admits("docs", "api/undo.md"));
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone)]
pub struct PathFilter {
    /// Whether a file with this path may be selected in some project.
    of_path: IsPathWanted,
    /// Whether the file with this project and path is selected. `None` if the path alone decides.
    of_file: Option<IsFileWanted>,
}

type IsPathWanted = Arc<dyn Fn(&str) -> bool + Send + Sync>;
type IsFileWanted = Arc<dyn Fn(&str, &str) -> bool + Send + Sync>;

/// Limit in bytes of a compiled regular expression.
const MAX_REGEX_BYTES: usize = 1 << 20;

impl PathFilter {
    /// Selects files by path, in any project.
    pub fn of_paths(is_wanted: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self { of_path: Arc::new(is_wanted), of_file: None }
    }

    /// Selects files by project and path.
    pub fn of_files(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut projects_of: HashMap<String, HashSet<String>> = HashMap::new();
        for (project, path) in files {
            projects_of.entry(path).or_default().insert(project);
        }
        let by_path = Arc::new(projects_of);
        let by_file = Arc::clone(&by_path);
        Self {
            of_path: Arc::new(move |path| by_path.contains_key(path)),
            of_file: Some(Arc::new(move |project, path| {
                by_file.get(path).is_some_and(|projects| projects.contains(project))
            })),
        }
    }

    /// Selects the files that both filters admit.
    #[must_use]
    pub fn and(self, other: Option<Self>) -> Self {
        let Some(other) = other else { return self };
        let (a, b) = (self.clone(), other.clone());
        Self {
            of_path: Arc::new(move |path| a.may_admit(path) && b.may_admit(path)),
            of_file: Some(Arc::new(move |project, path| self.admits(project, path) && other.admits(project, path))),
        }
    }

    /// Whether a file with this path may be selected in some project.
    #[must_use]
    pub fn may_admit(&self, path: &str) -> bool {
        (self.of_path)(path)
    }

    /// Whether the file with this project and path is selected.
    #[must_use]
    pub fn admits(&self, project: &str, path: &str) -> bool {
        match &self.of_file {
            Some(of_file) => of_file(project, path),
            None => self.may_admit(path),
        }
    }
}

impl std::fmt::Debug for PathFilter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("PathFilter")
    }
}

/// Compiles a regular expression for paths. Matching takes time proportional to the text's length, for every
/// expression.
pub fn path_regex(pattern: &str) -> Result<Regex> {
    let built = RegexBuilder::new(pattern).size_limit(MAX_REGEX_BYTES).build();
    built.with_context(|| format!("{pattern:?} is not a valid regular expression"))
}

/// Returns a filter for paths that a regular expression matches anywhere, or `None` for all paths.
pub fn path_filter(pattern: Option<&str>) -> Result<Option<PathFilter>> {
    let regex = pattern.map(path_regex).transpose()?;
    Ok(regex.map(|regex| PathFilter::of_paths(move |path| regex.is_match(path))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_path_are_told_apart_by_their_projects() {
        let file = |project: &str, path: &str| (project.to_owned(), path.to_owned());
        let files = PathFilter::of_files([file("a", "README.md"), file("b", "src/x.rs")]);
        assert!(files.admits("a", "README.md") && files.may_admit("README.md"));
        assert!(!files.admits("b", "README.md") && !files.admits("a", "src/x.rs") && !files.may_admit("y"));
        let both = PathFilter::of_paths(|path| path.starts_with("README")).and(Some(files.clone()));
        assert!(both.admits("a", "README.md") && !both.admits("b", "src/x.rs") && !both.admits("b", "README.md"));
        assert!(files.and(None).admits("b", "src/x.rs"));
    }
}
