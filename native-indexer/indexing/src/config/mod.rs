//! `nearfind.toml`: the projects, where their documentation is, and how the owner wants it to be searched.
//!
//! A configuration file may come with a repository that you do not trust. Unless the user allows it on the command
//! line, the file may not name programs, paths outside its own folder, repositories that need the user's keys, or
//! servers that receive texts.

mod everybody;
mod ocr;
mod overrides;
mod project;
mod search_settings;
mod small_encoder;

use everybody::everybody;
pub use everybody::providers;
use nearfind_base::real_path::real_path;
pub use ocr::OcrTable;
pub use overrides::{Origins, Override};
pub use project::ProjectTable;
use project::{OneOrSeveral, one_or_several};
pub use search_settings::{PinnedPages, SearchSettings, SynonymGroup};
pub use small_encoder::LoadSmallEncoder;

use crate::source::{PathRule, SourceSpec};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use nearfind_base::location::Location;
use nearfind_base::root_folder::{RootFolder, why_unread};
use nearfind_extract::ocr::OcrSettings;
use nearfind_models::provider::{EmbeddingSettings, LanguageSettings, ProviderSettings, RerankKind, RerankSettings};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::{Component, Path, PathBuf};
use toml::Spanned;

/// Name of the configuration file.
pub const CONFIG_FILE: &str = "nearfind.toml";
/// Default folder of the bundle, relative to the folder of the configuration file.
pub const DEFAULT_OUTPUT: &str = "search";

/// The content of the file.
///
/// ```
/// use nearfind_indexing::config::Config;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("nearfind.toml");
/// std::fs::write(&path, "output = 'site/search'\n[[project]]\nname = 'docs'\npath = 'docs'\n")?;
/// std::fs::create_dir(folder.path().join("docs"))?;
/// let config = Config::read(&path, false)?;
/// assert!(config.output()?.ends_with("site/search"));
/// assert_eq!(config.sources()?[0].name, "docs");
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// The schema has no examples.
#[schemars(description = "The content of the file.")]
pub struct Config {
    /// Folder of the index, relative to the folder of this file, or its address in a bucket. Default: `search`.
    pub output: Option<PathBuf>,
    /// Name of the model, or path of its pack.
    pub model: Option<String>,
    /// Whether the model pack is copied into the index, for browsers.
    #[serde(default)]
    pub ship_model: bool,
    /// When pages load the small encoder: automatically (`auto`), if the reader requests it (`ask`), or never
    /// (`never`). Default: `auto`.
    #[serde(default)]
    pub small_encoder: LoadSmallEncoder,
    /// Whether readers without the model can also search by meaning. Default: `true`.
    pub query_encoder: Option<bool>,
    /// Whether to add a trigram index, which finds exact text without reading everything. Default: `true` if the index
    /// has a query encoder or more than 32 MB of text.
    pub trigrams: Option<bool>,
    /// Whether the search box is put next to the index, for pages without a bundler. Default: `true`.
    #[serde(rename = "box")]
    pub search_box: Option<bool>,
    /// Maximum size, in bytes, of files that queries read in part, for servers without range requests. Default: no
    /// limit.
    pub max_file_bytes: Option<u32>,
    /// Maximum number of tokens in a chunk. Default: as many as the model reads.
    pub chunk_tokens: Option<u32>,
    /// Number of tokens of the previous chunk to embed together with each chunk. Default: 0.
    pub chunk_overlap: Option<u32>,
    /// Folders of guides for projects that do not name theirs; the first folder that exists is used. Default: `docs`,
    /// else `doc`.
    #[serde(default, deserialize_with = "one_or_several")]
    #[schemars(with = "Option<OneOrSeveral>")]
    pub default_docs: Option<Vec<String>>,
    /// Folders of reference pages for projects that do not name theirs; all folders that exist are used.
    #[serde(default, deserialize_with = "one_or_several")]
    #[schemars(with = "Option<OneOrSeveral>")]
    pub default_reference: Option<Vec<String>>,
    /// The projects.
    #[serde(default, rename = "project")]
    pub projects: Vec<ProjectTable>,
    /// Words with the same meaning.
    #[serde(default)]
    pub synonyms: Vec<SynonymGroup>,
    /// Pages that come first for certain questions.
    #[serde(default, rename = "pin")]
    pub pins: Vec<PinnedPages>,
    /// Rules for pages by path: a weight, a kind, or exclusion from the index.
    #[serde(default, rename = "rule")]
    pub rules: Vec<PathRule>,
    /// The provider that computes vectors, instead of a model on this machine.
    pub embedding: Option<EmbeddingSettings>,
    /// The reranker: a model that reads the question together with each document.
    pub rerank: Option<RerankSettings>,
    /// The language model that writes reports and, during indexing, questions and summaries.
    pub language_model: Option<LanguageSettings>,
    /// How text is read from scanned pages and pictures. Default: it is not read.
    pub ocr: Option<OcrTable>,
    /// Path of the file.
    #[serde(skip)]
    pub path: PathBuf,
    /// The settings that are in force, as a TOML table.
    #[serde(skip)]
    pub settings: toml::Table,
    /// Where settings come from that are not from the file.
    #[serde(skip)]
    pub origins: Origins,
}

