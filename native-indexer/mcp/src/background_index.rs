//! The process that keeps the index up to date while the server answers. It prints its progress, one [`RunState`] per
//! line, and ends with the server.

use super::response::counted;
use nearfind_base::run_state::RunState;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long a question waits if there is no index yet. Clients give up after a minute or less.
const FIRST_WAIT: Duration = Duration::from_secs(20);
/// How long a question waits for recent changes if there is an index.
const FRESH_WAIT: Duration = Duration::from_secs(1);
/// How long after its end the process is started again, and how often it is started in total.
const AGAIN: Duration = Duration::from_secs(5);
const MAX_TRIES: usize = 5;

/// An index that another process keeps up to date.
#[derive(Debug)]
pub struct BackgroundIndex {
    state: watch::Receiver<State>,
    /// Holds the process's standard input. The process ends when its input is closed.
    running: Arc<Mutex<Running>>,
}

#[derive(Debug, Default)]
struct Running {
    input: Option<ChildStdin>,
    is_over: bool,
}

/// The server's knowledge about the index.
#[derive(Clone, Debug, Default)]
struct State {
    /// Current work: a description, the number of completed units, and the number of all units.
    working: Option<(String, u64, u64)>,
    /// Time of the first change to files that the index does not include yet.
    changed: Option<Instant>,
    /// Last time when the index contained the words of all files.
    has_words: Option<Instant>,
    /// Whether the model has encoded all files.
    is_whole: bool,
    problem: Option<String>,
    is_kept_by_another: bool,
}

/// The state of the index when a question arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    /// As far as the server knows, the index is up to date with the files on disk.
    Ready,
    /// The index is out of date. A note explains how.
    Old(String),
    /// There is no index yet. An error explains why.
    Missing(String),
}

impl BackgroundIndex {
    /// Starts `program` with `arguments`. It keeps an index up to date, and prints its states to standard output.
    pub fn start(program: OsString, arguments: Vec<OsString>) -> Self {
        let (sender, state) = watch::channel(State::default());
        let running = Arc::new(Mutex::new(Running::default()));
        let shared = Arc::clone(&running);
        std::thread::spawn(move || {
            for _ in 0..MAX_TRIES {
                let problem = match spawn(&program, &arguments, &shared) {
                    None => return,
                    Some(Ok(child)) => follow(child, &sender),
                    Some(Err(error)) => format!("the index cannot be kept up to date: {error}"),
                };
                sender.send_modify(|state| state.fail(problem));
                std::thread::sleep(AGAIN);
            }
        });
        Self { state, running }
    }

    /// Waits until the index is up to date with the files on disk: at most for [`FIRST_WAIT`] if there is no index, and
    /// for [`FRESH_WAIT`] otherwise. `has_index` returns whether there is an index.
    pub(super) async fn ready(&self, has_index: impl Fn() -> bool) -> Readiness {
        let mut state = self.state.clone();
        let is_there = has_index();
        let wait = if is_there { FRESH_WAIT } else { FIRST_WAIT };
        let settled = state.wait_for(|state| state.is_settled(is_there));
        let is_settled = tokio::time::timeout(wait, settled).await.is_ok_and(|settled| settled.is_ok());
        let state = self.state.borrow().clone();
        if is_there || has_index() {
            return match state.behind() {
                Some(note) if !is_settled || state.problem.is_some() => Readiness::Old(note),
                _ => Readiness::Ready,
            };
        }
        Readiness::Missing(
            state
                .problem
                .clone()
                .unwrap_or_else(|| format!("there is no index yet: {}; ask again in a few seconds", state.progress())),
        )
    }

    /// Whether the index contains the words of all files, or another process keeps it up to date.
    pub(super) fn has_words(&self) -> bool {
        let state = self.state.borrow();
        state.has_words.is_some() || state.is_kept_by_another || state.problem.is_some()
    }

    /// Describes the progress or the problem on one line.
    pub(super) fn line(&self) -> String {
        let state = self.state.borrow();
        match &state.problem {
            Some(problem) => problem.clone(),
            None if state.is_kept_by_another => "another process keeps the index up to date".to_owned(),
            None => match state.behind() {
                Some(note) => note,
                None if state.is_whole => "watching: the index matches the files on disk".to_owned(),
                None if state.has_words.is_some() => {
                    format!(
                        "watching: the index contains the words of all indexed files; the model has not read the rest yet ({})",
                        state.progress()
                    )
                }
                None => state.progress(),
            },
        }
    }

    /// Waits until the index has changed since `seen`, and updates `seen`. Returns `false` if it will not change again.
    pub(super) async fn changed(&self, seen: &mut Option<Instant>) -> bool {
        let before = *seen;
        let mut state = self.state.clone();
        match state.wait_for(|state| state.has_words != before).await {
            Ok(state) => {
                *seen = state.has_words;
                true
            }
            Err(_) => false,
        }
    }

