//! Lists the files in a ZIP archive.

use super::budget::Budget;
use super::entry::{Content, Entry, Next};
use crate::error::ExtractError;
use crate::text_encoding;
use std::io::{Cursor, Read as _};
use zip::{CompressionMethod, ZipArchive};

/// The first bytes of a file's record in the table at the end of the archive.
const FILE_RECORD: &[u8] = b"PK\x01\x02";
/// The last letter of the block Latin Extended-B, which covers the Latin letters of most languages.
const LAST_LATIN: char = '\u{24f}';

/// Passes each file in the archive `bytes` to `take`. An archive with more than `most` files is refused before its
/// table is read, because a table takes several times its size in memory.
pub(super) fn each(bytes: &[u8], most: usize, take: &mut dyn FnMut(Entry<'_>) -> Next) -> Result<(), ExtractError> {
    if memchr::memmem::find_iter(bytes, FILE_RECORD).nth(most).is_some() {
        return Err(ExtractError::Damaged(format!("it has more than {most} files")));
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes))
        .map_err(|_| ExtractError::Damaged("it is not a zip archive, or its end is missing".to_owned()))?;
    for index in 0..archive.len() {
        let Ok(file) = archive.by_index_data(index) else { continue };
        if file.is_dir() {
            continue;
        }
        let obstacle = if file.encrypted() {
            Some("it is encrypted: unpack the archive with its password")
        } else if file.is_symlink() {
            Some("it is a link")
        } else if !matches!(file.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
            Some("its compression is not supported: unpack the archive")
        } else {
            None
        };
        let name = name_of(file.name_raw(), || file.name().map(String::from).unwrap_or_default());
        let size = file.size();
        let mut content = ZipContent { archive: &mut archive, index };
        if take(Entry { name, size, address: None, obstacle, content: &mut content }).is_break() {
            break;
        }
    }
    Ok(())
}

/// Decodes the name of a file in the archive. A name may be UTF-8 without the flag for it. It may also be in a
/// country's legacy encoding, or in the DOS encoding, which `of_dos` decodes.
fn name_of(raw: &[u8], of_dos: impl FnOnce() -> String) -> String {
    if let Ok(name) = str::from_utf8(raw) {
        return name.to_owned();
    }
    let (name, _) = text_encoding::decode(raw);
    // DOS letters become symbols or Latin letters in a different encoding.
    let is_foreign = |c: char| c.is_ascii() || c.is_alphabetic() && c > LAST_LATIN;
    if name.chars().all(is_foreign) { name.into_owned() } else { of_dos() }
}

struct ZipContent<'a, 'b> {
    archive: &'a mut ZipArchive<Cursor<&'b [u8]>>,
    index: usize,
}

impl Content for ZipContent<'_, '_> {
    fn unpack(&mut self, most: u64, budget: &Budget) -> Result<Vec<u8>, String> {
        let file = self.archive.by_index(self.index).map_err(|error| format!("it is damaged: {error}"))?;
        let mut bytes = Vec::new();
        let read = budget.limit(file).take(most + 1).read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| format!("it is damaged: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_country_are_read() {
        let name = |raw: &[u8]| name_of(raw, || "of DOS".to_owned());
        let (gbk, ..) = encoding_rs::GBK.encode("审计系统自动巡检需求文档.doc");
        assert_eq!(name(&gbk), "审计系统自动巡检需求文档.doc");
        assert_eq!(name(b"Gr\x94\xe1e.txt"), "of DOS");
        assert_eq!(name("Größe.txt".as_bytes()), "Größe.txt");
    }
}
