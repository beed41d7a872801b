//! The files of a bundle in a folder: the files that its manifest lists, and the bytes of a block.

use anyhow::{Context as _, Result, ensure};
use nearfind_base::root_folder::RootFolder;
use nearfind_core::bundle::replaced;
use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::format::blocks::BlockId;
use nearfind_core::format::manifest::{MANIFEST_FILE, MAX_MANIFEST_BYTES, Manifest};
use nearfind_core::format::proof::{PartHash, PartHasher, proof_of};
use nearfind_core::format::{FormatError, FormatErrorKind, Part};
use nearfind_core::reader::{BlockRequest, BundleReader};
use nearfind_models::model::MAX_PACK_BYTES;
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Number of blocks that each CPU core reads at once.
const RUN_BLOCKS: usize = 64;
/// Largest distance between the starts of blocks that are read together.
const GAP_BYTES: u64 = 64 << 10;

/// The error that there is no bundle in this folder.
#[derive(Debug, Error)]
#[error("{}: there is no index here; build one with `nearfind index`", .0.display())]
pub struct NoBundle(pub PathBuf);

impl NoBundle {
    /// If `error` is a `NoBundle`, returns its message with the hint from `how_to_build` for the folder.
    pub fn hint(error: &anyhow::Error, how_to_build: HowToBuild) -> Option<String> {
        let Self(folder) = error.downcast_ref()?;
        Some(format!("{}: there is no index here; {}", folder.display(), how_to_build(folder)?))
    }
}

/// A function that returns how to build a bundle in a folder, if known.
pub type HowToBuild = fn(&Path) -> Option<String>;

/// A manifest in a folder, and the files that it lists.
#[derive(Debug)]
pub struct BundleFiles {
    /// The manifest.
    pub manifest: Manifest,
    /// Length of the manifest file.
    pub manifest_bytes: u64,
    /// Every other file of the bundle with its length, including shipped models.
    pub files: Vec<(String, u64)>,
    folder: RootFolder,
    /// Locates blocks.
    reader: BundleReader,
}

impl BundleFiles {
    /// Reads the manifest in `folder`, and the map and the directory, which contain the lengths of files that the
    /// manifest does not list.
    pub fn read(folder: &Path) -> Result<Self> {
        Self::of_manifest(folder, &manifest_bytes(folder)?)
    }

    /// Returns the files of the manifest with these bytes.
    pub(super) fn of_manifest(folder: &Path, bytes: &[u8]) -> Result<Self> {
        let manifest = Manifest::parse(bytes).with_context(|| folder.join(MANIFEST_FILE).display().to_string())?;
        let folder = RootFolder::new(folder.to_owned());
        let (reader, files) = named_files(&manifest, |request| stored_block(&folder, request))?;
        Ok(Self { manifest, manifest_bytes: bytes.len() as u64, files, folder, reader })
    }

