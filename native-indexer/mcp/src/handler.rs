//! Offers tools and resources over the protocol.

use super::background_index::Readiness;
use super::instructions::Builder;
use super::offer::{Has, Offer, REPOSITORY, ToolSet};
use super::other_repositories::NamedRepository;
use super::response::{capped, notes};
use super::tools::{self, Call, Offered};
use super::turns::{Client, Turns};
use super::{Server, Shared, instructions, resources};
use anyhow::anyhow;
use axum::http::request::Parts;
use nearfind_base::real_path::real_path;
use nearfind_bundles::library::View;
use nearfind_core::search::PROJECT;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, Implementation,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::Instant;

/// How long clients may keep a list of tools, and a list of resources. The tools change with the program, and with the
/// kinds of documents in the index.
const TOOLS_TTL_MS: u64 = 600_000;
const RESOURCES_TTL_MS: u64 = 30_000;
/// Maximum length of an error in characters. Errors may repeat the arguments.
const MAX_ERROR_CHARS: usize = 2000;
const MAX_NAME_CHARS: usize = 100;
/// The shortest time between two progress notes.
const PROGRESS_PAUSE: Duration = Duration::from_millis(100);

impl Server {
    fn tools(&self, has: Has) -> Vec<Offered> {
        let Shared { library, options, .. } = &*self.0;
        tools::offered(Offer {
            may_update: options.update.is_some(),
            may_write: library.has_language_model(),
            sends_questions: library.sends_questions(),
            structured: options.structured,
            tools: options.tools,
            has_others: options.others.is_some(),
            has,
        })
    }

    /// Removes the argument `repository` from a call, and returns the repository if it is another one. The name of a
    /// project in this index becomes the argument `project`.
    fn other_repository(&self, request: &mut CallToolRequestParams) -> anyhow::Result<Option<NamedRepository>> {
        let (Some(others), Some(given)) = (&self.0.options.others, request.arguments.as_mut()) else { return Ok(None) };
        let Some(Value::String(named)) = given.remove(REPOSITORY) else { return Ok(None) };
        let (named, view) = (named.trim(), self.0.library.view());
        if named.is_empty() {
            return Ok(None);
        }
        if let Ok(project) = view.project(named) {
            given.entry(PROJECT).or_insert_with(|| project.into());
            return Ok(None);
        }
        let own = view.roots();
        if own.values().any(|root| Path::new(named).starts_with(root)) {
            return Ok(None);
        }
        let repository = others.named(named)?;
        let is_own =
            |folder: &Path| own.values().any(|root| real_path(root).is_ok_and(|root| folder.starts_with(root)));
        Ok(Some(repository).filter(|named| !matches!(named, NamedRepository::Folder(folder) if is_own(folder))))
    }

    /// Returns the server for the repository that a call names, or else this one.
    async fn server_for(&self, request: &mut CallToolRequestParams, client: Client) -> anyhow::Result<Self> {
        let Some(repository) = self.other_repository(request)? else { return Ok(self.clone()) };
        let opened = self.in_turn(&self.0.turns, client, move |server| {
            let others = server.0.options.others.as_ref();
            others.map_or_else(|| Ok((server.clone(), false)), |others| others.server(repository))
        });
        let (other, is_new) = opened.await.map_err(|error| anyhow!("{}", error.message))??;
        if is_new {
            let follower = other.clone();
            tokio::spawn(async move { follower.follow_background().await });
        }
        Ok(other)
    }

