//! Progress on stderr: bars on a terminal, plain lines elsewhere. For a program that started this one, progress goes to
//! stdout.

use crate::remark;
use crate::run_state::RunState;
use crate::terminal::print_json;
use anyhow::{Result, bail};
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Set when the user asks to stop.
static STOP: AtomicBool = AtomicBool::new(false);

/// Seconds between two lines of progress if there is no terminal.
const SECONDS_BETWEEN_LINES: u64 = 5;

/// The bars of concurrent work.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Milliseconds between two states for a program.
const MILLISECONDS_BETWEEN_STATES: u64 = 100;

/// Shows progress.
///
/// ```
/// use nearfind_base::progress::Progress;
///
/// let progress = Progress::new(true);
/// let bar = progress.bar("reading", 3);
/// for _ in 0..3 {
///     progress.check()?;
///     bar.advance(1);
/// }
/// bar.finish();
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    form: Form,
    stoppable: bool,
    /// Set when the work should make way for other work.
    interrupt: Option<&'static AtomicBool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Quiet,
    Terminal,
    Lines,
    /// Prints one [`RunState`] per line.
    States,
}

/// Conventional exit status of a process that was ended by an interrupt.
const EXIT_INTERRUPTED: i32 = 130;

impl Progress {
    /// Shows nothing if `quiet` is set. Otherwise shows bars if stderr is a terminal, and lines if not.
    pub fn new(quiet: bool) -> Self {
        let form = match quiet {
            true => Form::Quiet,
            false if std::io::stderr().is_terminal() => Form::Terminal,
            false => Form::Lines,
        };
        Self { form, stoppable: false, interrupt: None }
    }

    /// Prints one [`RunState`] per line on stdout, for the program that started this one.
    pub const fn as_states() -> Self {
        Self { form: Form::States, stoppable: false, interrupt: None }
    }

    /// Returns the same progress for work that ends with an error when `interrupt` is set.
    #[must_use]
    pub const fn until(self, interrupt: &'static AtomicBool) -> Self {
        Self { interrupt: Some(interrupt), ..self }
    }

    /// Reports `state` to the program that started this one, if that program reads states.
    pub fn tell(self, state: &RunState) {
        if self.form == Form::States {
            // A program that no longer reads has ended, and then this one ends too.
            let _ = print_json(state);
        }
    }

    /// Returns an error once the user has asked to stop.
    pub fn check(self) -> Result<()> {
        if self.stoppable && STOP.load(Ordering::Relaxed) {
            bail!("stopped: the existing index still works, and the next run reuses what was embedded");
        }
        if self.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            bail!("interrupted: files have changed in the meantime");
        }
        Ok(())
    }

    /// Makes Ctrl-C end the work in an orderly way. A second Ctrl-C ends the process at once.
    pub fn stop_on_interrupt(&mut self) {
        let stop = || {
            if STOP.swap(true, Ordering::Relaxed) {
                // A bundle is complete at any time.
                std::process::exit(EXIT_INTERRUPTED);
            }
            remark!("stopping; press Ctrl-C again to stop at once");
        };
        // Without a handler, an interrupt ends the process, which loses only the latest vectors.
        self.stoppable = ctrlc::set_handler(stop).is_ok();
    }

    /// Prints a line, unless `quiet` is set.
    pub fn note(self, line: &str) {
        if matches!(self.form, Form::Terminal | Form::Lines) {
            remark!("{line}");
        }
    }

    /// Returns a bar, or a count that prints a line every few seconds.
    pub fn bar(self, what: &str, total: u64) -> Bar {
        if self.form == Form::Quiet || total == 0 {
            return Bar::hidden();
        }
        let (done, said, started) = (AtomicU64::new(0), AtomicU64::new(0), Instant::now());
        match self.form {
            Form::Lines => return Bar(Kind::Lines { what: what.to_owned(), total, done, started, said }),
            Form::States => {
                self.tell(&RunState::Working { what: what.to_owned(), done: 0, of: total });
                return Bar(Kind::States { what: what.to_owned(), total, done, started, said, progress: self });
            }
            Form::Quiet | Form::Terminal => {}
        }
        let bar = BARS.add(ProgressBar::new(total));
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {rate} {eta}") {
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{:.0}/s", state.per_sec());
            };
            bar.set_style(style.with_key("rate", rate));
        }
        bar.set_message(what.to_owned());
        Bar(Kind::Terminal(bar))
    }
}

/// A running count, which threads can share.
#[derive(Debug)]
pub struct Bar(Kind);

#[derive(Debug)]
enum Kind {
    Hidden,
    Terminal(ProgressBar),
    /// `said` is the second when the last line was printed.
    Lines {
        what: String,
        total: u64,
        done: AtomicU64,
        started: Instant,
        said: AtomicU64,
    },
    /// `said` is the tenth of a second when the last state was printed.
    States {
        what: String,
        total: u64,
        done: AtomicU64,
        started: Instant,
        said: AtomicU64,
        progress: Progress,
    },
}

impl Bar {
    /// Shows nothing.
    pub const fn hidden() -> Self {
        Self(Kind::Hidden)
    }

    /// Adds `steps` to the count.
    pub fn advance(&self, steps: u64) {
        match &self.0 {
            Kind::Hidden => {}
            Kind::Terminal(bar) => bar.inc(steps),
            Kind::Lines { what, total, done, started, said } => {
                let done = done.fetch_add(steps, Ordering::Relaxed) + steps;
                let seconds = started.elapsed().as_secs_f64();
                let last = said.load(Ordering::Relaxed);
                let is_due = seconds as u64 >= last + SECONDS_BETWEEN_LINES;
                // Only one of several threads prints the line.
                if is_due && said.compare_exchange(last, seconds as u64, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                    let rate = done as f64 / seconds.max(1e-9);
                    let left = (total - done.min(*total)) as f64 / rate;
                    remark!("{what}: {done} of {total}, {rate:.0} per second, {left:.0} s left");
                }
            }
            Kind::States { what, total, done, started, said, progress } => {
                let done = done.fetch_add(steps, Ordering::Relaxed) + steps;
                let now = started.elapsed().as_millis() as u64 / MILLISECONDS_BETWEEN_STATES;
                let last = said.load(Ordering::Relaxed);
                if now > last && said.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                    progress.tell(&RunState::Working { what: what.clone(), done, of: *total });
                }
            }
        }
    }

    /// Ends the count.
    pub fn finish(&self) {
        if let Kind::Terminal(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
