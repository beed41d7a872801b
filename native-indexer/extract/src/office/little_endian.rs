//! The files of Office 97–2003: streams in a file that is a small file system.

use crate::error::ExtractError;
use cfb::CompoundFile;
use std::io::{Cursor, Read as _};

/// The most that is read of a stream.
const MAX_STREAM_BYTES: u64 = 64 << 20;

/// An old file.
pub(super) struct Compound<'b> {
    file: CompoundFile<Cursor<&'b [u8]>>,
}

impl<'b> Compound<'b> {
    /// `None` if `bytes` are no such file, or a damaged one.
    pub(super) fn open(bytes: &'b [u8]) -> Option<Self> {
        CompoundFile::open(Cursor::new(bytes)).ok().map(|file| Self { file })
    }

    pub(super) fn has(&self, stream: &str) -> bool {
        self.name_of(stream).is_some()
    }

    /// How the file writes the name of this stream: some programs change its case, and with it the order of names.
    fn name_of(&self, stream: &str) -> Option<String> {
        let is_it = |name: &str| name.eq_ignore_ascii_case(stream);
        let found = self.file.read_root_storage().find(|entry| entry.is_stream() && is_it(entry.name()));
        found.map(|entry| entry.name().to_owned())
    }

    pub(super) fn stream(&mut self, name: &str) -> Result<Vec<u8>, ExtractError> {
        let damaged = |_| ExtractError::Damaged(format!("its stream {name} cannot be read"));
        let mut bytes = Vec::new();
        let own = self.name_of(name).unwrap_or_else(|| name.to_owned());
        let stream = self.file.open_stream(own).map_err(damaged)?;
        stream.take(MAX_STREAM_BYTES).read_to_end(&mut bytes).map_err(damaged)?;
        Ok(bytes)
    }
}

/// The two bytes of `bytes` at `at` as a number.
pub(super) fn number_16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// The four bytes of `bytes` at `at` as a number.
pub(super) fn number_32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// `length` bytes of `bytes` from `at` on, or as many as there are.
pub(super) fn slice(bytes: &[u8], at: usize, length: usize) -> &[u8] {
    let start = at.min(bytes.len());
    let end = start.saturating_add(length).min(bytes.len());
    &bytes[start..end]
}
