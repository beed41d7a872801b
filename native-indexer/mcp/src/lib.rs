//! The MCP server. It offers the bundles in a [`Library`] to agents as tools and resources.
//!
//! Tools are functions from arguments to an outcome, with one file per tool in `tools`. `handler` offers them over the
//! protocol. `stdio` and `http` are the transports.

mod arguments;
mod background_index;
mod client_config;
mod handler;
mod http;
mod instructions;
mod offer;
mod other_repositories;
mod resources;
mod response;
pub mod setup;
mod stdio;
mod tools;
mod turns;
mod update;

pub use background_index::BackgroundIndex;
pub use client_config::{Client, Reached, TOKEN_VARIABLE, client_config};
pub use http::{HttpOptions, serve_http};
pub use offer::ToolSet;
pub use other_repositories::{NamedRepository, OtherRepositories, RepositoryServer, StartRepository};
pub use response::Budget;
pub use stdio::serve_stdio;
pub use update::UpdateCommand;

use nearfind_bundles::library::{self, FindLastChanges, Library};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use turns::Turns;

/// Minimum time between two checks of an index's age.
const SHORTEST_WAIT: Duration = Duration::from_millis(200);

/// The server, shared by all of its clients.
///
/// ```no_run
/// use nearfind_bundles::library::Library;
/// use nearfind_mcp::{Budget, Server, ServerOptions, ToolSet, serve_stdio};
///
/// async fn serve(library: Library) -> anyhow::Result<()> {
///     let options = ServerOptions {
///         budget: Budget::of_tokens(10_000),
///         update: None,
///         background: None,
///         structured: false,
///         tools: ToolSet::All,
///         others: None,
///         shows_roots: true,
///         last_changes: |_folder, lines| lines.iter().map(|_| Ok(None)).collect(),
///     };
///     let server = Server::new(library, options);
///     serve_stdio(server, tokio::io::stdin(), tokio::io::stdout(), Default::default()).await
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Server(Arc<Shared>);

/// The options of a server.
///
/// [`Server`] has an example.
#[derive(Debug)]
pub struct ServerOptions {
    /// The maximum length of responses.
    pub budget: Budget,
    /// The command that builds the index again, if clients may request that.
    pub update: Option<UpdateCommand>,
    /// The process that keeps the index up to date while the server answers, if there is one.
    pub background: Option<BackgroundIndex>,
    /// Whether results are also sent as JSON, with schemas in the list of tools. The JSON is more than twice as long as
    /// the text.
    pub structured: bool,
    /// The tools that the server offers to clients.
    pub tools: ToolSet,
    /// Other repositories that calls may name.
    pub others: Option<OtherRepositories<Server>>,
    /// Whether clients are on this machine, so that responses may contain the folders of projects.
    pub shows_roots: bool,
    /// The function that finds the last commit that changed some lines of a file.
    pub last_changes: FindLastChanges,
}

#[derive(Debug)]
struct Shared {
    library: Library,
    options: ServerOptions,
    /// Limits how many calls run at once, in total and per client.
    turns: Turns,
    /// Limits how many calls that take minutes run at once.
    long_turns: Turns,
}

impl Server {
    /// Creates a server over `library`.
    pub fn new(library: Library, options: ServerOptions) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (turns, long_turns) = (Turns::new(cores), Turns::of_long_calls());
        Self(Arc::new(Shared { library, options, turns, long_turns }))
    }

    /// Returns a line with the folder that paths are relative to. The line is empty unless there is exactly one
    /// project, in a folder that clients can open.
    fn root_line(&self) -> String {
        let view = self.0.library.view();
        let roots = if self.0.options.shows_roots { view.roots() } else { BTreeMap::new() };
        match (roots.into_values().next(), view.projects().len()) {
            (Some(root), 1) => format!("root: {}\n", response::one_line(&root.display().to_string())),
            _ => String::new(),
        }
    }

    /// Starts a thread that runs `command` whenever the index in `folder` is older than `interval`, for as long as the
    /// process runs. `report` receives each problem. After a problem, the index stays as it is, and the next attempt
    /// follows one interval later.
    pub fn keep_fresh(
        command: UpdateCommand,
        folder: PathBuf,
        interval: Duration,
        report: impl Fn(&str) + Send + Sync + 'static,
    ) {
        std::thread::spawn(move || {
            let mut tried: Option<Instant> = None;
            loop {
                let age = library::age(&folder).unwrap_or(Duration::MAX);
                let age = tried.map_or(age, |tried| age.min(tried.elapsed()));
                if age < interval {
                    std::thread::sleep(interval.saturating_sub(age).max(SHORTEST_WAIT));
                    continue;
                }
                // An update that finds nothing new does not change the age of the bundle.
                tried = Some(Instant::now());
                let updated = command.run(&[], false, &CancellationToken::new(), &|_| {});
                match updated {
                    Ok(updated) => updated.failures.iter().for_each(|failure| report(failure)),
                    Err(error) => report(&format!("{error:#}")),
                }
            }
        });
    }

    /// Ends the background process, any update that outlived its call, and the servers for other repositories. The
    /// bundle is complete at any moment.
    pub fn end(&self) {
        if let Some(background) = &self.0.options.background {
            background.end();
        }
        if let Some(update) = &self.0.options.update {
            update.end();
        }
        if let Some(others) = &self.0.options.others {
            others.end();
        }
    }

    /// Opens each index that the background process writes, so that no question waits for it. Returns when no further
    /// index will follow.
    pub async fn follow_background(&self) {
        let Some(background) = &self.0.options.background else { return };
        let mut seen = None;
        while background.changed(&mut seen).await {
            let server = self.clone();
            let _ = tokio::task::spawn_blocking(move || server.0.library.warm_up()).await;
        }
    }

    /// Starts a thread that reads everything that the first question needs into memory.
    pub fn warm_up(&self) {
        let server = self.clone();
        std::thread::spawn(move || server.0.library.warm_up());
    }
}

impl RepositoryServer for Server {
    fn is_idle(&self) -> bool {
        // The list of servers holds one reference, and the task that follows the background process holds another.
        let has_words = self.0.options.background.as_ref().is_none_or(BackgroundIndex::has_words);
        has_words && Arc::strong_count(&self.0) <= 2
    }

    fn end(&self) {
        Self::end(self);
    }
}
