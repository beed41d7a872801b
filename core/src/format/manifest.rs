//! `nearfind.json`, the only file of a bundle with a fixed name, is written last. It contains the root, which names
//! everything else by content hash.

use super::blocks::Sealed;
use super::{FORMAT_VERSION, FormatError, FormatErrorKind, Root, is_readable};
#[cfg(feature = "inflate")]
use base64::Engine as _;
#[cfg(feature = "inflate")]
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh64::xxh64;

/// File name of the manifest.
pub const MANIFEST_FILE: &str = "nearfind.json";
/// Maximum size in bytes of an accepted manifest.
pub const MAX_MANIFEST_BYTES: usize = 16 << 20;

/// The manifest. Readers in a page get `generation` and `root` from the platform's own JSON parser.
///
/// ```
/// use nearfind_core::format::manifest::Manifest;
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut json = bundle.manifest.to_bytes();
/// let manifest = Manifest::parse(&json)?;
/// assert_eq!(manifest.root()?.documents, 3);
///
/// // Readers refuse a manifest that was cut short.
/// json.truncate(100);
/// assert!(Manifest::parse(&json).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Format version: see [`FORMAT_VERSION`].
    pub format: u64,
    /// Hash of the root, which contains the hashes of all parts. Bundles with equal generations are equal. See
    /// [`generation_of`].
    pub generation: String,
    /// The model that made the vectors.
    pub model: ModelReference,
    /// The proof that identifies the content of all parts: see [`proof_of`](super::proof::proof_of). The root contains
    /// only the first bytes of each hash.
    pub proof: String,
    /// The root in Base64: see [`Root::parse`].
    pub root: String,
}

/// The model that a bundle was made with, and where a reader can find it.
///
/// ```
/// use nearfind_core::format::manifest::{Loading, ModelFile, ModelModule, ModelReference, SmallEncoder};
///
/// let pack = |file: &str, bytes| ModelFile { file: file.into(), bytes, start_bytes: None };
/// let small = SmallEncoder { hash: "7b".repeat(32), file: pack("small.nfm", 9_000_000), loads: Loading::default() };
/// let model = ModelReference {
///     name: "all-MiniLM-L6-v2".into(),
///     hash: "4a".repeat(32),
///     module: ModelModule::Embed,
///     probe: None,
///     file: Some(pack("model.nfm", 20_000_000)),
///     small: Some(small),
/// };
/// // The bundle includes two packs, each with its hash.
/// let shipped: Vec<u64> = model.shipped().map(|(file, _)| file.bytes).collect();
/// assert_eq!(shipped, [20_000_000, 9_000_000]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelReference {
    /// Display name of the model, such as `all-MiniLM-L6-v2`.
    pub name: String,
    /// Hash that identifies the model, in 64 hexadecimal digits. It is the hash of the model pack, or of the properties
    /// of a provider's model.
    pub hash: String,
    /// The module that runs the model in a page.
    #[serde(skip_serializing_if = "ModelModule::is_default", default)]
    pub module: ModelModule,
    /// The encoded vector of a fixed text, which identifies a provider's model: see FORMAT.md.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub probe: Option<String>,
    /// The pack as a file of the bundle, if it is included.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<ModelFile>,
    /// The small encoder, which can encode questions instead of the model, if the bundle includes one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub small: Option<SmallEncoder>,
}

/// The small encoder, whose vectors of questions are close to those of the model.
///
/// [`ModelReference`] has an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmallEncoder {
    /// Hash of the encoder's pack in 64 hexadecimal digits. The `embed` module runs the pack.
    pub hash: String,
    /// The pack.
    #[serde(flatten)]
    pub file: ModelFile,
    /// When a page loads the encoder.
    #[serde(skip_serializing_if = "Loading::is_default", default)]
    pub loads: Loading,
}

/// When a page loads an encoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loading {
    /// Automatically, after a question that the encoder may answer better.
    #[default]
    Auto,
    /// When the reader asks for it.
    Ask,
}

