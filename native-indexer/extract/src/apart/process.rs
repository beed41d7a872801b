//! The parent's side of a reader process.

use super::child::Answer;
use super::limits::{Limits, READER_COMMAND};
use super::messages::{FromReader, send};
use crate::error::ExtractError;
use crate::extraction::Extraction;
use crate::memory_limit::limit_memory_of;
use crate::ocr::PictureReader;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Number of bytes at the end of standard error that are kept.
const LAST_WORDS: usize = 1024;
/// Maximum time to wait for the last words of a process that ended.
const LAST_WORDS_TIME: Duration = Duration::from_secs(1);

/// A file to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    /// How to read it: one of the constants in [`messages`](super::messages).
    pub kind: &'a [u8],
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// Maximum time for the process, without the time for its pictures.
    pub time: Duration,
}

#[derive(Debug)]
pub(super) struct ReaderProcess {
    child: Child,
    /// Its answers, which a thread reads. Disconnected when its output ends.
    answers: Receiver<FromReader>,
    /// The end of its standard error, once that is closed.
    last_words: Receiver<Vec<u8>>,
    files_read: usize,
    is_sound: bool,
}

impl ReaderProcess {
    pub(super) fn start(program: &Path, limits: Limits) -> Result<Self, ExtractError> {
        let started = Command::new(program)
            .arg(READER_COMMAND)
            .arg(limits.memory.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = started.map_err(|error| ExtractError::NoReader(error.to_string()))?;
        if let Err(error) = limit_memory_of(&mut child, limits.memory) {
            let _ = child.kill().and_then(|()| child.wait());
            return Err(ExtractError::NoReader(format!("memory cannot be limited: {error}")));
        }
        let (sender, answers) = channel();
        if let Some(mut output) = child.stdout.take() {
            // The thread ends when the process closes its output.
            std::thread::spawn(move || {
                while let Ok(Some(answer)) = FromReader::receive(&mut output) {
                    if sender.send(answer).is_err() {
                        return;
                    }
                }
            });
        }
        let (sender, last_words) = channel();
        if let Some(mut errors) = child.stderr.take() {
            // Everything is read, because the process would wait otherwise.
            std::thread::spawn(move || sender.send(last_bytes(&mut errors)));
        }
        Ok(Self { child, answers, last_words, files_read: 0, is_sound: true })
    }

    /// Whether it can read another file.
    pub(super) const fn is_sound(&self) -> bool {
        self.is_sound
    }

    pub(super) const fn files_read(&self) -> usize {
        self.files_read
    }

    /// Reads a file. `pictures` reads the pictures that the process asks for.
    pub(super) fn read(
        &mut self,
        request: &Request<'_>,
        pictures: Option<&dyn PictureReader>,
    ) -> Result<Extraction, ExtractError> {
        let Request { kind, name, bytes, time } = *request;
        // Until there is an answer, the process must not be used again.
        self.is_sound = false;
        self.files_read += 1;
        let mut said = self.exchange(&[kind, name.as_bytes(), bytes], time)?;
        loop {
            match said {
                FromReader::Answer(answer) => {
                    let answer: Answer = serde_json::from_slice(&answer).map_err(|_| ExtractError::ReaderDied)?;
                    self.is_sound = true;
                    return answer;
                }
                FromReader::Pictures(asked) => {
                    let texts = pictures.map(|pictures| pictures.read(asked)).unwrap_or_default();
                    let texts = serde_json::to_vec(&texts).map_err(|_| ExtractError::ReaderDied)?;
                    said = self.exchange(&[&texts], time)?;
                }
            }
        }
    }

    /// Sends `messages` and waits for the answer, for at most `time`.
    fn exchange(&mut self, messages: &[&[u8]], time: Duration) -> Result<FromReader, ExtractError> {
        let Some(mut input) = self.child.stdin.take() else { return Err(ExtractError::ReaderDied) };
        let answer = std::thread::scope(|scope| {
            // If the process does not read its input, this write blocks until the process is killed.
            let sent = scope.spawn(|| messages.iter().try_for_each(|message| send(&mut input, message)));
            let answer = self.answers.recv_timeout(time);
            if answer.is_err() {
                let _ = self.child.kill();
            }
            // If the process died, this write failed. The error of the answer counts.
            let _ = sent.join();
            answer
        });
        self.child.stdin = Some(input);
        answer.map_err(|error| match error {
            RecvTimeoutError::Timeout => ExtractError::TooSlow(time.as_secs()),
            RecvTimeoutError::Disconnected => self.death(),
        })
    }

    /// Returns the reason why the process ended without an answer.
    fn death(&mut self) -> ExtractError {
        match self.child.wait() {
            Ok(status) if is_crash(status) => {
                // The process has ended, so its last words arrive soon or never.
                let said = self.last_words.recv_timeout(LAST_WORDS_TIME).unwrap_or_default();
                if wants_memory(&said) { ExtractError::OutOfMemory } else { ExtractError::Crashed }
            }
            _ => ExtractError::ReaderDied,
        }
    }
}

/// Reads `from` to its end, and returns the last bytes.
fn last_bytes(from: &mut impl Read) -> Vec<u8> {
    let (mut last, mut read) = (Vec::new(), [0; LAST_WORDS]);
    while let Ok(length @ 1..) = from.read(&mut read) {
        last.extend_from_slice(&read[..length]);
        last.drain(..last.len().saturating_sub(LAST_WORDS));
    }
    last
}

/// Whether a process ended with the message of Rust's standard library for a failed allocation.
fn wants_memory(said: &[u8]) -> bool {
    let said = String::from_utf8_lossy(said);
    said.lines().any(|line| line.starts_with("memory allocation of ") && line.contains(" bytes failed"))
}

/// Whether a process crashed, for example because an allocation failed, the stack overflowed or an address was wrong.
/// Other signals come from outside, as when a user stops the run.
#[cfg(unix)]
fn is_crash(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    const ILLEGAL_INSTRUCTION: i32 = 4;
    const ABORT: i32 = 6;
    const BUS_ERROR: i32 = if cfg!(target_os = "linux") { 7 } else { 10 };
    const SEGMENTATION_FAULT: i32 = 11;
    matches!(status.signal(), Some(ILLEGAL_INSTRUCTION | ABORT | BUS_ERROR | SEGMENTATION_FAULT))
}

/// Whether a process crashed. The codes of exceptions have the highest bit set.
#[cfg(not(unix))]
fn is_crash(status: ExitStatus) -> bool {
    status.code().is_some_and(|code| code < 0)
}

impl Drop for ReaderProcess {
    fn drop(&mut self) {
        // The process has no state to save, so it can be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_missing_is_told_from_a_crash() {
        assert!(wants_memory(b"thread 'main' panicked at a.rs\nmemory allocation of 80000000000 bytes failed\n"));
        assert!(!wants_memory(b"thread 'main' (7) has overflowed its stack\nfatal runtime error: stack overflow\n"));
        assert!(!wants_memory(b"a text on memory allocation of 8 bytes failed"));
    }

    #[test]
    fn the_last_words_of_many_are_kept() {
        let said = [vec![b'a'; 5000], b"end".to_vec()].concat();
        let last = last_bytes(&mut said.as_slice());
        assert!(last.len() == LAST_WORDS && last.ends_with(b"aend"));
    }
}