impl Config {
    /// Reads and checks the file at `path`. Paths that point outside its folder are an error unless `outside` is set.
    pub fn read(path: &Path, outside: bool) -> Result<Self> {
        Self::read_with(path, &[], outside)
    }

    /// Reads and checks the file at `path`, with `overrides` applied in their order. Overrides may name any path.
    pub fn read_with(path: &Path, overrides: &[Override], outside: bool) -> Result<Self> {
        let name = || path.display().to_string();
        let text = text_of(path, outside).with_context(name)?;
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        let (parsed, lines, mut table) = if is_json {
            let table: toml::Table =
                serde_json::from_str(&text).context("it is not valid JSON, or contains a null").with_context(name)?;
            (serde_path_to_error::deserialize(table.clone()), Vec::new(), table)
        } else {
            let deserializer =
                toml::Deserializer::parse(&text).map_err(|error| anyhow!("{}: {error}", path.display()))?;
            let parsed = serde_path_to_error::deserialize(deserializer);
            (parsed, project_lines(&text).unwrap_or_default(), text.parse().unwrap_or_default())
        };
        let parsed: Result<Self, _> = parsed;
        let mut config = parsed.map_err(|error| {
            let key = error.path().to_string();
            anyhow!("{}: {key}: {}", path.display(), error.into_inner())
        })?;
        path.clone_into(&mut config.path);
        config.check(&lines, outside).with_context(name)?;
        let mut origins = Origins::new();
        let (everybody, of_user) = everybody()?;
        for (name, settings) in everybody {
            if !table.contains_key(&name) {
                origins.insert(name.clone(), of_user.clone());
                table.insert(name, settings);
            }
        }
        if !overrides.is_empty() || !origins.is_empty() {
            origins.extend(overrides::apply(overrides, &mut table)?);
            config = serde_path_to_error::deserialize(table.clone()).map_err(|error| {
                let key = error.path().to_string();
                anyhow!("invalid setting from outside {}: {key}: {}", path.display(), error.into_inner())
            })?;
            path.clone_into(&mut config.path);
            config.check(&lines, true).context("a setting from outside the file")?;
            config.origins = origins;
        }
        config.settings = table;
        Ok(config)
    }

