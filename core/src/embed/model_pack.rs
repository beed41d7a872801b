//! The model pack: a single file with weights, tokenizer and everything else that affects a text's vector.
//!
//! Layout: magic, version, header length, JSON header, zero bytes up to a multiple of 64, blobs, and the BLAKE3 of
//! everything before it. For a quantized encoder, the rows of words follow. The hash identifies the model: a bundle
//! names it, and the bundle's queries are never encoded with a different model.

use super::row_blocks::{NAME, ROW_HASHES_BLOB, RowBlocks};
use super::{EmbedError, Pooling, Tokenizer, WordPiece, WordPieceOptions};
use crate::format::{FormatError, FormatErrorKind};
#[cfg(feature = "embed")]
use nearfind_kernels::SharedBytes;
use serde::{Deserialize, Serialize};
use std::ops::Range;

const MAGIC: &[u8; 8] = b"nfmodel\0";
/// Version of the pack format. A reader refuses all other versions.
pub const PACK_VERSION: u32 = 0;
/// File name extension of packs.
pub const PACK_EXTENSION: &str = "nfm";
const HASH_BYTES: usize = 32;
const ALIGNMENT: usize = 64;
const PREAMBLE: usize = MAGIC.len() + 8;

/// The JSON header of a pack.
///
/// [`ModelPack`] has an example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PackHeader {
    /// Display name of the model, such as `all-MiniLM-L6-v2`.
    pub name: String,
    /// Length of a vector. With a Matryoshka model, a vector may be the start of a longer one.
    pub dimensions: u32,
    /// Maximum number of tokens per text that the model reads, including those that frame the text.
    pub max_tokens: u32,
    /// How token vectors are pooled.
    pub pooling: Pooling,
    /// Whether vectors are scaled to unit length.
    pub normalize: bool,
    /// Prefix that the model expects before a query, such as `query: `.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query_prefix: String,
    /// Prefix that the model expects before a passage.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub passage_prefix: String,
    /// Whether the model reads a question and a passage together and scores the passage, instead of making vectors. The
    /// blobs of such a BERT model include the `pooler.dense` and the `classifier` of its checkpoint, as f32. An ONNX
    /// file includes them in its graph.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scores: bool,
    /// How the blobs describe the graph.
    pub architecture: Architecture,
    /// WordPiece options. The vocabulary is the blob `vocabulary`, with a piece on each line. The options have no
    /// meaning if the blob `tokenizer` describes a different tokenizer: see [`WordPieceOptions::none`].
    pub tokenizer: WordPieceOptions,
    /// Named byte ranges after the header.
    pub blobs: Vec<Blob>,
    /// The rows of words that follow the hash, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowBlocks>,
}

/// How to build the graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Architecture {
    /// A BERT encoder. Its blobs are f32, little-endian, with the tensor names of the checkpoint.
    Bert(BertShape),
    /// A quantized BERT encoder, which web pages run.
    QuantizedBert {
        /// The encoder's sizes.
        #[serde(flatten)]
        shape: BertShape,
        /// The encoder's embeddings.
        table: QuantizedTable,
    },
    /// Any encoder, as an ONNX file in the blob `onnx`.
    Onnx,
}

/// Sizes of a BERT encoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BertShape {
    /// Length of a token vector.
    pub hidden: u32,
    /// Number of layers.
    pub layers: u32,
    /// Number of attention heads. It divides `hidden`.
    pub heads: u32,
    /// Width of the feed-forward layer.
    pub intermediate: u32,
    /// Number of rows in the position table.
    pub positions: u32,
    /// Number of rows in the vocabulary's table.
    pub vocabulary: u32,
    /// Epsilon of layer normalization.
    pub epsilon: f32,
    /// Number of rows in the table of distances between tokens, which MPNet adds in attention. 0 for other models.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub distances: u32,
    /// Whether the second text of a sequence has its own token type.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub two_texts: bool,
}

impl BertShape {
    /// Returns the number of token types.
    pub const fn kinds(&self) -> usize {
        if self.two_texts { 2 } else { 1 }
    }

