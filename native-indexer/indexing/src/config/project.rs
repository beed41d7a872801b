//! A `[[project]]` table.

use super::Config;
use crate::source::{GitPlace, SourceSpec, UrlStyle, Wanted, check_base_url, check_name, globs};
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_core::search::{CATALOG_FILTERS, PROJECT};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// The facet with the value of [`ProjectTable::category`].
const CATEGORY: &str = "category";
/// Facets that nearfind sets itself.
const OWN_FACETS: [&str; 6] = ["class", "code_language", "format", "kind", "language", "version"];

/// A project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectTable {
    /// Name of the project. Default: the last part of its folder or address.
    #[serde(default)]
    pub name: String,
    /// Address of the git repository.
    pub git: Option<String>,
    /// Folder of the project, relative to the folder of this file.
    pub path: Option<PathBuf>,
    /// Branch of the repository. Default: the repository's default branch.
    pub branch: Option<String>,
    /// Tag of the repository, instead of a branch.
    pub tag: Option<String>,
    /// Number of commits to fetch. A file that changed in one of them gets the date of that commit, unless the page or
    /// its name states a different date. Default: 1, which sets no dates.
    pub history: Option<NonZeroU32>,
    /// Number of commits to search, starting with the newest. A search finds each by its message and its changes,
    /// including lines that the commit removed. Default: none.
    pub commits: Option<NonZeroU32>,
    /// Folders of guides. Default: the first folder of `default_docs` that exists, else the whole project.
    #[serde(default, deserialize_with = "one_or_several")]
    #[schemars(with = "Option<OneOrSeveral>")]
    pub docs: Option<Vec<String>>,
    /// Folders of reference pages. Default: the folders of `default_reference` that exist.
    #[serde(default, deserialize_with = "one_or_several")]
    #[schemars(with = "Option<OneOrSeveral>")]
    pub reference: Option<Vec<String>>,
    /// Folders of source code; `"."` is the whole project. Files that the repository ignores are not read. Default:
    /// none.
    #[serde(default, deserialize_with = "one_or_several")]
    #[schemars(with = "Option<OneOrSeveral>")]
    pub code: Option<Vec<String>>,
    /// Globs. If there are any, only files with a matching path are indexed.
    #[serde(default)]
    pub include: Vec<String>,
    /// Globs. Files with a matching path are left out.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Address of the published project.
    pub url: Option<String>,
    /// Whether hits link to the address in a page's `rel=canonical` instead of the address of its file.
    #[serde(default)]
    pub canonical: bool,
    /// How the site turns paths into addresses. Default: `html` if `url` is set, else `file`.
    pub url_style: Option<UrlStyle>,
    /// Where folders are published, as paths below `url`. Default: guides at `url` itself, and reference pages in a
    /// folder of the same name.
    #[serde(default)]
    pub url_paths: BTreeMap<String, String>,
    /// Category of the project. It becomes the facet `category`.
    pub category: Option<String>,
    /// Facets for all pages of the project.
    #[serde(default)]
    pub facets: BTreeMap<String, String>,
}

/// A folder, or a list of folders.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a folder, or a list of folders")]
pub(super) enum OneOrSeveral {
    One(String),
    Several(Vec<String>),
}

/// Deserializes a folder, or a list of folders.
pub(super) fn one_or_several<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    Ok(Some(match OneOrSeveral::deserialize(deserializer)? {
        OneOrSeveral::One(folder) => vec![folder],
        OneOrSeveral::Several(folders) => folders,
    }))
}

impl ProjectTable {
    /// Returns the name of the project: `name`, else the last part of the folder or address.
    pub(super) fn name(&self) -> Result<String> {
        if !self.name.is_empty() {
            return Ok(self.name.clone());
        }
        let path = self.path.as_deref().and_then(|path| path.file_name()?.to_str());
        let url = self.git.as_deref().map(|url| url.trim_end_matches('/').trim_end_matches(".git"));
        let name = path.or_else(|| url?.rsplit(['/', ':']).next());
        name.map(str::to_owned).context("set its `name`")
    }

    /// Returns the project as a source. Its paths are relative to the folder of `config`.
    pub(super) fn source(&self, config: &Config) -> Result<SourceSpec> {
        let folder = config.folder();
        let name = self.name()?;
        check_name(&name)?;
        let git = match (&self.git, &self.path) {
            (Some(url), None) => {
                let (branch, tag) = (self.branch.clone(), self.tag.clone());
                // The changes of a commit are found by comparing it with the previous one, so one more commit is fetched.
                let searched = self.commits.map_or(0, |commits| commits.get().saturating_add(1));
                let history = self.history.map_or(1, NonZeroU32::get).max(searched);
                let place = GitPlace { url: url.clone(), branch, tag, history };
                place.check()?;
                Some(place)
            }
            (None, Some(_)) => None,
            _ => bail!("set either `git`, the address of a repository, or `path`, a folder"),
        };
        ensure!(git.is_some() || (self.branch.is_none() && self.tag.is_none()), "`branch` and `tag` need `git`");
        ensure!(self.branch.is_none() || self.tag.is_none(), "set either `branch` or `tag`, not both");
        for named in [&self.branch, &self.tag].into_iter().flatten() {
            let is_plain = !named.is_empty() && !named.contains([':', '*', '^', '~', '?', '[', '\\', ' ']);
            ensure!(is_plain && !named.contains(".."), "{named:?} is not a valid branch or tag name");
        }
        for (key, patterns) in [("include", &self.include), ("exclude", &self.exclude)] {
            globs(patterns).context(key)?;
        }
        let folders = |key: &str, folders: &Option<Vec<String>>| -> Result<Option<Vec<String>>> {
            let plain = |folder: &String| -> Result<String> {
                ensure!(!super::leaves(Path::new(folder)), "{key}: {folder:?} is not inside the project");
                Ok(if folder == "." {
                    String::new()
                } else {
                    folder.trim_start_matches("./").trim_matches('/').to_owned()
                })
            };
            folders.as_ref().map(|folders| folders.iter().map(plain).collect()).transpose()
        };
        let mut facets = self.facets.clone();
        facets.extend(self.category.clone().map(|category| (CATEGORY.to_owned(), category)));
        let taken = |name: &str| name == PROJECT || CATALOG_FILTERS.contains(&name) || OWN_FACETS.contains(&name);
        if let Some(name) = facets.keys().find(|name| taken(name)) {
            bail!("facets: {name:?} is already a filter; choose another name");
        }
        let base_url = self.url.as_deref().map(check_base_url).transpose().context("url")?;
        let usual = if base_url.is_some() { UrlStyle::Html } else { UrlStyle::File };
        Ok(SourceSpec {
            git,
            wanted: Wanted {
                docs: folders("docs", &self.docs)?,
                reference: folders("reference", &self.reference)?,
                usual_docs: folders("default_docs", &config.default_docs)?.unwrap_or_default(),
                usual_reference: folders("default_reference", &config.default_reference)?.unwrap_or_default(),
                code: folders("code", &self.code)?.unwrap_or_default(),
                include: self.include.clone(),
                exclude: self.exclude.clone(),
                commits: self.commits.map_or(0, NonZeroU32::get),
                url_paths: self.url_paths.clone(),
                pictures: config.reads_pictures(),
            },
            base_url,
            canonical: self.canonical,
            url_style: self.url_style.unwrap_or(usual),
            facets,
            ..SourceSpec::folder(&name, &self.path.as_deref().map(|path| folder.join(path)).unwrap_or_default())
        })
    }
}
