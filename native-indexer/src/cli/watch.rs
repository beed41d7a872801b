//! Indexing again whenever a file changes. What an event says is not trusted, only that there was one: folders that
//! were renamed lose their paths, so everything is listed and hashed again.

use anyhow::{Context as _, Result};
use nearfind_base::progress::Progress;
use nearfind_base::remark;
use nearfind_indexing::run::IndexOptions;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Changes must have ended for so long.
const QUIET: Duration = Duration::from_millis(400);
/// Or have gone on for so long: some builds write all the time.
const LONGEST: Duration = Duration::from_secs(5);
/// What failed is tried again after so long: another process may have been writing.
const AGAIN: Duration = Duration::from_secs(5);
/// How often it is looked whether to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Hears of changes from its beginning on, so that none is missed that comes while sources are read.
pub(super) struct Watch {
    /// That there was a change is all that is kept of them, however many there are.
    changes: Receiver<()>,
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Begins to watch the folders among the sources of `options`.
    pub(super) fn begin(options: &IndexOptions) -> Result<Self> {
        // The bundle may be inside the folder that is watched.
        let own = real_path(&options.out);
        let (sender, changes) = mpsc::sync_channel(1);
        let note = move |event: notify::Result<Event>| {
            // An error may have lost some.
            if event.map_or(true, |event| is_change(&event, &own)) {
                let _ = sender.try_send(());
            }
        };
        let mut watcher = notify::recommended_watcher(note).context("changes cannot be watched")?;
        for source in options.sources.iter().filter(|source| source.git.is_none()) {
            let watched = watcher.watch(&real_path(&source.path), RecursiveMode::Recursive);
            watched.with_context(|| format!("{} cannot be watched", source.path.display()))?;
        }
        Ok(Self { changes, _watcher: watcher })
    }

    /// Calls `run` after each change, until the user stops it.
    pub(super) fn follow(
        self,
        options: &IndexOptions,
        progress: Progress,
        run: impl Fn(&IndexOptions) -> Result<ExitCode>,
    ) -> Result<ExitCode> {
        progress.note("watching; Ctrl-C ends it");
        let (mut changed, mut due): (Option<Instant>, Option<Instant>) = (None, None);
        let mut said = String::new();
        loop {
            if progress.check().is_err() {
                return Ok(ExitCode::SUCCESS);
            }
            match self.changes.recv_timeout(LOOK) {
                Ok(()) => {
                    let now = Instant::now();
                    due = Some((now + QUIET).min(*changed.get_or_insert(now) + LONGEST));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(ExitCode::FAILURE),
            }
            if due.is_some_and(|due| due <= Instant::now()) {
                changed = None;
                let failed = run(options).err().map(|error| format!("{error:#}"));
                due = failed.as_ref().map(|_| Instant::now() + AGAIN);
                // The same error is reported once.
                if let Some(error) = failed.as_ref().filter(|error| **error != said) {
                    remark!("error: {error}");
                }
                said = failed.unwrap_or_default();
            }
        }
    }
}

fn is_change(event: &Event, own: &Path) -> bool {
    let is_ours = |path: &PathBuf| real_path(path).starts_with(own);
    !matches!(event.kind, EventKind::Access(_)) && !event.paths.iter().all(is_ours)
}

/// Where `path` leads, or will lead once it is there.
fn real_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = path.ancestors().find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
    match real.and_then(|(folder, real)| Some(real.join(path.strip_prefix(folder).ok()?))) {
        Some(real) => real,
        None => path,
    }
}
