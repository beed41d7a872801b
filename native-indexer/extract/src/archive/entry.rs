//! A file of an archive, before it is unpacked.

use super::budget::Budget;

/// A file of an archive.
pub(super) struct Entry<'a> {
    /// Its name as the archive has it.
    pub name: String,
    /// Bytes that it says to have; what comes out may be more.
    pub size: u64,
    /// Its own address, if it is a page of the web.
    pub address: Option<String>,
    /// Why it cannot be read, if it cannot.
    pub obstacle: Option<&'static str>,
    /// What unpacks it.
    pub content: &'a mut dyn Content,
}

/// The content of a file of an archive.
pub(super) trait Content {
    /// Its first bytes, one more than `most` if there are more; else why it cannot be unpacked.
    fn unpack(&mut self, most: u64, budget: &Budget) -> Result<Vec<u8>, String>;
}

/// Whether the next file is wanted.
pub(super) type Next = std::ops::ControlFlow<()>;
