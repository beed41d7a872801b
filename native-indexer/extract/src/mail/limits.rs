//! Limits for reading messages.

/// Maximum depth of nested messages.
pub(super) const MAX_DEPTH: usize = 4;
/// Maximum number of attachments of a message that are inspected. People do not send more.
pub(super) const MAX_ATTACHMENTS: usize = 10_000;
/// Maximum number of bytes of the attachments of a file that are read.
pub(super) const MAX_READ_BYTES: usize = 64 << 20;
