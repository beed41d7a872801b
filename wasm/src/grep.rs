//! Finds lines with the platform's regular expressions.

use crate::bundles::{Bundles, NeededBlock, bad_bundle, to_js, unsealed_root};
use crate::error::js_error;
use nearfind_core::grep::{Engine, GrepAnswer, GrepSession, GrepStep, Plan, Wanted, plan_of_expression};
use serde::Serialize;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const GREP_OPTIONS: &str = r#"
/** The lines to search for, and how the platform matches them. */
export interface GrepRequest {
  /** Exact text, or the source of a regular expression. */
  source: string;
  isExpression: boolean;
  anyCase: boolean;
  offset: number;
  limit: number;
  context: number;
  /** Maximum number of text bytes to fetch; 0 for no limit. */
  mostBytes: number;
  /** Whether the bundles are on this machine, so that requests cost nothing. */
  atHand: boolean;
  /** Returns the numbers of the matching lines in a text, starting at 0. */
  matches: (text: string) => Uint32Array;
  /** Returns the character where a line matches. */
  placeIn: (line: string) => number;
  /** Whether to search the lines at a path in a project. */
  accepts: (project: string, path: string) => boolean;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// The lines to search for.
    #[wasm_bindgen(typescript_type = "GrepRequest")]
    pub type GrepRequest;

    #[wasm_bindgen(method, getter)]
    fn source(this: &GrepRequest) -> String;
    #[wasm_bindgen(method, getter, js_name = isExpression)]
    fn is_expression(this: &GrepRequest) -> bool;
    #[wasm_bindgen(method, getter, js_name = anyCase)]
    fn any_case(this: &GrepRequest) -> bool;
    #[wasm_bindgen(method, getter)]
    fn offset(this: &GrepRequest) -> u32;
    #[wasm_bindgen(method, getter)]
    fn limit(this: &GrepRequest) -> u32;
    #[wasm_bindgen(method, getter)]
    fn context(this: &GrepRequest) -> u32;
    #[wasm_bindgen(method, getter, js_name = mostBytes)]
    fn most_bytes(this: &GrepRequest) -> u32;
    #[wasm_bindgen(method, getter, js_name = atHand)]
    fn at_hand(this: &GrepRequest) -> bool;
    #[wasm_bindgen(method, catch)]
    fn matches(this: &GrepRequest, text: &str) -> Result<Vec<u32>, JsValue>;
    #[wasm_bindgen(method, js_name = placeIn)]
    fn place_in(this: &GrepRequest, line: &str) -> u32;
    #[wasm_bindgen(method)]
    fn accepts(this: &GrepRequest, project: &str, path: &str) -> bool;
}

/// Open bundles whose lines are searched as if they were one.
#[wasm_bindgen]
#[derive(Debug)]
pub struct LineSearcher {
    bundles: Bundles,
    sessions: Vec<(u32, GrepSession)>,
    last_session: u32,
}

/// The result of [`LineSearcher::advance`]. One of the fields is set.
#[derive(Serialize)]
struct Step {
    #[serde(skip_serializing_if = "Option::is_none")]
    need: Option<Vec<NeededBlock>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grep: Option<GrepAnswer>,
}

#[wasm_bindgen]
impl LineSearcher {
    /// Opens a bundle, given its decompressed root.
    #[wasm_bindgen(constructor)]
    pub fn new(root: &[u8]) -> Result<Self, JsValue> {
        Ok(Self { bundles: Bundles::new(root)?, sessions: Vec::new(), last_session: 0 })
    }

    /// Adds another bundle. Call it before the first search.
    pub fn add(&mut self, root: &[u8]) -> Result<(), JsValue> {
        self.bundles.add(root)
    }

    /// Checks the root of a manifest with this `generation`. The result is the same as that of
    /// [`LineSearcher::unseal`].
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

    /// Starts a search for lines. Returns the number of the search.
    pub fn start(&mut self, request: &GrepRequest) -> u32 {
        let (source, any_case) = (request.source(), request.any_case());
        let plan = match (request.is_expression(), any_case) {
            (true, _) => plan_of_expression(&source, any_case),
            (false, true) => Plan::of_text_in_any_case(&source),
            (false, false) => Plan::of_text(&source),
        };
        let wanted = Wanted {
            offset: request.offset() as usize,
            limit: request.limit() as usize,
            context: request.context() as usize,
            most_bytes: u64::from(request.most_bytes()),
        };
        let session = GrepSession::new(self.bundles.all().len(), &plan, wanted, request.at_hand());
        self.last_session = self.last_session.wrapping_add(1);
        self.sessions.push((self.last_session, session));
        self.last_session
    }

    /// Continues a search. Returns `{ need: [{ bundle, part, block, file, file_bytes, start, bytes }] }`, or `{ grep }`
    /// when the search is done.
    pub fn advance(&mut self, session: u32, request: &GrepRequest) -> Result<JsValue, JsValue> {
        let running = self.sessions.iter().position(|(number, _)| *number == session);
        let running = running.ok_or_else(|| js_error("internal", &"this search is over"))?;
        // An exception of the platform ends the search.
        let mut thrown = None;
        let mut engine = Engine {
            matcher: &mut |text, numbers| match request.matches(text) {
                Ok(found) if thrown.is_none() => numbers.extend(found),
                Ok(_) => {}
                Err(error) => thrown = thrown.take().or(Some(error)),
            },
            place_in: &mut |line| {
                let at = request.place_in(line) as usize;
                line.char_indices().nth(at).map_or(0, |(byte, _)| byte)
            },
            accepts: &mut |project, path| request.accepts(project, path),
        };
        let progress = self.sessions[running].1.advance(&self.bundles.all(), &mut engine);
        if thrown.is_some() || !matches!(progress, Ok(GrepStep::Need(_))) {
            self.sessions.swap_remove(running);
        }
        if let Some(error) = thrown {
            return Err(error);
        }
        match progress.map_err(bad_bundle)? {
            GrepStep::Need(blocks) => to_js(&Step { need: Some(self.bundles.needed(blocks)?), grep: None }),
            GrepStep::Done(answer) => to_js(&Step { need: None, grep: Some(answer) }),
            GrepStep::TooMuch(bytes) => {
                let what = format!(
                    "this would fetch {} MB of text: search for three letters or more in a row, or for rarer text",
                    bytes >> 20
                );
                Err(js_error("bad-pattern", &what))
            }
        }
    }

    /// Discards a search that is no longer needed.
    pub fn cancel(&mut self, session: u32) {
        self.sessions.retain(|(number, _)| *number != session);
    }
}
