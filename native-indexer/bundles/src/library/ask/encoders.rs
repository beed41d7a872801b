//! The question encoders: the models of open bundles, each loaded once, and the provider's model. A model that must be
//! fetched over the network is fetched in the background, and the bundle's own query encoder answers questions
//! meanwhile.

use crate::library::ask::question::{Question, QuestionEncoder};
use crate::library::open::open_bundle::OpenBundle;
use crate::library::open::origin::Origin;
use anyhow::{Result, bail, ensure};
use nearfind_base::remark;
use nearfind_core::embed::Encoder;
use nearfind_core::format::manifest::{ModelFile, ModelModule, ModelReference};
use nearfind_core::search::Mode;
use nearfind_models::model::{ModelStore, WantedPack, encoder_at, encoder_of};
use nearfind_models::provider::{EmbeddingProvider, EmbeddingSettings};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time until the program looks for a missing model again.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// The state of a model.
#[derive(Clone, Debug)]
enum Known {
    Ready(Arc<Encoder>),
    Fetching,
    Missing { why: String, since: Instant },
}

/// The state of a model, once it has been looked for.
type Slot = Arc<Mutex<Option<Known>>>;

/// The encoders by model hash.
#[derive(Debug)]
pub(crate) struct Encoders {
    store: ModelStore,
    /// A pack to use instead of the one that a bundle names.
    chosen: Option<PathBuf>,
    /// Whether models are fetched from publishers.
    fetches: bool,
    /// Each slot has its own lock, so that bundles of other models do not wait while a model is loaded.
    known: Mutex<HashMap<String, Slot>>,
    /// Runs a provider's models.
    provider: Option<EmbeddingProvider>,
    /// The reason for the provider's last failure, and its time.
    refused: Mutex<Option<(String, Instant)>>,
}

impl Encoders {
    pub(crate) fn new(
        store: ModelStore,
        chosen: Option<PathBuf>,
        fetches: bool,
        provider: Option<EmbeddingSettings>,
    ) -> Result<Self> {
        let provider = provider.map(EmbeddingProvider::new).transpose()?;
        Ok(Self { store, chosen, fetches, known: Mutex::default(), provider, refused: Mutex::default() })
    }

    /// Returns the vector of `question` for bundles of one model, or `None` if the bundles' own query encoder or words
    /// should answer. If the result is worse than requested, the reason is added to `notices`.
    pub(crate) fn vector(
        &self,
        group: &[Arc<OpenBundle>],
        question: &Question,
        notices: &mut Vec<String>,
    ) -> Result<Option<Vec<f32>>> {
        if question.mode == Mode::Words || question.text.as_typed().trim().is_empty() {
            return Ok(None);
        }
        let has_table = group.iter().any(|bundle| bundle.reader().has_query_encoder());
        if question.encoder == QuestionEncoder::Table {
            ensure!(has_table, "the index has no query encoder: index again without --no-query-encoder");
            return Ok(None);
        }
        if group[0].manifest().model.is_table() {
            notices.push(
                "until the model has read everything, search by meaning uses the meanings of single words".to_owned(),
            );
            return Ok(None);
        }
        let text = question.text.meant();
        let encoded = match group[0].manifest().model.module {
            ModelModule::Provider => self.by_provider(&group[0], text),
            _ => match self.best(&group[0], question.encoder, notices) {
                Ok(encoder) => Ok(encoder.encode_query(text)?),
                Err(why) => Err(why),
            },
        };
        match encoded {
            Ok(vector) => Ok(Some(vector)),
            Err(why) if !has_table && question.mode == Mode::Meaning => bail!(why),
            Err(why) => {
                let instead = if has_table { "the index's own query encoder" } else { "words alone" };
                notices.push(format!("searching by {instead}: {why}"));
                Ok(None)
            }
        }
    }

    /// Returns the vector that the provider of the model of `bundle` computes for a question, or the reason why there
    /// is none. After a failure, the provider is not called for a while, so that no further question waits for it.
    fn by_provider(&self, bundle: &Arc<OpenBundle>, text: &str) -> Result<Vec<f32>, String> {
        let wanted = &bundle.manifest().model;
        let Some(provider) = &self.provider else {
            return Err(format!("model {} belongs to a provider: name it in [embedding]", wanted.name));
        };
        if provider.settings().model != wanted.name {
            let own = &provider.settings().model;
            return Err(format!("the index was made with model {}, but [embedding] names {own}", wanted.name));
        }
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((why, since)) = refused.as_ref().filter(|(_, since)| since.elapsed() < LOOK_AGAIN) {
            let left = LOOK_AGAIN.saturating_sub(since.elapsed()).as_secs();
            return Err(format!("{why}; next try in {left} s"));
        }
        drop(refused.take());
        drop(refused);
        let dimensions = bundle.reader().root().vectors.dimensions as usize;
        let asked = provider.question(text, wanted.probe.as_deref().unwrap_or_default(), dimensions);
        asked.map_err(|error| {
            let why = format!("{error:#}");
            *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some((why.clone(), Instant::now()));
            why
        })
    }

