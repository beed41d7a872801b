//! Runs a program within limits of time, memory and output.

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

/// The command of this program that limits its own memory and then becomes another program.
pub const LIMITED_COMMAND: &str = "run-limited";

/// Maximum number of bytes from standard error that are kept.
const MAX_ERROR_BYTES: u64 = 16 << 10;
/// Maximum time for a program to end after it closed its output.
const END_TIME: Duration = Duration::from_secs(2);
/// Interval between two checks whether a program has ended.
const POLL: Duration = Duration::from_millis(5);

/// The limits of a program.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub time: Duration,
    /// Maximum number of bytes on standard output.
    pub output: u64,
    /// Maximum memory in bytes.
    pub memory: u64,
    /// Path of this program, which sets the limit on Unix. Without it, memory is not limited there.
    pub launcher: Option<PathBuf>,
}

/// The output and the exit status of a program.
#[derive(Debug)]
pub(super) struct Finished {
    pub status: ExitStatus,
    pub output: Vec<u8>,
    pub errors: Vec<u8>,
}

/// The reason why a program did not answer.
#[derive(Debug)]
pub(super) enum Failure {
    DoesNotStart(io::Error),
    TooSlow,
    TooMuchOutput,
}

/// Limits the memory of this process to `memory` bytes and replaces it with the program and the arguments in `command`.
/// Returns only if this fails.
#[cfg(unix)]
pub fn become_limited(memory: u64, command: &[OsString]) -> Result<()> {
    use std::os::unix::process::CommandExt as _;
    let (program, arguments) = command.split_first().context("name a program")?;
    limit_memory(memory).context("memory cannot be limited")?;
    Err(Command::new(program).args(arguments).exec()).context(program.to_string_lossy().into_owned())
}

/// Fails, because memory cannot be limited on this system.
#[cfg(not(unix))]
pub fn become_limited(_: u64, _: &[OsString]) -> Result<()> {
    anyhow::bail!("memory cannot be limited on this system")
}

/// Runs `program` with `arguments`, and with `input` on its standard input.
pub(super) fn run(program: &Path, arguments: &[String], input: &[u8], bounds: &Bounds) -> Result<Finished, Failure> {
    let mut child = start(program, arguments, bounds).map_err(Failure::DoesNotStart)?;
    let deadline = Instant::now() + bounds.time;
    let (mut stdin, stdout, stderr) = (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take());
    let (sender, printed) = channel();
    let most = bounds.output;
    // These threads end with the process group, which holds the other ends of the pipes.
    std::thread::spawn(move || sender.send(stdout.map(|output| beginning(output, most + 1)).unwrap_or_default()));
    let (sender, said) = channel();
    std::thread::spawn(move || {
        let mut stderr = stderr;
        let said = stderr.as_mut().map(|errors| beginning(errors, MAX_ERROR_BYTES)).unwrap_or_default();
        // The rest is read as well, because the program would wait otherwise.
        let _ = stderr.map(|mut errors| io::copy(&mut errors, &mut io::sink()));
        sender.send(said)
    });
    let output = std::thread::scope(|scope| {
        let (sender, sent) = channel();
        // If the program does not read its input, this write blocks until the program is killed.
        scope.spawn(move || {
            // A program may close its input early. Only its answer counts, so the error does not matter.
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
    // Pages are read in parallel, so several threads for one page would only compete for processors.
    command.env("OMP_THREAD_LIMIT", "1");
    // The processes that it starts are in the same group and end with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut running = Running(command.spawn()?);
    limit_memory_of(&mut running.0, bounds.memory)?;
    Ok(running)
}

/// Returns the first `most` bytes of `from`.
fn beginning(from: impl Read, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    // If there is an error, the bytes before it are kept.
    let _ = from.take(most).read_to_end(&mut bytes);
    bytes
}

/// A running program, which is killed when this is dropped.
struct Running(Child);

impl Running {
    /// Waits until it ends, or returns `None` if it is still running at `deadline`.
    fn end(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL),
                _ => return None,
            }
        }
    }

    /// Kills it and the processes that it started.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Ok(group) = i32::try_from(self.0.id()) {
            // This fails if the group has already ended, which does not matter.
            let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL);
        }
        let _ = self.0.kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The system does not reuse its process number until it was waited for.
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            self.kill();
            let _ = self.0.wait();
        }
    }
}
