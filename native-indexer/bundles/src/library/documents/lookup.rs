//! Looks up documents by name: projects, paths, and the document that a name refers to.

use crate::library::documents::place_names::{PlaceNames, absolute_path};
use crate::library::near_names::{likeness, near_names};
use crate::library::open::open_bundle::{Listed, OpenBundle};
use crate::library::open::view::View;
use anyhow::{Result, bail};
use nearfind_base::facets::CODE_LANGUAGE;
use nearfind_base::file_names::{file_stem, stem};
use nearfind_core::records::{ChunkRecord, Date};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization as _;

/// Maximum number of names in an error.
const MAX_NAMED: usize = 8;
/// Maximum number of projects in an error.
const MAX_PROJECTS: usize = 50;
/// Minimum similarity of suggested names to the requested one. Equal names have 1.
const MIN_LIKENESS: f64 = 0.5;
/// Maximum number of letters and digits in a file extension.
const MAX_ENDING: usize = 8;

/// A document and its bundle.
#[derive(Clone, Debug)]
pub struct FoundPath {
    /// The bundle that contains the document.
    pub bundle: Arc<OpenBundle>,
    /// The document's entry in the catalog.
    pub listed: Listed,
}

/// A document with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Canonical id.
    pub id: String,
    /// Name of the document's project.
    pub project: String,
    /// Path in the project's source.
    pub path: String,
    /// Title.
    pub title: String,
    /// A description on one line. May be empty.
    pub description: String,
    /// The address that readers open.
    pub url: Option<String>,
    /// The address that shows the document's file.
    pub source_url: Option<String>,
    /// The date when the document was written or last changed.
    pub date: Option<Date>,
    /// Whether the document is reference material, to look up rather than to read.
    pub is_reference: bool,
    /// Paths of pages that redirect to the document or repeat it.
    pub aliases: Vec<String>,
    /// The document's chunks, which contain all of its text as written.
    pub chunks: Vec<ChunkRecord>,
    /// The pieces of a source file: for each, the part of its id after the `#`, and the byte offset in the text where
    /// it begins.
    pub pieces: Vec<(String, usize)>,
}

impl Document {
    /// Returns the document's whole text.
    pub fn text(&self) -> String {
        self.chunks.iter().map(|chunk| chunk.text.as_str()).collect()
    }

    /// Returns the address of the unrendered file, if the host serves files as well as showing them.
    pub fn raw_url(&self) -> Option<String> {
        raw_url(self.source_url.as_deref()?)
    }
}

/// Returns the address that serves the bytes of the file shown at `source_url`.
fn raw_url(source_url: &str) -> Option<String> {
    if let Some((project, file)) = source_url.split_once("/-/blob/") {
        return Some(format!("{project}/-/raw/{file}"));
    }
    let (project, file) = source_url.strip_prefix("https://github.com/")?.split_once("/blob/")?;
    Some(format!("https://raw.githubusercontent.com/{project}/{file}"))
}

/// A project, which may be in several bundles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectCounts {
    /// Number of documents.
    pub documents: u32,
    /// Labels of the bundles that contain the project.
    pub bundles: Vec<String>,
}

impl View {
    /// Returns the projects of all bundles, by name.
    pub fn projects(&self) -> BTreeMap<String, ProjectCounts> {
        let mut projects: BTreeMap<String, ProjectCounts> = BTreeMap::new();
        for bundle in &self.bundles {
            for project in &bundle.reader().root().projects {
                let counts = projects.entry(project.name.clone()).or_default();
                counts.documents = counts.documents.saturating_add(project.documents);
                counts.bundles.push(bundle.label.clone());
            }
        }
        projects
    }

    /// Returns the project named `name`: exactly, or else ignoring case, dashes and underscores. An error lists the
    /// projects.
    pub fn project(&self, name: &str) -> Result<String> {
        let projects = self.projects();
        if projects.contains_key(name) {
            return Ok(name.to_owned());
        }
        let plain = |name: &str| name.trim().to_lowercase().replace(['_', ' '], "-");
        let alike: Vec<&String> = projects.keys().filter(|known| plain(known) == plain(name)).collect();
        if let [one] = alike[..] {
            return Ok(one.clone());
        }
        let known: Vec<&str> = projects.keys().take(MAX_PROJECTS).map(String::as_str).collect();
        let more = if projects.len() > MAX_PROJECTS { ", or another one of list_projects" } else { "" };
        bail!("there is no project {name:?}: use one of {}{more}", known.join(", "))
    }

