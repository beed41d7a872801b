//! Open bundles, and the blocks to request from the host.

use crate::error::js_error;
use nearfind_core::format::blocks::{BlockId, Sealed};
use nearfind_core::format::manifest::unseal_root;
use nearfind_core::format::{FormatError, Part, Root};
use nearfind_core::reader::BundleReader;
use serde::Serialize;
use wasm_bindgen::JsValue;

/// Bundles that are searched as one. Usually there is only one.
#[derive(Debug)]
pub(crate) struct Bundles {
    readers: Vec<BundleReader>,
}

/// The location of a block's bytes.
#[derive(Serialize)]
pub(crate) struct NeededBlock {
    /// Number of the bundle.
    bundle: usize,
    /// Number of the part in [`Part::ALL`].
    part: u32,
    block: u32,
    file: String,
    file_bytes: u32,
    start: u32,
    bytes: u32,
}

impl Bundles {
    pub(crate) fn new(root: &[u8]) -> Result<Self, JsValue> {
        let mut bundles = Self { readers: Vec::new() };
        bundles.add(root)?;
        Ok(bundles)
    }

    pub(crate) fn add(&mut self, root: &[u8]) -> Result<(), JsValue> {
        self.readers.push(BundleReader::new(Root::parse_raw(root).map_err(bad_bundle)?));
        Ok(())
    }

    pub(crate) fn all(&self) -> Vec<&BundleReader> {
        self.readers.iter().collect()
    }

    /// See [`place_of`].
    pub(crate) fn unseal(&self, bundle: usize, part: u32, block: u32, stored: &[u8]) -> Result<Vec<u32>, JsValue> {
        let id = block_id(part, block)?;
        let reader = self.readers.get(bundle).ok_or_else(no_bundle)?;
        let sealed = reader.table(id.part).and_then(|table| table.unseal(id, stored));
        sealed.map(|sealed| place_of(sealed, stored)).map_err(bad_bundle)
    }

    pub(crate) fn provide(&mut self, bundle: usize, part: u32, block: u32, raw: Vec<u8>) -> Result<(), JsValue> {
        let reader = self.readers.get_mut(bundle).ok_or_else(no_bundle)?;
        reader.provide_raw(block_id(part, block)?, raw).map_err(bad_bundle)
    }

    pub(crate) fn needed(&self, blocks: Vec<(usize, BlockId)>) -> Result<Vec<NeededBlock>, JsValue> {
        blocks.into_iter().map(|(bundle, id)| self.place(bundle, id)).collect::<Result<_, _>>().map_err(bad_bundle)
    }

    fn place(&self, bundle: usize, id: BlockId) -> Result<NeededBlock, FormatError> {
        let request = self.readers[bundle].request(id)?;
        Ok(NeededBlock {
            bundle,
            part: id.part.index() as u32,
            block: id.block,
            file: request.file,
            file_bytes: request.file_bytes as u32,
            start: request.start as u32,
            bytes: request.bytes,
        })
    }
}

/// Checks the root of a manifest with this `generation`: see [`place_of`].
pub(crate) fn unsealed_root(generation: &str, root: &[u8]) -> Result<Vec<u32>, JsValue> {
    unseal_root(generation, root).map(|sealed| place_of(sealed, root)).map_err(bad_bundle)
}

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` calls")]
pub(crate) fn bad_bundle(error: FormatError) -> JsValue {
    js_error("bad-bundle", &error)
}

pub(crate) fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(|error| js_error("internal", &error))
}

fn block_id(part: u32, block: u32) -> Result<BlockId, JsValue> {
    let part = Part::from_index(part).ok_or_else(|| js_error("internal", &"there is no such part"))?;
    Ok(BlockId { part, block })
}

fn no_bundle() -> JsValue {
    js_error("internal", &"there is no such bundle")
}

/// Returns the uncompressed size of the content of `stored`, and where it begins and ends.
fn place_of(sealed: Sealed<'_>, stored: &[u8]) -> Vec<u32> {
    let start = sealed.body.as_ptr() as usize - stored.as_ptr() as usize;
    vec![sealed.raw_bytes, start as u32, (start + sealed.body.len()) as u32]
}
