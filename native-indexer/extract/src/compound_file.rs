//! Reads compound files, which are small file systems: Outlook messages, and Office 97–2003 documents.
//!
//! The number of bytes that are read from a file is limited. Streams may share their content, so a small file may
//! contain thousands of large streams.

use crate::error::ExtractError;
use mail_parser::DateTime;
use std::io::{Cursor, Read as _, Result};

/// Ticks of the Windows clock per second.
const TICKS_OF_SECOND: u64 = 10_000_000;
/// Seconds from the start of 1601, the epoch of this clock, to the start of 1970.
const SECONDS_TO_1970: i64 = 11_644_473_600;
/// Seconds from the start of 1601 to 1900 and to 3000. Times outside this range are invalid.
const FROM: i64 = 9_435_484_800;
const UNTIL: i64 = 44_148_153_600;

/// An open compound file.
#[derive(Debug)]
pub(crate) struct CompoundFile<'a> {
    compound: cfb::CompoundFile<Cursor<&'a [u8]>>,
    /// Number of bytes that may still be read.
    left: usize,
    refused: usize,
}

impl<'a> CompoundFile<'a> {
    /// Opens the file in `bytes`, and limits the number of bytes that are read from its streams to `most`.
    pub(crate) fn open(bytes: &'a [u8], most: usize) -> Result<Self> {
        Ok(Self { compound: cfb::CompoundFile::open(Cursor::new(bytes))?, left: most, refused: 0 })
    }

    /// Returns the content of the stream at `path`, or `None` if it does not exist or exceeds the limit.
    pub(crate) fn stream(&mut self, path: &str) -> Option<Vec<u8>> {
        let entry = self.compound.entry(path).ok().filter(cfb::Entry::is_stream)?;
        // A length that exceeds `usize` also exceeds the limit.
        if !self.spend(usize::try_from(entry.len()).unwrap_or(usize::MAX)) {
            return None;
        }
        let mut bytes = Vec::new();
        self.compound.open_stream(path).ok()?.take(entry.len()).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Returns the name of the root stream `name` as the file writes it. Some programs change the case of names, and
    /// with it their order.
    fn name_in_root(&self, name: &str) -> Option<String> {
        let is_it = |entry: &cfb::Entry| entry.is_stream() && entry.name().eq_ignore_ascii_case(name);
        self.compound.read_root_storage().find(is_it).map(|entry| entry.name().to_owned())
    }

    /// Whether the root contains a stream called `name`, ignoring case.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.name_in_root(name).is_some()
    }

    /// Returns the content of the stream called `name` in the root.
    pub(crate) fn stream_of_root(&mut self, name: &str) -> std::result::Result<Vec<u8>, ExtractError> {
        let own = self.name_in_root(name).unwrap_or_else(|| name.to_owned());
        self.stream(&own).ok_or_else(|| ExtractError::Damaged(format!("its stream {name} cannot be read")))
    }

    /// Subtracts `bytes` from the limit. If there are not enough bytes left, counts a refused content and returns
    /// `false`.
    pub(crate) fn spend(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(self.left);
        self.refused += usize::from(left.is_none());
        left.is_some()
    }

    /// Returns the number of contents that were refused since the last call of [`take_refused`](Self::take_refused).
    pub(crate) const fn refused(&self) -> usize {
        self.refused
    }

    pub(crate) fn take_refused(&mut self) -> usize {
        std::mem::take(&mut self.refused)
    }

    pub(crate) fn is_stream(&self, path: &str) -> bool {
        self.compound.is_stream(path)
    }

    /// Returns the sorted paths of the storages in `storage` whose names begin with `begin`.
    pub(crate) fn storages(&self, storage: &str, begin: &str) -> Vec<String> {
        let root = if storage.is_empty() { "/" } else { storage };
        let Ok(entries) = self.compound.read_storage(root) else { return Vec::new() };
        let inside = entries.filter(|entry| entry.is_storage() && entry.name().starts_with(begin));
        let mut found: Vec<String> = inside.map(|entry| format!("{storage}/{}", entry.name())).collect();
        found.sort();
        found
    }
}

/// Converts ticks of the Windows clock to a time in UTC. Returns `None` if the time is not between 1900 and 3000.
pub(crate) fn time(ticks: u64) -> Option<DateTime> {
    let seconds = i64::try_from(ticks / TICKS_OF_SECOND).ok()?;
    (FROM..UNTIL).contains(&seconds).then(|| DateTime::from_timestamp(seconds - SECONDS_TO_1970))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn no_more_than_a_budget_is_kept() {
        let mut compound = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        for path in ["/a", "/b", "/c"] {
            compound.create_stream(path).unwrap().write_all(path.as_bytes()).unwrap();
        }
        let bytes = compound.into_inner().into_inner();
        let mut file = CompoundFile::open(&bytes, 3).unwrap();
        assert_eq!((file.stream("/a"), file.stream("/b"), file.stream("/none")), (Some(b"/a".to_vec()), None, None));
        assert_eq!((file.refused(), file.take_refused(), file.take_refused(), file.left), (1, 1, 0, 1));
    }
}