    /// Returns the documents of all projects, or of one project by its name from [`View::project`], sorted by project
    /// and path. If several bundles have the same document, the first one counts.
    pub fn paths(&self, project: Option<&str>) -> Result<Vec<FoundPath>> {
        let mut found: BTreeMap<(&str, &str), (&Arc<OpenBundle>, &Listed)> = BTreeMap::new();
        for bundle in &self.bundles {
            for listed in bundle.files()? {
                if project.is_none_or(|project| project == listed.project) {
                    found.entry((&listed.project, &listed.path)).or_insert((bundle, listed));
                }
            }
        }
        let owned = |(bundle, listed): (&Arc<OpenBundle>, &Listed)| FoundPath {
            bundle: Arc::clone(bundle),
            listed: listed.clone(),
        };
        Ok(found.into_values().map(owned).collect())
    }

    /// Returns the document that `name` refers to. A name is an id, a path, an alias, the end of a path, an address, or
    /// the file's path on this machine, with or without a file extension. An error suggests similar names.
    pub fn find(&self, name: &str, project: Option<&str>) -> Result<FoundPath> {
        let project = project.map(|project| self.project(project)).transpose()?;
        let paths = self.paths(project.as_deref())?;
        let shown = self.place_names();
        if let Some((of, path)) = self.below_a_root(name)
            && let Some(found) = paths.iter().find(|found| found.listed.project == of && found.listed.path == path)
        {
            return Ok(found.clone());
        }
        let wanted = Name::of(name);
        for matches in Name::WAYS {
            let is_meant = |name: &str, project: &str| matches(&wanted, &composed(name), project);
            let mut found = paths.iter().filter(|path| {
                path.names().any(|name| is_meant(name, &path.listed.project)) && wanted.may_end_as(path)
            });
            let Some(first) = found.next() else { continue };
            let others: Vec<String> = std::iter::once(first).chain(found).map(|found| found.shown(&shown)).collect();
            if others.len() == 1 {
                return Ok(first.clone());
            }
            let more = others.len().saturating_sub(MAX_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            bail!(
                "{} documents are called {name:?}: ask for one of {}{more}",
                others.len(),
                others[..others.len().min(MAX_NAMED)].join(", ")
            );
        }
        let near = near_misses(&wanted, &paths, &shown);
        let is_absolute = name.trim().starts_with('/') || absolute_path(name).is_some();
        let is_elsewhere = is_absolute && self.below_a_root(name).is_none();
        let of_project = match project {
            Some(project) => format!(" in project {project}"),
            // Only users of this machine may learn which folders these are.
            None if is_elsewhere => ": it is not in an indexed folder".to_owned(),
            None => String::new(),
        };
        if near.is_empty() {
            bail!(
                "there is no document {name:?}{of_project}: search finds documents by content, and grep finds lines in them"
            );
        }
        bail!("there is no document {name:?}{of_project}; did you mean {}?", near.join(", "))
    }
}

impl FoundPath {
    /// Returns the document's project and path.
    pub fn id(&self) -> String {
        format!("{}/{}", self.listed.project, self.listed.path)
    }

    /// Returns the document's name in answers.
    pub fn shown(&self, names: &PlaceNames) -> String {
        names.join(&self.listed.project, &self.listed.path)
    }

    /// Whether it is source code.
    fn is_code(&self) -> bool {
        self.bundle.reader().facet_of(CODE_LANGUAGE, self.listed.number).ok().flatten().is_some()
    }

    /// Returns the document's path and aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.listed.path).chain(&self.listed.aliases).map(String::as_str)
    }

    /// Returns the document. A source file is returned with all of its pieces.
    pub fn read(&self) -> Result<Document> {
        let Self { bundle, listed } = self;
        let file = bundle.file(listed.number)?;
        Ok(Document {
            source_url: bundle.source_url(listed.number)?,
            date: listed.date,
            is_reference: listed.is_reference,
            ..file.document
        })
    }
}

/// A requested name, in the forms used for comparison.
struct Name {
    /// The name without the host of an address, and without what precedes and follows a path.
    path: String,
    /// The path without a file extension.
    stem: String,
    /// Whether the name is an address.
    is_address: bool,
}

