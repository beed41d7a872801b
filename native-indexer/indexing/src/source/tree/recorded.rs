use super::{FileTree, Folders, Listing};
use anyhow::Result;
use nearfind_bundles::bundle_folder::ProjectRecord;
use nearfind_extract::Date;
use std::collections::BTreeMap;

/// The files of a project as in the last build. Their text is in the cache, or else is read from its former location,
/// if possible.
pub(crate) struct RecordedTree {
    name: String,
    files: BTreeMap<String, String>,
    dates: BTreeMap<String, Date>,
    now: Option<Box<dyn FileTree>>,
}

impl RecordedTree {
    /// Returns the files in `record`. `now` is the tree that they were read from, if it can still be opened.
    pub(crate) fn new(name: &str, record: &ProjectRecord, now: Option<Box<dyn FileTree>>) -> Self {
        Self { name: name.to_owned(), files: record.files.clone(), dates: record.dates.clone(), now }
    }
}

impl FileTree for RecordedTree {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn has_folder(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.files.range(folder.clone()..).next().is_some_and(|(file, _)| file.starts_with(&folder))
    }

    fn list(&self, _: Folders<'_>) -> Result<Listing> {
        Ok(Listing { paths: self.files.keys().cloned().collect(), ..Listing::default() })
    }

    fn dates(&self) -> BTreeMap<String, Date> {
        self.dates.clone()
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.now.as_ref()?.size(path)
    }

    fn hash(&self, path: &str) -> Result<String, String> {
        self.files.get(path).cloned().ok_or_else(|| "it was not there".to_owned())
    }

    fn read(&self, path: &str) -> Result<(Vec<u8>, String), String> {
        match &self.now {
            Some(now) => now.read(path),
            None => Err("it is no longer in the cache, and it cannot be read again from its source".to_owned()),
        }
    }
}
