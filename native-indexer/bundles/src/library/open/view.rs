//! The bundles as they are at one moment.

use crate::library::open::open_bundle::OpenBundle;
use anyhow::{Context as _, Result};
use std::sync::Arc;

/// The bundles as they are at one moment.
#[derive(Clone, Debug)]
pub struct View {
    /// Those that can be asked, in the order in which they were named.
    pub bundles: Vec<Arc<OpenBundle>>,
    /// What is wrong with locations, in words.
    pub problems: Vec<String>,
}

impl View {
    /// The first bundle, where there is one; [`Library::read`](crate::library::Library::read) gives no view without.
    pub fn first(&self) -> Result<&Arc<OpenBundle>> {
        self.bundles.first().context("there is no bundle")
    }

    pub(crate) fn generations(&self) -> Vec<&str> {
        self.bundles.iter().map(|bundle| bundle.manifest().generation.as_str()).collect()
    }
}
