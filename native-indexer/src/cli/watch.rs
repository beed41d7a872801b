//! Indexes again whenever a file changes. Events tell only that something has changed: those of renamed folders lack
//! paths, so everything is listed and hashed again.

use anyhow::{Context as _, Result};
use nearfind_base::progress::Progress;
use nearfind_base::real_path;
use nearfind_base::remark;
use nearfind_base::run_state::RunState;
use nearfind_bundles::bundle_folder::is_draft;
use nearfind_indexing::run::{IndexOptions, IndexRun, is_for_now};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A run begins when there were no changes for this long.
const QUIET: Duration = Duration::from_millis(100);
/// A run begins after this time even if changes go on. Some builds write all the time.
const LONGEST: Duration = Duration::from_secs(2);
/// A failed run is repeated after this time: another process may have been writing.
const AGAIN: Duration = Duration::from_secs(5);
/// The model reads what is new when nothing has changed for this long.
const IDLE: Duration = Duration::from_secs(5);
/// How often to check whether to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Set by a change until the next run begins. It interrupts the model.
static CHANGED: AtomicBool = AtomicBool::new(false);

/// The result of a run of [`Watch::follow`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Ran {
    pub code: ExitCode,
    /// Whether another run would make a better bundle of the same files.
    pub is_for_now: bool,
    /// Whether the run wrote a bundle.
    has_written: bool,
}

impl Ran {
    /// Returns the result of a `run` with `options`.
    pub(super) fn of(run: &IndexRun, options: &IndexOptions, code: ExitCode) -> Self {
        let is_for_now = run.written.as_ref().map_or_else(|| is_draft(&options.out), |report| report.is_for_now);
        Self { code, is_for_now: is_for_now && !options.quick, has_written: run.written.is_some() }
    }
}

/// Receives changes from its creation on, so that changes are not missed while sources are read.
pub(super) struct Watch {
    /// Receives one message for any number of changes.
    changes: Receiver<()>,
    /// `None` if changes are assumed at intervals.
    _watcher: Option<RecommendedWatcher>,
}

impl Watch {
    /// Begins to watch the local folders among the sources of `options`, and reports changes to `progress`.
    pub(super) fn begin(options: &IndexOptions, progress: Progress) -> Result<Self> {
        // The bundle may be inside a watched folder.
        let own = real_path(&options.out);
        let folders = options.sources.iter().filter(|source| source.git.is_none());
        let roots: Vec<PathBuf> = folders.map(|source| real_path(&source.path)).collect();
        let watched = roots.clone();
        let (sender, changes) = mpsc::sync_channel(1);
        let note = move |event: notify::Result<Event>| {
            // Events may have been lost before an error.
            if event.map_or(true, |event| is_change(&event, &own, &roots)) {
                if !CHANGED.swap(true, Ordering::Relaxed) {
                    progress.tell(&RunState::Changed);
                }
                let _ = sender.try_send(());
            }
        };
        let mut watcher = notify::recommended_watcher(note).context("changes cannot be watched")?;
        for root in watched {
            let watched = watcher.watch(&root, RecursiveMode::Recursive);
            watched.with_context(|| format!("{} cannot be watched", root.display()))?;
        }
        Ok(Self { changes, _watcher: Some(watcher) })
    }