    /// Returns the row of the first position of a second text, in a table that combines positions and token types.
    pub const fn second_kind_at(&self) -> usize {
        if self.two_texts { self.positions as usize } else { 0 }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// How the tables of a quantized encoder are stored. The position table always has 8 bits per component and includes
/// the token type. With two types, all positions of the first type precede those of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuantizedTable {
    /// Number of bits of each component in a word's row: 4 or 8.
    pub bits: u32,
    /// Number of components that share a scale. It is even and divides `hidden`.
    pub group: u32,
}

/// A named range of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    /// Name of the blob, unique in the pack.
    pub name: String,
    /// Offset of the first byte from the end of the padded header. It is a multiple of 64.
    pub start: u64,
    /// Length in bytes.
    pub bytes: u64,
}

/// Name of the blob with the vocabulary.
pub const VOCABULARY_BLOB: &str = "vocabulary";
/// Name of the blob with a `tokenizer.json`.
pub const TOKENIZER_BLOB: &str = "tokenizer";
/// Name of the blob with an ONNX file.
pub const ONNX_BLOB: &str = "onnx";

/// The reason why there is no tokenizer.
#[cfg(feature = "tokenizers")]
const NO_VOCABULARY: &str = "it has no vocabulary";
#[cfg(not(feature = "tokenizers"))]
const NO_VOCABULARY: &str = LARGER_MODULE;
/// The reason why a page's module cannot run a pack.
#[cfg(not(feature = "embed-any"))]
pub(super) const LARGER_MODULE: &str =
    "this module runs BERT encoders with WordPiece: other packs need the module `nearfind/embed-onnx`";

/// Returns the hash at the end of a pack: the BLAKE3 of everything before it.
pub fn hash_of(body: &[u8]) -> [u8; HASH_BYTES] {
    *blake3::hash(body).as_bytes()
}

/// A pack in memory. It is cheap to open, because blobs are ranges of its bytes.
///
/// ```
/// use nearfind_core::embed::model_pack::{Architecture, ModelPack, ONNX_BLOB, PackHeader, VOCABULARY_BLOB, write_pack};
/// use nearfind_core::embed::{Pooling, bert_words::NormalizerOptions, WordPieceOptions};
///
/// let tokenizer = WordPieceOptions {
///     normalizer: NormalizerOptions::UNCASED,
///     continuation: "##".into(),
///     longest_word: 100,
///     ..WordPieceOptions::none()
/// };
/// let header = PackHeader {
///     name: "example".into(),
///     dimensions: 384,
///     max_tokens: 256,
///     pooling: Pooling::Mean,
///     normalize: true,
///     query_prefix: String::new(),
///     passage_prefix: String::new(),
///     scores: false,
///     architecture: Architecture::Onnx,
///     tokenizer,
///     blobs: Vec::new(),
///     rows: None,
/// };
/// let graph = b"the bytes of an ONNX file".to_vec();
/// let blobs = [(VOCABULARY_BLOB.to_owned(), b"[UNK]\nundo".to_vec()), (ONNX_BLOB.to_owned(), graph.clone())];
/// let mut bytes = write_pack(header, &blobs);
///
/// let pack = ModelPack::open(bytes.as_slice())?;
/// assert_eq!(pack.header().dimensions, 384);
/// assert_eq!(pack.blob(ONNX_BLOB)?, graph);
/// assert_eq!(pack.tokenizer().unwrap().count("Undo"), 1);
///
/// // The hash at the end covers every byte before it.
/// bytes[20] ^= 1;
/// assert!(ModelPack::open(bytes.as_slice()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelPack<B> {
    bytes: B,
    header: PackHeader,
    blobs_start: usize,
    start_bytes: usize,
    hash: String,
}

impl<B: AsRef<[u8]>> ModelPack<B> {
    /// Reads the header and checks the version, the hash, every range and every row of words.
    pub fn open(bytes: B) -> Result<Self, FormatError> {
        let pack = Self::open_start(bytes)?;
        if pack.header.rows.is_some_and(|rows| rows.bytes > 0) && pack.start_bytes == pack.bytes().len() {
            return Err(FormatError::truncated(NAME, "rows of words"));
        }
        Ok(pack)
    }

