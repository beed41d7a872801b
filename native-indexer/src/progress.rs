//! Progress on stderr: bars on a terminal, plain lines elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// How progress is shown.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    terminal: bool,
    quiet: bool,
}

impl Progress {
    /// Bars if stderr is a terminal; nothing if `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self { terminal: std::io::stderr().is_terminal(), quiet }
    }

    /// One line.
    pub fn note(self, line: &str) {
        if !self.quiet {
            eprintln!("{line}");
        }
    }

    /// A bar, or a line at each tenth of the way.
    pub fn bar(self, what: &str, total: u64) -> Bar {
        if self.quiet || total == 0 {
            return Bar::hidden();
        }
        if !self.terminal {
            return Bar(Kind::Lines { what: what.to_owned(), total, done: AtomicU64::new(0) });
        }
        let bar = ProgressBar::new(total);
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        Bar(Kind::Terminal(bar))
    }
}

/// One running count; shared between threads.
#[derive(Debug)]
pub struct Bar(Kind);

#[derive(Debug)]
enum Kind {
    Hidden,
    Terminal(ProgressBar),
    Lines { what: String, total: u64, done: AtomicU64 },
}

impl Bar {
    /// Shows nothing.
    pub const fn hidden() -> Self {
        Self(Kind::Hidden)
    }

    /// Counts `steps` more.
    pub fn advance(&self, steps: u64) {
        match &self.0 {
            Kind::Hidden => {}
            Kind::Terminal(bar) => bar.inc(steps),
            Kind::Lines { what, total, done } => {
                let before = done.fetch_add(steps, Ordering::Relaxed);
                let tenth = |count: u64| count * 10 / total;
                if tenth(before + steps) > tenth(before) {
                    eprintln!("{what}: {} of {total}", before + steps);
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
