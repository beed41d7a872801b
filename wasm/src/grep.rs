//! Lines as they are written, matched by the platform's own expressions.

use crate::error::js_error;
use nearfind_core::grep::{Engine, GrepAnswer, GrepSession, GrepStep, Plan, Wanted, plan_of_expression};
use nearfind_core::search::Searcher;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const GREP_OPTIONS: &str = r#"
/** What lines are looked for, and how the platform matches them. */
export interface GrepRequest {
  /** A text, or the source of a regular expression. */
  source: string;
  isExpression: boolean;
  anyCase: boolean;
  offset: number;
  limit: number;
  context: number;
  /** Bytes of texts that may be fetched; 0 for as many as it takes. */
  mostBytes: number;
  /** Whether the bundles are at hand, so that requests cost nothing. */
  atHand: boolean;
  /** The numbers, from 0, of the lines of a text that match. */
  matches: (text: string) => Uint32Array;
  /** The character of a line at which it matches. */
  placeIn: (line: string) => number;
  /** Whether the lines of a project and a path are wanted. */
  accepts: (project: string, path: string) => boolean;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// What lines are looked for.
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

/// A search for lines on its way.
#[derive(Debug)]
pub(crate) struct RunningGrep {
    session: GrepSession,
}

/// What a step came to.
pub(crate) enum Progress {
    Need(Vec<(usize, nearfind_core::format::blocks::BlockId)>),
    Done(GrepAnswer),
}

impl RunningGrep {
    pub(crate) fn new(bundles: usize, request: &GrepRequest) -> Self {
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
        Self { session: GrepSession::new(bundles, &plan, wanted, request.at_hand()) }
    }

    pub(crate) fn advance(&mut self, searchers: &[&Searcher], request: &GrepRequest) -> Result<Progress, JsValue> {
        // What the platform throws ends the search.
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
        let step = self.session.advance(searchers, &mut engine);
        if let Some(error) = thrown {
            return Err(error);
        }
        match step.map_err(|error| js_error("bad-bundle", &error))? {
            GrepStep::Need(blocks) => Ok(Progress::Need(blocks)),
            GrepStep::Done(answer) => Ok(Progress::Done(answer)),
            GrepStep::TooMuch(bytes) => {
                let what = format!(
                    "{} MB of texts would have to be fetched: look for three letters or more in a row, or for a rarer text",
                    bytes >> 20
                );
                Err(js_error("bad-pattern", &what))
            }
        }
    }
}
