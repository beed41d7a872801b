//! The sources of a run, and the `SOURCE` arguments that specify them: `FOLDER`, `NAME=FOLDER`, `corpus.jsonl` or
//! `NAME=corpus.jsonl`.

use super::git_place::GitPlace;
use super::page_url::UrlStyle;
use super::path_rules::PathRule;
use super::selection::Wanted;
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_base::real_path::real_path;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A folder of documentation, or a repository.
    Folder,
    /// A BEIR `corpus.jsonl`.
    Beir,
}

/// One project to index.
///
/// ```
/// use nearfind_indexing::source::{SourceSpec, read_alone};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("undo.md"), "# Undo\n\nRun `git revert`.\n")?;
/// let spec = SourceSpec {
///     base_url: Some("https://docs.example.org".into()),
///     ..SourceSpec::folder("docs", folder.path())
/// };
/// let content = read_alone(&spec)?;
/// assert_eq!(content.project, "docs");
/// assert_eq!(content.documents.len(), 1);
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SourceSpec {
    /// Name of the project, which must be unique among the sources.
    pub name: String,
    /// The folder or file. Empty for a repository.
    pub path: PathBuf,
    /// The kind of the source.
    pub kind: SourceKind,
    /// The repository, if the source is one.
    pub git: Option<GitPlace>,
    /// The files that are documentation.
    pub wanted: Wanted,
    /// URL of the folder, without a trailing slash. `None` means a path on the same site.
    pub base_url: Option<String>,
    /// How the site turns paths into addresses.
    pub url_style: UrlStyle,
    /// Whether hits link to the address in a page's `rel=canonical` instead of the address of its file.
    pub canonical: bool,
    /// Facets of all documents in the source.
    pub facets: BTreeMap<String, String>,
    /// Rules for pages by path: a weight, a kind, or exclusion from the index.
    pub rules: Vec<PathRule>,
    /// Limit on the size, for a source that no person chose.
    pub limit: Option<SourceLimit>,
}

/// Limit on the size of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLimit {
    /// Maximum number of files to read.
    pub files: usize,
    /// Maximum size of all these files in bytes.
    pub bytes: u64,
}

impl SourceLimit {
    /// Returns an error if the source at `place` exceeds the limit.
    pub(super) fn check(self, place: &str, files: usize, bytes: u64) -> Result<()> {
        ensure!(
            files <= self.files && bytes <= self.bytes,
            "{place}: it has {files} files and {:.1} GB, more than the {} files and {:.1} GB that are indexed \
            automatically: write a nearfind.toml that names the folders to index, or name an index with --bundle",
            bytes as f64 / 1e9,
            self.files,
            self.bytes as f64 / 1e9
        );
        Ok(())
    }
}

impl SourceSpec {
    /// Returns a source with everything in a folder.
    pub fn folder(name: &str, path: &Path) -> Self {
        Self {
            name: name.to_owned(),
            path: path.to_owned(),
            kind: SourceKind::Folder,
            git: None,
            wanted: Wanted::everything(),
            base_url: None,
            url_style: UrlStyle::File,
            canonical: false,
            facets: BTreeMap::new(),
            rules: Vec::new(),
            limit: None,
        }
    }

    /// Makes links to pages relative to the bundle in `out`, so that they work wherever the site is published. Does
    /// nothing if a URL was specified, or if `out` is not inside the source's folder.
    pub fn link_from(&mut self, out: &Path) {
        if self.base_url.is_some() || self.git.is_some() || self.kind != SourceKind::Folder {
            return;
        }
        // The existing part of `out` determines where it leads, even if the rest does not exist yet.
        let absolute = std::path::absolute(out).unwrap_or_else(|_| out.to_owned());
        let there = absolute.ancestors().find_map(|folder| Some((folder, real_path(folder).ok()?)));
        let (Some((folder, real)), Ok(source)) = (there, real_path(&self.path)) else { return };
        let Ok(missing) = absolute.strip_prefix(folder) else { return };
        if missing.components().any(|part| part == Component::ParentDir) {
            return;
        }
        if let Ok(inside) = real.join(missing).strip_prefix(&source)
            && inside.components().next().is_some()
        {
            self.base_url = Some(vec![".."; inside.components().count()].join("/"));
        }
    }

    /// Returns a source with a BEIR corpus.
    pub fn beir(name: &str, path: &Path) -> Self {
        Self { kind: SourceKind::Beir, ..Self::folder(name, path) }
    }

    /// If the source is a repository on a known host, returns the beginning of the addresses that show its files. A
    /// path follows it.
    pub fn source_base(&self) -> Option<String> {
        self.git.as_ref()?.source_base()
    }

    /// Describes where the source is: the repository's address, or the path.
    pub fn place(&self) -> String {
        match &self.git {
            Some(git) => super::shown_url(&git.url),
            // Without a trailing slash.
            None => self.path.components().collect::<PathBuf>().display().to_string(),
        }
    }
}

/// Returns an error if a name cannot be part of ids and addresses.
pub fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_plain = !name.is_empty() && name.chars().all(plain) && !name.starts_with('.');
    ensure!(is_plain, "project name {name:?}: use letters, digits, `-`, `_` and `.`");
    Ok(())
}

