//! Checks every byte of a bundle, wherever it is.

use crate::bundle_folder::BundleFiles;
use crate::library::open::open_bundle::OpenBundle;
use crate::library::open::origin::Origin;
use anyhow::{Context as _, Result, ensure};
use nearfind_base::root_folder::RootFolder;
use nearfind_core::bundle::{Finding, verify};
use nearfind_core::embed::model_pack::ModelPack;
use nearfind_core::format::blocks::BlockId;
use nearfind_core::format::manifest::ModelFile;
use nearfind_core::format::{FormatError, FormatErrorKind};
use nearfind_core::reader::{BlockRequest, BundleReader};
use std::collections::HashMap;

impl OpenBundle {
    /// Returns a description of the damage to a bundle in a folder, if there is any. The bytes of a published bundle
    /// are checked when they are fetched.
    pub fn damage(&self) -> Option<String> {
        let Origin::Folder(folder, _) = self.origin() else { return None };
        BundleFiles::read(folder).and_then(|files| files.check()).err().map(|error| format!("damaged: {error:#}"))
    }

    /// Returns the defects of the bundle. Checks the lengths of files, every block, every structure and the shipped
    /// model, and trusts nothing that was read earlier.
    pub fn verify(&self) -> Result<Vec<Finding>> {
        let mut reader = BundleReader::new(self.manifest().root()?);
        // Each part is requested from a publisher at once, and not block by block.
        let mut whole: HashMap<BlockId, Vec<u8>> = HashMap::new();
        let read = |reader: &BundleReader, id: BlockId| -> Result<Vec<u8>, FormatError> {
            if matches!(self.origin(), Origin::Published(_)) && id.block == 0 {
                whole = self.stored_part(reader, id).unwrap_or_default();
            }
            if let Some(stored) = whole.remove(&id) {
                return Ok(stored);
            }
            let stored = self.origin().blocks(&[reader.request(id)?], &|_, stored| Ok(stored.to_vec()));
            stored.map(Vec::into_iter).map(|mut blocks| blocks.next().unwrap_or_default()).map_err(|error| {
                let damaged = FormatError::from(FormatErrorKind::Truncated { part: id.part.name(), what: "file" });
                error.downcast::<FormatError>().unwrap_or(damaged)
            })
        };
        let mut findings = verify(&mut reader, &self.manifest().proof, read);
        for (file, hash) in self.manifest().model.shipped() {
            if let Err(error) = self.verify_model(file, hash) {
                let name = self.origin().name_of(&file.file);
                findings.push(Finding { part: "model", message: format!("{name}: {error:#}") });
            }
        }
        Ok(findings)
    }

    /// Returns every block of the part that begins with `first`.
    fn stored_part(&self, reader: &BundleReader, first: BlockId) -> Result<HashMap<BlockId, Vec<u8>>> {
        let ids = (0..reader.table(first.part)?.len()).map(|block| BlockId { part: first.part, block });
        let requests: Vec<BlockRequest> = ids.map(|id| reader.request(id)).collect::<Result<_, _>>()?;
        let stored = self.origin().blocks(&requests, &|_, stored| Ok(stored.to_vec()))?;
        Ok(requests.into_iter().map(|request| request.id).zip(stored).collect())
    }

    fn verify_model(&self, file: &ModelFile, hash: &str) -> Result<()> {
        let bytes = match self.origin() {
            Origin::Folder(folder, _) => {
                RootFolder::new(folder.clone()).bytes(&file.file, file.bytes).context("it cannot be read")?
            }
            Origin::Published(published) => published.fetch_pack(file)?,
        };
        ensure!(bytes.len() as u64 == file.bytes, "it was truncated or replaced");
        ensure!(ModelPack::open(bytes)?.hash() == hash, "it is not the model of this index");
        Ok(())
    }
}
