//! Finds the packs that encode questions for a bundle.

use super::{ModelStore, load};
use nearfind_core::embed::Encoder;
use std::path::Path;

/// The identity of a pack, which may not have been read yet.
#[derive(Clone, Copy, Debug)]
pub struct WantedPack<'a> {
    /// Name of the bundle's model.
    pub name: &'a str,
    /// Hash of the pack: 64 hexadecimal digits.
    pub hash: &'a str,
}

/// Returns the encoder for a bundle, from the pack at `shipped` or else from the pack in the store. If neither exists,
/// returns the reason in words.
pub fn encoder_of(wanted: WantedPack<'_>, shipped: Option<&Path>, store: &ModelStore) -> Result<Encoder, String> {
    let stored = || store.find_hash(wanted.hash).map_err(|error| format!("{error:#}"));
    match shipped.filter(|path| path.exists()) {
        Some(path) => encoder_at(path, wanted),
        None => match stored()? {
            Some(path) => encoder_at(&path, wanted),
            None => Err(format!(
                "model {} ({}…) of the index is not in {}; run `nearfind model fetch` or `nearfind model import`",
                wanted.name,
                &wanted.hash[..8],
                store.folder().display()
            )),
        },
    }
}

/// Returns the encoder of the pack at `path`, if this is the expected pack.
pub fn encoder_at(path: &Path, wanted: WantedPack<'_>) -> Result<Encoder, String> {
    match load(path) {
        Ok(model) if model.encoder.hash() == wanted.hash => Ok(model.encoder),
        Ok(model) => Err(format!(
            "the index was made with another model: {} ({}…), not {} ({}…); index again, or import that model",
            wanted.name,
            &wanted.hash[..8],
            model.encoder.header().name,
            &model.encoder.hash()[..8]
        )),
        Err(error) => Err(format!("{error:#}")),
    }
}