    /// Closes the process's input, which ends the process, and starts no other process.
    pub(super) fn end(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        (running.input, running.is_over) = (None, true);
    }
}

impl State {
    /// Whether waiting longer is pointless.
    fn is_settled(&self, has_index: bool) -> bool {
        let is_fresh = self.has_words.is_some() && self.changed.is_none();
        is_fresh || self.problem.is_some() || (self.is_kept_by_another && has_index)
    }

    /// Describes the changes that are missing from the index, if any are known.
    fn behind(&self) -> Option<String> {
        let problem = self.problem.as_ref().map(|problem| format!("; {problem}")).unwrap_or_default();
        let age = |since: Instant| counted(since.elapsed().as_secs().max(1) as usize, "second");
        match (self.changed, self.has_words) {
            (Some(changed), _) => {
                Some(format!("files have changed since the index was built, the first {} ago{problem}", age(changed)))
            }
            (None, None) if !self.is_kept_by_another => {
                Some(format!("the index is from an earlier run, and is being compared with the files on disk{problem}"))
            }
            (None, _) => self.problem.clone(),
        }
    }

    fn progress(&self) -> String {
        match &self.working {
            Some((what, done, of)) => format!("{what}: {done} of {of}"),
            None => "indexing is starting".to_owned(),
        }
    }

    fn fail(&mut self, problem: String) {
        (self.problem, self.working) = (Some(problem), None);
    }

    fn note(&mut self, state: RunState) {
        self.is_kept_by_another = state == RunState::KeptByAnother;
        match state {
            RunState::Working { what, done, of } => {
                self.working = Some((what, done, of));
                self.problem = None;
            }
            RunState::Changed => {
                self.changed.get_or_insert_with(Instant::now);
                self.is_whole = false;
            }
            RunState::Words | RunState::Whole => {
                self.is_whole = state == RunState::Whole;
                (self.changed, self.problem, self.has_words) = (None, None, Some(Instant::now()));
            }
            RunState::Failed(problem) => self.fail(problem),
            RunState::KeptByAnother => {}
        }
    }
}

/// Starts the process, or returns `None` if the server is ending.
fn spawn(program: &OsString, arguments: &[OsString], running: &Mutex<Running>) -> Option<std::io::Result<Child>> {
    let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
    if running.is_over {
        return None;
    }
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let spawned = command.spawn();
    Some(spawned.map(|mut child| {
        running.input = child.stdin.take();
        child
    }))
}

/// Records each state that `child` prints until it ends. Returns the reason why it ended: its last error, or its exit
/// status.
fn follow(mut child: Child, sender: &watch::Sender<State>) -> String {
    let errors = child.stderr.take();
    let last = std::thread::spawn(move || {
        let lines = errors.into_iter().flat_map(|errors| BufReader::new(errors).lines()).map_while(Result::ok);
        lines.filter(|line| line.starts_with("error: ")).last()
    });
    let lines = child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines());
    for line in lines.map_while(Result::ok) {
        // Ignore any other output.
        if let Ok(state) = serde_json::from_str(&line) {
            sender.send_modify(|known| known.note(state));
        }
    }
    let ended = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
    let last = last.join().ok().flatten();
    last.map_or_else(
        || format!("the process that keeps the index up to date has stopped ({ended})"),
        |line| line.trim_start_matches("error: ").to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(states: &[RunState]) -> State {
        let mut state = State::default();
        states.iter().for_each(|one| state.note(one.clone()));
        state
    }

    #[test]
    fn an_index_is_fresh_when_it_has_the_words_of_what_changed() {
        let reading = RunState::Working { what: "a: reading".into(), done: 340, of: 570 };
        let begun = state(std::slice::from_ref(&reading));
        assert!(!begun.is_settled(false) && begun.progress() == "a: reading: 340 of 570");
        let ready = state(&[reading, RunState::Words]);
        assert!(ready.is_settled(false) && ready.behind().is_none());
        let changed = state(&[RunState::Whole, RunState::Changed]);
        assert!(!changed.is_settled(true) && changed.behind().is_some_and(|note| note.contains("1 second ago")));
        let failed = state(&[RunState::Whole, RunState::Changed, RunState::Failed("no room".into())]);
        assert!(failed.is_settled(true) && failed.behind().is_some_and(|note| note.ends_with("; no room")));
        assert!(
            state(&[RunState::KeptByAnother]).is_settled(true) && !state(&[RunState::KeptByAnother]).is_settled(false)
        );
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_process_that_fails_says_why() {
        let script = "echo '{\"working\":{\"what\":\"a\",\"done\":1,\"of\":2}}'; echo no state; echo error: no model >&2; exit 1";
        let index = BackgroundIndex::start("sh".into(), vec!["-c".into(), script.into()]);
        assert_eq!(index.ready(|| false).await, Readiness::Missing("no model".into()));
        index.end();
    }
}