    /// Fails if the settings contradict each other, or need more trust than they get. `lines` has the first line of each
    /// project, as far as they are known.
    fn check(&self, lines: &[usize], outside: bool) -> Result<()> {
        let mut names = std::collections::BTreeSet::new();
        for (number, project) in self.projects.iter().enumerate() {
            let at = lines.get(number).map_or_else(|| format!("project {}", number + 1), |line| format!("line {line}"));
            let name = project.name().with_context(|| at.clone())?;
            let place = || format!("{at}, project {name:?}");
            ensure!(names.insert(name.clone()), "{at}: two projects are called {name:?}");
            let source = project.source(self).with_context(place)?;
            if let Some(git) = source.git.filter(|_| !outside) {
                let is_local = git.url.starts_with("file://");
                ensure!(!is_local, "{}: this is outside the folder of {CONFIG_FILE}; {ALLOW}", place());
                // An index that others may read must not contain what only your keys can open.
                ensure!(!git.uses_ssh(), "{}: git would use your SSH keys: use the HTTPS address, or {ALLOW}", place());
            }
            if let Some(path) = project.path.as_deref().filter(|path| !outside && self.leaves(path)) {
                let target = self.target(path);
                bail!("{}: this points outside the folder of {CONFIG_FILE}, to {}; {ALLOW}", place(), target.display());
            }
        }
        // An address or the name of a key would also apply to a provider that the user chooses elsewhere.
        let is_elsewhere = |rerank: &RerankSettings| {
            let names_one = rerank.base_url.is_some() || rerank.url.is_some() || rerank.key_variable.is_some();
            rerank.provider != RerankKind::Local || names_one
        };
        let writes = self.language_model.is_some();
        let sends = self.embedding.is_some() || writes || self.rerank.as_ref().is_some_and(is_elsewhere);
        ensure!(
            outside || !sends,
            "[embedding], [rerank] and [language_model] send texts, and keys if there are any, to servers; {ALLOW}"
        );
        let runs = self.ocr.as_ref().is_some_and(|ocr| ocr.program.is_some());
        ensure!(outside || !runs, "ocr.program runs a program; {ALLOW}");
        let sends = self.ocr.as_ref().is_some_and(|ocr| ocr.url.is_some() || ocr.key_variable.is_some());
        ensure!(outside || !sends, "ocr.url sends pictures, and a key if there is one, to a server; {ALLOW}");
        let is_unused = self.ocr.as_ref().is_some_and(|ocr| ocr.url.is_none() && ocr.key_variable.is_some());
        ensure!(!is_unused, "[ocr] has a key_variable but no url: set the address of the service");
        if let Some(ocr) = self.ocr() {
            ocr.check().context("[ocr]")?;
        }
        let in_bucket = self.place()?.in_bucket().is_some();
        ensure!(outside || !in_bucket, "output is outside the folder of {CONFIG_FILE}; {ALLOW}");
        for (key, path) in self.own_paths() {
            let place = self.target(path);
            ensure!(
                outside || !self.leaves(path),
                "{key} points outside the folder of {CONFIG_FILE}, to {}; {ALLOW}",
                place.display()
            );
        }
        SearchSettings::of(self).map(drop)
    }

    /// Returns the paths in the file that do not belong to projects, with their keys. The default folder of the bundle
    /// is one of them, because it may be a link. The name of a model is one if a file or link next to the configuration
    /// has that name.
    fn own_paths(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let output = self.output.as_deref().unwrap_or(Path::new(DEFAULT_OUTPUT));
        let is_file =
            |model: &&str| model.contains(['/', '\\']) || self.folder().join(model).symlink_metadata().is_ok();
        let reranker = self.rerank.as_ref().and_then(|rerank| rerank.model.as_deref());
        let models = [("model", self.model.as_deref()), ("rerank.model", reranker)];
        let models = models.into_iter().filter_map(move |(key, model)| Some((key, Path::new(model.filter(is_file)?))));
        std::iter::once(("output", output)).chain(models)
    }

    /// Whether `path`, relative to the folder of the file, points outside that folder, by itself or through a link.
    fn leaves(&self, path: &Path) -> bool {
        leaves(path) || real_path(self.folder()).is_ok_and(|folder| !self.target(path).starts_with(folder))
    }

