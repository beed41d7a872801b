//! Identifies the build of this program.

/// The version, and a hash of the sources that decide how files are read and divided. Other installations of the same
/// build have the same value, so they can share a cache.
pub(super) const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("NEARFIND_SOURCES"));
