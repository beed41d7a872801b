//! Limits for reading messages.

/// Maximum depth of nested messages.
pub(super) const MAX_DEPTH: usize = 4;
/// Maximum number of attachments to inspect per message. People do not send more.
pub(super) const MAX_ATTACHMENTS: usize = 10_000;
/// Maximum number of attachment bytes to read per file.
pub(super) const MAX_READ_BYTES: usize = 64 << 20;
