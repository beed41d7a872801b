//! The files in an archive before they are unpacked.

use super::budget::Budget;

/// A file in an archive.
pub(super) struct Entry<'a> {
    /// The file's name in the archive, which is not checked yet.
    pub name: String,
    /// The file's size in bytes according to the archive. The content may be larger.
    pub size: u64,
    /// The file's URL, if it is a web page.
    pub address: Option<String>,
    /// The reason why the file cannot be read, if there is one.
    pub obstacle: Option<&'static str>,
    /// The packed content.
    pub content: &'a mut dyn Content,
}

/// The packed content of a file in an archive.
pub(super) trait Content {
    /// Unpacks at most `most + 1` bytes, so a longer result means that the content is larger than `most`. If the
    /// content cannot be unpacked, returns the reason.
    fn unpack(&mut self, most: u64, budget: &Budget) -> Result<Vec<u8>, String>;
}

/// Whether to continue with the next file.
pub(super) type Next = std::ops::ControlFlow<()>;