    /// Does the same as [`ModelPack::open`], but accepts a pack that ends at its hash. The rows of words must then be
    /// fetched for each text.
    pub fn open_start(bytes: B) -> Result<Self, FormatError> {
        let all = bytes.as_ref();
        if all.len() < PREAMBLE + HASH_BYTES || &all[..MAGIC.len()] != MAGIC {
            return Err(FormatError::corrupt(NAME, "not a model pack (`nearfind model import` makes one)"));
        }
        let word = |at: usize| u32::from_le_bytes([all[at], all[at + 1], all[at + 2], all[at + 3]]);
        let version = word(MAGIC.len());
        if version != PACK_VERSION {
            return Err(FormatErrorKind::Version { part: NAME, expected: PACK_VERSION, got: u64::from(version) }.into());
        }
        let header_end = (word(MAGIC.len() + 4) as usize).checked_add(PREAMBLE);
        let header_end = header_end.filter(|&end| end <= all.len()).ok_or(FormatError::truncated(NAME, "header"))?;
        let header = serde_json::from_slice(&all[PREAMBLE..header_end]);
        let header: PackHeader = header.map_err(|_| FormatError::corrupt(NAME, "header"))?;
        let blobs_start = header_end.next_multiple_of(ALIGNMENT);
        let mut ends = header.blobs.iter().map(|blob| usize::try_from(blob.start.checked_add(blob.bytes)?).ok());
        let blobs_end = ends.try_fold(0, |most, end| Some(most.max(end?))).and_then(|end| end.checked_add(blobs_start));
        let body = blobs_end.and_then(|end| all.get(..end)).ok_or(FormatError::truncated(NAME, "blob"))?;
        let hash = hash_of(body);
        let rest = &all[body.len()..];
        let (stored_hash, rows) = rest.split_at_checked(HASH_BYTES).ok_or(FormatError::truncated(NAME, "hash"))?;
        if hash != stored_hash {
            return Err(FormatErrorKind::Checksum { part: NAME, block: 0 }.into());
        }
        let start_bytes = body.len() + HASH_BYTES;
        if !(1..=crate::vector::MAX_DIMENSIONS).contains(&header.dimensions) || header.max_tokens < 3 {
            return Err(FormatError::corrupt(NAME, "dimensions or maximum of tokens"));
        }
        let hash = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let has_rows = !rows.is_empty();
        let pack = Self { bytes, header, blobs_start, start_bytes, hash };
        if has_rows {
            let cut = pack.header.rows.ok_or(FormatError::corrupt(NAME, "bytes that follow the hash"))?;
            cut.check_all(pack.blob(ROW_HASHES_BLOB)?, &pack.bytes()[start_bytes..])?;
        }
        Ok(pack)
    }

    /// Returns the header.
    pub const fn header(&self) -> &PackHeader {
        &self.header
    }

    /// Returns the BLAKE3 of the pack in 64 hexadecimal digits, which identifies the model.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the number of bytes before the rows of words, which [`ModelPack::open_start`] needs.
    pub const fn start_bytes(&self) -> usize {
        self.start_bytes
    }

    /// Returns the bytes that the pack was opened with.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// Returns the blob named `name`.
    pub fn blob(&self, name: &str) -> Result<&[u8], FormatError> {
        Ok(&self.bytes.as_ref()[self.blob_range(name)?])
    }

    fn blob_range(&self, name: &str) -> Result<Range<usize>, FormatError> {
        let blob = self.header.blobs.iter().find(|blob| blob.name == name);
        let blob = blob.ok_or(FormatError::corrupt(NAME, "a blob is missing"))?;
        let start = self.blobs_start + blob.start as usize;
        Ok(start..start + blob.bytes as usize)
    }