    /// Returns the best available encoder for questions to `bundle`, up to `wanted`, or the reason why there is none.
    fn best(
        &self,
        bundle: &Arc<OpenBundle>,
        wanted: QuestionEncoder,
        notices: &mut Vec<String>,
    ) -> Result<Arc<Encoder>, String> {
        if wanted == QuestionEncoder::Small {
            return self.encoder(bundle, Pack::Small);
        }
        self.encoder(bundle, Pack::Model).or_else(|why| {
            let small = self.encoder(bundle, Pack::Small).map_err(|_| why.clone())?;
            notices.push(format!("searching by the small encoder: {why}"));
            Ok(small)
        })
    }

    /// Looks for the encoders of `bundle`, and starts to fetch them if they are missing.
    pub(crate) fn prepare(&self, bundle: &Arc<OpenBundle>) {
        let _ = self.best(bundle, QuestionEncoder::Model, &mut Vec::new());
    }

    /// Returns an encoder for questions to `bundle`, or the reason why there is none.
    fn encoder(&self, bundle: &Arc<OpenBundle>, pack: Pack) -> Result<Arc<Encoder>, String> {
        let Some((wanted, file)) = pack.of(&bundle.manifest().model) else {
            return Err("the index has no small encoder: index again with the default model".to_owned());
        };
        let slot = self.slot(wanted.hash);
        // The lock is held while the encoder is loaded, because other threads would load it too.
        let mut known = lock(&slot);
        match &*known {
            Some(Known::Ready(encoder)) => return Ok(Arc::clone(encoder)),
            Some(Known::Fetching) => return Err(format!("model {} is being fetched", wanted.name)),
            Some(Known::Missing { why, since }) if since.elapsed() < LOOK_AGAIN => return Err(why.clone()),
            _ => {}
        }
        let shipped = file.and_then(|file| bundle.origin().model_path(file));
        let found = match &self.chosen {
            Some(path) if pack == Pack::Model => encoder_at(path, wanted),
            _ => encoder_of(wanted, shipped.as_deref(), &self.store),
        };
        let may_fetch = self.fetches && matches!(bundle.origin(), Origin::Published(_));
        let now = match found {
            Ok(encoder) => Known::Ready(Arc::new(encoder)),
            Err(_) if may_fetch && file.is_some() => {
                fetch(bundle, pack, &slot);
                Known::Fetching
            }
            Err(why) => Known::Missing { why, since: Instant::now() },
        };
        *known = Some(now.clone());
        drop(known);
        match now {
            Known::Ready(encoder) => Ok(encoder),
            Known::Fetching => Err(format!("model {} is being fetched", wanted.name)),
            Known::Missing { why, .. } => Err(why),
        }
    }

    /// Returns the state of the model with this hash.
    fn slot(&self, hash: &str) -> Slot {
        Arc::clone(lock(&self.known).entry(hash.to_owned()).or_default())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A pack that encodes questions to a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pack {
    Model,
    Small,
}

impl Pack {
    /// Returns the pack's name and hash, and its file if the bundle ships it.
    fn of(self, model: &ModelReference) -> Option<(WantedPack<'_>, Option<&ModelFile>)> {
        let name = &model.name;
        match (self, &model.small) {
            (Self::Model, _) => Some((WantedPack { name, hash: &model.hash }, model.file.as_ref())),
            (Self::Small, Some(small)) => Some((WantedPack { name, hash: &small.hash }, Some(&small.file))),
            (Self::Small, None) => None,
        }
    }
}

/// Starts to fetch the pack that a published bundle ships.
fn fetch(bundle: &Arc<OpenBundle>, pack: Pack, slot: &Slot) {
    let (bundle, slot) = (Arc::clone(bundle), Arc::clone(slot));
    std::thread::spawn(move || {
        let now = match fetched(&bundle, pack) {
            Ok(encoder) => Known::Ready(Arc::new(encoder)),
            Err(error) => Known::Missing { why: format!("{error:#}"), since: Instant::now() },
        };
        *lock(&slot) = Some(now);
    });
}

/// Fetches the pack of a published bundle, and keeps it if it is the right one.
fn fetched(bundle: &OpenBundle, pack: Pack) -> Result<Encoder> {
    let (Origin::Published(published), Some((wanted, Some(file)))) =
        (bundle.origin(), pack.of(&bundle.manifest().model))
    else {
        bail!("the index does not include its model");
    };
    let pack = published.fetch_pack(file)?;
    let at = tempfile::NamedTempFile::new()?;
    std::fs::write(at.path(), &pack)?;
    let encoder = encoder_at(at.path(), wanted).map_err(anyhow::Error::msg)?;
    if let Err(error) = published.keep_pack(file, &pack) {
        remark!("warning: {error:#}");
    }
    Ok(encoder)
}
