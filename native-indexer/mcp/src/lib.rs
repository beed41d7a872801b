//! The MCP server: the bundles of a [`Library`] as tools and resources for agents.
//!
//! Tools are functions from arguments to an outcome, one file each in `tools`; `handler` carries them over the protocol,
//! `stdio` and `http` are the ways in.

mod arguments;
mod client_config;
mod handler;
mod http;
mod instructions;
mod resources;
mod response;
mod stdio;
mod tools;
mod turns;
mod update;

pub use client_config::{Client, client_config};
pub use http::{HttpOptions, serve_http};
pub use response::Budget;
pub use stdio::serve_stdio;
pub use update::UpdateCommand;

use nearfind_bundles::library::{self, Library};
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

#[derive(Debug)]
struct Shared {
    library: Library,
    budget: Budget,
    update: Option<UpdateCommand>,
    /// Keeps many clients from taking all memory at once, and one from taking all the time.
    turns: Turns,
    /// Those of calls that take minutes.
    long_turns: Turns,
}

impl Server {
    /// A server over `library` with responses within `budget`, and `update` as the tool that builds the index again.
    pub fn new(library: Library, budget: Budget, update: Option<UpdateCommand>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (turns, long_turns) = (Turns::new(cores), Turns::of_long_calls());
        Self(Arc::new(Shared { library, budget, update, turns, long_turns }))
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

    /// Brings what the first question needs into memory, beside whatever else goes on.
    pub fn warm_up(&self) {
        let server = self.clone();
        std::thread::spawn(move || server.0.library.warm_up());
    }
}