/// Returns the URL without a trailing slash, or an error if it cannot be a site's URL.
pub fn check_base_url(url: &str) -> Result<String> {
    let is_url = ["https://", "http://", "/", "./", "../"].iter().any(|start| url.starts_with(start));
    let is_folder = url == "." || url == "..";
    ensure!(
        is_url || is_folder,
        "{url:?}: use a URL that begins with https://, http:// or /, or with . or .. if it is relative to the index"
    );
    Ok(url.trim_end_matches('/').to_owned())
}

/// Parses `SOURCE` and `--base-url` arguments. Returns the sources sorted by name.
pub fn parse_sources(sources: &[String], base_urls: &[String]) -> Result<Vec<SourceSpec>> {
    let mut specs = Vec::new();
    for argument in sources {
        specs.push(parse_source(argument)?);
    }
    specs.sort_by(|a: &SourceSpec, b| a.name.cmp(&b.name));
    for pair in specs.windows(2) {
        ensure!(
            pair[0].name != pair[1].name,
            "two sources are called {:?}: rename one of them, as in `other={}`",
            pair[0].name,
            pair[1].path.display()
        );
    }
    let mut named = BTreeMap::new();
    for argument in base_urls {
        let (name, url) = match argument.split_once('=').filter(|(name, _)| !name.contains(['/', ':', '?'])) {
            Some((name, url)) => (name.to_owned(), url),
            None if specs.len() == 1 => (specs[0].name.clone(), argument.as_str()),
            None => bail!("--base-url {argument}: with several sources, name the source, as in `NAME={argument}`"),
        };
        ensure!(specs.iter().any(|spec| spec.name == name), "--base-url {argument}: no source is called {name:?}");
        named.insert(name, check_base_url(url).context("--base-url")?);
    }
    for spec in &mut specs {
        spec.base_url = named.remove(&spec.name);
    }
    Ok(specs)
}

fn parse_source(argument: &str) -> Result<SourceSpec> {
    let (name, path) = match argument.split_once('=') {
        // The path of an existing folder may contain an equals sign.
        Some((name, path)) if !PathBuf::from(argument).exists() => (Some(name.to_owned()), PathBuf::from(path)),
        _ => (None, PathBuf::from(argument)),
    };
    let metadata = std::fs::metadata(&path)
        .with_context(|| format!("source {}: name a folder of documentation, or a corpus.jsonl", path.display()))?;
    let kind = if metadata.is_dir() { SourceKind::Folder } else { SourceKind::Beir };
    if kind == SourceKind::Beir && path.extension().is_none_or(|extension| extension != "jsonl") {
        bail!("source {}: a single file must be a BEIR corpus.jsonl", path.display());
    }
    let name = match name {
        Some(name) => name,
        None => default_name(&path, kind)?,
    };
    check_name(&name).with_context(|| format!("name the source as in `docs={}`", path.display()))?;
    Ok(match kind {
        SourceKind::Folder => SourceSpec::folder(&name, &path),
        SourceKind::Beir => SourceSpec::beir(&name, &path),
    })
}

/// Returns the name of the folder. For a file, this is the folder that contains it.
fn default_name(path: &std::path::Path, kind: SourceKind) -> Result<String> {
    let absolute = real_path(path).with_context(|| format!("source {}", path.display()))?;
    let folder = if kind == SourceKind::Folder { Some(absolute.as_path()) } else { absolute.parent() };
    let name = folder.and_then(|folder| folder.file_name()).map(|name| name.to_string_lossy().into_owned());
    name.with_context(|| format!("source {}: give it a name, as in `docs={0}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_named_and_sorted() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        std::fs::create_dir(&docs).unwrap();
        let docs = docs.to_str().unwrap();
        let specs =
            parse_sources(&[docs.to_owned(), format!("api={docs}")], &["docs=https://x.org/d/".into()]).unwrap();
        assert_eq!(specs.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>(), ["api", "docs"]);
        assert_eq!(specs[1].base_url.as_deref(), Some("https://x.org/d"));
        let relative = parse_sources(&[docs.to_owned()], &["../".into()]).unwrap();
        assert_eq!(relative[0].base_url.as_deref(), Some(".."));
        assert!(parse_sources(&[docs.to_owned()], &["javascript:alert(1)".into()]).is_err());
        let twice = parse_sources(&[docs.to_owned(), docs.to_owned()], &[]).unwrap_err();
        assert!(twice.to_string().contains("two sources are called \"docs\""), "{twice}");
        let unnamed = parse_sources(&[docs.to_owned(), format!("api={docs}")], &["https://x.org".into()]).unwrap_err();
        assert!(unnamed.to_string().contains("name the source"), "{unnamed}");
        assert!(parse_sources(&["nowhere".into()], &[]).is_err());
    }

    #[test]
    fn a_bundle_inside_its_site_links_to_pages_from_where_it_is() {
        let site = tempfile::tempdir().unwrap();
        let base_of = |out: &Path| {
            let mut spec = SourceSpec::folder("site", site.path());
            spec.link_from(out);
            spec.base_url
        };
        assert_eq!(base_of(&site.path().join("search")).as_deref(), Some(".."));
        assert_eq!(base_of(&site.path().join("assets/search/")).as_deref(), Some("../.."));
        assert_eq!(base_of(&site.path().join("a/../search")).as_deref(), None);
        assert_eq!(base_of(site.path()), None);
        assert_eq!(base_of(&site.path().join("../elsewhere")), None);
        let mut given = SourceSpec { base_url: Some("/docs".into()), ..SourceSpec::folder("site", site.path()) };
        given.link_from(&site.path().join("search"));
        assert_eq!(given.base_url.as_deref(), Some("/docs"));
    }
}
