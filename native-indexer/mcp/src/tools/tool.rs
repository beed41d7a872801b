//! A tool, and how the server offers it.

use super::super::arguments::{self, Aliases};
use super::super::offer::{Needs, Offer};
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
    /// The index that it has something to say of.
    const NEEDS: Needs = Needs::Any;
    /// Whether its text names files, which clients may open themselves.
    const NAMES_FILES: bool = false;
    /// Whether it reads the index, and so waits for one that is being made.
    const ASKS_INDEX: bool = true;
    /// What it takes.
    type Arguments: DeserializeOwned + JsonSchema + 'static;
    /// What it gives.
    type Outcome: Serialize + JsonSchema + 'static;

    /// Understands arguments that other tools have in a form of their own.
    fn adapt(_given: &mut JsonObject) {}

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
    /// What encodes and reranks questions: a third-party server, if the settings name one.
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
    /// Whether the index has what it is for: others are understood, but not listed.
    pub(crate) is_listed: bool,
    /// Whether it waits for an index that is being made.
    pub(crate) asks_index: bool,
    run: fn(&Server, JsonObject, &Call) -> Result<CallToolResult>,
}

impl Offered {
    /// Calls it.
    pub(crate) fn call(&self, server: &Server, arguments: JsonObject, call: &Call) -> Result<CallToolResult> {
        (self.run)(server, arguments, call)
    }
}

/// The tool `T`.
pub(super) fn offer<T: Tool>(offer: Offer) -> Offered {
    let is_open = match T::REACH {
        Reach::Index => false,
        Reach::Questions => offer.sends_questions,
        Reach::Others => true,
    };
    let mut annotations = ToolAnnotations::new().read_only(T::READ_ONLY).open_world(is_open);
    if !T::READ_ONLY {
        annotations = annotations.destructive(false);
    }
    if !T::IDEMPOTENT {
        annotations = annotations.idempotent(false);
    }
    let mut described = Described::new(T::NAME, T::DESCRIPTION, JsonObject::new())
        .with_title(T::TITLE)
        .with_input_schema::<T::Arguments>()
        .with_annotations(annotations);
    // Names that models invent are understood, so clients need not refuse them.
    let input = Arc::make_mut(&mut described.input_schema);
    input.remove("additionalProperties");
    schema::portable(input);
    if offer.structured {
        described = described.with_output_schema::<T::Outcome>();
        described.output_schema.iter_mut().for_each(|output| schema::portable(Arc::make_mut(output)));
    }
    Offered {
        described,
        takes_long: T::TAKES_LONG,
        is_listed: offer.has.meets(T::NEEDS),
        asks_index: T::ASKS_INDEX,
        run: run::<T>,
    }
}

fn run<T: Tool>(server: &Server, mut given: JsonObject, call: &Call) -> Result<CallToolResult> {
    // Some clients have their model say why it calls a tool.
    arguments::take(&mut given, "explanation");
    T::adapt(&mut given);
    let read: T::Arguments = arguments::read(given, T::ALIASES)?;
    let outcome = T::run(server, read, call)?;
    let mut text = T::text(&outcome);
    if T::NAMES_FILES {
        text += &server.root_line();
    }
    // Some clients give their model the structured form alone, which is longer and has no fences: it is sent where it is
    // asked for.
    let mut result = if server.0.options.structured {
        CallToolResult::structured(serde_json::to_value(&outcome).context("an outcome is JSON")?)
    } else {
        CallToolResult::success(Vec::new())
    };
    result.content = vec![ContentBlock::text(text)];
    Ok(result)
}
