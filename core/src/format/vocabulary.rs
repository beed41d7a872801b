//! Names and limits that are part of the bytes of a bundle. The modules that define their meaning depend on this one.

use serde::{Deserialize, Serialize};

/// Name and version of the analysis chain. If the chain changes, the name changes, and bundles must be rebuilt.
pub const ANALYZER: &str = "en-7";

/// Number of lengths that chunk lengths are rounded to. A posting has two bits for the length.
pub const LENGTH_CLASSES: usize = 4;

/// Maximum number of components in a vector. With more components, a query would have too few levels for exact 32-bit
/// sums.
pub const MAX_DIMENSIONS: u32 = 4096;

/// The facet for the purpose of a document.
pub const KIND: &str = "kind";
/// The value of [`KIND`] for source code.
pub const CODE: &str = "code";
/// The facet that distinguishes pieces of source code by purpose.
pub const CLASS: &str = "class";

/// The four options of BERT's normalizer, under their usual names.
///
/// ```
/// use nearfind_core::embed::bert_words::{NormalizerOptions, normalize};
///
/// assert_eq!(normalize("Café", &NormalizerOptions::UNCASED), "cafe");
/// let cased = NormalizerOptions { lowercase: false, strip_accents: false, ..NormalizerOptions::UNCASED };
/// assert_eq!(NormalizerOptions::from_bits(cased.to_bits()), cased);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NormalizerOptions {
    /// Removes control characters and turns all white space into spaces.
    pub clean_text: bool,
    /// Puts spaces around CJK ideographs.
    pub split_cjk: bool,
    /// Decomposes characters and removes accents.
    pub strip_accents: bool,
    /// Converts to lower case.
    pub lowercase: bool,
}

impl NormalizerOptions {
    /// The options of uncased models.
    pub const UNCASED: Self = Self { clean_text: true, split_cjk: true, strip_accents: true, lowercase: true };

    /// Returns the options as bits, in the order of the fields from the lowest bit.
    pub fn to_bits(self) -> u8 {
        let switches = [self.clean_text, self.split_cjk, self.strip_accents, self.lowercase];
        switches.iter().enumerate().map(|(bit, &on)| u8::from(on) << bit).sum()
    }

    /// Returns the options for the bits of [`NormalizerOptions::to_bits`].
    pub const fn from_bits(bits: u8) -> Self {
        Self {
            clean_text: bits & 1 != 0,
            split_cjk: bits & 2 != 0,
            strip_accents: bits & 4 != 0,
            lowercase: bits & 8 != 0,
        }
    }
}