/// A function that returns whether a name refers to a document with this path or alias in this project.
type Way = fn(&Name, &str, &str) -> bool;

impl Name {
    /// The ways, from the strictest to the loosest.
    const WAYS: [Way; 8] = [
        |name, path, _| name.path == path,
        |name, path, project| {
            let below = name.path.strip_prefix(project).and_then(|rest| rest.strip_prefix('/'));
            below.is_some_and(|rest| rest == path)
        },
        |name, path, _| ends_with(path, &name.path),
        |name, path, _| ends_with(stem(path), &name.stem) || ends_with(stem(path), &name.path),
        // A folder's name also refers to its index page.
        |name, path, _| {
            page_of_folder(path).is_some_and(|page| ends_with(page, &name.path) || ends_with(page, &name.stem))
        },
        // An address may have more leading folders than the path, which depend on where it is published.
        |name, path, _| name.is_address && ends_with(&name.stem, stem(path)) && path.contains('/'),
        |name, path, _| ends_with(&stem(path).to_lowercase(), &name.stem.to_lowercase()),
        |name, path, _| {
            page_of_folder(path).is_some_and(|page| ends_with(&page.to_lowercase(), &name.stem.to_lowercase()))
        },
    ];

    fn of(name: &str) -> Self {
        let mut path = name.trim();
        let (decoded, slashed);
        let is_address = path.contains("://") && !path.starts_with("file://");
        if let Some((_, rest)) = path.split_once("://") {
            path = rest.split_once('/').map_or("", |(_, path)| path);
            path = path.split(['?', '#']).next().unwrap_or_default();
            decoded = percent_decoded(path);
            path = &decoded;
        } else if path.contains('\\') {
            slashed = path.replace('\\', "/");
            path = &slashed;
        }
        let path = composed(path.trim_start_matches("./").trim_matches('/')).into_owned();
        let stem = if ending(&path).is_some() { stem(&path) } else { &path };
        Self { stem: stem.to_owned(), path, is_address }
    }

    /// Whether the extension of the name permits `found`: a name with the extension of one language does not refer to a
    /// source file in another, as `a.rs` is not `a.go`.
    fn may_end_as(&self, found: &FoundPath) -> bool {
        let Some(wanted) = ending(&self.path) else { return true };
        // The word after the dot may be part of the name: `app.test` refers to `app.test.ts`.
        let fits = |name: &str| {
            ending(name).is_some_and(|ending| ending.eq_ignore_ascii_case(wanted))
                || ends_with(&stem(name).to_lowercase(), &self.path.to_lowercase())
        };
        self.is_address || found.names().any(fits) || !found.is_code()
    }
}

/// Returns the text after the last dot of a file's name, if it looks like a file extension.
fn ending(path: &str) -> Option<&str> {
    let ending = path.strip_prefix(stem(path))?.strip_prefix('.')?;
    let is_short = (1..=MAX_ENDING).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_short.then_some(ending)
}

/// Whether `path` is `end`, or ends with it after a slash.
fn ends_with(path: &str, end: &str) -> bool {
    !end.is_empty()
        && path.strip_suffix(end).is_some_and(|front| front.is_empty() || front.ends_with('/') || end.starts_with('/'))
}

/// Returns `name` with composed letters, because some file systems decompose them.
fn composed(name: &str) -> Cow<'_, str> {
    if name.is_ascii() { Cow::Borrowed(name) } else { Cow::Owned(name.nfc().collect()) }
}

fn percent_decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Returns the folder of an index page: `a/b` for `a/b/index.html`.
fn page_of_folder(path: &str) -> Option<&str> {
    let stem = stem(path);
    stem.strip_suffix("/index").or_else(|| stem.strip_suffix("/_index"))
}