    /// Returns where `path` leads. Links are resolved in the part of it that exists.
    fn target(&self, path: &Path) -> PathBuf {
        let whole = self.folder().join(path);
        let there = whole.ancestors().find(|above| above.symlink_metadata().is_ok()).unwrap_or(&whole);
        // A link to a missing file may lead anywhere.
        real_path(there).or_else(|_| std::fs::read_link(there)).unwrap_or_else(|_| there.to_owned())
    }

    /// Returns the paths in the file that point outside its folder and that the user allowed: for each, its key or
    /// project, and where it leads.
    pub fn let_in(&self) -> Vec<(String, PathBuf)> {
        let projects = self.projects.iter().filter_map(|project| {
            Some((format!("project {:?}", project.name().unwrap_or_default()), project.path.as_deref()?))
        });
        let own = self.own_paths().map(|(key, path)| (key.to_owned(), path));
        let all = projects.chain(own).filter(|(_, path)| self.leaves(path));
        all.map(|(key, path)| (key, self.target(path))).collect()
    }

    /// Returns the folder that paths in the file are relative to.
    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Returns where the bundle goes: a folder, or an address in a bucket. Other addresses are an error.
    pub fn place(&self) -> Result<Location> {
        let output = self.output.as_deref().unwrap_or(Path::new(DEFAULT_OUTPUT));
        if let Some(place) = output.to_str().map(Location::published).transpose()?.flatten() {
            ensure!(
                place.in_bucket().is_some(),
                "{}: an index can be written only to a folder or a bucket (s3, gs, az)",
                output.display()
            );
            return Ok(place);
        }
        Ok(Location::Folder(self.folder().join(output)))
    }

    /// Returns the folder of the bundle. A bundle in a bucket is an error.
    pub fn output(&self) -> Result<PathBuf> {
        match self.place()? {
            Location::Folder(folder) => Ok(folder),
            Location::Published(url) => {
                bail!("{url}: this command needs an index in a folder, but this one is in a bucket")
            }
        }
    }

    /// Returns the projects as sources, sorted by name.
    pub fn sources(&self) -> Result<Vec<SourceSpec>> {
        let mut sources: Vec<SourceSpec> =
            self.projects.iter().map(|project| project.source(self)).collect::<Result<_>>()?;
        sources.sort_by(|a, b| a.name.cmp(&b.name));
        self.search_settings()?.apply_rules(&mut sources);
        if let Location::Folder(output) = self.place()? {
            sources.iter_mut().for_each(|source| source.link_from(&output));
        }
        Ok(sources)
    }

    /// Returns the provider that makes the vectors, if there is one. A model that the file names takes precedence over
    /// a provider in the settings of the user.
    pub fn embedding(&self) -> Option<&EmbeddingSettings> {
        let is_of_file = !self.origins.contains_key("embedding");
        self.embedding.as_ref().filter(|_| is_of_file || self.model.is_none())
    }

    /// Returns the settings of all providers.
    pub fn providers(&self) -> ProviderSettings {
        ProviderSettings {
            embedding: self.embedding.clone(),
            rerank: self.rerank.clone(),
            language_model: self.language_model.clone(),
        }
    }

    /// Whether text is read from pictures, or a model describes them.
    pub fn reads_pictures(&self) -> bool {
        self.ocr.is_some() || self.language_model.as_ref().is_some_and(|model| model.pictures)
    }

    /// Returns how text is read from scanned pages and pictures, if it is read.
    pub fn ocr(&self) -> Option<OcrSettings> {
        self.ocr.as_ref().map(|ocr| ocr.settings(self.folder()))
    }

    /// Returns the synonyms, pins and rules.
    pub fn search_settings(&self) -> Result<SearchSettings> {
        SearchSettings::of(self)
    }
}

