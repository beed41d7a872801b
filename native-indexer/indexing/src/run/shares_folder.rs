//! The folder of shares, which all machines that make an index together can see.

use std::path::PathBuf;

/// A folder with shares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharesFolder {
    /// Name of the folder in errors.
    pub name: String,
    /// Path of the folder on this machine.
    pub path: PathBuf,
}