    /// Assumes a change after every `pause`, for folders that cannot be watched. Such changes do not interrupt the
    /// model.
    pub(super) fn every(pause: Duration) -> Self {
        let (sender, changes) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            std::thread::sleep(pause);
            while sender.send(()).is_ok() {
                std::thread::sleep(pause);
            }
        });
        Self { changes, _watcher: None }
    }

    /// Calls `run` after each change until the user stops the program, and at once for the step `now`. Changes are
    /// first indexed by their words. The model reads them when the edits stop, and is interrupted by further
    /// changes.
    pub(super) fn follow(
        self,
        options: &IndexOptions,
        now: Option<Step>,
        progress: Progress,
        mut run: impl FnMut(&IndexOptions, Progress) -> Result<Ran>,
    ) -> ExitCode {
        progress.note("watching for changes; press Ctrl-C to stop");
        let soon = IndexOptions { soon: true, ..options.clone() };
        let mut schedule = Schedule::new(now, can_be_soon(options));
        // The last process may have ended before the model had read the latest changes.
        if now == Some(Step::Soon) && !options.quick && is_for_now(options) {
            schedule.whole = Some(Instant::now() + IDLE);
        }
        let mut said = String::new();
        while progress.check().is_ok() {
            match self.changes.recv_timeout(schedule.wait()) {
                Ok(()) => schedule.note_change(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return ExitCode::FAILURE,
            }
            let Some(step) = schedule.take_due() else { continue };
            CHANGED.store(false, Ordering::Relaxed);
            let ran = match step {
                Step::Soon => run(&soon, progress),
                Step::Whole if schedule.is_in_two_steps => run(options, progress.until(&CHANGED)),
                Step::Whole => run(options, progress),
            };
            match ran {
                Ok(ran) => {
                    schedule.note_run(step, ran);
                    progress.tell(if schedule.whole.is_some() { &RunState::Words } else { &RunState::Whole });
                    said.clear();
                }
                // The run was interrupted by a change.
                Err(_) if CHANGED.load(Ordering::Relaxed) && step == Step::Whole => schedule.note_interrupt(),
                Err(error) => {
                    schedule.again(step);
                    let error = format!("{error:#}");
                    progress.tell(&RunState::Failed(error.clone()));
                    // An error that repeats is reported once.
                    if error != said {
                        remark!("error: {error}");
                    }
                    said = error;
                }
            }
        }
        ExitCode::SUCCESS
    }
}

/// The step to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Index the words of what has changed.
    Soon,
    /// Index everything, including what the model reads.
    Whole,
}

/// When each step is due.
#[derive(Debug)]
struct Schedule {
    /// Whether words are indexed before the model runs.
    is_in_two_steps: bool,
    /// When the first change occurred that no run has included.
    changed: Option<Instant>,
    soon: Option<Instant>,
    whole: Option<Instant>,
}

impl Schedule {
    fn new(now: Option<Step>, is_in_two_steps: bool) -> Self {
        let due = |step| (now == Some(step)).then(Instant::now);
        Self { is_in_two_steps, changed: None, soon: due(Step::Soon), whole: due(Step::Whole) }
    }

    /// Returns how long to wait for the next step.
    fn wait(&self) -> Duration {
        let next = self.soon.into_iter().chain(self.whole).min();
        next.map_or(LOOK, |next| next.saturating_duration_since(Instant::now()).min(LOOK))
    }

    fn note_change(&mut self) {
        let now = Instant::now();
        self.soon = Some((now + QUIET).min(*self.changed.get_or_insert(now) + LONGEST));
    }

    /// Returns the step that is due, if any, and clears it.
    fn take_due(&mut self) -> Option<Step> {
        let now = Instant::now();
        let is_due = |due: Option<Instant>| due.is_some_and(|due| due <= now);
        if is_due(self.soon) {
            (self.changed, self.soon) = (None, None);
            return Some(if self.is_in_two_steps { Step::Soon } else { Step::Whole });
        }
        // Words of recent changes come first.
        let is_whole = is_due(self.whole) && self.soon.is_none();
        is_whole.then(|| self.whole = None).map(|()| Step::Whole)
    }

    fn note_run(&mut self, step: Step, ran: Ran) {
        // Changes to files that are not indexed, such as logs, do not delay the model.
        let due = self.whole.filter(|_| !ran.has_written);
        self.whole = match step {
            Step::Soon if ran.is_for_now => Some(due.unwrap_or_else(|| Instant::now() + IDLE)),
            Step::Soon => self.whole,
            Step::Whole => None,
        };
    }

    /// The model runs again after the changes that interrupted it are indexed.
    fn note_interrupt(&mut self) {
        self.whole = Some(Instant::now() + IDLE);
        self.note_change();
    }

    fn again(&mut self, step: Step) {
        let later = Some(Instant::now() + AGAIN);
        match step {
            Step::Soon => self.soon = self.soon.or(later),
            Step::Whole => self.whole = later,
        }
    }
}

