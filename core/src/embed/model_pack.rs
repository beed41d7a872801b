//! The model pack: one file with weights, tokenizer and everything else that a text's vector depends on.
//!
//! Layout: magic, version, header length, JSON header, zero bytes to a multiple of 64, blobs, BLAKE3 of all before; then, of a
//! quantized encoder, the rows of words.
//! The hash is the model's identity: a bundle names it, and a query is never encoded with another.

use super::row_blocks::{NAME, ROW_HASHES_BLOB, RowBlocks};
use super::{EmbedError, Pooling, Tokenizer, WordPiece, WordPieceOptions};
use crate::format::{FormatError, FormatErrorKind};
#[cfg(feature = "embed")]
use nearfind_kernels::SharedBytes;
use serde::{Deserialize, Serialize};
use std::ops::Range;

const MAGIC: &[u8; 8] = b"nfmodel\0";
/// Version of the pack format; a reader refuses every other.
pub const PACK_VERSION: u32 = 0;
/// File name extension of packs.
pub const PACK_EXTENSION: &str = "nfm";
const HASH_BYTES: usize = 32;
const ALIGNMENT: usize = 64;
const PREAMBLE: usize = MAGIC.len() + 8;

/// What the JSON header holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PackHeader {
    /// Name for people, such as `all-MiniLM-L6-v2`.
    pub name: String,
    /// Length of a vector. Of a model that was trained so (Matryoshka), the start of a longer one.
    pub dimensions: u32,
    /// Tokens that the model reads of a text, the framing ones included.
    pub max_tokens: u32,
    /// How token vectors are pooled.
    pub pooling: Pooling,
    /// Whether vectors are scaled to unit length.
    pub normalize: bool,
    /// What the model wants before a query, such as `query: `.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query_prefix: String,
    /// What the model wants before a passage.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub passage_prefix: String,
    /// Whether it scores a passage for a question, which it reads together, in place of making vectors. Blobs then are also the
    /// `pooler.dense` and the `classifier` of its checkpoint, f32; an ONNX file has them in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scores: bool,
    /// What the blobs describe.
    pub architecture: Architecture,
    /// Options of WordPiece, whose vocabulary is the blob `vocabulary`, a piece a line. They say nothing where the blob `tokenizer`
    /// describes another tokenizer, see [`WordPieceOptions::none`].
    pub tokenizer: WordPieceOptions,
    /// Named byte ranges after the header.
    pub blobs: Vec<Blob>,
    /// The rows of words, where they follow the hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowBlocks>,
}

/// How to build the graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Architecture {
    /// A BERT encoder; blobs carry the tensor names of its checkpoint, f32 little-endian.
    Bert(BertShape),
    /// A BERT encoder in few bits: what web pages run.
    QuantizedBert {
        /// Its sizes.
        #[serde(flatten)]
        shape: BertShape,
        /// Its embeddings.
        table: QuantizedTable,
    },
    /// Any encoder, as the ONNX file in blob `onnx`.
    Onnx,
}

/// Sizes of a BERT encoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BertShape {
    /// Length of a token vector.
    pub hidden: u32,
    /// Number of layers.
    pub layers: u32,
    /// Attention heads; divides `hidden`.
    pub heads: u32,
    /// Width of the feed-forward layer.
    pub intermediate: u32,
    /// Rows of the position table.
    pub positions: u32,
    /// Rows of the vocabulary's table.
    pub vocabulary: u32,
    /// Epsilon of layer normalization.
    pub epsilon: f32,
    /// Rows of the table of how far apart tokens are, which attention adds as MPNet does; 0 without.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub distances: u32,
    /// Whether a second text in a sequence has a token type of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub two_texts: bool,
}

impl BertShape {
    /// Token types.
    pub const fn kinds(&self) -> usize {
        if self.two_texts { 2 } else { 1 }
    }

