//! A tool, and how the server offers it.

use super::super::arguments::{self, Aliases};
use super::super::{Server, response};
use super::schema;
use anyhow::{Context as _, Result};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as Described, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// A tool.
pub(super) trait Tool {
    /// Name, as clients call it.
    const NAME: &'static str;
    /// Name for people.
    const TITLE: &'static str;
    /// What it does, and when to use it rather than another.
    const DESCRIPTION: &'static str;
    /// Names of arguments that models invent.
    const ALIASES: Aliases;
    /// Whether it changes nothing.
    const READ_ONLY: bool = true;
    /// Whether it may take minutes, so that it is answered beside the turns of those who search.
    const TAKES_LONG: bool = false;
    /// Whether the same call again adds nothing.
    const IDEMPOTENT: bool = true;
    /// What it talks to beside the index.
    const REACH: Reach = Reach::Index;
    /// What it takes.
    type Arguments: DeserializeOwned + JsonSchema + 'static;
    /// What it gives.
    type Outcome: Serialize + JsonSchema + 'static;

    /// Does it. Errors are for the model: they say what to do.
    fn run(server: &Server, arguments: Self::Arguments, call: &Call) -> Result<Self::Outcome>;

    /// The outcome as text.
    fn text(outcome: &Self::Outcome) -> String;
}

/// What a tool talks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The bundles alone.
    Index,
    /// What encodes and reranks questions: a server of others, where the settings name one.
    Questions,
    /// Others: language models, repositories.
    Others,
}

/// One call of a tool, on its way.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) cancelled: CancellationToken,
    /// Hears of progress, if the client wants to.
    pub(crate) progress: Option<UnboundedSender<String>>,
}

impl Call {
    /// Says how far it is.
    pub(super) fn report(&self, message: &str) {
        if let Some(progress) = &self.progress {
            // Nobody listens any more to a call that was given up.
            let _ = progress.send(response::one_line(message));
        }
    }
}

/// A tool as the server offers it.
#[derive(Clone)]
pub(crate) struct Offered {
    pub(crate) described: Described,
    /// Whether it may take minutes.
    pub(crate) takes_long: bool,
    run: fn(&Server, JsonObject, &Call) -> Result<CallToolResult>,
}

impl Offered {
    /// Calls it.
    pub(crate) fn call(&self, server: &Server, arguments: JsonObject, call: &Call) -> Result<CallToolResult> {
        (self.run)(server, arguments, call)
    }
}

/// The tool `T`; `sends_questions` tells whether questions go to servers of others.
pub(super) fn offer<T: Tool>(sends_questions: bool) -> Offered {
    let is_open = match T::REACH {
        Reach::Index => false,
        Reach::Questions => sends_questions,
        Reach::Others => true,
    };
    let annotations = ToolAnnotations::with_title(T::TITLE)
        .read_only(T::READ_ONLY)
        .destructive(false)
        .idempotent(T::IDEMPOTENT)
        .open_world(is_open);
    let mut described = Described::new(T::NAME, T::DESCRIPTION, JsonObject::new())
        .with_title(T::TITLE)
        .with_input_schema::<T::Arguments>()
        .with_output_schema::<T::Outcome>()
        .with_annotations(annotations);
    // Names that models invent are understood, so clients need not refuse them.
    let input = Arc::make_mut(&mut described.input_schema);
    input.remove("additionalProperties");
    schema::portable(input);
    described.output_schema.iter_mut().for_each(|output| schema::portable(Arc::make_mut(output)));
    Offered { described, takes_long: T::TAKES_LONG, run: run::<T> }
}

fn run<T: Tool>(server: &Server, given: JsonObject, call: &Call) -> Result<CallToolResult> {
    let read: T::Arguments = arguments::read(given, T::ALIASES)?;
    let outcome = T::run(server, read, call)?;
    let structured = serde_json::to_value(&outcome).context("an outcome is JSON")?;
    let mut result = CallToolResult::structured(structured);
    result.content = vec![ContentBlock::text(T::text(&outcome))];
    Ok(result)
}
