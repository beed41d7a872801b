//! Selects files by project and path. All commands and tools accept the same forms of paths: a folder or a file, by its
//! path in the index or on this machine, or a pattern with `*`.

use crate::library::documents::lookup::FoundPath;
use crate::library::documents::path_filter::{PathFilter, path_regex};
use crate::library::near_names::{likeness, near_names};
use crate::library::open::view::View;
use anyhow::{Context as _, Result, bail};
use globset::{GlobBuilder, GlobSetBuilder};
use std::collections::BTreeSet;

/// Minimum similarity of suggested names to the requested one. Equal names have 1.
const MIN_LIKENESS: f64 = 0.5;
/// Maximum number of folders in an error.
const MAX_NAMED: usize = 8;

/// A selection of files.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Projects, as [`View::project`] names them. Empty for all.
    pub projects: Vec<String>,
    /// Folders, files and patterns with `*`. A file is selected if one of them fits. Empty for all.
    pub paths: Vec<String>,
    /// Regular expressions. A file is selected if one of them matches anywhere in its path. Empty for all.
    pub regexes: Vec<String>,
}

/// The selected files.
#[derive(Clone, Debug, Default)]
pub struct FilesInScope {
    /// The files by project and path.
    pub files: Vec<FoundPath>,
    /// Notices about how the files were found.
    pub notices: Vec<String>,
}

impl Scope {
    /// Whether the scope selects all paths of its projects.
    #[must_use]
    pub const fn has_all_paths(&self) -> bool {
        self.paths.is_empty() && self.regexes.is_empty()
    }
}

impl FilesInScope {
    /// Returns the projects of the files.
    #[must_use]
    pub fn projects(&self) -> Vec<String> {
        let projects: BTreeSet<&str> = self.files.iter().map(|found| found.listed.project.as_str()).collect();
        projects.into_iter().map(str::to_owned).collect()
    }

    /// Returns a filter that admits these files.
    #[must_use]
    pub fn path_filter(&self) -> PathFilter {
        PathFilter::of_files(self.files.iter().map(|found| (found.listed.project.clone(), found.listed.path.clone())))
    }
}

impl View {
    /// Returns the files that `scope` selects. If a path fits no file, the error suggests similar paths.
    pub fn files_in(&self, scope: &Scope) -> Result<FilesInScope> {
        let mut all = self.paths(None)?;
        all.retain(|found| scope.projects.is_empty() || scope.projects.contains(&found.listed.project));
        let mut notices = Vec::new();
        if !scope.paths.is_empty() {
            let excluded = |path: &str| path.trim().strip_prefix('!').map(str::to_owned);
            let mut chosen = vec![scope.paths.iter().all(|path| excluded(path).is_some()); all.len()];
            for path in scope.paths.iter().filter(|path| excluded(path).is_none()) {
                let (fits, notice) = self.fitting(path, &all)?;
                notices.extend(notice);
                fits.into_iter().for_each(|at| chosen[at] = true);
            }
            // As in other tools, `!` removes files from those that the other paths select.
            for path in scope.paths.iter().filter_map(|path| excluded(path)) {
                match self.fitting(&path, &all) {
                    Ok((fits, _)) => fits.into_iter().for_each(|at| chosen[at] = false),
                    Err(_) => notices.push(format!("there is nothing at {path:?}, so it excludes nothing")),
                }
            }
            if !chosen.contains(&true) {
                bail!("{} excludes every path: remove some of the patterns that begin with !", scope.paths.join(", "));
            }
            let mut chosen = chosen.into_iter();
            all.retain(|_| chosen.next().unwrap_or_default());
        }
        if !scope.regexes.is_empty() {
            let regexes = scope.regexes.iter().map(|regex| path_regex(regex)).collect::<Result<Vec<_>>>()?;
            all.retain(|found| found.names().any(|path| regexes.iter().any(|regex| regex.is_match(path))));
            if all.is_empty() {
                bail!("no path matches {}: {}", scope.regexes.join(" or "), self.folders(&scope.projects)?);
            }
        }
        Ok(FilesInScope { files: all, notices })
    }

