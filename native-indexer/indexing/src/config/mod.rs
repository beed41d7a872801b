//! `nearfind.toml`: the projects, the places of their documentation, and the owner's decisions about its search.
//!
//! A configuration file may come with a repository that you do not trust. It names only files and addresses: no command, and no
//! path out of its own folder, unless the user allows it on the command line.

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

/// Name of the file.
pub const CONFIG_FILE: &str = "nearfind.toml";
/// Where the bundle goes by default, from the file.
pub const DEFAULT_OUTPUT: &str = "search";

/// The file's content.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Folder of the bundle, from the file's own, or the address of one in a bucket; `search` if not given.
    pub output: Option<PathBuf>,
    /// Model, by name or path of a pack.
    pub model: Option<String>,
    /// Whether the model pack goes into the bundle, for browsers.
    #[serde(default)]
    pub ship_model: bool,
    /// When pages load the small encoder: `auto`, by themselves, `ask`, when the reader asks for it, or `never`; `auto` if not given.
    #[serde(default)]
    pub small_encoder: LoadSmallEncoder,
    /// Whether readers without the model search by meaning too; they do by default.
    pub query_encoder: Option<bool>,
    /// Whether exact texts are found without reading everything; by default, with a query encoder and beyond 32 MB of text.
    pub trigrams: Option<bool>,
    /// Whether the search box is put beside the bundle, for pages without a bundler; it is by default.
    #[serde(rename = "box")]
    pub search_box: Option<bool>,
    /// Largest size of the files that queries read in part, for servers without range requests.
    pub max_file_bytes: Option<u32>,
    /// Tokens of a chunk, at most.
    pub chunk_tokens: Option<u32>,
    /// Tokens of the chunk before that a chunk is embedded with; none if not given.
    pub chunk_overlap: Option<u32>,
    /// Folders of guides of projects that do not name theirs: the first one that is there. If not given `docs`, else `doc`.
    #[serde(default, deserialize_with = "one_or_several")]
    #[schemars(with = "Option<OneOrSeveral>")]
    pub default_docs: Option<Vec<String>>,
    /// Folders of reference pages of projects that do not name theirs, where they are there.
    #[serde(default, deserialize_with = "one_or_several")]
    #[schemars(with = "Option<OneOrSeveral>")]
    pub default_reference: Option<Vec<String>>,
    /// The projects.
    #[serde(default, rename = "project")]
    pub projects: Vec<ProjectTable>,
    /// Words that mean the same.
    #[serde(default)]
    pub synonyms: Vec<SynonymGroup>,
    /// Pages that come first.
    #[serde(default, rename = "pin")]
    pub pins: Vec<PinnedPages>,
    /// What pages get by their paths: a weight, a kind, or no place in the index.
    #[serde(default, rename = "rule")]
    pub rules: Vec<PathRule>,
    /// What makes vectors in place of a model of this machine.
    pub embedding: Option<EmbeddingSettings>,
    /// What reads question and documents together.
    pub rerank: Option<RerankSettings>,
    /// The model that writes reports, and for passages when they are indexed.
    pub language_model: Option<LanguageSettings>,
    /// How scanned pages and pictures are read; they are not if not given.
    pub ocr: Option<OcrTable>,
    /// Where the file is.
    #[serde(skip)]
    pub path: PathBuf,
    /// The settings in force, as the file has them.
    #[serde(skip)]
    pub settings: toml::Table,
    /// Where those are from that are not the file's.
    #[serde(skip)]
    pub origins: Origins,
}

impl Config {
    /// Reads and checks the file at `path`. Paths out of its folder are an error unless `outside` is set.
    pub fn read(path: &Path, outside: bool) -> Result<Self> {
        Self::read_with(path, &[], outside)
    }

