//! A program that runs within limits of time, memory and output.

#[cfg(unix)]
use crate::memory_limit::limit_memory;
use crate::memory_limit::limit_memory_of;
#[cfg(unix)]
use anyhow::Context as _;
use anyhow::Result;
use std::ffi::OsString;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The argument by which this program limits its own memory and becomes another program.
pub const LIMITED_COMMAND: &str = "run-limited";

/// Bytes of what a program says on standard error that are kept.
const MAX_ERROR_BYTES: u64 = 16 << 10;
/// How long a program that closed its output may take to end.
const END_TIME: Duration = Duration::from_secs(2);
/// How often the end of a program is looked for.
const POLL: Duration = Duration::from_millis(5);

/// Limits of a program.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub time: Duration,
    /// Bytes that it may print.
    pub output: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// This program, which limits memory on Unix; without it memory is not limited there.
    pub launcher: Option<PathBuf>,
}

/// The output of a program, and how it ended.
#[derive(Debug)]
pub(super) struct Finished {
    pub status: ExitStatus,
    pub output: Vec<u8>,
    pub errors: Vec<u8>,
}

/// Why a program gave no answer.
#[derive(Debug)]
pub(super) enum Failure {
    DoesNotStart(io::Error),
    TooSlow,
    TooMuchOutput,
}

/// Limits the memory of this process to `memory` bytes and becomes the program that `command` names, with its arguments. It
/// returns only if that fails.
#[cfg(unix)]
pub fn become_limited(memory: u64, command: &[OsString]) -> Result<()> {
    use std::os::unix::process::CommandExt as _;
    let (program, arguments) = command.split_first().context("name a program")?;
    limit_memory(memory).context("memory cannot be limited")?;
    Err(Command::new(program).args(arguments).exec()).context(program.to_string_lossy().into_owned())
}

/// Fails, where memory cannot be limited.
#[cfg(not(unix))]
pub fn become_limited(_: u64, _: &[OsString]) -> Result<()> {
    anyhow::bail!("memory cannot be limited on this system")
}

/// Runs `program` with `arguments` and `input` on its standard input.
pub(super) fn run(program: &Path, arguments: &[String], input: &[u8], bounds: &Bounds) -> Result<Finished, Failure> {
    let mut child = start(program, arguments, bounds).map_err(Failure::DoesNotStart)?;
    let deadline = Instant::now() + bounds.time;
    let (mut stdin, stdout, stderr) = (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take());
    let (sender, printed) = channel();
    let most = bounds.output;
    // These threads end with the process group: what it leaves behind holds none of its pipes.
    std::thread::spawn(move || sender.send(stdout.map(|output| beginning(output, most + 1)).unwrap_or_default()));
    let (sender, said) = channel();
    std::thread::spawn(move || {
        let mut stderr = stderr;
        let said = stderr.as_mut().map(|errors| beginning(errors, MAX_ERROR_BYTES)).unwrap_or_default();
        // All of it is read, or the program would wait.
        let _ = stderr.map(|mut errors| io::copy(&mut errors, &mut io::sink()));
        sender.send(said)
    });
    let output = std::thread::scope(|scope| {
        let (sender, sent) = channel();
        // A program that does not read would hold up the one that writes to it; killing it ends the write.
        scope.spawn(move || {
            // One that has seen enough closes its input: its answer is what counts.
            let _ = stdin.take().map(|mut stdin| stdin.write_all(input));
            let _ = sender.send(());
        });
        let left = || deadline.saturating_duration_since(Instant::now());
        let output = printed.recv_timeout(left());
        let is_bounded = output.as_ref().is_ok_and(|output| output.len() as u64 <= most);
        if !is_bounded || sent.recv_timeout(left().max(END_TIME)).is_err() {
            child.kill();
        }
        output
    });
    let output = match output {
        Ok(output) if output.len() as u64 > most => return Err(Failure::TooMuchOutput),
        Ok(output) => output,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Err(Failure::TooSlow),
    };
    let status = child.end(deadline.max(Instant::now() + END_TIME)).ok_or(Failure::TooSlow)?;
    let errors = said.recv_timeout(END_TIME).unwrap_or_default();
    Ok(Finished { status, output, errors })
}

fn start(program: &Path, arguments: &[String], bounds: &Bounds) -> io::Result<Running> {
    let mut command = match bounds.launcher.as_ref().filter(|_| cfg!(unix)) {
        Some(launcher) => {
            let mut command = Command::new(launcher);
            command.arg(LIMITED_COMMAND).arg(bounds.memory.to_string()).arg("--").arg(program);
            command
        }
        None => Command::new(program),
    };
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Pages are read side by side: threads for one of them would only wait for each other.
    command.env("OMP_THREAD_LIMIT", "1");
    // A group of its own, so that what it starts ends with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut running = Running(command.spawn()?);
    limit_memory_of(&mut running.0, bounds.memory)?;
    Ok(running)
}

/// The first `most` bytes that `from` gives.
fn beginning(from: impl Read, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Bytes before an error count.
    let _ = from.take(most).read_to_end(&mut bytes);
    bytes
}

/// A program that ends when this is dropped.
struct Running(Child);

impl Running {
    /// Waits until it ends; `None` if it has not by `deadline`.
    fn end(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL),
                _ => return None,
            }
        }
    }

    /// Ends it with all that it started.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Ok(group) = i32::try_from(self.0.id()) {
            // Its group ends with it; one that is gone is none to be ended.
            let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL);
        }
        let _ = self.0.kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Until it was waited for, its number is that of no other process.
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            self.kill();
            let _ = self.0.wait();
        }
    }
}
