//! Names and bounds that are part of the bytes of a bundle. The modules that give them their meaning are built on this one.

use serde::{Deserialize, Serialize};

/// Name and version of the chain. Another chain is another name, and a bundle must be rebuilt to change it.
pub const ANALYZER: &str = "en-7";

/// Lengths that stand for all those of chunks; two bits of a posting.
pub const LENGTH_CLASSES: usize = 4;

/// Largest accepted vector length. Above it a query would have too few levels for exact 32-bit sums.
pub const MAX_DIMENSIONS: u32 = 4096;

/// The facet that tells what a document is for.
pub const KIND: &str = "kind";
/// Its value for source code.
pub const CODE: &str = "code";
/// The facet that tells what a piece of source code is there for.
pub const CLASS: &str = "class";

/// The four switches of BERT's normalizer, under their known names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NormalizerOptions {
    /// Drop control characters and make all white space a space.
    pub clean_text: bool,
    /// Put spaces around CJK ideographs.
    pub split_cjk: bool,
    /// Decompose and drop accents.
    pub strip_accents: bool,
    /// Lower-case.
    pub lowercase: bool,
}

impl NormalizerOptions {
    /// As uncased models have them.
    pub const UNCASED: Self = Self { clean_text: true, split_cjk: true, strip_accents: true, lowercase: true };

    /// The switches as bits, in order of the fields from the lowest.
    pub fn to_bits(self) -> u8 {
        let switches = [self.clean_text, self.split_cjk, self.strip_accents, self.lowercase];
        switches.iter().enumerate().map(|(bit, &on)| u8::from(on) << bit).sum()
    }

    /// The switches of [`NormalizerOptions::to_bits`].
    pub const fn from_bits(bits: u8) -> Self {
        Self {
            clean_text: bits & 1 != 0,
            split_cjk: bits & 2 != 0,
            strip_accents: bits & 4 != 0,
            lowercase: bits & 8 != 0,
        }
    }
}