    /// Returns the tokenizer.
    pub fn tokenizer(&self) -> Result<Tokenizer, EmbedError> {
        #[cfg(feature = "tokenizers")]
        if let Ok(json) = self.blob(TOKENIZER_BLOB) {
            let file = super::TokenizerFile::parse(json);
            let file = file.map_err(|reason| self.unsupported(&format!("its tokenizer cannot be read: {reason}")))?;
            return Ok(Tokenizer::File(Box::new(file)));
        }
        let vocabulary = self.blob(VOCABULARY_BLOB).ok().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let vocabulary = vocabulary.ok_or_else(|| self.unsupported(NO_VOCABULARY))?;
        Ok(Tokenizer::WordPiece(WordPiece::new(self.header.tokenizer.clone(), vocabulary.split('\n'))))
    }

    pub(super) fn unsupported(&self, reason: &str) -> EmbedError {
        EmbedError::Unsupported { name: self.header.name.clone(), reason: reason.into() }
    }
}

#[cfg(feature = "embed")]
impl ModelPack<SharedBytes> {
    /// Returns the blob named `name`, which can be kept without a copy.
    pub(super) fn shared_blob(&self, name: &str) -> Result<SharedBytes, FormatError> {
        self.bytes.slice(self.blob_range(name)?).ok_or(FormatError::truncated(NAME, "blob"))
    }

    /// Returns the rows of words, which can be kept without a copy, or `None` if the pack was opened without them.
    pub(super) fn shared_rows(&self) -> Option<SharedBytes> {
        self.bytes.slice(self.start_bytes..self.bytes.len()).filter(|rows| !rows.is_empty())
    }
}

/// Writes a pack, and fills `header.blobs` from `blobs`. The caller appends the rows of words that `header.rows`
/// describes.
#[cfg(feature = "write")]
pub fn write_pack(mut header: PackHeader, blobs: &[(String, Vec<u8>)]) -> Vec<u8> {
    header.blobs.clear();
    let mut start = 0usize;
    for (name, bytes) in blobs {
        header.blobs.push(Blob { name: name.clone(), start: start as u64, bytes: bytes.len() as u64 });
        start = (start + bytes.len()).next_multiple_of(ALIGNMENT);
    }
    let json = serde_json::to_vec(&header).expect("a header has string keys only");
    let mut out = MAGIC.to_vec();
    out.extend(PACK_VERSION.to_le_bytes());
    out.extend((json.len() as u32).to_le_bytes());
    out.extend(json);
    for (_, bytes) in blobs {
        out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
        out.extend(bytes);
    }
    let hash = hash_of(&out);
    out.extend(hash);
    out
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pack() -> Vec<u8> {
        let header = PackHeader {
            name: "tiny".into(),
            dimensions: 2,
            max_tokens: 8,
            pooling: Pooling::Mean,
            normalize: true,
            query_prefix: String::new(),
            scores: false,
            passage_prefix: String::new(),
            architecture: Architecture::Onnx,
            tokenizer: WordPieceOptions {
                normalizer: crate::embed::bert_words::NormalizerOptions::UNCASED,
                continuation: "##".into(),
                longest_word: 100,
                unknown: 0,
                start: 1,
                end: 2,
                special: Vec::new(),
            },
            blobs: Vec::new(),
            rows: None,
        };
        let blobs = [(VOCABULARY_BLOB.to_owned(), b"?\n<\n>\nword".to_vec()), (ONNX_BLOB.to_owned(), vec![7; 100])];
        write_pack(header, &blobs)
    }

    #[test]
    fn a_pack_round_trips() {
        let pack = ModelPack::open(pack()).unwrap();
        assert_eq!(pack.blob(ONNX_BLOB).unwrap(), [7; 100]);
        assert_eq!(pack.tokenizer().unwrap().encode("Word", 8), [1, 3, 2]);
        assert_eq!(pack.hash().len(), 64);
    }

    proptest! {
        #[test]
        fn a_flipped_bit_or_a_cut_is_refused(at in any::<prop::sample::Index>(), bit in 0u8..8, cut in any::<prop::sample::Index>()) {
            let mut flipped = pack();
            let at = at.index(flipped.len());
            flipped[at] ^= 1 << bit;
            prop_assert!(ModelPack::open(flipped).is_err());
            let mut short = pack();
            short.truncate(cut.index(short.len()));
            prop_assert!(ModelPack::open(short).is_err());
        }
    }
}
