//! Serves many clients over HTTP: `/mcp` for the protocol, and `/health` for monitoring. Third-party pages in a user's
//! browser can also reach this machine, so hosts and origins are checked. A server that other machines can reach
//! requires a token.

mod callers;
mod connections;
mod sessions;

use super::Server;
use anyhow::{Context as _, Result, ensure};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use callers::{Callers, allowed_callers};
use connections::{MAX_BODY_BYTES, Room, seated};
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sessions::Sessions;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use subtle::ConstantTimeEq as _;
use tokio::net::{TcpListener, TcpSocket};
use tokio_util::sync::CancellationToken;

/// How long a client may take to send request headers, and how large they may be.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
const MAX_HEADER_BYTES: usize = 32 << 10;
/// How many connections may wait to be accepted.
const WAITING_CONNECTIONS: u32 = 4096;
/// How long running requests may continue after the server is stopped.
const DRAIN: Duration = Duration::from_secs(5);
/// Minimum length of a token in characters. Shorter tokens could be guessed.
const MIN_TOKEN_CHARS: usize = 16;

/// Settings of the HTTP server.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address that the server listens on. Port 0 selects a free port.
    pub address: SocketAddr,
    /// The bearer token that clients must send, if there is one.
    pub token: Option<String>,
    /// Names that clients may use for this machine, besides `address` and the machine's own names.
    pub hosts: Vec<String>,
    /// Origins of pages that may send requests, besides pages on this machine.
    pub origins: Vec<String>,
    /// Whether clients with the older protocol get no sessions. Without sessions, several servers at one address can
    /// answer any request.
    pub stateless: bool,
}

/// The hash of the token. Hashes are compared because they have the same length.
#[derive(Clone, Copy)]
struct TokenHash(Option<blake3::Hash>);

impl HttpOptions {
    /// Fails if the server would be open to others.
    fn check(&self) -> Result<()> {
        let Some(token) = &self.token else {
            ensure!(
                self.address.ip().is_loopback(),
                "{} is open to other machines: set the bearer token that clients must send, with NEARFIND_MCP_TOKEN or --token-file",
                self.address
            );
            return Ok(());
        };
        ensure!(
            token.chars().count() >= MIN_TOKEN_CHARS,
            "the token is too short: use at least {MIN_TOKEN_CHARS} characters"
        );
        ensure!(token.chars().all(|c| c.is_ascii_graphic()), "the token has characters that a header cannot contain");
        Ok(())
    }
}

/// The library's host check is off, because [`Callers`] checks hosts and origins more strictly.
fn protocol_config(stop: &CancellationToken, stateless: bool) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(!stateless)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        .with_cancellation_token(stop.clone())
}

/// Listens at `address`, with room for many connections that are not accepted yet. A client that finds no room would
/// try again only a second later.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // The library's listeners do this as well. A server that restarts can then use its address at once.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING_CONNECTIONS)
}

/// Serves clients until `stop` is canceled. `ready` receives the address.
pub async fn serve_http(
    server: Server,
    options: HttpOptions,
    stop: CancellationToken,
    ready: impl FnOnce(SocketAddr),
) -> Result<()> {
    options.check()?;
    let callers = Callers::new(options.address.ip(), &options.hosts, &options.origins)?;
    let listener = listen(options.address).with_context(|| format!("cannot listen on {}", options.address))?;
    ready(listener.local_addr()?);
    let config = protocol_config(&stop, options.stateless);
    let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::new(Sessions::default()), config);
    let token = TokenHash(options.token.as_ref().map(|token| blake3::hash(token.as_bytes())));
    let router = Router::new()
        .nest_service("/mcp", service)
        .layer(middleware::from_fn(ended_at_once))
        .layer(middleware::from_fn_with_state(callers, allowed_callers))
        .layer(middleware::from_fn_with_state(token, with_token))
        .route("/health", get(|| async { ([(header::CONTENT_TYPE, "application/json")], "{\"status\":\"ok\"}\n") }))
        .layer(middleware::from_fn(seated));
    let room = Room::default();
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        // Too many files are open, or the client has already left. Other connections may still arrive.
        let Ok((stream, from)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let seat = room.enter(from.ip()).await;
        let (router, of_connection) = (router.clone(), seat.clone());
        let answer = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(of_connection.clone());
            TowerToHyperService::new(router.clone()).call(request)
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIMEOUT)
            .max_buf_size(MAX_HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), answer);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // It is not an error if a client leaves early.
            tokio::select! {
                _ = connection => {}
                () = seat.ended() => {}
            }
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(DRAIN, graceful.shutdown()).await;
    Ok(())
}

/// Answers 204 after a session was ended. The library answers 202, which means that work remains to be done, although
/// the session is already gone. Some clients treat 202 as a failure.
async fn ended_at_once(request: Request, next: Next) -> Response {
    let is_end = request.method() == Method::DELETE;
    let answer = next.run(request).await;
    if is_end && answer.status() == StatusCode::ACCEPTED { StatusCode::NO_CONTENT.into_response() } else { answer }
}

/// Passes on requests that contain the token, and refuses others.
async fn with_token(State(TokenHash(wanted)): State<TokenHash>, request: Request, next: Next) -> Response {
    let Some(wanted) = wanted else { return next.run(request).await };
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given =
        given.and_then(|value| value.split_once(' ')).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let is_known = given
        .is_some_and(|(_, token)| blake3::hash(token.trim().as_bytes()).as_bytes().ct_eq(wanted.as_bytes()).into());
    if is_known {
        return next.run(request).await;
    }
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer realm=\"nearfind\"")];
    (StatusCode::UNAUTHORIZED, challenge, "a bearer token is required\n").into_response()
}
