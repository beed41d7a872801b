//! Progress on stderr: bars on a terminal, plain lines elsewhere.

use crate::remark;
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

/// Shows progress.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    terminal: bool,
    quiet: bool,
    stoppable: bool,
}

/// Conventional exit status of a process that was ended by an interrupt.
const EXIT_INTERRUPTED: i32 = 130;

impl Progress {
    /// Shows bars if stderr is a terminal, and nothing if `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self { terminal: std::io::stderr().is_terminal(), quiet, stoppable: false }
    }

    /// Returns an error once the user has asked to stop.
    pub fn check(self) -> Result<()> {
        if self.stoppable && STOP.load(Ordering::Relaxed) {
            bail!("stopped: the index that is there goes on answering, and what was embedded is kept for the next run");
        }
        Ok(())
    }

    /// Makes Ctrl-C end the work in an orderly way. A second Ctrl-C ends the process at once.
    pub fn stop_on_interrupt(&mut self) {
        let stop = || {
            if STOP.swap(true, Ordering::Relaxed) {
                // A bundle is whole at any time.
                std::process::exit(EXIT_INTERRUPTED);
            }
            remark!("stopping; once more to stop at once");
        };
        // Without a handler, an interrupt ends the process, which loses nothing but the latest vectors.
        self.stoppable = ctrlc::set_handler(stop).is_ok();
    }

    /// Prints a line, unless quiet.
    pub fn note(self, line: &str) {
        if !self.quiet {
            remark!("{line}");
        }
    }

    /// Returns a bar, or a count that prints a line every few seconds.
    pub fn bar(self, what: &str, total: u64) -> Bar {
        if self.quiet || total == 0 {
            return Bar::hidden();
        }
        if !self.terminal {
            return Bar(Kind::Lines {
                what: what.to_owned(),
                total,
                done: AtomicU64::new(0),
                started: Instant::now(),
                said: AtomicU64::new(0),
            });
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
    /// `said` is the second at which the last line was printed.
    Lines {
        what: String,
        total: u64,
        done: AtomicU64,
        started: Instant,
        said: AtomicU64,
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
                    remark!("{what}: {done} of {total}, {rate:.0} a second, {left:.0} s left");
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