    /// Returns the indices in `all` of the files that are at `path`, are below it, or match it.
    fn fitting(&self, path: &str, all: &[FoundPath]) -> Result<(Vec<usize>, Option<String>)> {
        let slashed = path.trim().replace('\\', "/");
        let asked = path.trim();
        let below_root = self.below_a_root(asked);
        let (project, wanted) = match &below_root {
            Some((project, rest)) => (Some(project.as_str()), rest.as_str()),
            None => (None, slashed.trim_start_matches("./").trim_matches('/')),
        };
        let wanted = if wanted == "." { "" } else { wanted };
        let fitting = |fits: &dyn Fn(&str, &str) -> bool| -> Vec<usize> {
            let in_project = |found: &FoundPath| project.is_none_or(|project| project == found.listed.project);
            let is_meant = |found: &FoundPath| found.names().any(|path| fits(path, &found.listed.project));
            (0..all.len()).filter(|&at| in_project(&all[at]) && is_meant(&all[at])).collect()
        };
        let in_project = |project: &str| match wanted.strip_prefix(project)? {
            "" => Some(""),
            rest => rest.strip_prefix('/'),
        };
        let mut ways = vec![
            fitting(&|path, _| is_at_or_below(path, wanted)),
            fitting(&|path, project| in_project(project).is_some_and(|rest| is_at_or_below(path, rest))),
        ];
        if wanted.contains(['*', '?', '[', '{']) && ways.iter().all(Vec::is_empty) {
            // A pattern without a folder fits files in any folder, as in other tools.
            let is_anywhere = below_root.is_none() && !slashed.contains('/');
            let anywhere = format!("**/{wanted}");
            // Some frameworks put brackets into the names of folders, as in `app/[id]/page.tsx`.
            let mut patterns = vec![escaped(if is_anywhere { &anywhere } else { wanted })];
            patterns.push(if is_anywhere { anywhere.clone() } else { wanted.to_owned() });
            // A backslash may escape the character after it.
            patterns.extend(asked.contains('\\').then(|| asked.to_owned()));
            let read =
                |pattern: &String| glob(pattern).with_context(|| format!("{path:?} is not a valid path pattern"));
            let globs: Vec<_> = patterns.iter().map(read).collect();
            let plain: Vec<_> = globs.iter().flatten().collect();
            ways.extend(plain.iter().map(|glob| fitting(&|path, _| glob.is_match(path))));
            // A pattern that begins with the project's name must be complete, because `**/` would match that name as
            // well.
            ways.extend(plain.iter().map(|glob| fitting(&|path, project| glob.is_match(format!("{project}/{path}")))));
            for pattern in [escaped(&anywhere), anywhere] {
                ways.extend(glob(&pattern).ok().map(|glob| fitting(&|path, _| glob.is_match(path))));
            }
            if ways.iter().all(Vec::is_empty) {
                globs.into_iter().collect::<Result<Vec<_>>>()?;
            }
        }
        if let Some(found) = ways.into_iter().find(|found| !found.is_empty()) {
            return Ok((found, None));
        }
        // Tries the end of a path, or a folder at any depth.
        let inner = fitting(&|path, _| {
            let inside = path.match_indices(wanted).any(|(at, _)| {
                path[..at].ends_with('/')
                    && (path[at + wanted.len()..].starts_with('/') || path.len() == at + wanted.len())
            });
            !wanted.is_empty() && inside
        });
        if !inner.is_empty() {
            return Ok((inner, None));
        }
        if looks_like_regex(asked) {
            // An invalid expression is an error.
            let regex = path_regex(asked)?;
            let found = fitting(&|path, _| regex.is_match(path));
            if !found.is_empty() {
                return Ok((
                    found,
                    Some(format!("path {asked:?} was treated as a regular expression: use path_regex for those")),
                ));
            }
        }
        bail!("{}", self.no_such_path(asked, wanted, all)?)
    }

