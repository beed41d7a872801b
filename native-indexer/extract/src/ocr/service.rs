//! The interface of services that read pictures elsewhere.

use super::picture::Picture;
use std::fmt::Debug;

/// The reason why a service returned no text.
#[derive(Debug)]
pub enum ServiceFailure {
    /// The service refuses this picture, for the reason in this clause. Others may be read.
    Picture(String),
    /// The service does not work, so the run must stop: an index without the pictures would look complete.
    Service(anyhow::Error),
}

/// A service that reads or describes pictures. Several threads may share it.
pub trait PictureService: Debug + Send + Sync {
    /// Identifies the version of its texts: it changes with everything that the texts depend on.
    fn identity(&self) -> String;

    /// Begins a run of the indexer. Limits on a run count from here.
    fn begin_run(&self) {}

    /// Returns the text of `picture`. During long waits, `check` fails if the user has asked to stop.
    fn read(&self, picture: &Picture, check: &dyn Fn() -> anyhow::Result<()>) -> Result<String, ServiceFailure>;
}
