//! The program as its users see it: the binary alone, over folders, servers and clients that are real.

mod cli;
mod code;
mod crash_safety;
mod damage;
mod documents;
mod draft;
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