/// Returns advice on how to build the bundle in `folder`, if a configuration in a folder above names that folder as its
/// output.
pub fn how_to_build(folder: &Path) -> Option<String> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let names_it = |file: &PathBuf| {
        file.is_file()
            && Config::read(file, true).is_ok_and(|config| {
                config.output().and_then(|output| Ok(std::path::absolute(output)?)).is_ok_and(|output| output == folder)
            })
    };
    let file = folder.ancestors().skip(1).map(|above| above.join(CONFIG_FILE)).find(names_it)?;
    Some(format!("build it with `nearfind update --config {}`", file.display()))
}

/// Returns the JSON schema of the file, for editors and for the reference.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}

/// Returns the line number, starting at 1, of the beginning of each `[[project]]` table.
fn project_lines(text: &str) -> Result<Vec<usize>> {
    #[derive(Deserialize)]
    struct Places {
        #[serde(default)]
        project: Vec<Spanned<IgnoredAny>>,
    }
    let places: Places = toml::from_str(text)?;
    let (mut line, mut counted) = (1, 0);
    let next = |project: &Spanned<IgnoredAny>| {
        let start = project.span().start;
        // Tables come in the order of the file. Counting from the beginning for each of them would take quadratic time.
        line += text.get(counted..start).unwrap_or_default().matches('\n').count();
        counted = start;
        line
    };
    Ok(places.project.iter().map(next).collect())
}

/// Maximum size of the file in bytes, enough for thousands of projects.
const MAX_CONFIG_BYTES: u64 = 4 << 20;

/// Advice for errors about settings that only a trusted file may have.
const ALLOW: &str = "if you trust the file, add --allow-outside";

