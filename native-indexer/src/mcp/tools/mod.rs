//! The tools, one file each.

mod get_document;
mod get_reference_guide;
mod grep;
mod index_status;
mod list_documents;
mod list_projects;
mod outline;
mod page;
mod pages;
mod related;
mod research;
mod research_report;
mod schema;
mod search;
mod symbol;
mod update_index;

use super::arguments::{self, Aliases};
use super::{Server, response};
use anyhow::{Context as _, Result};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as Described, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// A tool.
trait Tool {
    /// Name, as clients call it.
    const NAME: &'static str;
    /// Name for people.
    const TITLE: &'static str;
    /// What it does, and when to use it rather than another.
    const DESCRIPTION: &'static str;
    /// Names of arguments that models invent.
    const ALIASES: Aliases;
    /// Whether it changes nothing, and is done soon.
    const READ_ONLY: bool = true;
    /// What it takes.
    type Arguments: DeserializeOwned + JsonSchema + 'static;
    /// What it gives.
    type Outcome: Serialize + JsonSchema + 'static;

    /// Does it. Errors are for the model: they say what to do.
    fn run(server: &Server, arguments: Self::Arguments, call: &Call) -> Result<Self::Outcome>;

    /// The outcome as text.
    fn text(outcome: &Self::Outcome) -> String;
}

/// One call of a tool, on its way.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) cancelled: CancellationToken,
    /// Hears of progress, if the client wants to.
    pub(super) progress: Option<UnboundedSender<String>>,
}

impl Call {
    /// Says how far it is.
    fn report(&self, message: &str) {
        if let Some(progress) = &self.progress {
            // Nobody listens any more to a call that was given up.
            let _ = progress.send(response::one_line(message));
        }
    }
}

/// A tool as the server offers it.
#[derive(Clone)]
pub(super) struct Offered {
    pub(super) described: Described,
    run: fn(&Server, JsonObject, &Call) -> Result<CallToolResult>,
}

impl Offered {
    /// Whether it may take minutes.
    pub(super) fn takes_long(&self) -> bool {
        self.described.annotations.as_ref().is_some_and(|annotations| annotations.read_only_hint == Some(false))
    }

    /// Calls it.
    pub(super) fn call(&self, server: &Server, arguments: JsonObject, call: &Call) -> Result<CallToolResult> {
        (self.run)(server, arguments, call)
    }
}

/// Every tool whose needs are met, in the order in which they are listed: one waits for sources, another for a language model.
pub(super) fn offered(may_update: bool, may_write: bool) -> Vec<Offered> {
    let mut tools = vec![
        offer::<search::Search>(),
        offer::<get_document::GetDocument>(),
        offer::<get_reference_guide::GetReferenceGuide>(),
        offer::<grep::Grep>(),
        offer::<symbol::Symbol>(),
        offer::<outline::Outline>(),
        offer::<related::Related>(),
        offer::<research::Research>(),
        offer::<pages::Pages>(),
        offer::<list_documents::ListDocuments>(),
        offer::<list_projects::ListProjects>(),
        offer::<index_status::IndexStatus>(),
    ];
    if may_write {
        tools.push(offer::<research_report::ResearchReport>());
    }
    if may_update {
        tools.push(offer::<update_index::UpdateIndex>());
    }
    tools
}

fn offer<T: Tool>() -> Offered {
    let annotations = ToolAnnotations::with_title(T::TITLE)
        .read_only(T::READ_ONLY)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
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
    Offered { described, run: run::<T> }
}

fn run<T: Tool>(server: &Server, given: JsonObject, call: &Call) -> Result<CallToolResult> {
    let read: T::Arguments = arguments::read(given, T::ALIASES)?;
    let outcome = T::run(server, read, call)?;
    let structured = serde_json::to_value(&outcome).context("an outcome is JSON")?;
    let mut result = CallToolResult::structured(structured);
    result.content = vec![ContentBlock::text(T::text(&outcome))];
    Ok(result)
}
