//! Tests of the MCP server as a client sees it: the binary over standard input and output, and over HTTP.

mod bad_input;
mod bundles;
mod client;
#[cfg(feature = "full")]
mod code;
mod config;
mod http;
mod protocol;
mod published;
mod replaced_systems;
mod repository;
#[cfg(feature = "full")]
mod research;
mod schemas;
#[cfg(feature = "full")]
mod setup;
mod tools;
mod update;
