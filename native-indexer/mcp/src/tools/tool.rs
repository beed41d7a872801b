//! The interface of a tool, and how the server offers a tool to clients.

use super::super::arguments::{self, Aliases};
use super::super::offer::{Needs, Offer, REPOSITORY};
use super::super::{Server, response};
use super::schema;
use anyhow::{Context as _, Result};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as Described, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// The description of the argument that names another repository.
const REPOSITORY_IS: &str = "Another repository, by its folder or address";

/// A tool.
pub(super) trait Tool {
    /// The name that clients use.
    const NAME: &'static str;
    /// The tool's name for people.
    const TITLE: &'static str;
    /// The explanation of what the tool does, and when to use it.
    const DESCRIPTION: &'static str;
    /// Names that models invent for the tool's arguments.
    const ALIASES: Aliases;
    /// Whether the tool changes nothing.
    const READ_ONLY: bool = true;
    /// Whether a call may take minutes. Such calls do not use the turns of searches.
    const TAKES_LONG: bool = false;
    /// Whether repeating a call has no further effect.
    const IDEMPOTENT: bool = true;
    /// The resources that the tool uses besides the index.
    const REACH: Reach = Reach::Index;
    /// The content that the index needs for the tool to be useful.
    const NEEDS: Needs = Needs::Any;
    /// Whether the text of a result contains file names. If so, the folder that contains the files is added, so that
    /// clients can open them.
    const NAMES_FILES: bool = false;
    /// Whether the tool reads the index. If so, it waits for an index that is being built.
    const ASKS_INDEX: bool = true;
    /// The arguments.
    type Arguments: DeserializeOwned + JsonSchema + 'static;
    /// The result.
    type Outcome: Serialize + JsonSchema + 'static;

    /// Converts arguments in the form of other tools.
    fn adapt(_given: &mut JsonObject) {}

    /// Runs the tool. Models read the errors, so they explain what to do.
    fn run(server: &Server, arguments: Self::Arguments, call: &Call) -> Result<Self::Outcome>;

    /// Returns the result as text.
    fn text(outcome: &Self::Outcome) -> String;
}

/// The resources that a tool uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Only the bundles.
    Index,
    /// The bundles, and the encoder and reranker for questions. Depending on the settings, these are third-party
    /// servers.
    Questions,
    /// Language models, repositories and other third parties.
    Others,
}

/// A call of a tool that is running.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) cancelled: CancellationToken,
    /// The receiver of progress notes, if the client wants them.
    pub(crate) progress: Option<UnboundedSender<String>>,
}

impl Call {
    /// Reports progress.
    pub(super) fn report(&self, message: &str) {
        if let Some(progress) = &self.progress {
            // If the call was canceled, nothing receives this.
            let _ = progress.send(response::one_line(message));
        }
    }
}

/// A tool, as the server offers it.
#[derive(Clone)]
pub(crate) struct Offered {
    pub(crate) described: Described,
    /// Whether a call may take minutes.
    pub(crate) takes_long: bool,
    /// Whether the index contains what the tool needs. Tools that are not listed can still be called.
    pub(crate) is_listed: bool,
    /// Whether a call waits for an index that is being built.
    pub(crate) asks_index: bool,
    run: fn(&Server, JsonObject, &Call) -> Result<CallToolResult>,
}

impl Offered {
    /// Runs the tool.
    pub(crate) fn call(&self, server: &Server, arguments: JsonObject, call: &Call) -> Result<CallToolResult> {
        (self.run)(server, arguments, call)
    }
}

/// Describes the tool `T` for clients.
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
    // Names that models invent are accepted, so clients must not refuse them.
    let input = Arc::make_mut(&mut described.input_schema);
    input.remove("additionalProperties");
    // Some clients refuse a schema without properties.
    input.entry("properties").or_insert_with(|| JsonObject::new().into());
    if offer.has_others
        && T::NAMES_FILES
        && let Some(Value::Object(properties)) = input.get_mut("properties")
    {
        properties.insert(REPOSITORY.to_owned(), json!({ "type": "string", "description": REPOSITORY_IS }));
    }
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
    // Some clients have their model explain why it calls a tool.
    arguments::take(&mut given, "explanation");
    T::adapt(&mut given);
    let read: T::Arguments = arguments::read(given, T::ALIASES)?;
    let outcome = T::run(server, read, call)?;
    let mut text = T::text(&outcome);
    if T::NAMES_FILES {
        text += &server.root_line();
    }
    // Some clients pass only the structured form to their model. It is longer and has no fences, so it is sent only on
    // request.
    let mut result = if server.0.options.structured {
        CallToolResult::structured(serde_json::to_value(&outcome).context("an outcome is JSON")?)
    } else {
        CallToolResult::success(Vec::new())
    };
    result.content = vec![ContentBlock::text(text)];
    Ok(result)
}