    /// Answers a call about this server's index.
    async fn answer(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = self.tools(Has::ALL);
        let Some(tool) = tools.into_iter().find(|tool| tool.described.name == request.name) else {
            let known: Vec<_> = self.listed_tools().map(|tool| tool.described.name).collect();
            let name = capped(&request.name, MAX_NAME_CHARS);
            let message = format!("there is no tool {name:?}: use one of {}", known.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let note = match self.readiness(tool.asks_index).await {
            Readiness::Ready => None,
            Readiness::Old(note) => Some(note),
            Readiness::Missing(why) => return Ok(CallToolResult::error(vec![ContentBlock::text(why)]).into()),
        };
        let (progress, mut said) = unbounded_channel();
        let token = context.meta.get_progress_token();
        let call = Call { cancelled: context.ct.clone(), progress: token.is_some().then_some(progress) };
        let arguments = request.arguments.unwrap_or_default();
        let (peer, client) = (context.peer.clone(), client_of(&context));
        let notify = async move {
            let Some(token) = token else { return };
            let (mut count, mut last) = (0.0, Instant::now() - PROGRESS_PAUSE);
            while let Some(message) = said.recv().await {
                if last.elapsed() < PROGRESS_PAUSE {
                    continue;
                }
                last = Instant::now();
                count += 1.0;
                let progress = ProgressNotificationParam::new(token.clone(), count).with_message(message);
                if peer.notify_progress(progress).await.is_err() {
                    return;
                }
            }
        };
        // Long calls mostly wait for other processes and servers, so they do not take the turns of searches.
        let turns = if tool.takes_long { &self.0.long_turns } else { &self.0.turns };
        let run = self.in_turn(turns, client, move |server| tool.call(server, arguments, &call));
        // The call owns the sender, so the notes end with the call, and none follows its result.
        let (result, ()) = tokio::join!(run, notify);
        let mut result = result?.unwrap_or_else(|error| failed(&error));
        // The files on disk may contain something that an outdated index does not contain.
        result.content.extend(note.map(|note| ContentBlock::text(notes(&[note]))));
        Ok(result.into())
    }

    fn has(&self, view: &View) -> Has {
        Has::of(view, self.0.options.background.is_some() || self.0.options.update.is_some())
    }

    /// Returns the tools that are useful with this index.
    fn listed_tools(&self) -> impl Iterator<Item = Offered> {
        self.tools(self.has(&self.0.library.view())).into_iter().filter(|tool| tool.is_listed)
    }

    /// Returns how up to date the index is, after a short wait for the background process. Tools that read no index do
    /// not wait.
    async fn readiness(&self, asks_index: bool) -> Readiness {
        match self.0.options.background.as_ref().filter(|_| asks_index) {
            Some(background) => background.ready(|| !self.0.library.view().bundles.is_empty()).await,
            None => Readiness::Ready,
        }
    }

    fn instructions(&self) -> String {
        let view = self.0.library.view();
        let options = &self.0.options;
        let has = self.has(&view);
        if options.tools == ToolSet::Connector {
            return instructions::of_connector(has);
        }
        let roots = if options.shows_roots { view.roots() } else { BTreeMap::new() };
        let by = match (&options.background, &options.update) {
            (Some(_), _) => Builder::Background,
            (None, Some(_)) => Builder::Tool,
            (None, None) => Builder::None,
        };
        let use_of = match options.tools {
            ToolSet::Lean => instructions::lean(has),
            _ => instructions::all(has, by),
        };
        instructions::instructions(&view.projects(), &roots, has, &use_of, by)
    }

    /// Waits for a turn of `client`, then calls `run` on a thread for blocking work.
    async fn in_turn<T: Send + 'static>(
        &self,
        turns: &Turns,
        client: Client,
        run: impl FnOnce(&Self) -> anyhow::Result<T> + Send + 'static,
    ) -> Result<anyhow::Result<T>, ErrorData> {
        let _turn = turns.take(client).await.map_err(|error| internal(&error))?;
        let server = self.clone();
        tokio::task::spawn_blocking(move || run(&server)).await.map_err(|error| internal(&error))
    }
}

/// Returns the client that sent a request.
fn client_of(context: &RequestContext<RoleServer>) -> Client {
    let parts = context.extensions.get::<Parts>();
    parts.and_then(|parts| parts.extensions.get::<Client>()).copied().unwrap_or_default()
}

/// Returns the result of a call that failed.
fn failed(error: &anyhow::Error) -> CallToolResult {
    let said: String = format!("{error:#}").chars().take(MAX_ERROR_CHARS).collect();
    CallToolResult::error(vec![ContentBlock::text(said)])
}

/// Adds a note that an answer is about another repository. The calls that the answer suggests do not name the
/// repository.
fn about_other(mut answer: CallToolResponse, named: &str) -> CallToolResponse {
    if let CallToolResponse::Complete(result) = &mut answer {
        let note = format!("this is about another repository: repeat repository={named:?} in the calls that follow");
        result.content.push(ContentBlock::text(notes(&[note])));
    }
    answer
}

fn internal(error: &dyn std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let info = Implementation::new("nearfind", env!("CARGO_PKG_VERSION"))
            .with_title("nearfind: search of documentation and source code")
            .with_description("Finds documents and source code by words and meaning, and reads them, from an index");
        ServerConfig::new(capabilities).with_server_info(info).with_instructions(self.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.listed_tools().map(|tool| tool.described).collect();
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(TOOLS_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools(Has::ALL).into_iter().map(|tool| tool.described).find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let named = request.arguments.as_ref().and_then(|given| given.get(REPOSITORY)).cloned();
        match self.server_for(&mut request, client_of(&context)).await {
            Ok(server) if Arc::ptr_eq(&server.0, &self.0) => self.answer(request, context).await,
            Ok(server) => {
                let answer = server.answer(request, context).await?;
                Ok(about_other(answer, named.as_ref().and_then(Value::as_str).unwrap_or_default()))
            }
            Err(error) => Ok(failed(&error).into()),
        }
    }

    /// There are no prompts, and the server does not declare the capability.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = resources::resources(&self.0.library.view());
        Ok(ListResourcesResult::with_all_items(resources)
            .with_ttl_ms(RESOURCES_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates())
            .with_ttl_ms(TOOLS_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        if let Readiness::Missing(why) = self.readiness(true).await {
            return Err(ErrorData::internal_error(why, None));
        }
        let read = self
            .in_turn(&self.0.turns, client_of(&context), move |server| {
                server.0.library.read(|view| resources::read(view, &request.uri))
            })
            .await?;
        let text = match read.map_err(|error| ErrorData::internal_error(format!("{error:#}"), None))? {
            Ok(text) => text,
            Err(resources::NoSuchResource(why)) => {
                let is_modern =
                    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
                let code = if is_modern { ErrorCode::INVALID_PARAMS } else { ErrorCode::RESOURCE_NOT_FOUND };
                return Err(ErrorData::new(code, why, Some(serde_json::json!({ "uri": uri }))));
            }
        };
        let contents = ResourceContents::text(text, uri).with_mime_type(resources::MIME_TYPE);
        Ok(ReadResourceResult::new(vec![contents])
            .with_ttl_ms(RESOURCES_TTL_MS)
            .with_cache_scope(CacheScope::Private)
            .into())
    }
}
