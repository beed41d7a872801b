//! Models of others, as a user sees them: the binary, and a server that speaks the protocols of providers, well or badly.

mod embedding;
mod faults;
mod index_help;
mod reranking;
mod server;
mod settings;
#[cfg(feature = "network")]
mod tls;
mod writing;
