//! Replaces a bundle such that a reader never gets half of one, even if the process is killed or the disk is full. New
//! parts are written under new names. Then the manifest is replaced in one step, and parts that no reader can need are
//! removed.

use super::files::{BundleFiles, manifest_bytes};
use super::lock::WriterLock;
use super::record::{BuildRecord, KeptGeneration, hash_of, read_record, record_file};
use anyhow::{Context as _, Result, bail};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::readable_file;
use nearfind_base::root_folder::RootFolder;
use nearfind_core::bundle::Bundle;
use nearfind_core::format::manifest::MANIFEST_FILE;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The prefix of the names of our own files, including temporary ones.
const OWN: &str = ".nearfind-";
/// A record that an earlier version may have left in the folder.
const FORMER_RECORD: &str = ".nearfind-build.json";
const TEMPORARY: &str = ".nearfind-tmp-";
/// Number of bundles whose parts are kept: readers fetch parts as they need them, according to a manifest that they may
/// have read earlier.
const KEPT_GENERATIONS: usize = 3;

/// The only writer of a folder.
#[derive(Debug)]
pub struct BundleWriter {
    folder: PathBuf,
    record: Option<BuildRecord>,
    /// The path of the record, if anything is cached.
    record_file: Option<PathBuf>,
    _lock: WriterLock,
}

/// The files that were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Number of files.
    pub files: usize,
    /// Size of these files in bytes.
    pub bytes: u64,
}

impl BundleWriter {
    /// Locks `folder` for writing. `cache` may contain a record of the folder's bundle. It is an error if the folder
    /// contains anything but a bundle, or if another process is writing to it.
    pub fn open(folder: &Path, cache: &CacheFolder) -> Result<Self> {
        check_target(folder)?;
        let lock = WriterLock::take(&RootFolder::new(folder.to_owned()))?;
        let (record, record_file) = (BuildRecord::read(folder, cache), record_file(folder, cache));
        Ok(Self { folder: folder.to_owned(), record, record_file, _lock: lock })
    }

    /// Returns the record of the bundle in the folder, if there is one.
    pub const fn record(&self) -> Option<&BuildRecord> {
        self.record.as_ref()
    }

    /// Replaces the bundle in the folder with `bundle` and the `packs` that its manifest lists as shipped. `record`
    /// describes its sources.
    pub fn write(&mut self, bundle: &Bundle, packs: &[&[u8]], record: BuildRecord) -> Result<()> {
        let mut kept = self.kept();
        let manifest_bytes = bundle.manifest.to_bytes();
        let manifest = || write_file(&self.folder, MANIFEST_FILE, &manifest_bytes);
        if let Err(error) = self.write_parts(bundle, packs).and_then(|()| manifest()) {
            // The files of this run are useless, but the earlier bundle is still complete.
            let _ = remove_unnamed(&self.folder, &kept);
            return Err(error);
        }
        sync_folder(&self.folder);
        let model = bundle.manifest.model.shipped().map(|(file, _)| file.file.clone());
        let current = KeptGeneration {
            generation: bundle.manifest.generation.clone(),
            files: bundle.parts.iter().map(|file| file.name.clone()).chain(model).collect(),
            manifest: String::from_utf8_lossy(&manifest_bytes).into_owned(),
        };
        kept.retain(|kept| kept.generation != current.generation);
        kept.insert(0, current);
        kept.truncate(KEPT_GENERATIONS);
        self.finish(BuildRecord { manifest_hash: hash_of(&manifest_bytes), kept, ..record })
            .context("the new index is complete, but the record next to it could not be written")
    }

    /// Records that the sources of unchanged `projects` were checked at `now`, in seconds since 1970.
    pub fn note_checked(&mut self, projects: &BTreeSet<String>, now: u64) -> Result<()> {
        let Some(mut record) = self.record.take() else { return Ok(()) };
        for (name, project) in &mut record.projects {
            if projects.contains(name) {
                project.checked = Some(now);
            }
        }
        let written = self.write_record(&record);
        self.record = Some(record);
        written
    }

    /// Restores the previous bundle, and returns its generation. Further calls restore still earlier bundles, and
    /// finally the bundle that was rolled back first. The next build makes everything again.
    pub fn roll_back(&mut self) -> Result<String> {
        let mut kept = self.kept();
        let is_whole = |kept: &KeptGeneration| {
            let files = BundleFiles::of_manifest(&self.folder, kept.manifest.as_bytes());
            files.and_then(|files| files.check()).is_ok()
        };
        let Some(before) = (1..kept.len()).find(|&at| is_whole(&kept[at])) else {
            bail!(
                "{}: no earlier index is kept here; `nearfind update` or `nearfind index` makes a new one",
                self.folder.display()
            );
        };
        kept.rotate_left(before);
        let manifest = kept[0].manifest.clone();
        write_file(&self.folder, MANIFEST_FILE, manifest.as_bytes())?;
        sync_folder(&self.folder);
        let generation = kept[0].generation.clone();
        let record = self.record.clone().unwrap_or_default();
        let manifest_hash = hash_of(manifest.as_bytes());
        self.finish(BuildRecord { manifest_hash, fingerprint: String::new(), kept, ..record })?;
        Ok(generation)
    }

