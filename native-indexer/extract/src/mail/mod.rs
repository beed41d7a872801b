//! Reads mail: single messages and mailboxes, with attachments.
//!
//! A message becomes a section with its subject as the heading. The section contains the sender, the recipients, the
//! date, the text and the attachments. Each attachment is read by the reader of its format, below a heading with its
//! name.

mod compressed_rtf;
mod internet;
mod limits;
mod mailbox;
mod mapi;
mod message;
mod outlook;
mod seal;
mod web_archive;
mod writer;

#[cfg(test)]
mod fixtures;

use crate::attached::PartReader;
use crate::error::ExtractError;
use crate::extracted::Extracted;
#[cfg(test)]
pub(crate) use fixtures::mail as mail_fixture;
use limits::MAX_DEPTH;
pub(super) use web_archive::extract as web_archive;
use writer::MailWriter;

/// Reads a message in the internet format.
pub(super) fn internet_message(bytes: &[u8], read: PartReader<'_>) -> Result<Extracted, ExtractError> {
    let message = internet::parse(bytes, MAX_DEPTH)
        .ok_or_else(|| ExtractError::Damaged("it has no message headers".to_owned()))?;
    Ok(MailWriter::new(read).single(message))
}

/// Reads an Outlook message.
pub(super) fn outlook_message(bytes: &[u8], read: PartReader<'_>) -> Result<Extracted, ExtractError> {
    Ok(MailWriter::new(read).single(outlook::parse(bytes, MAX_DEPTH, read.reads_pictures)?))
}

/// Reads a mailbox.
pub(super) fn mailbox(bytes: &[u8], read: PartReader<'_>) -> Result<Extracted, ExtractError> {
    mailbox::extract(bytes, MailWriter::new(read))
}
