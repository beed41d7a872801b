//! One process that reads, as the process that asks it sees it.

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

/// Bytes that are kept of what a process says.
const LAST_WORDS: usize = 1024;
/// How long the last words of a process that ended are waited for.
const LAST_WORDS_TIME: Duration = Duration::from_secs(1);

/// A file to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    /// Its kind, one of [`messages`](super::messages).
    pub kind: &'a [u8],
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// How long the process may take, without the time that its pictures take.
    pub time: Duration,
}

#[derive(Debug)]
pub(super) struct ReaderProcess {
    child: Child,
    /// What its thread has read of its output; disconnected when that ends.
    answers: Receiver<FromReader>,
    /// The last of what it said on standard error, when that ends.
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
            // Ends with the process, whose output it reads.
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
            // All of it is read, or the process would wait.
            std::thread::spawn(move || sender.send(last_bytes(&mut errors)));
        }
        Ok(Self { child, answers, last_words, files_read: 0, is_sound: true })
    }

    /// Whether it can be asked again.
    pub(super) const fn is_sound(&self) -> bool {
        self.is_sound
    }

    pub(super) const fn files_read(&self) -> usize {
        self.files_read
    }

    /// Reads a file, whose `pictures` are read beside it.
    pub(super) fn read(
        &mut self,
        request: &Request<'_>,
        pictures: Option<&dyn PictureReader>,
    ) -> Result<Extraction, ExtractError> {
        let Request { kind, name, bytes, time } = *request;
        // Until an answer came the process is not to be trusted.
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

    /// Sends `messages`, and waits no longer than `time` for what the process says to them.
    fn exchange(&mut self, messages: &[&[u8]], time: Duration) -> Result<FromReader, ExtractError> {
        let Some(mut input) = self.child.stdin.take() else { return Err(ExtractError::ReaderDied) };
        let answer = std::thread::scope(|scope| {
            // A process that does not read would hold up the process that writes to it; killing it ends the write.
            let sent = scope.spawn(|| messages.iter().try_for_each(|message| send(&mut input, message)));
            let answer = self.answers.recv_timeout(time);
            if answer.is_err() {
                let _ = self.child.kill();
            }
            // A process that died closes its input: that it died is what counts.
            let _ = sent.join();
            answer
        });
        self.child.stdin = Some(input);
        answer.map_err(|error| match error {
            RecvTimeoutError::Timeout => ExtractError::TooSlow(time.as_secs()),
            RecvTimeoutError::Disconnected => self.death(),
        })
    }

    /// Why a process ended that did not answer.
    fn death(&mut self) -> ExtractError {
        match self.child.wait() {
            Ok(status) if is_crash(status) => {
                // It has ended: what it said is there, or nobody will say it.
                let said = self.last_words.recv_timeout(LAST_WORDS_TIME).unwrap_or_default();
                if wants_memory(&said) { ExtractError::OutOfMemory } else { ExtractError::Crashed }
            }
            _ => ExtractError::ReaderDied,
        }
    }
}

/// The last bytes of what `from` gives until it ends.
fn last_bytes(from: &mut impl Read) -> Vec<u8> {
    let (mut last, mut read) = (Vec::new(), [0; LAST_WORDS]);
    while let Ok(length @ 1..) = from.read(&mut read) {
        last.extend_from_slice(&read[..length]);
        last.drain(..last.len().saturating_sub(LAST_WORDS));
    }
    last
}

/// Whether a process ended with the words of Rust's standard library for memory that it did not get.
fn wants_memory(said: &[u8]) -> bool {
    let said = String::from_utf8_lossy(said);
    said.lines().any(|line| line.starts_with("memory allocation of ") && line.contains(" bytes failed"))
}

/// Whether a process ended by what it did itself: memory that it did not get, a stack that overflowed, a wrong address.
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

/// Whether a process ended by what it did itself: exceptions have codes with the highest bit set.
#[cfg(not(unix))]
fn is_crash(status: ExitStatus) -> bool {
    status.code().is_some_and(|code| code < 0)
}

impl Drop for ReaderProcess {
    fn drop(&mut self) {
        // It has no state of its own: there is nothing to wait for but its end.
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
