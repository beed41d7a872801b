//! The files of an archive before they are unpacked.

use super::budget::Budget;

/// A file of an archive.
pub(super) struct Entry<'a> {
    /// Its name in the archive, which is not checked yet.
    pub name: String,
    /// Its size in bytes according to the archive. The content may be larger.
    pub size: u64,
    /// Its URL, if it is a web page.
    pub address: Option<String>,
    /// The reason why it cannot be read, if there is one.
    pub obstacle: Option<&'static str>,
    /// Its content, still packed.
    pub content: &'a mut dyn Content,
}

/// The packed content of a file of an archive.
pub(super) trait Content {
    /// Unpacks at most `most + 1` bytes, so a longer result means that the content is larger than `most`. Returns the
    /// reason if it cannot be unpacked.
    fn unpack(&mut self, most: u64, budget: &Budget) -> Result<Vec<u8>, String>;
}

/// Whether to continue with the next file.
pub(super) type Next = std::ops::ControlFlow<()>;
