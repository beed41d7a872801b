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
mod update;

pub use client_config::{Client, client_config};
pub use http::{HttpOptions, serve_http};
pub use response::Budget;
pub use stdio::serve_stdio;
pub use update::UpdateCommand;

use crate::library::Library;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Questions that are answered at a time, at least; there may be as many as twice the cores.
const MIN_CONCURRENT: usize = 4;

/// What a server gives, shared by all of its clients.
#[derive(Clone, Debug)]
pub struct Server(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    library: Library,
    budget: Budget,
    update: Option<UpdateCommand>,
    /// Keeps many clients from taking all memory at once.
    turns: Semaphore,
}

impl Server {
    /// A server over `library` with responses within `budget`, and `update` as the tool that builds the index again.
    pub fn new(library: Library, budget: Budget, update: Option<UpdateCommand>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let turns = Semaphore::new((cores * 2).max(MIN_CONCURRENT));
        Self(Arc::new(Shared { library, budget, update, turns }))
    }

    /// Brings what the first question needs into memory, beside whatever else goes on.
    pub fn warm_up(&self) {
        let server = self.clone();
        std::thread::spawn(move || server.0.library.warm_up());
    }
}
