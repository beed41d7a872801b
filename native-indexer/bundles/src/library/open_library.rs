//! Bundles that are opened once and then followed. They may be replaced while they are read, and their servers may
//! respond late or not at all.

use super::ask::encoders::Encoders;
use super::ask::recent_answers::RecentAnswers;
use super::ask::reranking::Reranking;
use super::open::open_bundle::{OpenBundle, Unreadable};
use super::open::origin::Origin;
use super::open::published::Traffic;
use super::open::view::View;
use crate::bundle_folder::{BuildRecord, HowToBuild, NoBundle};
use anyhow::{Context as _, Result, bail};
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::location::Location;
use nearfind_core::format::manifest::{MANIFEST_FILE, ModelModule};
use nearfind_models::model::{LocalReranker, ModelStore};
use nearfind_models::provider::{
    LanguageModel, LanguageSettings, ProviderSettings, RemoteReranker, RerankKind, RerankSettings,
};
use nearfind_models::reranker::Reranker;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Number of times that a question is asked again because a bundle was replaced meanwhile.
const MAX_TRIES: usize = 5;
/// How long a publisher's manifest counts as the newest.
const REVALIDATE: Duration = Duration::from_mins(1);

/// The settings of a library.
///
/// [`Library`] has an example.
#[derive(Clone, Debug)]
pub struct LibraryOptions {
    /// The models on this machine.
    pub store: ModelStore,
    /// The folder that keeps blocks of published bundles.
    pub cache: CacheFolder,
    /// A pack that encodes questions, instead of the pack that a bundle names. It must contain the same model.
    pub model: Option<PathBuf>,
    /// Whether the model that a published bundle ships is fetched in the background.
    pub fetch_models: bool,
    /// Providers of models, for bundles whose vectors they made.
    pub providers: ProviderSettings,
    /// Returns the advice for a folder that contains no bundle.
    pub how_to_build: HowToBuild,
}

/// Bundles that are opened once and then followed.
///
/// ```no_run
/// use nearfind_base::{cache_folder::CacheFolder, location::Location};
/// use nearfind_bundles::library::{Library, LibraryOptions, Question};
/// use nearfind_models::model::ModelStore;
///
/// let options = LibraryOptions {
///     store: ModelStore::open(None)?,
///     cache: CacheFolder::none(),
///     model: None,
///     fetch_models: false,
///     providers: Default::default(),
///     how_to_build: |_| None,
/// };
/// let library = Library::open(&[Location::Folder("site/nearfind".into())], options)?;
/// let question = Question { text: "how do I undo a commit?".into(), limit: 10, ..Question::default() };
/// for hit in library.ask(&library.view(), &question)?.hits {
///     println!("{}: {}", hit.hit.title, hit.hit.excerpt.text);
/// }
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug)]
pub struct Library {
    spots: Vec<Arc<Spot>>,
    pub(crate) encoders: Encoders,
    pub(crate) reranker: Option<Reranking>,
    language_model: Option<LanguageSettings>,
    /// Whether questions are sent to third-party servers.
    sends_questions: bool,
    pub(crate) recent_answers: RecentAnswers,
    cache: CacheFolder,
}

/// A location, and the bundle that is open there.
#[derive(Debug)]
struct Spot {
    label: String,
    location: Location,
    origin: Arc<Origin>,
    state: Mutex<State>,
    is_revalidating: AtomicBool,
    how_to_build: HowToBuild,
}

#[derive(Debug)]
struct State {
    bundle: Option<Arc<OpenBundle>>,
    /// The bytes of the manifest of `bundle`.
    manifest: Vec<u8>,
    /// A description of the problem with the location, if there is one.
    problem: Option<String>,
    checked: Instant,
}

/// The status of a location.
#[derive(Clone, Debug)]
pub struct LocationStatus {
    /// The name of the bundle for readers.
    pub label: String,
    /// The location of the bundle.
    pub location: Location,
    /// The bundle, if it could be opened.
    pub bundle: Option<Arc<OpenBundle>>,
    /// A description of the problem, if there is one.
    pub problem: Option<String>,
    /// The amount of data that was read over the network, or `None` for a folder.
    pub traffic: Option<Traffic>,
    /// How long ago the bundle was written, if known.
    pub age: Option<Duration>,
    /// How long ago the source of each project was checked, by project name, if known on this machine.
    pub project_ages: BTreeMap<String, Duration>,
}