    /// The row of the first position of a second text, in a table of positions with all token types.
    pub const fn second_kind_at(&self) -> usize {
        if self.two_texts { self.positions as usize } else { 0 }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// How a quantized encoder is stored. Positions always have 8 bits and hold the token type too: of two types
/// there are all positions of the first, then those of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuantizedTable {
    /// Bits of a word's components: 4 or 8.
    pub bits: u32,
    /// Components that share a scale; even, divides `hidden`.
    pub group: u32,
}

/// One named range of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    /// Name, unique in the pack.
    pub name: String,
    /// First byte, counted from the end of the padded header; a multiple of 64.
    pub start: u64,
    /// Length in bytes.
    pub bytes: u64,
}

/// Name of the vocabulary's blob.
pub const VOCABULARY_BLOB: &str = "vocabulary";
/// Name of the blob with a `tokenizer.json`.
pub const TOKENIZER_BLOB: &str = "tokenizer";
/// Name of the blob with an ONNX file.
pub const ONNX_BLOB: &str = "onnx";

/// Why there is no tokenizer.
#[cfg(feature = "tokenizers")]
const NO_VOCABULARY: &str = "it has no vocabulary";
#[cfg(not(feature = "tokenizers"))]
const NO_VOCABULARY: &str = LARGER_MODULE;
/// Why a module of a page does not run a pack.
#[cfg(not(feature = "embed-any"))]
pub(super) const LARGER_MODULE: &str =
    "this module runs BERT encoders with WordPiece: other packs need the module `nearfind/embed-onnx`";

/// The hash that ends a pack, of everything before it: BLAKE3.
pub fn hash_of(body: &[u8]) -> [u8; HASH_BYTES] {
    *blake3::hash(body).as_bytes()
}

/// A pack in memory. Cheap to open: blobs are ranges of the bytes.
#[derive(Clone, Debug)]
pub struct ModelPack<B> {
    bytes: B,
    header: PackHeader,
    blobs_start: usize,
    start_bytes: usize,
    hash: String,
}

impl<B: AsRef<[u8]>> ModelPack<B> {
    /// Reads the header and checks version, hash, every range and every row of words.
    pub fn open(bytes: B) -> Result<Self, FormatError> {
        let pack = Self::open_start(bytes)?;
        if pack.header.rows.is_some_and(|rows| rows.bytes > 0) && pack.start_bytes == pack.bytes().len() {
            return Err(FormatError::truncated(NAME, "rows of words"));
        }
        Ok(pack)
    }

    /// As [`ModelPack::open`], of a pack that may end at its hash: the rows of words are then to be brought for each text.
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

    /// The header.
    pub const fn header(&self) -> &PackHeader {
        &self.header
    }

    /// BLAKE3 of the pack, 64 hexadecimal digits: the model's identity.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Bytes up to the rows of words, which [`ModelPack::open_start`] asks for.
    pub const fn start_bytes(&self) -> usize {
        self.start_bytes
    }

    /// Bytes of the pack, as it was opened.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// The blob called `name`.
    pub fn blob(&self, name: &str) -> Result<&[u8], FormatError> {
        Ok(&self.bytes.as_ref()[self.blob_range(name)?])
    }

    fn blob_range(&self, name: &str) -> Result<Range<usize>, FormatError> {
        let blob = self.header.blobs.iter().find(|blob| blob.name == name);
        let blob = blob.ok_or(FormatError::corrupt(NAME, "a blob is missing"))?;
        let start = self.blobs_start + blob.start as usize;
        Ok(start..start + blob.bytes as usize)
    }

    /// The tokenizer.
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
    /// The blob called `name`, to be kept without a copy.
    pub(super) fn shared_blob(&self, name: &str) -> Result<SharedBytes, FormatError> {
        self.bytes.slice(self.blob_range(name)?).ok_or(FormatError::truncated(NAME, "blob"))
    }

    /// The rows of words, to be kept without a copy, if they are here.
    pub(super) fn shared_rows(&self) -> Option<SharedBytes> {
        self.bytes.slice(self.start_bytes..self.bytes.len()).filter(|rows| !rows.is_empty())
    }
}

/// Writes a pack; `header.blobs` is filled in from `blobs`. The rows of words, which `header.rows` describes, are to follow.
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