/// Returns whether the words of changes can be indexed before the model runs. Providers get all texts in a single run.
const fn can_be_soon(options: &IndexOptions) -> bool {
    options.embedding.is_none() && options.writing.is_none() && options.shares.is_none()
}

fn is_change(event: &Event, own: &Path, roots: &[PathBuf]) -> bool {
    let is_of_no_interest = |path: &PathBuf| {
        let path = real_path(path);
        path.starts_with(own) || roots.iter().any(|root| path.strip_prefix(root).is_ok_and(is_hidden))
    };
    // If the system has lost events, it sends one without paths.
    event.need_rescan() || (!matches!(event.kind, EventKind::Access(_)) && !event.paths.iter().all(is_of_no_interest))
}

/// Returns whether a path in a source is hidden, such as files in `.git`, and therefore not read. A `.gitignore` is
/// read.
fn is_hidden(path: &Path) -> bool {
    let mut parts = path.components().map(|part| part.as_os_str().as_encoded_bytes());
    parts.any(|part| part.starts_with(b".")) && path.file_name().is_none_or(|name| name != ".gitignore")
}

/// Returns the real path of `path`, even if it does not exist yet.
fn real_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = path.ancestors().find_map(|folder| Some((folder, real_path::real_path(folder).ok()?)));
    match real.and_then(|(folder, real)| Some(real.join(path.strip_prefix(folder).ok()?))) {
        Some(real) => real,
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::Flag;

    const RAN: Ran = Ran { code: ExitCode::SUCCESS, is_for_now: true, has_written: true };

    #[test]
    fn what_has_changed_comes_before_the_model() {
        let mut schedule = Schedule::new(Some(Step::Whole), true);
        assert_eq!(schedule.take_due(), Some(Step::Whole));
        schedule.note_interrupt();
        assert_eq!(schedule.take_due(), None, "changes may go on");
        schedule.whole = Some(Instant::now());
        assert_eq!(schedule.take_due(), None);
        schedule.soon = Some(Instant::now());
        assert_eq!(schedule.take_due(), Some(Step::Soon));
        schedule.note_run(Step::Soon, RAN);
        assert!(schedule.whole > Some(Instant::now()) && schedule.soon.is_none());
    }

    #[test]
    fn a_change_that_is_not_indexed_does_not_put_the_model_off() {
        let mut schedule = Schedule::new(None, true);
        let nothing = Ran { has_written: false, ..RAN };
        schedule.note_run(Step::Soon, nothing);
        assert!(schedule.whole > Some(Instant::now()));
        let due = Some(Instant::now());
        schedule.whole = due;
        schedule.note_run(Step::Soon, nothing);
        assert_eq!(schedule.whole, due);
        schedule.note_run(Step::Soon, RAN);
        assert!(schedule.whole > due);
    }

    #[test]
    fn what_git_keeps_is_no_change() {
        let hidden = [".git/index.lock", "docs/.cache/a.md"].map(|path| is_hidden(Path::new(path)));
        assert_eq!((hidden, is_hidden(Path::new("docs/a.md"))), ([true; 2], false));
        assert!(!is_hidden(Path::new("docs/.gitignore")) && !is_hidden(Path::new("")));
    }

    #[test]
    fn folders_that_cannot_be_watched_are_looked_at_again_and_again() {
        let watch = Watch::every(Duration::from_millis(1));
        assert_eq!([watch.changes.recv(), watch.changes.recv()], [Ok(()); 2]);
    }

    #[test]
    fn lost_events_are_a_change() {
        let is_change = |event| is_change(&event, Path::new("/bundle"), &[]);
        let event = Event::new(EventKind::Other);
        assert!(!is_change(event.clone()));
        assert!(is_change(event.set_flag(Flag::Rescan)));
    }

    #[test]
    fn changes_without_an_end_are_looked_at() {
        let mut schedule = Schedule::new(None, false);
        schedule.note_change();
        let first = schedule.changed;
        schedule.changed = first.and_then(|first| first.checked_sub(LONGEST));
        schedule.note_change();
        assert_eq!(schedule.take_due(), Some(Step::Whole));
        schedule.again(Step::Whole);
        assert!(schedule.whole.is_some() && schedule.take_due().is_none());
    }
}
