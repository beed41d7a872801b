//! How much of a message is looked at.

/// Messages inside messages, at most.
pub(super) const MAX_DEPTH: usize = 4;
/// Attachments of one message, and of a mailbox, that are looked at; more are no mail that people wrote.
pub(super) const MAX_ATTACHMENTS: usize = 10_000;
/// Bytes of the attachments of one file that are read.
pub(super) const MAX_READ_BYTES: usize = 64 << 20;
