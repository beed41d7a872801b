//! A bundle and its running queries.

use crate::error::js_error;
use nearfind_core::format::manifest::Manifest;
use nearfind_core::format::{FormatError, Part, blocks::BlockId};
use nearfind_core::search::{Answer, Mode, Progress, Query, QueryError, Searcher, Session};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` calls")]
fn bad_bundle(error: FormatError) -> JsValue {
    js_error("bad-bundle", &error)
}

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` calls")]
fn refused(error: QueryError) -> JsValue {
    js_error(error.code(), &error)
}

fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(|error| js_error("internal", &error))
}

/// `{ file, bytes, hash }` of the root, which a manifest names: what to fetch before a [`BundleSearcher`] can be made.
#[wasm_bindgen(js_name = rootFile)]
pub fn root_file(manifest: &[u8]) -> Result<JsValue, JsValue> {
    let manifest = Manifest::parse(manifest).map_err(bad_bundle)?;
    to_js(manifest.part("root").map_err(bad_bundle)?)
}

/// An open bundle.
#[wasm_bindgen]
#[derive(Debug)]
pub struct BundleSearcher {
    searcher: Searcher,
    sessions: BTreeMap<u32, Session>,
    last_session: u32,
}

/// Options of a query as JavaScript gives them.
#[derive(Deserialize)]
struct QueryOptions {
    text: String,
    mode: Mode,
    limit: usize,
}

/// What [`BundleSearcher::advance`] gives: one of the two is set.
#[derive(Default, Serialize)]
struct Step {
    #[serde(skip_serializing_if = "Option::is_none")]
    need: Option<Vec<NeededBlock>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Box<Answer>>,
}

/// Where the bytes of a block are.
#[derive(Serialize)]
struct NeededBlock {
    part: &'static str,
    block: u32,
    file: String,
    start: u64,
    bytes: u32,
}

#[wasm_bindgen]
impl BundleSearcher {
    /// Opens a bundle from the bytes of `nearfind.json` and of the root file that it names.
    #[wasm_bindgen(constructor)]
    pub fn new(manifest: &[u8], root: &[u8]) -> Result<Self, JsValue> {
        let searcher = Searcher::open(manifest, root).map_err(bad_bundle)?;
        Ok(Self { searcher, sessions: BTreeMap::new(), last_session: 0 })
    }

    /// The manifest, as an object.
    pub fn manifest(&self) -> Result<JsValue, JsValue> {
        to_js(self.searcher.manifest())
    }

    /// Begins a query `{ text, mode, limit }` with the text's vector, if there is one; returns the session's number.
    pub fn start(&mut self, query: JsValue, vector: Option<Vec<f32>>) -> Result<u32, JsValue> {
        let QueryOptions { text, mode, limit } =
            serde_wasm_bindgen::from_value(query).map_err(|error| js_error("bad-query", &error))?;
        let session = Session::new(&self.searcher, Query { text, mode, limit, vector }).map_err(refused)?;
        self.last_session = self.last_session.wrapping_add(1);
        self.sessions.insert(self.last_session, session);
        Ok(self.last_session)
    }

    /// Goes on with a session: `{ need: [{ part, block, file, start, bytes }] }`, or `{ answer }` when it is done.
    pub fn advance(&mut self, session: u32) -> Result<JsValue, JsValue> {
        let running = self.sessions.get_mut(&session);
        let running = running.ok_or_else(|| js_error("internal", &"this session is over"))?;
        let progress = running.advance(&self.searcher);
        if !matches!(progress, Ok(Progress::Need(_))) {
            self.sessions.remove(&session);
        }
        let step = match progress.map_err(refused)? {
            Progress::Done(answer) => Step { answer: Some(answer), ..Step::default() },
            Progress::Need(blocks) => {
                let need = blocks.into_iter().map(|id| self.needed(id)).collect::<Result<_, _>>();
                Step { need: Some(need.map_err(bad_bundle)?), ..Step::default() }
            }
        };
        to_js(&step)
    }

    /// Brings the bytes of a block.
    pub fn provide(&mut self, part: &str, block: u32, bytes: &[u8]) -> Result<(), JsValue> {
        let part = Part::from_name(part).ok_or_else(|| js_error("internal", &format!("no part is called {part:?}")))?;
        self.searcher.provide(BlockId { part, block }, bytes).map_err(bad_bundle)
    }

    /// Forgets a session that is not wanted any more.
    pub fn cancel(&mut self, session: u32) {
        self.sessions.remove(&session);
    }
}

impl BundleSearcher {
    fn needed(&self, id: BlockId) -> Result<NeededBlock, FormatError> {
        let request = self.searcher.request(id)?;
        Ok(NeededBlock {
            part: id.part.name(),
            block: id.block,
            file: request.file,
            start: request.start,
            bytes: request.bytes,
        })
    }
}
