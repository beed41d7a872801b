//! Properties of Outlook messages, recipients and attachments, which are streams in a storage of a compound file
//! (MS-OXMSG).

use super::message::Sent;
use crate::compound_file::{self, CompoundFile};
use crate::text_encoding;
use encoding_rs::UTF_16LE;
use mail_parser::DateTime;

/// Size of an entry in the table of short properties.
const ENTRY: usize = 16;

/// The properties of a storage.
#[derive(Debug)]
pub(super) struct Properties {
    storage: String,
    /// The table of short properties. An entry consists of a type, a number, flags, and an eight-byte value.
    table: Vec<u8>,
    code_page: Option<u16>,
}

impl Properties {
    /// Reads the properties of `storage`. The table of short properties begins after `header` bytes.
    pub(super) fn of(file: &mut CompoundFile<'_>, storage: &str, header: usize) -> Self {
        let mut properties = Self { storage: storage.to_owned(), table: Vec::new(), code_page: None };
        let table = properties.stream(file, "__properties_version1.0").unwrap_or_default();
        properties.table = table.get(header..).unwrap_or_default().to_vec();
        // The code page of the text, or else the message's code page.
        let page = properties.number(0x3fde).or_else(|| properties.number(0x3ffd));
        properties.code_page = page.and_then(|page| u16::try_from(page).ok());
        properties
    }

    /// Returns the text in property `id`, or an empty text.
    pub(super) fn text(&self, file: &mut CompoundFile<'_>, id: u16) -> String {
        if let Some(bytes) = self.stream(file, &format!("__substg1.0_{id:04X}001F")) {
            return UTF_16LE.decode_without_bom_handling(&bytes).0.trim_end_matches('\0').to_owned();
        }
        let Some(bytes) = self.stream(file, &format!("__substg1.0_{id:04X}001E")) else { return String::new() };
        let bytes = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
        let known = self.code_page.and_then(codepage::to_encoding);
        match known.filter(|encoding| str::from_utf8(bytes).is_err() && !encoding.decode_without_bom_handling(bytes).1)
        {
            Some(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
            None => text_encoding::decode(bytes).0.into_owned(),
        }
    }

    /// Returns the bytes in property `id`.
    pub(super) fn bytes(&self, file: &mut CompoundFile<'_>, id: u16) -> Option<Vec<u8>> {
        self.stream(file, &format!("__substg1.0_{id:04X}0102"))
    }

    /// Returns the number in property `id`.
    pub(super) fn number(&self, id: u16) -> Option<u32> {
        let value = self.short(id, 0x0003)?;
        Some(u32::try_from(value & 0xffff_ffff).unwrap_or_default())
    }

    /// Returns the time in property `id`, in UTC.
    pub(super) fn time(&self, id: u16) -> Option<Sent> {
        sent(self.short(id, 0x0040)?)
    }

    fn short(&self, id: u16, kind: u16) -> Option<u64> {
        let key = [kind.to_le_bytes(), id.to_le_bytes()].concat();
        let entry = self.table.chunks_exact(ENTRY).find(|entry| entry.starts_with(&key))?;
        Some(u64::from_le_bytes(entry.get(8..)?.try_into().ok()?))
    }

    fn stream(&self, file: &mut CompoundFile<'_>, name: &str) -> Option<Vec<u8>> {
        file.stream(&format!("{}/{name}", self.storage))
    }
}

fn sent(ticks: u64) -> Option<Sent> {
    let DateTime { year, month, day, hour, minute, .. } = compound_file::time(ticks)?;
    Some(Sent { year, month, day, hour, minute })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_dates() {
        let words = |ticks| sent(ticks).map(Sent::words);
        // 2024-02-29 10:30 and 1970-01-01.
        assert_eq!(words((1_709_202_600 + 11_644_473_600) * 10_000_000).as_deref(), Some("2024-02-29 10:30"));
        assert_eq!(words(11_644_473_600 * 10_000_000).as_deref(), Some("1970-01-01 00:00"));
        assert_eq!((words(0), words(u64::MAX)), (None, None));
    }
}
