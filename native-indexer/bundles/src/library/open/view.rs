//! The state of the bundles at one moment.

use crate::library::open::open_bundle::OpenBundle;
use anyhow::{Context as _, Result};
use std::sync::Arc;

/// The state of the bundles at one moment.
#[derive(Clone, Debug)]
pub struct View {
    /// The bundles that can be queried, in the order of their locations.
    pub bundles: Vec<Arc<OpenBundle>>,
    /// Descriptions of problems with locations.
    pub problems: Vec<String>,
}

impl View {
    /// Returns the first bundle, if there is one. [`Library::read`](crate::library::Library::read) never passes a view
    /// without bundles.
    pub fn first(&self) -> Result<&Arc<OpenBundle>> {
        self.bundles.first().context("there is no index")
    }

    pub(crate) fn generations(&self) -> Vec<&str> {
        self.bundles.iter().map(|bundle| bundle.manifest().generation.as_str()).collect()
    }
}
