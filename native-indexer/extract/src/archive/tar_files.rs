//! Lists the files in a tar archive. A tar archive has no table of its files, so all of it is read.

use super::budget::Budget;
use super::entry::{Content, Entry, Next};
use crate::error::ExtractError;
use flate2::read::MultiGzDecoder;
use std::io::{self, Read};
use tar::{Archive, EntryType, PaxExtensions};

/// The first bytes of gzip.
const GZIP: &[u8] = b"\x1f\x8b";
/// Maximum number of bytes to read from an entry that contains a long name for the next entry.
const MAX_LONG_NAME_BYTES: u64 = 64 << 10;

/// Passes each file in the archive `bytes` to `take`.
pub(super) fn each(bytes: &[u8], budget: &Budget, take: &mut dyn FnMut(Entry<'_>) -> Next) -> Result<(), ExtractError> {
    let read = if bytes.starts_with(GZIP) {
        each_of(budget.limit(MultiGzDecoder::new(bytes)), true, take)
    } else {
        each_of(bytes, false, take)
    };
    read.map_err(|error| ExtractError::Damaged(format!("it is not a tar archive, or it is cut off ({error})")))
}

/// Passes each file in the archive `from` to `take`. `is_counted` says whether the budget already applies to `from`.
fn each_of(from: impl Read, is_counted: bool, take: &mut dyn FnMut(Entry<'_>) -> Next) -> io::Result<()> {
    let mut long_name = None;
    let mut archive = Archive::new(from);
    // Without raw mode, the library keeps names of any length in memory.
    for entry in archive.entries()?.raw(true) {
        let mut entry = entry?;
        let kind = entry.header().entry_type();
        match kind {
            EntryType::GNULongName => long_name = Some(gnu_name(&mut entry)?),
            EntryType::XHeader => long_name = pax_path(&mut entry)?.or(long_name),
            EntryType::GNULongLink | EntryType::XGlobalHeader => {}
            _ => {
                let name = long_name.take().unwrap_or_else(|| entry.header().path_bytes().into_owned());
                // Archives from old programs mark folders only with a trailing slash.
                if kind == EntryType::Directory || name.ends_with(b"/") {
                    continue;
                }
                let obstacle = match kind {
                    EntryType::Regular | EntryType::Continuous => None,
                    EntryType::Link | EntryType::Symlink => Some("it is a link"),
                    _ => Some("it is not a plain file"),
                };
                let (name, size) = (crate::text_encoding::decode(&name).0.into_owned(), entry.header().entry_size()?);
                let mut content = TarContent { from: &mut entry, is_counted };
                if take(Entry { name, size, address: None, obstacle, content: &mut content }).is_break() {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Reads the name of the next entry from a GNU tar entry.
fn gnu_name(entry: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut name = long_bytes(entry)?;
    name.truncate(name.iter().position(|byte| *byte == 0).unwrap_or(name.len()));
    Ok(name)
}

/// Reads the path of the next entry from an extended POSIX header.
fn pax_path(entry: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let records = long_bytes(entry)?;
    let mut paths = PaxExtensions::new(&records).filter_map(Result::ok).filter(|record| record.key_bytes() == b"path");
    Ok(paths.next().map(|record| record.value_bytes().to_vec()))
}

fn long_bytes(entry: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    entry.take(MAX_LONG_NAME_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

struct TarContent<'a> {
    from: &'a mut dyn Read,
    is_counted: bool,
}

impl Content for TarContent<'_> {
    fn unpack(&mut self, most: u64, budget: &Budget) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let read = if self.is_counted {
            self.from.take(most + 1).read_to_end(&mut bytes)
        } else {
            budget.limit(&mut self.from).take(most + 1).read_to_end(&mut bytes)
        };
        read.map(|_| bytes).map_err(|error| format!("it is damaged: {error}"))
    }
}
