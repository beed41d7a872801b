//! Tests the binary as its users see it, with real folders, servers and clients.

mod cli;
mod code;
mod crash_safety;
mod damage;
mod documents;
mod draft;
mod history;
mod languages;
mod linear_readers;
mod manners;
#[cfg(feature = "full")]
mod mcp;
#[cfg(all(feature = "full", unix))]
mod ocr;
mod providers;
mod quality;
mod readers_apart;
mod repositories;
mod shares;
mod smoke;
mod support;
mod update;