/// Whether the components of `path` point outside the folder that it is relative to. Links are not resolved.
fn leaves(path: &Path) -> bool {
    path.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Returns the text of the file at `path`. Unless `outside` is set, it must be a plain file in its folder and not a
/// link out of it, because errors show its lines.
fn text_of(path: &Path, outside: bool) -> Result<String> {
    let path = if outside { real_path(path)? } else { path.to_owned() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = path.file_name().unwrap_or_default();
    match RootFolder::new(folder.to_owned()).bytes(file, MAX_CONFIG_BYTES) {
        Ok(bytes) => Ok(String::from_utf8(bytes).context("it is not UTF-8")?),
        // The error of the operating system explains best what is missing.
        Err(error) if error.raw_os_error().is_some() => Err(error.into()),
        Err(error) => bail!("{}; {ALLOW}", why_unread(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{UrlStyle, Wanted};

    fn read(text: &str, outside: bool) -> Result<Config> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(CONFIG_FILE);
        std::fs::write(&path, text).unwrap();
        Config::read(&path, outside)
    }

    #[test]
    fn a_json_file_has_the_same_keys() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nearfind-settings.json");
        let read = |json: &str| {
            std::fs::write(&path, json).unwrap();
            Config::read(&path, false)
        };
        let config =
            read(r#"{"model": "tiny", "project": [{"path": "docs", "name": "a", "exclude": ["x"]}]}"#).unwrap();
        let of_toml =
            self::read("model = \"tiny\"\n[[project]]\npath = \"docs\"\nname = \"a\"\nexclude = [\"x\"]\n", false);
        assert_eq!(config.settings, of_toml.unwrap().settings);
        let says = |json: &str| format!("{:#}", read(json).unwrap_err());
        assert!(says("{\"project\": [").contains("line 1 column 13"), "{}", says("{\"project\": ["));
        assert!(says(r#"{"model": null}"#).contains("it is not valid JSON, or contains a null"));
        assert!(says(r#"{"modle": "a"}"#).contains("modle"), "unknown keys are refused as in TOML");
        let outside = says(r#"{"project": [{"path": "a"}, {"path": "/etc", "name": "b"}]}"#);
        assert!(outside.contains("project 2, project \"b\": this points outside"), "{outside}");
    }

    #[test]
    fn a_project_has_defaults_for_everything_but_its_place() {
        let config = read(
            "[[project]]\nname = \"panel\"\ngit = \"https://github.com/holoviz/panel\"\nurl = \"https://panel.holoviz.org/\"\n\
             category = \"dashboards\"\n\n[[project]]\npath = \"docs\"\n",
            false,
        )
        .unwrap();
        let sources = config.sources().unwrap();
        assert_eq!(sources.iter().map(|source| source.name.as_str()).collect::<Vec<_>>(), ["docs", "panel"]);
        let panel = &sources[1];
        assert_eq!((panel.url_style, panel.base_url.as_deref()), (UrlStyle::Html, Some("https://panel.holoviz.org")));
        assert_eq!(panel.wanted, Wanted::default());
        assert_eq!(panel.facets["category"], "dashboards");
        assert!(config.output().unwrap().ends_with("search"));
    }

    #[test]
    fn the_example_is_read() {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/holoviz/nearfind.toml");
        let config = Config::read(&example, false).unwrap();
        let sources = config.sources().unwrap();
        assert_eq!(sources.len(), 20);
        assert!(sources.iter().all(|source| source.git.is_some() && source.base_url.is_some()));
    }

    #[test]
    fn mistakes_are_named_with_line_and_key() {
        let says = |text: &str, expected: &[&str]| {
            let error = format!("{:#}", read(text, false).unwrap_err());
            assert!(expected.iter().all(|part| error.contains(part)), "{error}");
        };
        says("[[project]]\nname = \"a\"\npath = \"a\"\nbranche = \"x\"\n", &["project[0]", "branche", "line 4"]);
        says("[[project]]\nname = \"a\"\npath = 3\n", &["project[0].path", "line 3"]);
        says("output = \n", &["line 1"]);
        says("\n[[project]]\nname = \"a\"\n", &["line 2", "\"a\"", "`git`", "`path`"]);
        says("[[project]]\nname = \"a\"\ngit = \"x.org\"\n", &["https://"]);
        says("[[project]]\nname = \"a b\"\npath = \"a\"\n", &["letters, digits"]);
        says("[[project]]\npath = \"a\"\n[[project]]\npath = \"a/\"\n", &["line 3", "two projects are called \"a\""]);
        // A comment after a header, and spaces inside a header.
        says("[[project]] # one\npath = \"a\"\n\n[[ project ]]\nname = \"b\"\n", &["line 4", "\"b\""]);
        says("[[project]]\npath = \"a\"\nexclude = [\"a[\"]\n", &["exclude", "a["]);
        says("[[project]]\npath = \"a\"\nurl_style = \"wiki\"\n", &["url_style", "azure_devops_wiki"]);
        says("[[project]]\npath = \"a\"\nbranch = \"x\"\n", &["`branch`", "`git`"]);
        says("[[project]]\npath = \"a\"\ndocs = [\"../b\"]\n", &["docs", "inside the project"]);
        says("[[project]]\npath = \"a\"\nfacets = { project = \"x\" }\n", &["facets", "project"]);
    }

    #[test]
    fn a_file_from_elsewhere_stays_in_its_folder() {
        for text in [
            "[[project]]\npath = \"../secrets\"\nname = \"a\"\n",
            "[[project]]\npath = \"/etc\"\n",
            "[[project]]\nname = \"a\"\ngit = \"file:///home/me/private\"\n",
            "[[project]]\nname = \"a\"\ngit = \"ssh://git@example.org/me/private\"\n",
            "[[project]]\nname = \"a\"\ngit = \"git@example.org:me/private.git\"\n",
            "output = \"../../elsewhere\"\n",
            "model = \"/tmp/model.nfm\"\n",
        ] {
            let error = format!("{:#}", read(text, false).unwrap_err());
            assert!(error.contains("--allow-outside"), "{error}");
            assert!(read(text, true).is_ok(), "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_are_refused_and_said() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        std::fs::create_dir_all(at("repository/docs")).unwrap();
        std::fs::create_dir(at("private")).unwrap();
        symlink("../private", at("repository/notes")).unwrap();
        symlink("docs", at("repository/same")).unwrap();
        symlink("../not-yet", at("repository/dangling")).unwrap();
        let config = at("repository").join(CONFIG_FILE);
        let private = real_path(at("private")).unwrap();
        for text in [
            "[[project]]\npath = \"notes\"\n",
            "[[project]]\npath = \"./notes/deeper\"\nname = \"a\"\n",
            "output = \"notes/search\"\n",
            "model = \"notes/model.nfm\"\n",
            "model = \"notes\"\n",
            "[rerank]\nprovider = \"local\"\nmodel = \"notes\"\n",
        ] {
            std::fs::write(&config, text).unwrap();
            let error = format!("{:#}", Config::read(&config, false).unwrap_err());
            assert!(error.contains(&private.display().to_string()) && error.contains("--allow-outside"), "{error}");
            let allowed = Config::read(&config, true).unwrap();
            assert_eq!(allowed.let_in().len(), 1, "{text}");
            assert_eq!(allowed.let_in()[0].1, private);
        }
        for (text, is_allowed) in [
            ("output = \"dangling\"\n", false),
            ("[[project]]\npath = \"dangling\"\n", false),
            ("[[project]]\npath = \"same\"\n", true),
            ("[[project]]\npath = \"docs\"\n", true),
            ("output = \"docs/new/search\"\n", true),
        ] {
            std::fs::write(&config, text).unwrap();
            assert_eq!(Config::read(&config, false).is_ok(), is_allowed, "{text}");
        }
        // Links are also refused as the default output and as the file itself.
        std::fs::write(&config, "").unwrap();
        assert!(Config::read(&config, false).is_ok());
        symlink("../private", at("repository").join(DEFAULT_OUTPUT)).unwrap();
        assert!(Config::read(&config, false).is_err());
        std::fs::remove_file(at("repository").join(DEFAULT_OUTPUT)).unwrap();
        std::fs::write(at("secret"), "password = 1\n").unwrap();
        std::fs::remove_file(&config).unwrap();
        symlink("../secret", &config).unwrap();
        let error = format!("{:#}", Config::read(&config, false).unwrap_err());
        assert!(error.contains("it is not in the folder") && !error.contains("password"), "{error}");
    }

    #[test]
    fn ocr_is_on_where_its_table_is_and_runs_no_program_of_the_file() {
        assert_eq!(read("", false).unwrap().ocr(), None);
        assert_eq!(read("[ocr]\n", false).unwrap().ocr(), Some(OcrSettings::default()));
        let settings = read("[ocr]\nlanguages = \"deu\"\nseconds = 5\npages = 9\n", false).unwrap().ocr().unwrap();
        assert_eq!((settings.languages, settings.time.as_secs(), settings.pages), (vec!["deu".to_owned()], 5, 9));
        let error = format!("{:#}", read("[ocr]\nprogram = \"./ocr.sh\"\n", false).unwrap_err());
        assert!(error.contains("--allow-outside"), "{error}");
        let program = read("[ocr]\nprogram = \"./ocr.sh\"\n", true).unwrap().ocr().unwrap().program.unwrap();
        assert!(program.is_absolute() && program.ends_with("ocr.sh"));
        let error = format!("{:#}", read("[ocr]\nlanguages = [\"-psm\"]\n", true).unwrap_err());
        assert!(error.contains("not a Tesseract language"), "{error}");
        assert!(read("[ocr]\npages = 0\n", false).is_err());
    }

    #[test]
    fn a_file_names_models_and_neither_addresses_nor_keys() {
        assert!(read("[rerank]\nprovider = \"local\"\nmodel = \"a\"\n", false).is_ok());
        for key in ["base_url = \"https://a.example\"", "url = \"https://a.example/r\"", "key_variable = \"SECRET\""] {
            let error = read(&format!("[rerank]\nprovider = \"local\"\n{key}\n"), false).unwrap_err();
            assert!(format!("{error:#}").contains("send texts, and keys"), "{error:#}");
        }
    }
}
