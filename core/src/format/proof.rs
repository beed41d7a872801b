//! The proof in a manifest identifies the content of every part by BLAKE3. The checksums of blocks only detect
//! accidents, because anyone can compute new ones for other bytes.

/// Length in bytes of the checksum at the end of a block.
pub(super) const CHECK_BYTES: usize = 4;

/// The hash of a part's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartHash([u8; 32]);

impl PartHash {
    /// Returns the first 8 bytes of the hash, which name the part's files.
    pub fn identity(self) -> u64 {
        self.0[..8].iter().fold(0, |identity, &byte| identity << 8 | u64::from(byte))
    }
}

/// Hashes a part, block by block in order.
///
/// ```
/// use nearfind_core::format::proof::{PartHasher, proof_of};
///
/// let hash_of = |blocks: &[&[u8]]| {
///     let mut hasher = PartHasher::new(0);
///     blocks.iter().for_each(|block| hasher.add(block));
///     hasher.finish()
/// };
/// let (words, pages) = (hash_of(&[b"undo"]), hash_of(&[b"Run", b"git revert"]));
/// assert_ne!(words.identity(), pages.identity());
/// assert_eq!(proof_of([words, pages]).len(), 64);
/// ```
#[derive(Clone, Debug)]
pub struct PartHasher(blake3::Hasher);

impl PartHasher {
    /// Creates a hasher for a part whose files have at most `file_limit` bytes. The limit is hashed, because files of a
    /// different size are different files even if their blocks are the same.
    pub fn new(file_limit: u32) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&file_limit.to_le_bytes());
        Self(hasher)
    }

    /// Adds a block in its stored form.
    pub fn add_stored(&mut self, stored: &[u8]) {
        self.add(&stored[..stored.len().saturating_sub(CHECK_BYTES)]);
    }

    /// Adds a block without its checksum.
    pub fn add(&mut self, body: &[u8]) {
        self.0.update(&(body.len() as u32).to_le_bytes());
        self.0.update(body);
    }

    /// Returns the hash of everything added so far.
    pub fn finish(&self) -> PartHash {
        PartHash(*self.0.finalize().as_bytes())
    }
}

/// Returns the proof of a bundle whose parts have these hashes, in order: the BLAKE3 of the hashes in 64 hexadecimal
/// digits.
pub fn proof_of(parts: impl IntoIterator<Item = PartHash>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&part.0);
    }
    hasher.finalize().to_hex().to_string()
}
