//! What a manifest vouches for: the content of every part, by BLAKE3. The checksums of blocks find accidents; anyone can
//! make new ones for other bytes.

/// Bytes of the checksum at the end of a block.
pub(super) const CHECK_BYTES: usize = 4;

/// The hash of a part's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartHash([u8; 32]);

impl PartHash {
    /// Its first 8 bytes, which the part's files are named by.
    pub fn identity(self) -> u64 {
        self.0[..8].iter().fold(0, |identity, &byte| identity << 8 | u64::from(byte))
    }
}

/// Hashes a part, block by block in their order.
#[derive(Clone, Debug)]
pub struct PartHasher(blake3::Hasher);

impl PartHasher {
    /// For a part whose files have at most `file_limit` bytes: the same blocks in files of another size are other files.
    pub fn new(file_limit: u32) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&file_limit.to_le_bytes());
        Self(hasher)
    }

    /// Adds a block as it is stored.
    pub fn add_stored(&mut self, stored: &[u8]) {
        self.add(&stored[..stored.len().saturating_sub(CHECK_BYTES)]);
    }

    /// Adds a block without its checksum.
    pub fn add(&mut self, body: &[u8]) {
        self.0.update(&(body.len() as u32).to_le_bytes());
        self.0.update(body);
    }

    /// The hash of all that was added.
    pub fn finish(&self) -> PartHash {
        PartHash(*self.0.finalize().as_bytes())
    }
}

/// The proof of a bundle whose parts, in their order, have these hashes: the BLAKE3 of the hashes, 64 hexadecimal digits.
pub fn proof_of(parts: impl IntoIterator<Item = PartHash>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&part.0);
    }
    hasher.finalize().to_hex().to_string()
}
