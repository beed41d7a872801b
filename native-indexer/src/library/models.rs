//! The models of open bundles, each loaded once. A model that has to be fetched over the network is fetched beside the
//! questions, which the bundle's own query encoder answers meanwhile.

use super::open_bundle::{BundleFiles, OpenBundle};
use crate::model::{ModelStore, encoder_at, encoder_of};
use anyhow::Result;
use nearfind_core::embed::Encoder;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// After so long a model that was not there is looked for again.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// What is known of a model.
#[derive(Clone, Debug)]
enum Known {
    Ready(Arc<Encoder>),
    Fetching,
    Missing { why: String, since: Instant },
}

/// The models, by hash.
#[derive(Debug)]
pub(super) struct Models {
    store: ModelStore,
    known: Arc<Mutex<HashMap<String, Known>>>,
}

impl Models {
    pub(super) fn new(store: ModelStore) -> Self {
        Self { store, known: Arc::default() }
    }

    /// The encoder of the model of `bundle`; else why there is none, in words.
    pub(super) fn encoder(&self, bundle: &Arc<OpenBundle>) -> Result<Arc<Encoder>, String> {
        let wanted = &bundle.manifest().model;
        // Others wait while it is loaded: they would load it too.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(&wanted.hash) {
            Some(Known::Ready(encoder)) => return Ok(Arc::clone(encoder)),
            Some(Known::Fetching) => return Err(format!("model {} is being fetched", wanted.name)),
            Some(Known::Missing { why, since }) if since.elapsed() < LOOK_AGAIN => return Err(why.clone()),
            _ => {}
        }
        let shipped = match (bundle.files(), &wanted.file) {
            (_, None) => None,
            (BundleFiles::Folder(folder), Some(file)) => Some(folder.join(&file.file)),
            (BundleFiles::Published(published), Some(file)) => published.kept_pack(file),
        };
        let found = encoder_of(wanted, shipped.as_deref(), &self.store);
        let is_published = matches!(bundle.files(), BundleFiles::Published(_));
        let now = match found {
            Ok(encoder) => Known::Ready(Arc::new(encoder)),
            Err(_) if is_published && wanted.file.is_some() => {
                self.fetch(bundle);
                Known::Fetching
            }
            Err(why) => Known::Missing { why, since: Instant::now() },
        };
        known.insert(wanted.hash.clone(), now.clone());
        drop(known);
        match now {
            Known::Ready(encoder) => Ok(encoder),
            Known::Fetching => Err(format!("model {} is being fetched", wanted.name)),
            Known::Missing { why, .. } => Err(why),
        }
    }

    /// Begins to fetch the model that a published bundle ships.
    fn fetch(&self, bundle: &Arc<OpenBundle>) {
        let (bundle, known) = (Arc::clone(bundle), Arc::clone(&self.known));
        std::thread::spawn(move || {
            let now = match fetched(&bundle) {
                Ok(encoder) => Known::Ready(Arc::new(encoder)),
                Err(error) => Known::Missing { why: format!("{error:#}"), since: Instant::now() },
            };
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(bundle.manifest().model.hash.clone(), now);
        });
    }
}

/// Fetches the pack of a published bundle and keeps it if it is the right one.
fn fetched(bundle: &OpenBundle) -> Result<Encoder> {
    let wanted = &bundle.manifest().model;
    let (BundleFiles::Published(published), Some(file)) = (bundle.files(), &wanted.file) else {
        anyhow::bail!("the bundle ships no model");
    };
    let pack = published.fetch_pack(file)?;
    let at = tempfile::NamedTempFile::new()?;
    std::fs::write(at.path(), &pack)?;
    let encoder = encoder_at(at.path(), wanted).map_err(anyhow::Error::msg)?;
    if let Err(error) = published.keep_pack(file, &pack) {
        eprintln!("warning: {error:#}");
    }
    Ok(encoder)
}