impl Library {
    /// Opens the bundles at `locations`. At least one location is required. If a bundle cannot be opened, the library
    /// tries again with every question.
    pub fn open(locations: &[Location], options: LibraryOptions) -> Result<Self> {
        let mut spots: Vec<Arc<Spot>> = Vec::new();
        for location in locations {
            let mut label = location.label();
            let same = spots.iter().filter(|spot| spot.location.label() == label).count();
            if same > 0 {
                label = format!("{label} ({})", same + 1);
            }
            let state = State { bundle: None, manifest: Vec::new(), problem: None, checked: Instant::now() };
            spots.push(Arc::new(Spot {
                label,
                location: location.clone(),
                origin: Arc::new(Origin::new(location, &options.cache)?),
                state: Mutex::new(state),
                is_revalidating: AtomicBool::new(false),
                how_to_build: options.how_to_build,
            }));
        }
        let ProviderSettings { embedding, rerank, language_model } = &options.providers;
        let reranker = rerank.clone().map(|settings| -> Result<Reranking> {
            let model: Box<dyn Reranker> = match settings.provider {
                RerankKind::Local => {
                    let name = settings.model.as_deref().context("[rerank] has no model on this machine")?;
                    Box::new(LocalReranker::open(&options.store.find(name)?)?)
                }
                _ => Box::new(RemoteReranker::new(settings.clone(), embedding.as_ref())?),
            };
            Ok(Reranking { model, settings })
        });
        let language_model = language_model.clone();
        let is_elsewhere = |settings: &RerankSettings| settings.provider != RerankKind::Local;
        let sends_questions = embedding.is_some() || rerank.as_ref().is_some_and(is_elsewhere);
        let encoders = Encoders::new(options.store, options.model, options.fetch_models, options.providers.embedding)?;
        let library = Self {
            spots,
            encoders,
            sends_questions,
            recent_answers: RecentAnswers::default(),
            cache: options.cache,
            reranker: reranker.transpose()?,
            language_model,
        };
        library.spots.iter().for_each(|spot| spot.check());
        Ok(library)
    }

    /// Whether answers can be reranked.
    pub const fn has_reranker(&self) -> bool {
        self.reranker.is_some()
    }

    /// Whether questions, and passages to rerank, are sent to third-party servers.
    pub const fn sends_questions(&self) -> bool {
        self.sends_questions
    }

    /// Whether there is a language model.
    pub const fn has_language_model(&self) -> bool {
        self.language_model.is_some()
    }

    /// Returns the language model, or an error if none is configured.
    pub fn language_model(&self) -> Result<LanguageModel> {
        let settings = self.language_model.clone();
        LanguageModel::new(settings.context("there is no language model: set one in [language_model]")?)
    }

    /// Returns the current bundles.
    pub fn view(&self) -> View {
        let mut view = View { bundles: Vec::new(), problems: Vec::new() };
        for spot in &self.spots {
            let (bundle, problem) = spot.current();
            view.bundles.extend(bundle);
            view.problems.extend(problem);
        }
        view
    }

    /// Returns the status of each location.
    pub fn status(&self) -> Vec<LocationStatus> {
        let of_spot = |spot: &Arc<Spot>| {
            let (bundle, problem) = spot.current();
            let traffic = match &*spot.origin {
                Origin::Folder(..) => None,
                Origin::Published(published) => Some(published.traffic()),
            };
            let (label, location) = (spot.label.clone(), spot.location.clone());
            let (age, record) = match &location {
                Location::Folder(folder) => (age(folder), BuildRecord::read(folder, &self.cache)),
                Location::Published(_) => (None, None),
            };
            let projects = record.map(|record| record.projects).unwrap_or_default();
            let project_ages =
                projects.into_iter().filter_map(|(name, project)| Some((name, project.age()?))).collect();
            LocationStatus { label, location, bundle, problem, traffic, age, project_ages }
        };
        self.spots.iter().map(of_spot).collect()
    }

