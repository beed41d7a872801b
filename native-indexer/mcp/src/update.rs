//! Builds the index again for a client. `nearfind update` runs in a separate process, which can be ended at any moment,
//! and which frees its memory at its end.

use anyhow::{Context as _, Result, bail, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Time between two checks of a running update.
const LOOK: Duration = Duration::from_millis(50);
/// Number of lines of its messages to keep for explaining a failure.
const KEPT_LINES: usize = 20;

/// The command that builds the index.
#[derive(Debug)]
pub struct UpdateCommand {
    program: OsString,
    arguments: Vec<OsString>,
    runs: AtomicBool,
    /// Ends the running update.
    stop: CancellationToken,
    /// The result of the last update that outlived its call.
    ended: Mutex<Option<String>>,
}

/// Allows the next update when this update ends, for any reason.
struct Turn<'a>(&'a AtomicBool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// The result of an update.
#[derive(Debug, Default)]
pub(super) struct Updated {
    pub(super) reason: Option<String>,
    pub(super) changes: Vec<ProjectUpdate>,
    pub(super) failures: Vec<String>,
}

/// The changes in a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProjectUpdate {
    /// Name of the project.
    pub(super) project: String,
    /// Number of new documents.
    pub(super) added: usize,
    /// Number of documents whose text has changed.
    pub(super) changed: usize,
    /// Number of documents that no longer exist.
    pub(super) removed: usize,
    /// Number of documents whose path has changed.
    pub(super) moved: usize,
}

/// The output of the command.
#[derive(Deserialize)]
struct Printed {
    reason: Option<String>,
    changes: Vec<PrintedChanges>,
    failures: Vec<PrintedFailure>,
}

#[derive(Deserialize)]
struct PrintedChanges {
    project: String,
    added: Vec<String>,
    changed: Vec<String>,
    removed: Vec<String>,
    moved: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct PrintedFailure {
    project: String,
    problem: String,
}

impl UpdateCommand {
    /// Creates a command that runs `program` with `arguments`, and accepts the options of `nearfind update`.
    pub fn new(program: OsString, arguments: Vec<OsString>) -> Self {
        Self {
            program,
            arguments,
            runs: AtomicBool::new(false),
            stop: CancellationToken::new(),
            ended: Mutex::default(),
        }
    }

    /// Whether an update is running.
    pub(super) fn is_under_way(&self) -> bool {
        self.runs.load(Ordering::Acquire)
    }

    /// Records the result of an update that outlived its call.
    pub(super) fn note(&self, said: String) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
    }

    /// Returns the result of the last update that outlived its call.
    pub(super) fn noted(&self) -> Option<String> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the running update, and waits up to a second for its end.
    pub(super) fn end(&self) {
        self.stop.cancel();
        for _ in 0..20 {
            if !self.is_under_way() {
                return;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Builds the index of `projects`, or of all projects if the list is empty. `report` receives each line of the
    /// command's messages. Fails if another update is running.
    pub(super) fn run(
        &self,
        projects: &[String],
        full: bool,
        cancelled: &CancellationToken,
        report: &(dyn Fn(&str) + Sync),
    ) -> Result<Updated> {
        ensure!(!self.runs.swap(true, Ordering::AcqRel), "an update is under way: index_status says when it has ended");
        let _turn = Turn(&self.runs);
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg("--json").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Option and name are one argument, so that a name that begins with a dash is not read as an option.
        command.args(projects.iter().map(|project| format!("--project={project}")));
        command.args(full.then_some("--full"));
        let mut child = command.spawn().context("the update cannot be started")?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (status, printed, said) = std::thread::scope(|scope| {
            let printed = scope.spawn(move || {
                let mut printed = String::new();
                let read = stdout.map(|mut stdout| stdout.read_to_string(&mut printed));
                read.transpose().map(|_| printed)
            });
            let said = scope.spawn(move || {
                let mut last = Vec::new();
                for line in stderr.into_iter().flat_map(|stderr| BufReader::new(stderr).lines()).map_while(Result::ok) {
                    report(&line);
                    last.push(line);
                    last.drain(..last.len().saturating_sub(KEPT_LINES));
                }
                last
            });
            let status = loop {
                match child.try_wait() {
                    Ok(None) if cancelled.is_cancelled() || self.stop.is_cancelled() => {
                        // This is safe: the bundle is complete at any moment.
                        let _ = child.kill();
                        let _ = child.wait();
                        break None;
                    }
                    Ok(None) => std::thread::sleep(LOOK),
                    Ok(Some(status)) => break Some(status),
                    Err(_) => break None,
                }
            };
            (status, printed.join(), said.join().unwrap_or_default())
        });
        let Some(status) = status else { bail!("the update was stopped: the index is unchanged") };
        let printed = printed.ok().and_then(Result::ok).unwrap_or_default();
        // The command also fails if some projects cannot be fetched, but then it prints which.
        let Ok(printed) = serde_json::from_str::<Printed>(&printed) else {
            bail!("the update failed ({status}): {}", said.join("; "));
        };
        let of_project = |changes: PrintedChanges| ProjectUpdate {
            project: changes.project,
            added: changes.added.len(),
            changed: changes.changed.len(),
            removed: changes.removed.len(),
            moved: changes.moved.len(),
        };
        Ok(Updated {
            reason: printed.reason,
            changes: printed.changes.into_iter().map(of_project).collect(),
            failures: printed
                .failures
                .into_iter()
                .map(|failure| format!("{}: {}", failure.project, failure.problem))
                .collect(),
        })
    }
}
