//! Limits the number of connections. A new client always finds room: if there is none, the server closes a connection
//! whose client sends nothing or does not read.

use crate::turns::Client;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Maximum number of connections. Each may hold an unread answer of about 300 kB.
const MAX_CONNECTIONS: usize = 256;
/// How often a new connection checks for room.
const PAUSE: Duration = Duration::from_millis(10);
/// Maximum size of a request body in bytes.
pub(super) const MAX_BODY_BYTES: usize = 128 << 10;
/// How long a client may take to send a request body.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum time until an answer begins.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);

/// The activity of a connection. If there is no room, connections close in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Doing {
    /// A request has not arrived completely.
    Receiving,
    /// An answer is being sent. It may be a stream that stays open.
    Sending,
    /// An answer is being prepared.
    Working,
}

impl Doing {
    /// Returns how long a connection is safe after this activity begins. New clients get time to send, and the server
    /// gets time to prepare answers.
    const fn grace(self) -> Duration {
        match self {
            Self::Receiving => Duration::from_millis(100),
            Self::Sending => Duration::from_secs(1),
            Self::Working => ANSWER_TIMEOUT,
        }
    }
}

/// All connections.
#[derive(Clone, Debug, Default)]
pub(super) struct Room(Arc<Mutex<Seats>>);

#[derive(Debug, Default)]
struct Seats {
    /// Number of events so far, which orders them.
    now: u64,
    taken: BTreeMap<u64, Taken>,
}

#[derive(Debug)]
struct Taken {
    client: Client,
    doing: Doing,
    since: u64,
    begun: Instant,
    end: CancellationToken,
}

/// A connection's seat, which becomes free when the last clone is dropped.
#[derive(Clone, Debug)]
pub(super) struct Seat(Arc<Place>);

#[derive(Debug)]
struct Place {
    room: Room,
    number: u64,
    client: Client,
    end: CancellationToken,
}

impl Room {
    /// Takes a seat for a connection from `address`. If all seats are taken, the server ends another connection as soon
    /// as allowed.
    pub(super) async fn enter(&self, address: IpAddr) -> Seat {
        loop {
            if let Some(seat) = self.try_enter(address) {
                return seat;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn try_enter(&self, address: IpAddr) -> Option<Seat> {
        let mut seats = self.seats();
        if seats.taken.len() >= MAX_CONNECTIONS
            && let Some(number) = seats.first_to_go()
            && let Some(goes) = seats.taken.get(&number)
        {
            if goes.begun.elapsed() < goes.doing.grace() {
                return None;
            }
            goes.end.cancel();
            seats.taken.remove(&number);
        }
        seats.now += 1;
        let number = seats.now;
        // Programs on this machine share an address, so they are distinguished by their connections.
        let client = if address.is_loopback() { Client::Connection(number) } else { Client::Machine(address) };
        let end = CancellationToken::new();
        let taken = Taken { client, doing: Doing::Receiving, since: number, begun: Instant::now(), end: end.clone() };
        seats.taken.insert(number, taken);
        Some(Seat(Arc::new(Place { room: self.clone(), number, client, end })))
    }

    fn seats(&self) -> std::sync::MutexGuard<'_, Seats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seats {
    /// Returns the connection to close. The least active connections come first. Among them, the client with the most
    /// connections comes first, and then the connection whose activity began first.
    fn first_to_go(&self) -> Option<u64> {
        let of_client = Client::count(self.taken.values().map(|taken| taken.client));
        let order = |taken: &Taken| (taken.doing, Reverse(of_client[&taken.client]), taken.since);
        self.taken.iter().min_by_key(|(_, taken)| order(taken)).map(|(number, _)| *number)
    }
}

impl Seat {
    /// Waits until the connection must end.
    pub(super) async fn ended(&self) {
        self.0.end.cancelled().await;
    }

    fn is_at(&self, doing: Doing) {
        let mut seats = self.0.room.seats();
        seats.now += 1;
        let now = seats.now;
        if let Some(taken) = seats.taken.get_mut(&self.0.number) {
            (taken.doing, taken.since, taken.begun) = (doing, now, Instant::now());
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.room.seats().taken.remove(&self.number);
    }
}

/// Receives a whole request before it is answered, and records what its connection is doing.
pub(super) async fn seated(request: Request, next: Next) -> Response {
    let Some(seat) = request.extensions().get::<Seat>().cloned() else { return next.run(request).await };
    let (mut parts, body) = request.into_parts();
    let body = match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY_BYTES)).await {
        Ok(Ok(body)) => body,
        // Either the request is too large, or the client is gone and does not read this.
        Ok(Err(_)) => return (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large\n").into_response(),
        Err(_) => return (StatusCode::REQUEST_TIMEOUT, "the request took too long\n").into_response(),
    };
    seat.is_at(Doing::Working);
    let client = seat.0.client;
    parts.extensions.insert(client);
    let answer = client.runs(next.run(Request::from_parts(parts, Body::from(body))));
    let answer = match tokio::time::timeout(ANSWER_TIMEOUT, answer).await {
        Ok(answer) => answer,
        Err(_) => (StatusCode::GATEWAY_TIMEOUT, "the response took too long\n").into_response(),
    };
    seat.is_at(Doing::Sending);
    answer.map(|body| Body::new(Sent { body, seat }))
}

/// The body of an answer. After the body, the connection waits for the next request.
struct Sent {
    body: Body,
    seat: Seat,
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.seat.is_at(Doing::Receiving);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    const SAME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    async fn enter(room: &Room, address: IpAddr, count: usize) -> Vec<Seat> {
        let mut seats = Vec::new();
        for _ in 0..count {
            seats.push(room.enter(address).await);
        }
        seats
    }

    fn is_gone(seat: &Seat) -> bool {
        seat.0.end.is_cancelled()
    }

    #[tokio::test]
    async fn whoever_comes_finds_room_and_the_idlest_goes() {
        let room = Room::default();
        let mut seats = enter(&room, SAME, MAX_CONNECTIONS).await;
        seats[0].is_at(Doing::Working);
        seats[1].is_at(Doing::Sending);
        let began = Instant::now();
        let came = room.enter(SAME).await;
        assert!(began.elapsed() > Doing::Receiving.grace() / 2, "those that have just come have time to say something");
        assert!(is_gone(&seats[2]) && !is_gone(&came));
        assert_eq!(seats.iter().filter(|seat| is_gone(seat)).count(), 1);
        seats.drain(2..);
        assert_eq!(room.seats().taken.len(), 3);
    }

    #[tokio::test]
    async fn a_machine_with_many_connections_loses_its_own() {
        let room = Room::default();
        let other = room.enter(machine(2)).await;
        let many = enter(&room, machine(1), MAX_CONNECTIONS - 1).await;
        let _more = enter(&room, machine(1), 10).await;
        assert!(!is_gone(&other));
        assert_eq!(many.iter().take_while(|seat| is_gone(seat)).count(), 10);
    }

    #[tokio::test]
    async fn streams_go_only_when_nobody_else_can() {
        let room = Room::default();
        let seats = enter(&room, machine(1), MAX_CONNECTIONS).await;
        seats.iter().for_each(|seat| seat.is_at(Doing::Sending));
        let idle = room.enter(machine(1)).await;
        assert!(is_gone(&seats[0]));
        let _next = room.enter(machine(1)).await;
        assert!(is_gone(&idle) && !is_gone(&seats[1]));
    }
}
