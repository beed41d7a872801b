use super::super::Server;
use super::super::arguments::{Aliases, Flag, Texts};
use super::super::response::one_line;
use super::super::update::{ProjectUpdate, Updated};
use super::tool::{Call, Reach, Tool};
use anyhow::{Result, bail, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::mpsc::{RecvTimeoutError, SendError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

pub(super) struct UpdateIndex;

/// Maximum time that a call waits. The update then continues without the call. Clients give up after a minute or less.
const WAIT: Duration = Duration::from_secs(10);
/// After this time, a call returns as soon as the words of the update can be searched.
const SOON: Duration = Duration::from_secs(5);
/// Time between two checks of whether the words can be searched.
const LOOK: Duration = Duration::from_millis(100);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Only this project
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    project: Texts,
    /// Read everything again
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    full: Option<Flag>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// The reason why the index was written again; absent if it was up to date.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The changes.
    changes: Vec<ProjectUpdate>,
    /// Projects that could not be brought up to date, with the reason.
    failures: Vec<String>,
    /// Whether the update continues. index_status says when it has ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    goes_on: bool,
    /// Whether new texts can already be searched by words.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    has_words: bool,
}

/// A message from an update to the call that started the update.
enum Said {
    Line(String),
    Done(Result<Updated>),
}

impl From<Updated> for Outcome {
    fn from(Updated { reason, changes, failures }: Updated) -> Self {
        Self { reason, changes, failures, goes_on: false, has_words: false }
    }
}

impl Tool for UpdateIndex {
    const NAME: &'static str = "update_index";
    const TITLE: &'static str = "Bring the index up to date";
    const DESCRIPTION: &'static str = "Reads what has changed since the index was built, and fetches repositories. Use \
    it when answers are stale or the user asks for it.";
    const ALIASES: Aliases = &[("projects", "project"), ("package", "project"), ("force", "full")];
    const READ_ONLY: bool = false;
    const REACH: Reach = Reach::Others;
    const TAKES_LONG: bool = true;
    const ASKS_INDEX: bool = false;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, call: &Call) -> Result<Outcome> {
        let full = arguments.full.is_some_and(|Flag(full)| full);
        ensure!(server.0.options.update.is_some(), "updates are off: start the server with --allow-update");
        let generations = || -> Vec<String> {
            let view = server.0.library.view();
            view.bundles.iter().map(|bundle| bundle.manifest().generation.clone()).collect()
        };
        let (before, begun) = (generations(), Instant::now());
        let (said, hears) = channel();
        let (behind, cancelled) = (server.clone(), CancellationToken::new());
        let (stop, projects) = (cancelled.clone(), arguments.project.0);
        std::thread::spawn(move || {
            let Some(update) = &behind.0.options.update else { return };
            // The call may have ended, so that nothing receives the lines.
            let lines = Mutex::new(said.clone());
            let report = |line: &str| {
                let _ = lines.lock().unwrap_or_else(PoisonError::into_inner).send(Said::Line(line.to_owned()));
            };
            let done = update.run(&projects, full, &stop, &report);
            behind.0.library.refresh();
            if let Err(SendError(Said::Done(done))) = said.send(Said::Done(done)) {
                update.note(match done {
                    Ok(done) => Self::text(&Outcome::from(done)).trim_end().replace('\n', "; "),
                    Err(error) => format!("{error:#}"),
                });
            }
        });
        loop {
            match hears.recv_timeout(LOOK) {
                Ok(Said::Line(line)) => call.report(&line),
                Ok(Said::Done(done)) => return done.map(Outcome::from),
                Err(RecvTimeoutError::Disconnected) => bail!("the update ended, and its result is unknown"),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if call.cancelled.is_cancelled() {
                cancelled.cancel();
                continue;
            }
            // The words can be searched long before the model has read everything.
            let has_words = begun.elapsed() > SOON && {
                server.0.library.refresh();
                generations() != before
            };
            if has_words || begun.elapsed() > WAIT {
                return Ok(Outcome { goes_on: true, has_words, ..Outcome::from(Updated::default()) });
            }
        }
    }

    fn text(outcome: &Outcome) -> String {
        if outcome.goes_on {
            let words = if outcome.has_words { "new text can be searched; " } else { "" };
            return format!("the update continues: {words}index_status says when it has ended\n");
        }
        let mut text = match &outcome.reason {
            Some(reason) => format!("the index was written again: {reason}\n"),
            None => "the index was up to date\n".to_owned(),
        };
        for ProjectUpdate { project, added, changed, removed, moved } in &outcome.changes {
            let project = one_line(project);
            text += &format!("- {project}: {added} added, {changed} changed, {removed} removed, {moved} moved\n");
        }
        for failure in &outcome.failures {
            text += &format!("failed: {}\n", one_line(failure));
        }
        text
    }
}