    /// Reads every manifest again.
    pub fn refresh(&self) {
        self.spots.iter().for_each(|spot| spot.check());
    }

    /// Loads models and the blocks that every query reads, so that the first question need not wait.
    pub fn warm_up(&self) {
        for bundle in self.view().bundles {
            // Errors are reported, and the provider is called, only for the first question.
            if bundle.manifest().model.module != ModelModule::Provider {
                self.encoders.prepare(&bundle);
            }
            let always = bundle.reader().always_needed();
            let _ = bundle.bring(always);
        }
    }

    /// Calls `read` with the current bundles, and again if a part cannot be read because a bundle was replaced
    /// meanwhile.
    pub fn read<T>(&self, mut read: impl FnMut(&View) -> Result<T>) -> Result<T> {
        let mut view = self.view();
        for tries in 1.. {
            if view.bundles.is_empty() {
                bail!("there is no index to read: {}", view.problems.join("; "));
            }
            let result = read(&view);
            view.bundles.iter().for_each(|bundle| bundle.forget_texts());
            let Err(error) = result else { return result };
            if tries >= MAX_TRIES || error.downcast_ref::<Unreadable>().is_none() {
                return Err(error);
            }
            self.refresh();
            let before = std::mem::replace(&mut view, self.view());
            if before.generations() == view.generations() {
                return Err(error);
            }
        }
        unreachable!("the last try returns")
    }
}

/// Converts a time to hours, rounded to a tenth, for people.
pub fn hours(time: Duration) -> f64 {
    (time.as_secs_f64() / 360.0).round() / 10.0
}

/// Returns how long ago the bundle in `folder` was written, according to the file system.
pub fn age(folder: &Path) -> Option<Duration> {
    std::fs::metadata(folder.join(MANIFEST_FILE)).ok()?.modified().ok()?.elapsed().ok()
}

/// Records that revalidation has ended, however its thread ends.
struct Revalidating<'a>(&'a AtomicBool);

impl Drop for Revalidating<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Spot {
    /// Returns the bundle, and a description of the problem with it. A folder is checked each time. A publisher is
    /// checked occasionally, in the background.
    fn current(self: &Arc<Self>) -> (Option<Arc<OpenBundle>>, Option<String>) {
        match self.location {
            Location::Folder(_) => self.check(),
            Location::Published(_) => {
                let state = self.lock();
                let (is_open, is_old) = (state.bundle.is_some(), state.checked.elapsed() > REVALIDATE);
                drop(state);
                if !is_open {
                    self.check();
                } else if is_old && !self.is_revalidating.swap(true, Ordering::Relaxed) {
                    let spot = Arc::clone(self);
                    std::thread::spawn(move || {
                        let _revalidating = Revalidating(&spot.is_revalidating);
                        spot.check();
                    });
                }
            }
        }
        let state = self.lock();
        (state.bundle.clone(), state.problem.as_ref().map(|problem| format!("{}: {problem}", self.label)))
    }

    /// Reads the manifest, and opens the bundle if it has changed. If that fails, the open bundle stays open.
    fn check(&self) {
        let read = self.origin.manifest();
        let mut state = self.lock();
        state.checked = Instant::now();
        state.problem = match read {
            Ok((manifest, problem)) if state.bundle.is_some() && manifest == state.manifest => problem,
            Ok((manifest, problem)) => match OpenBundle::new(&self.label, Arc::clone(&self.origin), &manifest) {
                Ok(bundle) => {
                    if let Origin::Published(published) = &*self.origin {
                        published.forget_whole_files();
                    }
                    state.bundle = Some(Arc::new(bundle));
                    state.manifest = manifest;
                    problem
                }
                Err(error) => Some(format!("{error:#}")),
            },
            Err(error) => Some(NoBundle::hint(&error, self.how_to_build).unwrap_or_else(|| format!("{error:#}"))),
        };
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_a_revalidation() {
        let is_revalidating = AtomicBool::new(true);
        let panicked = std::panic::catch_unwind(|| {
            let _revalidating = Revalidating(&is_revalidating);
            panic!("a reader failed");
        });
        assert!(panicked.is_err());
        assert!(!is_revalidating.load(Ordering::Relaxed), "the publisher would never be asked again");
    }
}
