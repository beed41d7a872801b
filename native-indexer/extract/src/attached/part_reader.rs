//! How the parts of a message are read.

use crate::extraction::ReadPart;

/// How the parts of a message are read.
#[derive(Clone, Copy)]
pub(crate) struct PartReader<'r> {
    /// Reads an attachment.
    pub read: ReadPart<'r>,
    /// Whether `read` reads pictures.
    pub reads_pictures: bool,
}
