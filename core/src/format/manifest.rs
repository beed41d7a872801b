//! `nearfind.json`: the one file of a bundle with a fixed name, written last. It names everything else by content hash.

use super::{FORMAT_VERSION, FormatError, Part};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// File name of the manifest.
pub const MANIFEST_FILE: &str = "nearfind.json";
/// Name of the root in [`Manifest::parts`].
pub const ROOT_NAME: &str = "root";
/// Hexadecimal digits of a generation.
const GENERATION_DIGITS: usize = 16;
/// Largest manifest that is read, in bytes.
pub const MAX_MANIFEST_BYTES: usize = 16 << 20;
/// Largest root that is read, in bytes.
pub const MAX_ROOT_BYTES: u64 = 256 << 20;

/// What a bundle is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Format version, see [`FORMAT_VERSION`].
    pub format: u64,
    /// Hash over everything else in the manifest, the hashes of all parts among it: equal generations are equal
    /// bundles, and a damaged manifest is noticed.
    pub generation: String,
    /// The analyzer that made the terms, such as `en-1`. A reader must use the same.
    pub analyzer: String,
    /// The model that made the vectors.
    pub model: ModelReference,
    /// Number of documents.
    pub documents: u32,
    /// Number of chunks.
    pub chunks: u32,
    /// Projects in the order of their number in document records.
    pub projects: Vec<ProjectSummary>,
    /// Files by part name; `root` beside the names of [`Part::ALL`].
    pub parts: BTreeMap<String, PartFile>,
}

/// Which model a bundle was made with, and where a reader without one may find it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelReference {
    /// Name for people, such as `all-MiniLM-L6-v2`.
    pub name: String,
    /// Hash of the model pack, 64 hexadecimal digits.
    pub hash: String,
    /// Length of a vector.
    pub dimensions: u32,
    /// The pack as a file of the bundle, if it was shipped with it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<PartFile>,
}

/// Counts of one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectSummary {
    /// Name, unique in the bundle.
    pub name: String,
    /// Number of its documents.
    pub documents: u32,
    /// Number of its chunks.
    pub chunks: u32,
}

/// One immutable file of the bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartFile {
    /// File name inside the bundle's folder; holds the start of the hash.
    pub file: String,
    /// Length in bytes.
    pub bytes: u64,
    /// BLAKE3 of the bytes as stored, 64 hexadecimal digits.
    pub hash: String,
}

impl PartFile {
    /// Whether `bytes` are this file's: same length, same hash.
    pub fn matches(&self, bytes: &[u8]) -> bool {
        bytes.len() as u64 == self.bytes && blake3::hash(bytes).to_hex().as_str() == self.hash
    }

    fn validate(&self) -> Result<(), FormatError> {
        // A name from a hostile manifest must not lead out of the bundle's folder.
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
        if self.file.is_empty() || self.file.starts_with('.') || !self.file.chars().all(plain) {
            return Err(FormatError::Manifest(format!("part file name {:?} is not a plain name", self.file)));
        }
        validate_hash(&self.hash)
    }
}

fn validate_hash(hash: &str) -> Result<(), FormatError> {
    if hash.len() == 64 && hash.bytes().all(|c| c.is_ascii_hexdigit()) {
        Ok(())
    } else {
        Err(FormatError::Manifest(format!("hash {hash:?} is not 64 hexadecimal digits")))
    }
}

impl Manifest {
    /// Reads and checks the bytes of `nearfind.json`.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        /// The version is read first: the rest of a newer manifest may have another shape.
        #[derive(Deserialize)]
        struct Version {
            format: u64,
        }
        if bytes.len() > MAX_MANIFEST_BYTES {
            return Err(FormatError::Manifest(format!("{} bytes are too many for a manifest", bytes.len())));
        }
        let invalid = |error: serde_json::Error| FormatError::Manifest(format!("not a manifest: {error}"));
        let version: Version = serde_json::from_slice(bytes).map_err(invalid)?;
        if version.format != u64::from(FORMAT_VERSION) {
            return Err(FormatError::Version { part: MANIFEST_FILE, expected: FORMAT_VERSION, got: version.format });
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(invalid)?;
        if manifest.generation != manifest.expected_generation() {
            return Err(FormatError::Checksum { part: MANIFEST_FILE, block: 0 });
        }
        validate_hash(&manifest.model.hash)?;
        for file in manifest.parts.values().chain(&manifest.model.file) {
            file.validate()?;
        }
        for name in Part::ALL.map(Part::name).into_iter().chain([ROOT_NAME]) {
            manifest.part(name)?;
        }
        let root = manifest.part(ROOT_NAME)?;
        if root.bytes > MAX_ROOT_BYTES {
            return Err(FormatError::TooLarge {
                part: ROOT_NAME,
                what: "file",
                limit: MAX_ROOT_BYTES,
                got: root.bytes,
            });
        }
        Ok(manifest)
    }

    /// The file of the part called `name`.
    pub fn part(&self, name: &str) -> Result<&PartFile, FormatError> {
        self.parts.get(name).ok_or_else(|| FormatError::Manifest(format!("part {name:?} is missing")))
    }

    /// The manifest with its generation set.
    #[cfg(feature = "write")]
    #[must_use]
    pub fn sealed(mut self) -> Self {
        self.generation = self.expected_generation();
        self
    }

    fn expected_generation(&self) -> String {
        let open = Self { generation: String::new(), ..self.clone() };
        blake3::hash(&open.to_bytes()).to_hex()[..GENERATION_DIGITS].to_owned()
    }

    /// The bytes of `nearfind.json`: indented JSON with a final newline.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec_pretty(self).expect("a manifest has string keys only");
        json.push(b'\n');
        json
    }
}