    /// Returns the names of [`BundleFiles::files`].
    pub fn names(&self) -> Vec<String> {
        self.files.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Checks every byte of every file against the hashes that the manifest vouches for, and returns an error if a byte
    /// has changed. Nothing is decompressed.
    pub fn check(&self) -> Result<()> {
        for (name, bytes) in &self.files {
            let found = self.folder.size(name).with_context(|| format!("{name} is missing"))?;
            ensure!(found == *bytes, "{name} has {found} bytes instead of {bytes}");
        }
        for (file, hash) in self.manifest.model.shipped() {
            ensure!(file.bytes <= MAX_PACK_BYTES, "{} is too large: {} bytes", file.file, file.bytes);
            let pack = self.folder.bytes(&file.file, file.bytes).with_context(|| file.file.clone())?;
            let pack = ModelPack::open(pack).with_context(|| file.file.clone())?;
            ensure!(pack.hash() == hash, "{} is not the model of this index", file.file);
        }
        let hashes: Vec<PartHash> = Part::ALL.par_iter().map(|&part| self.check_part(part)).collect::<Result<_>>()?;
        ensure!(proof_of(hashes) == self.manifest.proof, replaced(MANIFEST_FILE).message);
        Ok(())
    }

    fn check_part(&self, part: Part) -> Result<PartHash> {
        let root = self.reader.root();
        let mut hasher = PartHasher::new(root.limit_of(part));
        let table = self.reader.table(part)?;
        let mut open: Option<(u32, BufReader<File>)> = None;
        let mut stored = Vec::new();
        for block in 0..table.len() {
            let (id, file) = (BlockId { part, block }, table.place(block).map_or(0, |place| place.file));
            let request = self.reader.request(id)?;
            let context = || request.file.clone();
            // The blocks of a part fill its files in order.
            if open.as_ref().is_none_or(|(of, _)| *of != file) {
                let opened = BufReader::new(self.folder.open(&request.file).with_context(context)?);
                open = Some((file, opened));
            }
            stored.resize(request.bytes as usize, 0);
            if let Some((_, opened)) = &mut open {
                opened.read_exact(&mut stored).with_context(context)?;
            }
            table.unseal(id, &stored).with_context(context)?;
            hasher.add_stored(&stored);
        }
        let hash = hasher.finish();
        ensure!(hash.identity() == root.identities[part.index()], replaced(part.name()).message);
        Ok(hash)
    }
}

/// Returns a reader that can locate all blocks of a bundle, and all files of the bundle except the manifest, with their
/// lengths. `read` returns the stored bytes of a block.
pub(crate) fn named_files(
    manifest: &Manifest,
    read: impl Fn(&BlockRequest) -> Result<Vec<u8>>,
) -> Result<(BundleReader, Vec<(String, u64)>)> {
    let mut reader = BundleReader::new(manifest.root().context(MANIFEST_FILE)?);
    for id in reader.blocks_with_tables() {
        reader.provide(id, &read(&reader.request(id)?)?)?;
    }
    let mut files: Vec<(String, u64)> =
        manifest.model.shipped().map(|(file, _)| (file.file.clone(), file.bytes)).collect();
    for part in Part::ALL {
        let (table, root) = (reader.table(part)?, reader.root());
        files.extend((0..table.files()).map(|file| (root.file_name(part, file), table.file_bytes(file))));
    }
    Ok((reader, files))
}

/// Returns the bytes of the manifest in `folder`, at most one more than a manifest may have.
pub(crate) fn manifest_bytes(folder: &Path) -> Result<Vec<u8>> {
    let path = folder.join(MANIFEST_FILE);
    let file = RootFolder::new(folder.to_owned()).open(MANIFEST_FILE).with_context(|| NoBundle(folder.to_owned()))?;
    let mut bytes = Vec::new();
    file.take(MAX_MANIFEST_BYTES as u64 + 1).read_to_end(&mut bytes).with_context(|| path.display().to_string())?;
    Ok(bytes)
}

/// Whether the vectors of the bundle in `folder`, if there is one, come only from a table of words. The run that made
/// the bundle is still running, or was stopped.
pub fn is_draft(folder: &Path) -> bool {
    let manifest = manifest_bytes(folder).ok().and_then(|bytes| Manifest::parse(&bytes).ok());
    manifest.is_some_and(|manifest| manifest.model.is_table())
}

/// Returns the results of `take` for the stored bytes of some blocks, using all cores. Blocks that are close to each
/// other in a file are read together.
pub(crate) fn each_stored_block<T: Send>(
    folder: &Path,
    requests: &[BlockRequest],
    take: &(dyn Fn(&BlockRequest, &[u8]) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    let folder = RootFolder::new(folder.to_owned());
    let take_run = |run: &[BlockRequest]| -> Result<Vec<T>> {
        let mut taken = Vec::with_capacity(run.len());
        for near in run.chunk_by(|a, b| a.file == b.file && (a.start..a.start + GAP_BYTES).contains(&b.start)) {
            let (first, last) = (&near[0], &near[near.len() - 1]);
            let bytes = u32::try_from(last.start + u64::from(last.bytes) - first.start)?;
            let read = stored_block(&folder, &BlockRequest { bytes, ..first.clone() })?;
            for request in near {
                let start = (request.start - first.start) as usize;
                taken.push(take(request, read.get(start..start + request.bytes as usize).unwrap_or_default())?);
            }
        }
        Ok(taken)
    };
    let runs: Vec<Vec<T>> = requests.par_chunks(RUN_BLOCKS).map(take_run).collect::<Result<_>>()?;
    Ok(runs.into_iter().flatten().collect())
}

/// Returns the stored bytes of a block. A file whose length differs from the one that the bundle declares is refused
/// before it is read.
pub(crate) fn stored_block(folder: &RootFolder, request: &BlockRequest) -> Result<Vec<u8>> {
    let path = folder.path().join(&request.file);
    let read = || -> std::io::Result<Option<Vec<u8>>> {
        let mut file = folder.open(&request.file)?;
        if file.metadata()?.len() != request.file_bytes {
            return Ok(None);
        }
        file.seek(SeekFrom::Start(request.start))?;
        let mut bytes = vec![0; request.bytes as usize];
        file.read_exact(&mut bytes)?;
        Ok(Some(bytes))
    };
    let missing = || format!("{} is missing or cannot be read; copy the index again or rebuild it", path.display());
    let stored = read().with_context(missing)?;
    let truncated = FormatErrorKind::Truncated { part: request.id.part.name(), what: "file" };
    stored.ok_or(FormatError::from(truncated)).with_context(|| path.display().to_string())
}
