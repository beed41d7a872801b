//! The MCP server: the bundles of a [`Library`] as tools and resources for agents.
//!
//! Tools are functions from arguments to an outcome, one file each in `tools`; `handler` carries them over the protocol,
//! `stdio` and `http` are the ways in.

mod arguments;
mod background_index;
mod client_config;
mod handler;
mod http;
mod instructions;
mod offer;
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

/// How long the age of an index is not looked at again.
const SHORTEST_WAIT: Duration = Duration::from_millis(200);

/// What a server gives, shared by all of its clients.
#[derive(Clone, Debug)]
pub struct Server(Arc<Shared>);

/// How a server answers.
#[derive(Debug)]
pub struct ServerOptions {
    /// How long responses may be.
    pub budget: Budget,
    /// The tool that builds the index again, where it is allowed.
    pub update: Option<UpdateCommand>,
    /// What keeps the index up to date while the server answers.
    pub background: Option<BackgroundIndex>,
    /// Whether outcomes are sent as JSON too, with schemas of it: more than twice the text.
    pub structured: bool,
    /// Whether there are two tools alone, `search` and `fetch` as ChatGPT's connectors know them.
    pub connector: bool,
    /// Whether clients are on this machine, so that they are told where the folders of projects are.
    pub shows_roots: bool,
    /// What tells which commit changed lines of a file last.
    pub last_changes: FindLastChanges,
}

#[derive(Debug)]
struct Shared {
    library: Library,
    options: ServerOptions,
    /// Keeps many clients from taking all memory at once, and one from taking all the time.
    turns: Turns,
    /// Those of calls that take minutes.
    long_turns: Turns,
}

impl Server {
    /// A server over `library`.
    pub fn new(library: Library, options: ServerOptions) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (turns, long_turns) = (Turns::new(cores), Turns::of_long_calls());
        Self(Arc::new(Shared { library, options, turns, long_turns }))
    }

    /// The folder below which paths are, as a line of an answer; empty where there are several, or none that clients can open.
    fn root_line(&self) -> String {
        let view = self.0.library.view();
        let roots = if self.0.options.shows_roots { view.roots() } else { BTreeMap::new() };
        match (roots.into_values().next(), view.projects().len()) {
            (Some(root), 1) => format!("root: {}\n", response::one_line(&root.display().to_string())),
            _ => String::new(),
        }
    }

    /// Updates the index of `folder` by `command` whenever it is older than `interval`, now if it is, for as long as the
    /// process runs. `report` hears what went wrong; the index is then as it was, and tried again an interval later.
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
                // An update that finds nothing new leaves the bundle as old as it is.
                tried = Some(Instant::now());
                let updated = command.run(&[], false, &CancellationToken::new(), &|_| {});
                match updated {
                    Ok(updated) => updated.failures.iter().for_each(|failure| report(failure)),
                    Err(error) => report(&format!("{error:#}")),
                }
            }
        });
    }

    /// Ends an update that goes on after its call: its bundle is whole at any moment.
    pub fn end(&self) {
        if let Some(background) = &self.0.options.background {
            background.end();
        }
        if let Some(update) = &self.0.options.update {
            update.end();
        }
    }

    /// Opens each index that the background makes, so that no question waits for it; returns when there will be none.
    pub async fn follow_background(&self) {
        let Some(background) = &self.0.options.background else { return };
        let mut seen = None;
        while background.changed(&mut seen).await {
            let server = self.clone();
            let _ = tokio::task::spawn_blocking(move || server.0.library.warm_up()).await;
        }
    }

    /// Brings what the first question needs into memory, beside whatever else goes on.
    pub fn warm_up(&self) {
        let server = self.clone();
        std::thread::spawn(move || server.0.library.warm_up());
    }
}
