//! Packs in the platform's data directory, named `<name>-<start of hash>.nfm`. The default model may come with the
//! program, in a folder of the same kind. The model is copied at first use, because other data is kept beside a pack,
//! and programs cannot write to the folders of installed programs.

use anyhow::{Context as _, Result, bail};
use etcetera::BaseStrategy as _;
use nearfind_base::installed_files::installed;
use nearfind_base::readable_file;
use nearfind_core::embed::SharedBytes;
use nearfind_core::embed::model_pack::{ModelPack, PACK_EXTENSION};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Number of hash digits in a file name.
const NAME_DIGITS: usize = 16;

/// Name of the multilingual model in `nearfind model fetch`.
const MULTILINGUAL: &str = "multilingual";

/// Name of the folder with the packs that ship with the program.
const INSTALLED: &str = "models";

/// A folder of packs.
///
/// ```
/// use nearfind_models::model::ModelStore;
///
/// let folder = tempfile::tempdir()?;
/// let store = ModelStore::open(Some(folder.path().to_owned()))?;
/// // No model was imported yet.
/// assert!(store.list()?.is_empty());
/// assert_eq!(store.find_hash(&"0".repeat(64))?, None);
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelStore {
    folder: PathBuf,
    installed: Option<PathBuf>,
}

/// A pack in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredModel {
    /// Name of the model.
    pub name: String,
    /// Start of the pack's hash.
    pub hash_start: String,
    /// Path of the file.
    pub path: PathBuf,
}

impl ModelStore {
    /// Opens the store in `folder`, or in the platform's data directory.
    pub fn open(folder: Option<PathBuf>) -> Result<Self> {
        let folder = match folder {
            Some(folder) => folder,
            None => etcetera::choose_base_strategy()
                .context("there is no home directory: choose the folder of models with --models")?
                .data_dir()
                .join("nearfind")
                .join("models"),
        };
        Ok(Self { folder, installed: installed(INSTALLED, Path::is_dir) })
    }

    /// Returns the folder of the packs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns all packs, sorted by name. Among packs with the same name, the last pack is the latest.
    pub fn list(&self) -> Result<Vec<StoredModel>> {
        packs_in(&self.folder)
    }

    /// Returns the packs that ship with the program.
    pub fn installed(&self) -> Result<Vec<StoredModel>> {
        self.installed.as_deref().map_or_else(|| Ok(Vec::new()), packs_in)
    }

    /// Copies the first pack that ships with the program and that `wanted` accepts.
    fn take_installed(&self, wanted: impl Fn(&StoredModel) -> bool) -> Result<Option<PathBuf>> {
        let found = self.installed()?.into_iter().find(wanted);
        found.map(|model| Ok(self.save(&super::read_pack(&model.path)?)?.path)).transpose()
    }

    /// Returns the latest pack called `name`, or the pack at the path `name`.
    pub fn find(&self, name: &str) -> Result<PathBuf> {
        let as_path = Path::new(name);
        if as_path.extension().is_some_and(|extension| extension == PACK_EXTENSION) && as_path.exists() {
            return Ok(as_path.to_owned());
        }
        let models = self.list()?;
        let is_own = models.iter().any(|model| model.name == name);
        let name = if name == MULTILINGUAL && !is_own { super::MULTILINGUAL_MODEL.name } else { name };
        if let Some(model) = models.iter().rev().find(|model| model.name == name) {
            return Ok(model.path.clone());
        }
        if let Some(path) = self.take_installed(|model| model.name == name)? {
            return Ok(path);
        }
        let known: Vec<_> = models.iter().map(|model| model.name.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let hint = match name {
            _ if name == super::DEFAULT_MODEL.name => "run `nearfind model fetch`",
            _ if name == super::MULTILINGUAL_MODEL.name => "run `nearfind model fetch multilingual`",
            _ => "run `nearfind model import FOLDER`",
        };
        bail!("there is no model {name:?} in {} (found: {known}); {hint}", self.folder.display())
    }

    /// Returns the pack with the hash `hash`, if the store has it.
    pub fn find_hash(&self, hash: &str) -> Result<Option<PathBuf>> {
        let is_it = |model: &StoredModel| hash.starts_with(&model.hash_start);
        match self.list()?.into_iter().find(is_it) {
            Some(model) => Ok(Some(model.path)),
            None => self.take_installed(is_it),
        }
    }

    /// Saves a pack.
    pub fn save(&self, pack: &ModelPack<SharedBytes>) -> Result<StoredModel> {
        std::fs::create_dir_all(&self.folder).with_context(|| {
            format!("{} cannot be created; choose the folder of models with --models", self.folder.display())
        })?;
        let (name, hash_start) = (pack.header().name.clone(), pack.hash()[..NAME_DIGITS].to_owned());
        let path = self.folder.join(format!("{name}-{hash_start}.{PACK_EXTENSION}"));
        let mut file = tempfile::Builder::new().prefix(".nearfind-").tempfile_in(&self.folder)?;
        file.write_all(pack.bytes()).with_context(|| path.display().to_string())?;
        readable_file::replace(file, &path).with_context(|| path.display().to_string())?;
        Ok(StoredModel { name, hash_start, path })
    }
}

/// Returns all packs in `folder`, sorted by name. Among packs with the same name, the last pack is the latest.
fn packs_in(folder: &Path) -> Result<Vec<StoredModel>> {
    let mut models = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(models) };
    for entry in entries {
        let path = entry.with_context(|| folder.display().to_string())?.path();
        let is_pack = path.extension().is_some_and(|extension| extension == PACK_EXTENSION);
        let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|_| is_pack);
        if let Some((name, hash)) = stem.and_then(|stem| stem.rsplit_once('-')) {
            models.push(StoredModel { name: name.to_owned(), hash_start: hash.to_owned(), path });
        }
    }
    let age = |model: &StoredModel| model.path.metadata().and_then(|metadata| metadata.modified()).ok();
    models.sort_by_cached_key(|model| (model.name.clone(), age(model), model.hash_start.clone()));
    Ok(models)
}
