//! A folder that all machines of an index see.

use std::path::PathBuf;

/// Where shares were put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharesFolder {
    /// What it is called in errors.
    pub name: String,
    /// Its place on this machine.
    pub path: PathBuf,
}
