//! How much of a message is looked at, and the reader of what is attached.

use crate::error::ExtractError;
use crate::extraction::Extraction;

/// Reads an attachment, by its name and its bytes.
pub(crate) type ReadAttachment<'a> = &'a dyn Fn(&str, &[u8]) -> Result<Extraction, ExtractError>;

/// Messages inside messages, at most.
pub(super) const MAX_DEPTH: usize = 4;
/// Attachments of one message, and of a mailbox, that are looked at; more are no mail that people wrote.
pub(super) const MAX_ATTACHMENTS: usize = 10_000;
/// Bytes of the attachments of one file that are read.
pub(super) const MAX_READ_BYTES: usize = 64 << 20;
