//! Puts the search box next to a bundle, for pages without a bundler: the npm package's scripts, worker, languages and
//! modules.

use super::write::write_file;
use anyhow::{Context as _, Error, Result, anyhow};
use nearfind_base::installed_files::installed;
use nearfind_base::root_folder::{RootFolder, why_unread};
use nearfind_core::format::manifest::{Manifest, ModelModule};
use std::fs;
use std::path::{Path, PathBuf};

/// The environment variable that names the folder of the npm package.
const PACKAGE: &str = "NEARFIND_PACKAGE";
/// The name of the package that is installed with the program.
const INSTALLED: &str = "package";
/// The path of the script in the bundle's folder.
pub const SCRIPT: &str = "box/box.js";

/// Returns the folder with the search box's files: the folder that the environment names, or else a folder that is
/// installed with the program.
pub fn package() -> Option<PathBuf> {
    let has_box = |folder: &Path| folder.join("dist/box.js").is_file();
    match std::env::var_os(PACKAGE) {
        Some(named) => Some(PathBuf::from(named)).filter(|folder| has_box(folder)),
        None => installed(INSTALLED, has_box),
    }
}

/// Puts the search box in `package` next to the bundle in `folder`. If the bundle contains its model as a file, the
/// module that runs the model is added. Files that already have the right content stay as they are.
pub fn write_box(package: &Path, folder: &Path, manifest: &Manifest) -> Result<()> {
    let mut files: Vec<(PathBuf, PathBuf)> =
        ["box.js", "pagefind.js", "worker.js", "ask.js", "ask/panel.js", "browser.js"]
            .map(|name| placed("dist", "box", name))
            .into();
    files.extend(["agent_tool", "preview"].map(|name| placed("dist", "box", &format!("element/{name}.js"))));
    for strings in ["element/strings", "ask/strings"] {
        let all = package.join("dist").join(strings);
        let mut languages: Vec<_> = fs::read_dir(&all)?.collect::<Result<_, _>>().with_context(|| name(&all))?;
        languages.sort_by_key(fs::DirEntry::file_name);
        for language in languages {
            let language = language.file_name().to_string_lossy().into_owned();
            if Path::new(&language).extension().is_some_and(|extension| extension == "js") {
                files.push(placed("dist", "box", &format!("{strings}/{language}")));
            }
        }
    }
    for part in ["first", "later"] {
        files.push(placed("wasm", "wasm", &format!("search/nearfind_search_{part}.wasm")));
    }
    let model = &manifest.model;
    if model.shipped().next().is_some() {
        files.push(placed("dist", "box", "model_loader.js"));
    }
    if model.small.is_some() || (model.file.is_some() && model.module == ModelModule::Embed) {
        files.push(placed("wasm", "wasm", "embed/nearfind_embed_bg.wasm"));
    }
    if model.file.is_some() && model.module == ModelModule::EmbedOnnx {
        files.push(placed("wasm", "wasm", "embed-onnx/nearfind_embed-onnx_bg.wasm"));
        files.push(placed("dist", "box", "onnx_loader.js"));
    }
    let beside = RootFolder::new(folder.to_owned());
    for (from, to) in files {
        let from = package.join(from);
        let bytes = fs::read(&from).with_context(|| name(&from))?;
        place_file(&beside, &to, &bytes)?;
    }
    Ok(())
}

/// Writes a file at `path` in a folder, completely or not at all, and creates the folders above it. Links that point
/// outside the folder are not followed. A file with the same bytes stays as it is.
pub fn place_file(folder: &RootFolder, path: &Path, bytes: &[u8]) -> Result<()> {
    if folder.bytes(path, bytes.len() as u64).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    // One of the folders may be a link that comes from a repository.
    let parent = path.parent().unwrap_or(Path::new("."));
    let place = || name(&folder.path().join(parent));
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let parent = folder.make_folder(parent).map_err(|error| match error.raw_os_error() {
        // The operating system's message describes best what is missing.
        Some(_) => Error::from(error).context(place()),
        None => anyhow!("{}: {}; remove it, and run this again", place(), why_unread(&error)),
    })?;
    write_file(parent.path(), &path.file_name().unwrap_or_default().to_string_lossy(), bytes)
}

/// Returns the path of a file in the package, and its path next to a bundle.
fn placed(from: &str, to: &str, name: &str) -> (PathBuf, PathBuf) {
    (Path::new(from).join(name), Path::new(to).join(name))
}

fn name(path: &Path) -> String {
    path.display().to_string()
}
