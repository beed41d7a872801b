//! A bundle in a folder: writing it so that a reader never sees half of it, opening it, and searching it.

use anyhow::{Context as _, Result, bail, ensure};
use nearfind_core::bundle::{Bundle, Finding, verify};
use nearfind_core::format::manifest::{MANIFEST_FILE, MAX_MANIFEST_BYTES, Manifest, PartFile};
use nearfind_core::format::{FormatError, Part};
use nearfind_core::search::{Answer, Progress, Query, Searcher, Session};
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// What the names of files being written begin with.
const TEMPORARY: &str = ".nearfind-";

/// An open bundle.
#[derive(Debug)]
pub struct BundleFolder {
    folder: PathBuf,
    searcher: Searcher,
}

impl BundleFolder {
    /// Opens the bundle in `folder`: reads manifest and root.
    pub fn open(folder: &Path) -> Result<Self> {
        let manifest = read_manifest(folder)?;
        let root = Manifest::parse(&manifest)?.part("root")?.clone();
        let root = read_part(folder, &root)?;
        Ok(Self { folder: folder.to_owned(), searcher: Searcher::open(&manifest, &root)? })
    }

    /// Manifest, root and the blocks read so far.
    pub const fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// Where the shipped model pack is, if the bundle ships it.
    pub fn model_path(&self) -> Option<PathBuf> {
        self.searcher.manifest().model.file.as_ref().map(|file| self.folder.join(&file.file))
    }

    /// Answers a query, reading the blocks that it needs.
    pub fn search(&mut self, query: Query) -> Result<Answer> {
        let mut session = Session::new(&self.searcher, query)?;
        loop {
            let blocks = match session.advance(&self.searcher)? {
                Progress::Done(answer) => return Ok(*answer),
                Progress::Need(blocks) => blocks,
            };
            for id in blocks {
                let request = self.searcher.request(id)?;
                let stored = read_range(&self.folder.join(&request.file), request.start, request.bytes as usize)
                    .map_err(|_| FormatError::Truncated { part: id.part.name(), what: "file" })
                    .with_context(|| format!("{}", self.folder.join(&request.file).display()))?;
                self.searcher.provide(id, &stored)?;
            }
        }
    }

    /// What is wrong with the bundle: hashes of whole files first, then every structure.
    pub fn verify(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut files: [Vec<u8>; Part::ALL.len()] = Default::default();
        for part in Part::ALL {
            let checked = self.searcher.manifest().part(part.name()).map_err(anyhow::Error::from);
            match checked.and_then(|file| read_part(&self.folder, file)) {
                Ok(bytes) => files[part.index()] = bytes,
                Err(error) => findings.push(Finding { part: part.name(), message: format!("{error:#}") }),
            }
        }
        if let Some(file) = &self.searcher.manifest().model.file
            && let Err(error) = read_part(&self.folder, file)
        {
            findings.push(Finding { part: "model", message: format!("{error:#}") });
        }
        let named: Vec<&str> = findings.iter().map(|finding| finding.part).collect();
        let mut deeper = verify(&self.searcher, &files);
        deeper.retain(|finding| !named.contains(&finding.part));
        findings.extend(deeper);
        findings
    }
}

fn read_manifest(folder: &Path) -> Result<Vec<u8>> {
    let path = folder.join(MANIFEST_FILE);
    let file = File::open(&path)
        .with_context(|| format!("{}: no bundle here; build one with `nearfind index`", folder.display()))?;
    let mut bytes = Vec::new();
    file.take(MAX_MANIFEST_BYTES as u64 + 1).read_to_end(&mut bytes).with_context(|| path.display().to_string())?;
    Ok(bytes)
}

/// A whole file of the bundle, checked against its length and hash.
fn read_part(folder: &Path, file: &PartFile) -> Result<Vec<u8>> {
    let path = folder.join(&file.file);
    let length = fs::metadata(&path).with_context(|| format!("{} is missing", path.display()))?.len();
    ensure!(
        length == file.bytes,
        "{}: truncated or replaced: {length} bytes in place of {}; copy the bundle again or rebuild it",
        path.display(),
        file.bytes
    );
    let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
    ensure!(file.matches(&bytes), "{}: checksum mismatch; copy the bundle again or rebuild it", path.display());
    Ok(bytes)
}

/// `length` bytes of a file from `start`.
fn read_range(path: &Path, start: u64, length: usize) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Refuses a target that holds anything but a bundle, whole or left behind by a run that was interrupted.
pub fn check_target(folder: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let ours = name == MANIFEST_FILE || is_part_name(&name) || name.starts_with(TEMPORARY);
        if !ours && !folder.join(MANIFEST_FILE).exists() {
            bail!("{}: the folder is not empty and holds no bundle; give another with -o", folder.display());
        }
    }
    Ok(())
}

/// Whether a file is named like a part: `<part>-<16 hexadecimal digits>.nf`, or `.nfm` for a model.
fn is_part_name(name: &str) -> bool {
    let Some((stem, "nf" | "nfm")) = name.rsplit_once('.') else { return false };
    let hash = stem.rsplit('-').next().unwrap_or_default();
    hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit())
}

/// Writes all parts, then the manifest in one step, then removes parts that no manifest names any more.
pub fn write(folder: &Path, bundle: &Bundle, pack: Option<&[u8]>) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    for file in &bundle.parts {
        write_file(folder, &file.name, &file.bytes)?;
    }
    if let (Some(file), Some(pack)) = (&bundle.manifest.model.file, pack) {
        let known = fs::metadata(folder.join(&file.file)).is_ok_and(|found| found.len() == file.bytes);
        if !known {
            write_file(folder, &file.file, pack)?;
        }
    }
    write_file(folder, MANIFEST_FILE, &bundle.manifest.to_bytes())?;
    remove_stale(folder, &bundle.manifest)
}

fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).with_context(|| path.display().to_string())?;
    // Temporary files are private; a published bundle is not.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    file.persist(&path).with_context(|| path.display().to_string())?;
    Ok(())
}

/// Removes files that are named like parts and are not of this manifest.
fn remove_stale(folder: &Path, manifest: &Manifest) -> Result<()> {
    let current: Vec<&str> =
        manifest.parts.values().chain(&manifest.model.file).map(|file| file.file.as_str()).collect();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_part_name(&name) && !current.contains(&name.as_str()) {
            fs::remove_file(entry.path()).with_context(|| entry.path().display().to_string())?;
        }
    }
    Ok(())
}