    /// The same with `overrides`, of which the later count more. They may name any path.
    pub fn read_with(path: &Path, overrides: &[Override], outside: bool) -> Result<Self> {
        let name = || path.display().to_string();
        let text = text_of(path, outside).with_context(name)?;
        let deserializer = toml::Deserializer::parse(&text).map_err(|error| anyhow!("{}: {error}", path.display()))?;
        let parsed: Result<Self, _> = serde_path_to_error::deserialize(deserializer);
        let mut config = parsed.map_err(|error| {
            let key = error.path().to_string();
            anyhow!("{}: {key}: {}", path.display(), error.into_inner())
        })?;
        path.clone_into(&mut config.path);
        config.check(&text, outside).with_context(name)?;
        let mut table: toml::Table = text.parse()?;
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
                anyhow!("a setting from outside of {}: {key}: {}", path.display(), error.into_inner())
            })?;
            path.clone_into(&mut config.path);
            config.check(&text, true).context("a setting from outside of the file")?;
            config.origins = origins;
        }
        config.settings = table;
        Ok(config)
    }

    fn check(&self, text: &str, outside: bool) -> Result<()> {
        let mut names = std::collections::BTreeSet::new();
        let mut lines = project_lines(text)?.into_iter();
        for project in &self.projects {
            let line = lines.next().unwrap_or_default();
            let name = project.name().with_context(|| format!("line {line}"))?;
            let place = || format!("line {line}, project {name:?}");
            ensure!(names.insert(name.clone()), "line {line}: two projects are called {name:?}");
            let source = project.source(self).with_context(place)?;
            if let Some(git) = source.git.filter(|_| !outside) {
                let is_local = git.url.starts_with("file://");
                ensure!(!is_local, "{}: this leads out of the folder of {CONFIG_FILE}; {ALLOW}", place());
                // What your keys open would be in an index that others may read.
                ensure!(!git.uses_ssh(), "{}: git uses your ssh keys: name it by https, or {ALLOW}", place());
            }
            if let Some(path) = project.path.as_deref().filter(|path| !outside && self.leaves(path)) {
                let target = self.target(path);
                bail!("{}: this leads out of the folder of {CONFIG_FILE}, to {}; {ALLOW}", place(), target.display());
            }
        }
        // An address or the name of a key would count for a provider that the user chooses elsewhere.
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
        ensure!(outside || !runs, "ocr.program is a program, which would run; {ALLOW}");
        if let Some(ocr) = self.ocr() {
            ocr.check().context("[ocr]")?;
        }
        let in_bucket = self.place()?.in_bucket().is_some();
        ensure!(outside || !in_bucket, "output leads out of the folder of {CONFIG_FILE}; {ALLOW}");
        for (key, path) in self.own_paths() {
            let place = self.target(path);
            ensure!(
                outside || !self.leaves(path),
                "{key} leads out of the folder of {CONFIG_FILE}, to {}; {ALLOW}",
                place.display()
            );
        }
        SearchSettings::of(self).map(drop)
    }

    /// The paths beside those of projects: where the bundle goes, also by default, as a link may be there, and models that are
    /// files: a name may be that of a link beside this file.
    fn own_paths(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let output = self.output.as_deref().unwrap_or(Path::new(DEFAULT_OUTPUT));
        let is_file =
            |model: &&str| model.contains(['/', '\\']) || self.folder().join(model).symlink_metadata().is_ok();
        let reranker = self.rerank.as_ref().and_then(|rerank| rerank.model.as_deref());
        let models = [("model", self.model.as_deref()), ("rerank.model", reranker)];
        let models = models.into_iter().filter_map(move |(key, model)| Some((key, Path::new(model.filter(is_file)?))));
        std::iter::once(("output", output)).chain(models)
    }

    /// Whether `path`, which begins at the file's folder, leads out of it: by its letters, or by a link.
    fn leaves(&self, path: &Path) -> bool {
        leaves(path) || real_path(self.folder()).is_ok_and(|folder| !self.target(path).starts_with(folder))
    }

    /// Where `path` leads, through links: as far as it is there already.
    fn target(&self, path: &Path) -> PathBuf {
        let whole = self.folder().join(path);
        let there = whole.ancestors().find(|above| above.symlink_metadata().is_ok()).unwrap_or(&whole);
        // A link to what is not there may lead anywhere.
        real_path(there).or_else(|_| std::fs::read_link(there)).unwrap_or_else(|_| there.to_owned())
    }

    /// Paths of the file that lead out of its folder, as a user allowed it: what each is, and where it leads.
    pub fn let_in(&self) -> Vec<(String, PathBuf)> {
        let projects = self.projects.iter().filter_map(|project| {
            Some((format!("project {:?}", project.name().unwrap_or_default()), project.path.as_deref()?))
        });
        let own = self.own_paths().map(|(key, path)| (key.to_owned(), path));
        let all = projects.chain(own).filter(|(_, path)| self.leaves(path));
        all.map(|(key, path)| (key, self.target(path))).collect()
    }

    /// The folder that the file's paths begin at.
    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Where the bundle goes.
    pub fn place(&self) -> Result<Location> {
        let output = self.output.as_deref().unwrap_or(Path::new(DEFAULT_OUTPUT));
        if let Some(place) = output.to_str().map(Location::published).transpose()?.flatten() {
            ensure!(
                place.in_bucket().is_some(),
                "{}: a bundle is written into a folder or a bucket (s3, gs, az)",
                output.display()
            );
            return Ok(place);
        }
        Ok(Location::Folder(self.folder().join(output)))
    }

    /// Folder of the bundle; that it goes into a bucket is an error.
    pub fn output(&self) -> Result<PathBuf> {
        match self.place()? {
            Location::Folder(folder) => Ok(folder),
            Location::Published(url) => {
                bail!("{url}: this command is for a bundle in a folder, and this one is in a bucket")
            }
        }
    }

    /// The projects as sources, by name.
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

    /// What makes the vectors, if it is no model of this machine: a model that the file names counts more than what the user
    /// says for all sites.
    pub fn embedding(&self) -> Option<&EmbeddingSettings> {
        let is_of_file = !self.origins.contains_key("embedding");
        self.embedding.as_ref().filter(|_| is_of_file || self.model.is_none())
    }

    /// All providers.
    pub fn providers(&self) -> ProviderSettings {
        ProviderSettings {
            embedding: self.embedding.clone(),
            rerank: self.rerank.clone(),
            language_model: self.language_model.clone(),
        }
    }

    /// How scanned pages and pictures are read, if they are.
    pub fn ocr(&self) -> Option<OcrSettings> {
        self.ocr.as_ref().map(|ocr| ocr.settings(self.folder()))
    }

    /// Synonyms and pins.
    pub fn search_settings(&self) -> Result<SearchSettings> {
        SearchSettings::of(self)
    }
}