    /// Returns the message that there is nothing at a path, with similar paths.
    fn no_such_path(&self, asked: &str, wanted: &str, all: &[FoundPath]) -> Result<String> {
        let shown = self.place_names();
        let mut known: BTreeSet<String> = BTreeSet::new();
        for found in all {
            let name = found.shown(&shown);
            known.extend(name.match_indices('/').map(|(at, _)| name[..=at].to_owned()));
            known.insert(name);
        }
        // The longest word in a pattern says most about what is meant.
        let words = wanted.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
        let word = words.max_by_key(|word| word.len()).unwrap_or_default().to_lowercase();
        let last_of = |path: &str| path.trim_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let last = last_of(wanted);
        let like = |name: &str| {
            let has_word = word.len() > 2 && last_of(name).to_lowercase().contains(&word);
            let by_name = likeness(&last, &last_of(name)).max(likeness(wanted, name.trim_end_matches('/')));
            if has_word { by_name.max(MIN_LIKENESS) } else { by_name }
        };
        let near = near_names(known.iter().map(|name| (like(name), name.clone())), MIN_LIKENESS);
        if !near.is_empty() {
            return Ok(format!("no path is {asked:?} or below it; did you mean {}?", near.join(", ")));
        }
        let projects: Vec<String> = all.iter().map(|found| found.listed.project.clone()).collect();
        Ok(format!("no path is {asked:?} or below it: {}", self.folders(&projects)?))
    }

    /// Lists the top folders of `projects`, or of all projects.
    fn folders(&self, projects: &[String]) -> Result<String> {
        let shown = self.place_names();
        let mut folders: BTreeSet<String> = BTreeSet::new();
        let projects: BTreeSet<&String> = projects.iter().collect();
        for found in
            self.paths(None)?.iter().filter(|found| projects.is_empty() || projects.contains(&found.listed.project))
        {
            let name = found.shown(&shown);
            folders.insert(name.split_once('/').map_or(name.clone(), |(folder, _)| format!("{folder}/")));
            if folders.len() > MAX_NAMED {
                break;
            }
        }
        Ok(format!("paths begin with {}", folders.into_iter().take(MAX_NAMED).collect::<Vec<_>>().join(", ")))
    }
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Compiles a path pattern. `*` does not match a slash.
fn glob(pattern: &str) -> Result<globset::GlobSet> {
    let mut builder = GlobSetBuilder::new();
    builder.add(GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build()?);
    Ok(builder.build()?)
}

/// Returns `pattern` with escaped brackets.
fn escaped(pattern: &str) -> String {
    pattern.replace('[', r"\[").replace(']', r"\]")
}

/// Whether a path that does not exist looks like a regular expression.
fn looks_like_regex(path: &str) -> bool {
    [".*", ".+", "\\", "|", "^", "$", "("].iter().any(|sign| path.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_end_at_a_slash_and_patterns_stay_in_one() {
        assert!(is_at_or_below("src/a.py", "src") && is_at_or_below("src", "src") && is_at_or_below("a", ""));
        assert!(!is_at_or_below("src_utils/a.py", "src"));
        let matches = |pattern: &str, path: &str| glob(pattern).unwrap().is_match(path);
        assert!(matches("src/*.py", "src/a.py") && !matches("src/*.py", "src/b/a.py"));
        assert!(matches("src/**/*.{py,rs}", "src/b/c/a.rs") && matches("src/**/*.py", "src/a.py"));
        assert!(glob("src/[").is_err() && glob("{a").is_err());
        assert!(matches(&escaped("app/[id]/*.tsx"), "app/[id]/page.tsx"));
        assert!(matches(&escaped("app/[[...slug]]/*.tsx"), "app/[[...slug]]/page.tsx"));
    }
}