/// Returns documents with names similar to the requested one, the most similar first.
fn near_misses(wanted: &Name, paths: &[FoundPath], shown: &PlaceNames) -> Vec<String> {
    let wanted_file = file_stem(&wanted.path);
    let likeness_of = |path: &FoundPath| {
        let stem = page_of_folder(&path.listed.path).unwrap_or_else(|| stem(&path.listed.path));
        let file = stem.rsplit('/').next().unwrap_or(stem);
        let of_file = likeness(wanted_file, file);
        // A name that begins with the requested name counts as much as a name with one wrong letter.
        let goes_on = wanted_file.len() > 2 && file.to_lowercase().starts_with(&wanted_file.to_lowercase());
        let of_file = if goes_on { of_file.max(MIN_LIKENESS) } else { of_file };
        of_file.max(likeness(&wanted.stem, stem))
    };
    near_names(paths.iter().map(|path| (likeness_of(path), path.shown(shown))), MIN_LIKENESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(name: &str, path: &str, project: &str) -> Option<usize> {
        let name = Name::of(name);
        Name::WAYS.iter().position(|way| way(&name, path, project))
    }

    #[test]
    fn a_name_is_the_same_however_its_letters_are_put_together() {
        let apart = "docs/\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}.md";
        assert_eq!(Name::of(apart).path, "docs/한글.md");
        assert_eq!(composed(apart), "docs/한글.md");
    }

    #[test]
    fn files_that_hosts_show_are_given_as_they_are() {
        let raw = |url: &str| raw_url(url).unwrap_or_default();
        let shown = "https://github.com/o/r/blob/main/doc/a.md";
        assert_eq!(raw(shown), "https://raw.githubusercontent.com/o/r/main/doc/a.md");
        assert_eq!(raw("https://gitlab.com/o/s/r/-/blob/HEAD/a.md"), "https://gitlab.com/o/s/r/-/raw/HEAD/a.md");
        assert_eq!(raw("https://dev.azure.com/o/p/_git/r?version=GBmain&path=/a.md"), "");
    }

    #[test]
    fn names_stand_for_paths_in_several_ways() {
        let path = "examples/reference/widgets/Button.ipynb";
        assert_eq!(way(path, path, "panel"), Some(0));
        assert_eq!(way("panel/examples/reference/widgets/Button.ipynb", path, "panel"), Some(1));
        assert_eq!(way("widgets/Button.ipynb", path, "panel"), Some(2));
        assert_eq!(way("./widgets/Button", path, "panel"), Some(3));
        assert_eq!(way("https://panel.holoviz.org/reference/widgets/Button.html#x", path, "panel"), Some(3));
        assert_eq!(way("https://x.org/docs/guide/a.html", "guide/a.md", "p"), Some(5));
        assert_eq!(way("button", path, "panel"), Some(6));
        let page = "7.6/Microsoft.PowerShell.Core/Invoke-Command/index.html";
        assert_eq!(["Invoke-Command", "Invoke-Command.md"].map(|name| way(name, page, "powershell")), [Some(4); 2]);
        assert_eq!(way("Microsoft.PowerShell.Core/invoke-command", page, "powershell"), Some(7));
        assert_eq!(way("Microsoft.PowerShell.Core", "7.6/Microsoft.PowerShell.Core/index.html", "p"), Some(4));
        // A part of a name does not count as the end of a path.
        assert_eq!(way("utton.ipynb", path, "panel"), None);
        assert_eq!(way("../../../etc/passwd", path, "panel"), None);
        assert_eq!(way("", path, "panel"), None);
    }

    #[test]
    fn a_path_is_meant_as_it_is_before_one_after_its_project() {
        assert_eq!(way("myapp/main.py", "myapp/main.py", "myapp"), Some(0));
        assert_eq!(way("myapp/main.py", "main.py", "myapp"), Some(1));
        assert_eq!(way(r"myapp\main.py", "myapp/main.py", "other"), Some(0));
    }

    #[test]
    fn folders_in_front_are_ignored_for_addresses_alone() {
        assert_eq!(way("/home/me/other/src/a.py", "src/a.py", "p"), None);
        assert_eq!(way("file:///home/me/other/src/a.py", "src/a.py", "p"), None);
        assert_eq!(way("/src/a.py", "src/a.py", "p"), Some(0));
    }

    #[test]
    fn an_ending_is_a_few_letters_or_digits() {
        let endings = ["a/b.py", "a.b/c", "engine.py:0-10", "v1.7z", "a.", ".env", "a.notanending"].map(ending);
        assert_eq!(endings, [Some("py"), None, None, Some("7z"), None, None, None]);
        assert_eq!(way("engine.py:0-10", "engine.py", "p"), None, "lines are no ending");
        assert_eq!(way("app.test", "app.test.ts", "p"), Some(3));
    }
}
