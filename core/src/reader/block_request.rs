//! The location of a block for a host.

use crate::format::FormatError;
use crate::format::blocks::{BlockId, Sealed, unseal};

/// The location of a block's bytes.
///
/// [`BundleReader`](super::BundleReader) has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRequest {
    /// The block.
    pub id: BlockId,
    /// File name in the bundle's folder.
    pub file: String,
    /// Length of the file.
    pub file_bytes: u64,
    /// First byte in the file.
    pub start: u64,
    /// Number of bytes.
    pub bytes: u32,
    /// Identity of the block's part.
    pub identity: u64,
}

impl BlockRequest {
    /// Checks the bytes that the host has read. The host must then decompress their content.
    pub fn unseal<'a>(&self, stored: &'a [u8]) -> Result<Sealed<'a>, FormatError> {
        unseal(self.id, self.identity, self.bytes, stored)
    }
}
