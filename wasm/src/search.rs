//! A bundle and its running queries.

use crate::bundles::{Bundles, NeededBlock, bad_bundle, to_js, unsealed_root};
use crate::error::js_error;
use nearfind_core::content::{self, DocumentText, Lookup};
use nearfind_core::format::Part;
use nearfind_core::format::blocks::BlockId;
use nearfind_core::search::{
    Advance, Answer, Filter, FilterCounts, Mode, PathPattern, Query, QueryError, QueryText, Reach, Session, Sort,
    Suggestions, filter_counts, suggestions,
};
use serde::Serialize;
use wasm_bindgen::prelude::*;

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` calls")]
fn refused(error: QueryError) -> JsValue {
    js_error(error.code(), &error)
}

/// Creates filters from alternating names and values.
fn paired(flat: Vec<String>) -> Vec<Filter> {
    let mut flat = flat.into_iter();
    Filter::of_pairs(std::iter::from_fn(|| Some((flat.next()?, flat.next()?))))
}

/// Creates a pattern from a function of the host that returns `true` for matching paths.
fn path_pattern(is_match: js_sys::Function) -> PathPattern {
    PathPattern::new(move |path| is_match.call1(&JsValue::NULL, &path.into()).is_ok_and(|found| found.is_truthy()))
}

#[wasm_bindgen(typescript_custom_section)]
const START_OPTIONS: &str = r#"
/** The options of a query. */
export interface StartOptions {
  mode: "hybrid" | "words" | "meaning";
  /** Maximum number of documents. */
  limit: number;
  /** The text's vector, from the bundle's model. */
  vector?: Float32Array | undefined;
  /** Whether to compare all vectors, instead of only those that a page would fetch. */
  full?: boolean;
  /** Whether to return answers by words while search by meaning is still loading. */
  previews?: boolean;
  /** Whether the last word may be unfinished. */
  typing?: boolean;
  /** Whether to count the documents for each value that filters can have. */
  counts?: boolean;
  /** Maximum number of passages per document; 1 by default. */
  passages?: number;
  /** Whether hits include the text that a reranker reads. */
  texts?: boolean;
  /** Filter names and values, alternating. */
  filters: string[];
  /** Returns whether a path matches the regular expressions among the filters. */
  paths?: ((path: string) => boolean) | undefined;
  /** The reader's language. */
  language?: string | undefined;
  /** The property to sort documents by, and whether the largest value comes first. */
  sort?: string | undefined;
  descending?: boolean | undefined;
  /** Which weak matches to include: 0 none, 1 the nearest ones if no document fits, 2 all. */
  unfit?: number;
}
"#;

// The options are read property by property, because code that reads whole objects would enlarge every page.
#[wasm_bindgen]
extern "C" {
    /// The options of a query: see [`Query`].
    #[wasm_bindgen(typescript_type = "StartOptions")]
    pub type StartOptions;

    #[wasm_bindgen(method, getter)]
    fn mode(this: &StartOptions) -> String;
    #[wasm_bindgen(method, getter)]
    fn limit(this: &StartOptions) -> u32;
    #[wasm_bindgen(method, getter)]
    fn vector(this: &StartOptions) -> Option<Vec<f32>>;
    #[wasm_bindgen(method, getter)]
    fn full(this: &StartOptions) -> bool;
    #[wasm_bindgen(method, getter)]
    fn previews(this: &StartOptions) -> bool;
    #[wasm_bindgen(method, getter)]
    fn typing(this: &StartOptions) -> bool;
    #[wasm_bindgen(method, getter)]
    fn counts(this: &StartOptions) -> bool;
    #[wasm_bindgen(method, getter)]
    fn passages(this: &StartOptions) -> u32;
    #[wasm_bindgen(method, getter)]
    fn texts(this: &StartOptions) -> bool;
    #[wasm_bindgen(method, getter)]
    fn filters(this: &StartOptions) -> Vec<String>;
    #[wasm_bindgen(method, getter)]
    fn paths(this: &StartOptions) -> Option<js_sys::Function>;
    #[wasm_bindgen(method, getter)]
    fn language(this: &StartOptions) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn sort(this: &StartOptions) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn descending(this: &StartOptions) -> bool;
    #[wasm_bindgen(method, getter)]
    fn unfit(this: &StartOptions) -> u8;
}

/// Open bundles that are searched as one. Usually there is only one.
#[wasm_bindgen]
#[derive(Debug)]
pub struct BundleSearcher {
    bundles: Bundles,
    sessions: Vec<(u32, Session)>,
    last_session: u32,
}

/// The result of [`BundleSearcher::advance`] and of the other calls. One of the fields is set.
#[derive(Default, Serialize)]
struct Step {
    #[serde(skip_serializing_if = "Option::is_none")]
    need: Option<Vec<NeededBlock>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Box<Answer>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Box<Answer>>,
    /// `null` if there is no document with this name.
    #[expect(clippy::option_option, reason = "nothing was said, and there is no such document, are two things")]
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<Option<Box<DocumentText>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestions: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filters: Option<Vec<FilterCounts>>,
}

#[wasm_bindgen]
impl BundleSearcher {
    /// Opens a bundle, given its decompressed root.
    #[wasm_bindgen(constructor)]
    pub fn new(root: &[u8]) -> Result<Self, JsValue> {
        Ok(Self { bundles: Bundles::new(root)?, sessions: Vec::new(), last_session: 0 })
    }

    /// Adds another bundle. Call it before the first query.
    pub fn add(&mut self, root: &[u8]) -> Result<(), JsValue> {
        self.bundles.add(root)
    }

    /// Checks the root of a manifest with this `generation`. The result is the same as that of
    /// [`BundleSearcher::unseal`].
    #[wasm_bindgen(js_name = unsealRoot)]
    pub fn unseal_root(generation: &str, root: &[u8]) -> Result<Vec<u32>, JsValue> {
        unsealed_root(generation, root)
    }

    /// Checks the stored bytes of a block. Returns the size of their content after raw deflate, or 0 for uncompressed
    /// bytes, and where the content begins and ends in `stored`.
    pub fn unseal(&self, bundle: usize, part: u32, block: u32, stored: &[u8]) -> Result<Vec<u32>, JsValue> {
        self.bundles.unseal(bundle, part, block, stored)
    }

    /// Provides a decompressed block.
    pub fn provide(&mut self, bundle: usize, part: u32, block: u32, raw: Vec<u8>) -> Result<(), JsValue> {
        self.bundles.provide(bundle, part, block, raw)
    }

    /// Whether queries in one of the bundles can be encoded without the model.
    #[wasm_bindgen(js_name = hasQueryEncoder)]
    pub fn has_query_encoder(&self) -> bool {
        self.bundles.all().iter().any(|reader| reader.has_query_encoder())
    }

    /// Returns the part of a query's text for the model to encode.
    #[wasm_bindgen(js_name = meantBy)]
    pub fn meant_by(text: &str) -> String {
        QueryText::from(text).meant().to_owned()
    }

    /// Whether a query's text may have phrases or exclusions: see [`QueryText::may_have_marks`].
    #[wasm_bindgen(js_name = mayHaveMarks)]
    pub fn may_have_marks(text: &str) -> bool {
        QueryText::may_have_marks(text)
    }

    /// Starts a query. Returns the number of its session.
    pub fn start(&mut self, text: String, options: &StartOptions) -> Result<u32, JsValue> {
        let text = QueryText::from(text);
        let mode = Mode::ALL.into_iter().find(|known| known.name() == options.mode());
        let mode = mode.ok_or_else(|| js_error("bad-query", &"mode must be hybrid, words or meaning"))?;
        let decomposed = js_sys::JsString::from(text.meant()).normalize("NFD");
        let unfit = options.unfit();
        let query = Query {
            decomposed: Some(String::from(decomposed)),
            text,
            mode,
            limit: options.limit() as usize,
            vector: options.vector(),
            reach: if options.full() { Reach::Full } else { Reach::Near },
            previews: options.previews(),
            typing: options.typing(),
            counts: options.counts(),
            passages: options.passages() as usize,
            texts: options.texts(),
            filters: paired(options.filters()),
            path_pattern: options.paths().map(path_pattern),
            unfit: unfit == 2,
            nearest: unfit > 0,
            language: options.language(),
            sort: options.sort().map(|by| Sort { by, descending: options.descending() }),
        };
        let session = Session::new(&self.bundles.all(), query).map_err(refused)?;
        self.last_session = self.last_session.wrapping_add(1);
        self.sessions.push((self.last_session, session));
        Ok(self.last_session)
    }

    /// Continues a session. Returns `{ need: [{ bundle, part, block, file, file_bytes, start, bytes }] }`,
    /// `{ preview }`, or `{ answer }` when the session is done.
    pub fn advance(&mut self, session: u32) -> Result<JsValue, JsValue> {
        let running = self.sessions.iter().position(|(number, _)| *number == session);
        let running = running.ok_or_else(|| js_error("internal", &"this session is over"))?;
        let progress = self.sessions[running].1.advance(&self.bundles.all());
        if !matches!(progress, Ok(Advance::Need(_) | Advance::Preview(_))) {
            self.sessions.swap_remove(running);
        }
        let step = match progress.map_err(refused)? {
            Advance::Done(answer) => Step { answer: Some(answer), ..Step::default() },
            Advance::Preview(answer) => Step { preview: Some(answer), ..Step::default() },
            Advance::Need(blocks) => self.need(blocks)?,
        };
        to_js(&step)
    }

    /// Finds the document with this name. Returns `{ document }`, or `{ need }` as `advance` does. After `{ need }`,
    /// call it again.
    pub fn document(&self, name: &str) -> Result<JsValue, JsValue> {
        to_js(&match content::look_up(&self.bundles.all(), name).map_err(bad_bundle)? {
            Lookup::Need(blocks) => self.need(blocks)?,
            Lookup::Found(document) => Step { document: Some(document), ..Step::default() },
        })
    }

    /// Finds at most `limit` completions of a text. Returns `{ suggestions }`, or `{ need }` as `advance` does. After
    /// `{ need }`, call it again.
    pub fn suggestions(&self, text: &str, limit: usize) -> Result<JsValue, JsValue> {
        to_js(&match suggestions(&self.bundles.all(), text, limit).map_err(bad_bundle)? {
            Suggestions::Need(blocks) => self.need(blocks)?,
            Suggestions::Found(found) => Step { suggestions: Some(found), ..Step::default() },
        })
    }

    /// Lists the filters. Returns `{ filters }`, or `{ need }` as `advance` does. After `{ need }`, call it again.
    pub fn filters(&self) -> Result<JsValue, JsValue> {
        let map = BlockId { part: Part::Map, block: 0 };
        let readers = self.bundles.all();
        let missing: Vec<_> =
            (0..readers.len()).filter(|&bundle| !readers[bundle].has(map)).map(|bundle| (bundle, map)).collect();
        to_js(&if missing.is_empty() {
            Step { filters: Some(filter_counts(&readers).map_err(bad_bundle)?), ..Step::default() }
        } else {
            self.need(missing)?
        })
    }

    /// Lets a hybrid session end with the results by words, for a host that cannot load the data for meaning. Returns
    /// whether this is possible.
    #[wasm_bindgen(js_name = settleForWords)]
    pub fn settle_for_words(&mut self, session: u32) -> bool {
        self.sessions.iter_mut().any(|(number, running)| *number == session && running.settle_for_words())
    }

    /// Returns the blocks to fetch before there is a query: `{ need }`.
    #[wasm_bindgen(js_name = alwaysNeeded)]
    pub fn always_needed(&self) -> Result<JsValue, JsValue> {
        let readers = self.bundles.all();
        let of = |bundle: usize| readers[bundle].always_needed().into_iter().map(move |id| (bundle, id));
        to_js(&self.need((0..readers.len()).flat_map(of).collect())?)
    }

    /// Discards a session that is no longer needed.
    pub fn cancel(&mut self, session: u32) {
        self.sessions.retain(|(number, _)| *number != session);
    }
}

impl BundleSearcher {
    fn need(&self, blocks: Vec<(usize, BlockId)>) -> Result<Step, JsValue> {
        Ok(Step { need: Some(self.bundles.needed(blocks)?), ..Step::default() })
    }
}