/// What makes the bundle of `folder`: the configuration that names it, where one lies above it.
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

/// The JSON schema of the file, for editors and for its reference.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}

/// The lines on which the tables of projects begin, from 1.
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
        // Tables come in their order; a count from the beginning for each would be quadratic.
        line += text.get(counted..start).unwrap_or_default().matches('\n').count();
        counted = start;
        line
    };
    Ok(places.project.iter().map(next).collect())
}

/// Bytes of a file: thousands of projects.
const MAX_CONFIG_BYTES: u64 = 4 << 20;

/// What to do about a path that is refused.
const ALLOW: &str = "if you trust the file, say --allow-outside";

/// Whether a path leads out of the folder that it begins at, by its letters.
fn leaves(path: &Path) -> bool {
    path.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The text of the file at `path`. Unless `outside` is set it is a plain file where it seems to be: its lines are shown where
/// they are wrong.
fn text_of(path: &Path, outside: bool) -> Result<String> {
    let path = if outside { real_path(path)? } else { path.to_owned() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = path.file_name().unwrap_or_default();
    match RootFolder::new(folder.to_owned()).bytes(file, MAX_CONFIG_BYTES) {
        Ok(bytes) => Ok(String::from_utf8(bytes).context("it is not UTF-8")?),
        // The operating system says best what is missing.
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
        // A comment behind a header, and spaces in it.
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
        // The default output counts too, and so does the file itself.
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
        assert!(error.contains("no language of Tesseract"), "{error}");
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
