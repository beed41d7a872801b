//! Limits the sessions of the older protocol. A client opens one with each handshake, and most clients never close
//! theirs. The protocol answers 404 for a session that is gone, and clients then start a new one.

use crate::turns::Client;
use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, LocalSessionManagerError};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Maximum number of sessions. Each takes about 60 kB.
const MAX_SESSIONS: usize = 256;

/// Keeps sessions. If there are too many, gives up a session of the client with the most sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    kept: LocalSessionManager,
    uses: Mutex<Uses>,
}

#[derive(Debug, Default)]
struct Uses {
    /// Number of uses so far, which orders them.
    now: u64,
    of: HashMap<SessionId, Use>,
}

#[derive(Clone, Copy, Debug)]
struct Use {
    client: Client,
    last: u64,
    /// Whether the client has sent a request in the session after the handshake.
    was_asked: bool,
}

impl Uses {
    fn begin(&mut self, id: SessionId, client: Client) {
        self.now += 1;
        self.of.insert(id, Use { client, last: self.now, was_asked: false });
    }

    fn asked(&mut self, id: &SessionId) {
        self.now += 1;
        if let Some(used) = self.of.get_mut(id) {
            (used.last, used.was_asked) = (self.now, true);
        }
    }

    /// Removes and returns the session to give up, if there are `most`. It belongs to the client with the most
    /// sessions. Sessions without requests come first, and then the session that was used least recently.
    fn given_up(&mut self, most: usize) -> Option<SessionId> {
        if self.of.len() < most {
            return None;
        }
        let of_client = Client::count(self.of.values().map(|used| used.client));
        let order = |used: &Use| (Reverse(of_client[&used.client]), used.was_asked, used.last);
        let first = self.of.iter().min_by_key(|(_, used)| order(used));
        let id = first.map(|(id, _)| id.clone())?;
        self.of.remove(&id);
        Some(id)
    }
}

impl Sessions {
    fn uses(&self) -> std::sync::MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that session `id` is used.
    fn asked(&self, id: &SessionId) {
        self.uses().asked(id);
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        loop {
            let given_up = self.uses().given_up(MAX_SESSIONS);
            let Some(given_up) = given_up else { break };
            // The session may have ended by itself.
            let _ = self.kept.close_session(&given_up).await;
        }
        let (id, transport) = self.kept.create_session().await?;
        self.uses().begin(id.clone(), Client::of_task());
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.kept.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.kept.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.uses().of.remove(id);
        self.kept.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.asked(id);
        self.kept.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        // The handshake ends with such a message, so it does not count as a request.
        self.kept.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.kept.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.asked(id);
        self.kept.resume(id, last_event_id).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(last: u8) -> Client {
        Client::Machine([10, 0, 0, last].into())
    }

    fn id(name: &str) -> SessionId {
        name.into()
    }

    #[test]
    fn what_was_never_asked_goes_before_what_was_used_long_ago() {
        let mut uses = Uses::default();
        for name in ["asked", "idle", "later"] {
            uses.begin(id(name), client(1));
        }
        uses.asked(&id("asked"));
        assert_eq!(uses.given_up(4), None);
        assert_eq!(uses.given_up(3), Some(id("idle")));
        assert_eq!(uses.given_up(2), Some(id("later")));
        assert_eq!(uses.given_up(1), Some(id("asked")));
    }

    #[test]
    fn a_client_with_many_sessions_loses_its_own() {
        let mut uses = Uses::default();
        uses.begin(id("other"), client(2));
        for number in 0..10 {
            uses.begin(id(&number.to_string()), client(1));
            uses.asked(&id(&number.to_string()));
        }
        assert_eq!(uses.given_up(11), Some(id("0")));
        assert_eq!(uses.given_up(10), Some(id("1")));
        assert!(uses.of.contains_key(&id("other")));
    }
}
