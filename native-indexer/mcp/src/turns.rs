//! Decides which call runs next. No more calls run at once than the machine can handle, and a client with many calls
//! does not keep others waiting.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Minimum number of calls that may run at once. Machines with many cores may run twice as many calls as they have
/// cores.
const MIN_TURNS: usize = 4;
/// Number of calls that take minutes and may run at once.
const LONG_TURNS: usize = 4;
/// Maximum number of calls from one client that may wait or run.
const MAX_WAITING: usize = 64;
/// Maximum number of calls that may wait or run in total.
const MAX_WAITING_IN_ALL: usize = 256;

/// The client that makes a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Client {
    /// The program that started the server, over standard input and output.
    #[default]
    Parent,
    /// A program on this machine, identified by its connection.
    Connection(u64),
    /// Another machine.
    Machine(IpAddr),
}

tokio::task_local! {
    static CLIENT: Client;
}

impl Client {
    /// Runs `task` for this client.
    pub(super) async fn runs<T>(self, task: impl Future<Output = T>) -> T {
        CLIENT.scope(self, task).await
    }

    /// Counts the occurrences of each client in `clients`.
    pub(super) fn count(clients: impl Iterator<Item = Self>) -> HashMap<Self, usize> {
        let mut counts = HashMap::new();
        clients.for_each(|client| *counts.entry(client).or_default() += 1);
        counts
    }

    /// Returns the client of the current task.
    pub(super) fn of_task() -> Self {
        CLIENT.try_with(|client| *client).unwrap_or_default()
    }
}

/// The turns that calls run in.
#[derive(Debug)]
pub(super) struct Turns {
    free: Arc<Semaphore>,
    of_client: usize,
    waiting: AtomicUsize,
    clients: Mutex<HashMap<Client, Arc<Queue>>>,
}

/// The calls of one client.
#[derive(Debug)]
struct Queue {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// A turn, which ends when it is dropped.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    _held: [OwnedSemaphorePermit; 2],
    _queue: Queued<'a>,
}

/// A place among the calls that wait or run.
#[derive(Debug)]
struct Queued<'a> {
    turns: &'a Turns,
    client: Client,
    queue: Arc<Queue>,
}

/// The error that too many calls are waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many calls are waiting: try again when some have been answered")]
pub(super) struct TooMany;

impl Turns {
    /// Creates turns for a machine with this many cores. One client gets at most half of them.
    pub(super) fn new(cores: usize) -> Self {
        Self::of((cores * 2).max(MIN_TURNS))
    }

    /// Creates turns for calls that take minutes, mostly because they wait for other programs.
    pub(super) fn of_long_calls() -> Self {
        Self::of(LONG_TURNS)
    }

    fn of(turns: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(turns)),
            of_client: turns / 2,
            waiting: AtomicUsize::default(),
            clients: Mutex::default(),
        }
    }

    /// Waits for a turn of `client`. A call first waits for one of the client's own places, and then in order of
    /// arrival with the calls from other clients. So no client has more than a few calls in the second queue. Fails if
    /// too many calls are waiting.
    pub(super) async fn take(&self, client: Client) -> Result<Turn<'_>, TooMany> {
        let queued = self.queue(client)?;
        let own = Arc::clone(&queued.queue.free).acquire_owned().await.map_err(|_| TooMany)?;
        let turn = Arc::clone(&self.free).acquire_owned().await.map_err(|_| TooMany)?;
        Ok(Turn { _held: [own, turn], _queue: queued })
    }

    fn queue(&self, client: Client) -> Result<Queued<'_>, TooMany> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Queue { free: Arc::new(Semaphore::new(self.of_client)), waiting: AtomicUsize::default() };
        let queue = Arc::clone(clients.entry(client).or_insert_with(|| Arc::new(new())));
        self.waiting.fetch_add(1, Ordering::Relaxed);
        queue.waiting.fetch_add(1, Ordering::Relaxed);
        drop(clients);
        // If the call is refused, dropping this value leaves the queue again.
        let queued = Queued { turns: self, client, queue };
        let is_full = queued.queue.waiting.load(Ordering::Relaxed) > MAX_WAITING
            || self.waiting.load(Ordering::Relaxed) > MAX_WAITING_IN_ALL;
        if is_full { Err(TooMany) } else { Ok(queued) }
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        let mut clients = self.turns.clients.lock().unwrap_or_else(PoisonError::into_inner);
        self.turns.waiting.fetch_sub(1, Ordering::Relaxed);
        if self.queue.waiting.fetch_sub(1, Ordering::Relaxed) == 1 {
            clients.remove(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const BUSY: Client = Client::Connection(1);
    const OTHER: Client = Client::Connection(2);

    #[tokio::test]
    async fn a_client_that_asks_much_leaves_turns_for_others() {
        let turns = Turns::new(2);
        let _first = turns.take(BUSY).await.unwrap();
        let _second = turns.take(BUSY).await.unwrap();
        let third = tokio::time::timeout(Duration::from_millis(20), turns.take(BUSY)).await;
        assert!(third.is_err(), "it has half of the turns");
        assert!(tokio::time::timeout(Duration::from_secs(5), turns.take(OTHER)).await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn more_than_can_wait_are_refused_and_nothing_is_left_of_them() {
        let turns = Turns::new(2);
        let mut waiting = Vec::new();
        for _ in 0..MAX_WAITING {
            waiting.push(turns.queue(BUSY).unwrap());
        }
        assert_eq!(turns.queue(BUSY).unwrap_err(), TooMany);
        assert!(turns.queue(OTHER).is_ok());
        drop(waiting);
        assert!(turns.take(BUSY).await.is_ok());
        assert!(turns.clients.lock().unwrap().is_empty());
        assert_eq!(turns.waiting.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn a_task_knows_whose_it_is() {
        assert_eq!(Client::of_task(), Client::Parent);
        assert_eq!(OTHER.runs(async { Client::of_task() }).await, OTHER);
    }
}
