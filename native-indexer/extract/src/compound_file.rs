//! The compound file that a message of Outlook is, of which so many bytes are kept: streams may share their content, so that a
//! small file may say that it has thousands of large ones.

use cfb::CompoundFile;
use std::io::{Cursor, Read as _, Result};

#[derive(Debug)]
pub(super) struct File<'a> {
    compound: CompoundFile<Cursor<&'a [u8]>>,
    /// Bytes that may still be kept.
    left: usize,
    refused: usize,
}

impl<'a> File<'a> {
    /// The file in `bytes`, of which `most` bytes are kept.
    pub(super) fn open(bytes: &'a [u8], most: usize) -> Result<Self> {
        Ok(Self { compound: CompoundFile::open(Cursor::new(bytes))?, left: most, refused: 0 })
    }

    /// The content of the stream at `path`.
    pub(super) fn stream(&mut self, path: &str) -> Option<Vec<u8>> {
        let entry = self.compound.entry(path).ok().filter(cfb::Entry::is_stream)?;
        // One that is longer than memory is too large as well.
        if !self.spend(usize::try_from(entry.len()).unwrap_or(usize::MAX)) {
            return None;
        }
        let mut bytes = Vec::new();
        self.compound.open_stream(path).ok()?.take(entry.len()).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Whether so many bytes more may be kept.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(self.left);
        self.refused += usize::from(left.is_none());
        left.is_some()
    }

    /// How many contents were too large since they were taken.
    pub(super) const fn refused(&self) -> usize {
        self.refused
    }

    pub(super) fn take_refused(&mut self) -> usize {
        std::mem::take(&mut self.refused)
    }

    pub(super) fn is_stream(&self, path: &str) -> bool {
        self.compound.is_stream(path)
    }

    /// The storages in `storage` whose names begin with `begin`, by name.
    pub(super) fn storages(&self, storage: &str, begin: &str) -> Vec<String> {
        let root = if storage.is_empty() { "/" } else { storage };
        let Ok(entries) = self.compound.read_storage(root) else { return Vec::new() };
        let inside = entries.filter(|entry| entry.is_storage() && entry.name().starts_with(begin));
        let mut found: Vec<String> = inside.map(|entry| format!("{storage}/{}", entry.name())).collect();
        found.sort();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn no_more_than_a_budget_is_kept() {
        let mut compound = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        for path in ["/a", "/b", "/c"] {
            compound.create_stream(path).unwrap().write_all(path.as_bytes()).unwrap();
        }
        let bytes = compound.into_inner().into_inner();
        let mut file = File::open(&bytes, 3).unwrap();
        assert_eq!((file.stream("/a"), file.stream("/b"), file.stream("/none")), (Some(b"/a".to_vec()), None, None));
        assert_eq!((file.refused(), file.take_refused(), file.take_refused(), file.left), (1, 1, 0, 1));
    }
}