    /// Removes bundles that were replaced, and files left behind by runs that were stopped.
    pub fn prune(&mut self) -> Result<Removed> {
        // If the bundle cannot be read, no file is known to be unused.
        BundleFiles::read(&self.folder)?;
        let mut kept = self.kept();
        kept.truncate(1);
        let removed = remove_unnamed(&self.folder, &kept)?;
        if let Some(record) = self.record.clone() {
            self.write_record(&BuildRecord { kept, ..record })?;
        }
        Ok(removed)
    }

    fn finish(&mut self, record: BuildRecord) -> Result<()> {
        // The record is written last, because it must match a bundle that exists.
        self.write_record(&record)?;
        remove_unnamed(&self.folder, &record.kept)?;
        self.record = Some(record);
        Ok(())
    }

    fn write_record(&self, record: &BuildRecord) -> Result<()> {
        let Some(path) = &self.record_file else { return Ok(()) };
        let (folder, name) = (path.parent().unwrap_or(path), path.file_name().unwrap_or_default());
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        write_file(folder, &name.to_string_lossy(), &serde_json::to_vec(record)?)
    }

    fn write_parts(&self, bundle: &Bundle, packs: &[&[u8]]) -> Result<()> {
        for file in &bundle.parts {
            write_file(&self.folder, &file.name, &file.bytes)?;
        }
        for ((file, _), pack) in bundle.manifest.model.shipped().zip(packs) {
            if RootFolder::new(self.folder.clone()).bytes(&file.file, file.bytes).ok().as_deref() != Some(pack) {
                write_file(&self.folder, &file.file, pack)?;
            }
        }
        sync_folder(&self.folder);
        Ok(())
    }

    /// Returns the bundles whose files must stay. The first is the manifest's bundle, because a run may have ended
    /// before it wrote its record.
    fn kept(&self) -> Vec<KeptGeneration> {
        let recorded = self.record_file.as_deref().and_then(read_record);
        let mut kept = recorded.map_or_else(Vec::new, |record| record.kept);
        if let Ok(manifest) = manifest_bytes(&self.folder)
            && let Ok(current) = BundleFiles::of_manifest(&self.folder, &manifest)
        {
            kept.retain(|kept| kept.generation != current.manifest.generation);
            let manifest = String::from_utf8_lossy(&manifest).into_owned();
            let (files, generation) = (current.names(), current.manifest.generation);
            kept.insert(0, KeptGeneration { generation, files, manifest });
        }
        kept
    }
}

/// Refuses a target that contains anything but a bundle or the files of an interrupted run.
fn check_target(folder: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let ours = name == MANIFEST_FILE || is_part_name(&name) || name.starts_with(OWN);
        if !ours && !folder.join(MANIFEST_FILE).exists() {
            bail!("{}: the folder is not empty and contains no index; choose another one with -o", folder.display());
        }
    }
    Ok(())
}

/// Whether a file is named like a part: `<part>-<16 hexadecimal digits>.nf`, optionally with a number after the digits,
/// or with `.nfm` for a model.
pub(crate) fn is_part_name(name: &str) -> bool {
    let Some((stem, "nf" | "nfm")) = name.rsplit_once('.') else { return false };
    let is_hash = |text: &str| text.len() == 16 && text.chars().all(|c| c.is_ascii_hexdigit());
    let is_number = |text: &str| !text.is_empty() && text.len() < 16 && text.chars().all(|c| c.is_ascii_digit());
    let mut from_end = stem.rsplit('-');
    match from_end.next() {
        Some(last) if is_hash(last) => true,
        Some(last) if is_number(last) => from_end.next().is_some_and(is_hash),
        _ => false,
    }
}

pub(super) fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    let written = || -> std::io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)?;
        file.write_all(bytes)?;
        readable_file::persist(file, &path)
    };
    written().with_context(|| format!("{} cannot be written; existing files are unchanged", path.display()))
}

/// Makes renames survive a power failure, if the platform can.
fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Removes temporary files, and files that are named like parts and belong to no bundle in `kept`.
fn remove_unnamed(folder: &Path, kept: &[KeptGeneration]) -> Result<Removed> {
    let current: BTreeSet<&str> = kept.iter().flat_map(|kept| &kept.files).map(String::as_str).collect();
    let mut removed = Removed::default();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_of_no_use = name.starts_with(TEMPORARY)
            || name == FORMER_RECORD
            || (is_part_name(&name) && !current.contains(name.as_str()));
        // A folder is not ours, whatever its name.
        if is_of_no_use && !entry.file_type()?.is_dir() {
            let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
            match fs::remove_file(entry.path()) {
                Ok(()) => (removed.files, removed.bytes) = (removed.files + 1, removed.bytes + bytes),
                // A web server may be sending it: the next build removes it.
                Err(error) if readable_file::is_busy(&error) => {}
                Err(error) => return Err(error).with_context(|| entry.path().display().to_string()),
            }
        }
    }
    Ok(removed)
}
