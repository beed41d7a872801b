//! What tells this program from another build of it.

/// The version and a hash of the sources that decide what is read of files and how it is cut. An installation of the same program
/// elsewhere has the same, so that a cache is good for all of them.
pub(super) const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("NEARFIND_SOURCES"));
