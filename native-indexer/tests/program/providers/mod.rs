//! Models of providers as a user sees them: the binary, and a server for the protocols of providers, with and without
//! faults.

mod embedding;
mod faults;
mod index_help;
#[cfg(feature = "full")]
mod pictures;
mod reranking;
mod server;
mod settings;
#[cfg(feature = "network")]
mod tls;
mod writing;