impl Loading {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A module of the npm package that runs models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelModule {
    /// The module that runs quantized packs.
    #[default]
    Embed,
    /// The module that runs any pack. It is larger.
    EmbedOnnx,
    /// No module: a provider runs the model, for hosts that have a key.
    Provider,
    /// No module: the vectors of documents and questions are sums of rows in the bundle's own query encoder.
    Table,
}

impl ModelModule {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A model pack that is included in a bundle.
///
/// [`ModelReference`] has an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFile {
    /// File name in the bundle's folder.
    pub file: String,
    /// Length in bytes.
    pub bytes: u64,
    /// For a pack that ends with rows of words, the number of bytes before the rows. A page needs these bytes before it
    /// can request rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_bytes: Option<u64>,
}

impl ModelReference {
    /// Whether only the bundle's own query encoder encodes questions.
    pub fn is_table(&self) -> bool {
        self.module == ModelModule::Table
    }

    /// Returns the packs that are included in the bundle, each with its hash.
    pub fn shipped(&self) -> impl Iterator<Item = (&ModelFile, &str)> {
        let own = self.file.iter().map(|file| (file, self.hash.as_str()));
        own.chain(self.small.iter().map(|small| (&small.file, small.hash.as_str())))
    }
}

impl Manifest {
    /// Reads and checks the bytes of `nearfind.json`.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        /// The version is read first, because the rest of a newer manifest may have a different structure.
        #[derive(Deserialize)]
        struct Version {
            format: u64,
        }
        if bytes.len() > MAX_MANIFEST_BYTES {
            return Err(FormatErrorKind::Manifest(format!("{} bytes are too many for a manifest", bytes.len())).into());
        }
        let invalid = |error: serde_json::Error| FormatErrorKind::Manifest(format!("not a manifest: {error}"));
        let version: Version = serde_json::from_slice(bytes).map_err(invalid)?;
        if !is_readable(version.format) {
            return Err(FormatErrorKind::Version {
                part: MANIFEST_FILE,
                expected: FORMAT_VERSION,
                got: version.format,
            }
            .into());
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(invalid)?;
        let is_hash = |hash: &str| hash.len() == 64 && hash.bytes().all(|c| c.is_ascii_hexdigit());
        let model = &manifest.model;
        if let Some(hash) = model.shipped().map(|(_, hash)| hash).chain([&*model.hash]).find(|hash| !is_hash(hash)) {
            return Err(FormatErrorKind::Manifest(format!("hash {hash:?} is not 64 hexadecimal digits")).into());
        }
        // A name from a hostile manifest must not point outside the bundle's folder.
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
        let is_name = |file: &str| !file.is_empty() && !file.starts_with('.') && file.chars().all(plain);
        if let Some(file) = model.shipped().map(|(file, _)| &file.file).find(|file| !is_name(file)) {
            return Err(FormatErrorKind::Manifest(format!("file name {file:?} is not a plain name")).into());
        }
        Ok(manifest)
    }

    /// Returns the root, after checking it against the generation.
    #[cfg(feature = "inflate")]
    pub fn root(&self) -> Result<Root, FormatError> {
        let stored =
            BASE64.decode(&self.root).map_err(|_| FormatErrorKind::Manifest("its root is not Base64".into()))?;
        open_root(&self.generation, &stored)
    }

    /// Creates the manifest of a bundle whose content is identified by `proof`.
    #[cfg(feature = "write")]
    pub fn new(root: &Root, model: ModelReference, proof: String) -> Self {
        let stored = root.to_bytes();
        Self {
            format: u64::from(FORMAT_VERSION),
            generation: generation_of(&stored),
            model,
            proof,
            root: BASE64.encode(&stored),
        }
    }

    /// Returns the bytes of `nearfind.json`: indented JSON with a final newline.
    #[cfg(feature = "write")]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec_pretty(self).expect("a manifest has string keys only");
        json.push(b'\n');
        json
    }
}

/// Returns the generation of a stored root: its xxh64 in 16 hexadecimal digits.
pub fn generation_of(root: &[u8]) -> String {
    format!("{:016x}", xxh64(root, 0))
}

/// Reads a stored root and checks that it has this `generation`.
#[cfg(feature = "inflate")]
pub fn open_root(generation: &str, stored: &[u8]) -> Result<Root, FormatError> {
    Root::parse_raw(&unseal_root(generation, stored)?.inflate()?)
}

/// Checks that a stored root has this `generation`. The caller must then decompress the content for
/// [`Root::parse_raw`].
pub fn unseal_root<'a>(generation: &str, stored: &'a [u8]) -> Result<Sealed<'a>, FormatError> {
    if generation_of(stored) != generation {
        return Err(FormatErrorKind::Checksum { part: "root", block: 0 }.into());
    }
    Root::unseal(stored)
}
