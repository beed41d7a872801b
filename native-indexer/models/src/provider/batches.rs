//! Sends many texts in few requests, several requests at a time. The number of texts that the server accepts may become
//! known only when it refuses a request.

use super::client::CallError;
use anyhow::Result;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Remaining work, and the first error.
struct Work {
    batches: VecDeque<Range<usize>>,
    /// Maximum number of texts that the server is known to accept.
    most: usize,
    failed: Option<anyhow::Error>,
}

/// Sends `batches` of at most `most` texts through `ask`, with `requests` batches at a time. If a batch is too large,
/// this batch and all later ones are halved. After an error, nothing more is sent.
pub(super) fn send(
    batches: VecDeque<Range<usize>>,
    most: usize,
    requests: usize,
    ask: impl Fn(Range<usize>) -> Result<(), CallError> + Sync,
) -> Result<()> {
    let threads = requests.min(batches.len());
    let work = Mutex::new(Work { batches, most, failed: None });
    let lock = || work.lock().unwrap_or_else(PoisonError::into_inner);
    let next = || {
        let mut work = lock();
        if work.failed.is_some() {
            return None;
        }
        let mut batch = work.batches.pop_front()?;
        if batch.len() > work.most {
            let rest = batch.start + work.most..batch.end;
            batch.end = rest.start;
            work.batches.push_front(rest);
        }
        Some(batch)
    };
    let run = || {
        while let Some(batch) = next() {
            match ask(batch.clone()) {
                Ok(()) => {}
                Err(CallError::TooLarge(_)) if batch.len() > 1 => {
                    let mut work = lock();
                    work.most = work.most.min(batch.len().div_ceil(2));
                    work.batches.push_front(batch);
                }
                Err(error) => {
                    lock().failed.get_or_insert(error.into());
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(run);
        }
    });
    let failed = lock().failed.take();
    failed.map_or(Ok(()), Err)
}
