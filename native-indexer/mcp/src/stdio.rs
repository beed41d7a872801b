//! Serves one client over two streams, such as standard input and output, with one message per line. A line that is not
//! a message also gets an answer, because its sender may wait for one.

use super::Server;
use anyhow::{Result, bail};
use rmcp::model::{ErrorCode, JsonRpcMessage, RequestId};
use rmcp::service::{QuitReason, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage, serve_server_with_ct};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Maximum length of a line in bytes. A longer line is refused.
const MAX_LINE_BYTES: usize = 4 << 20;
/// How many messages wait for a client that does not read before the server waits too.
const MAX_WAITING: usize = 64;

/// How long a client has to read the last messages before the server ends.
const LAST_WRITES: Duration = Duration::from_secs(5);

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// Serves the client that writes to `input` and reads `output` until its input ends or `stop` is canceled.
pub async fn serve_stdio(
    server: Server,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> Result<()> {
    let (lines, writer) = Lines::new(input, output);
    let served = serve_lines(server, lines, stop).await;
    // Give the client time to read all answers before the process ends.
    let _ = tokio::time::timeout(LAST_WRITES, writer).await;
    served
}

async fn serve_lines(
    server: Server,
    lines: Lines<impl AsyncRead + Send + Unpin + 'static>,
    stop: CancellationToken,
) -> Result<()> {
    let running = match serve_server_with_ct(server, lines, stop).await {
        Ok(running) => running,
        // A client that leaves before the handshake has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => bail!("the client does not speak MCP: {error}"),
    };
    match running.waiting().await? {
        QuitReason::JoinError(error) => bail!("the server failed: {error}"),
        _ => Ok(()),
    }
}

/// Reads and writes messages as lines.
struct Lines<R> {
    input: BufReader<R>,
    /// The part of the next line that was read so far. It stays empty if the line is too long.
    line: Vec<u8>,
    is_too_long: bool,
    /// Answers to lines that are not messages.
    refusals: VecDeque<Outgoing>,
    output: Option<Sender<Outgoing>>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Returns the lines, and the task that writes messages. The task ends after the last message.
    fn new(input: R, mut written: impl AsyncWrite + Send + Unpin + 'static) -> (Self, JoinHandle<()>) {
        let (output, mut waiting) = channel::<Outgoing>(MAX_WAITING);
        let writer = tokio::spawn(async move {
            while let Some(message) = waiting.recv().await {
                let Ok(mut line) = serde_json::to_vec(&message) else { continue };
                line.push(b'\n');
                // The client no longer reads, so the other messages are dropped. The end of the input ends the server.
                if written.write_all(&line).await.is_err() || written.flush().await.is_err() {
                    return;
                }
            }
        });
        let lines = Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_too_long: false,
            refusals: VecDeque::new(),
            output: Some(output),
        };
        (lines, writer)
    }

    /// Returns the next line without its line feed, or `None` at the end. The last line may have no line feed. If the
    /// future is dropped, the next call continues where it ended.
    async fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            let read = self.input.fill_buf().await.ok()?;
            let (end, found) = match read.iter().position(|&byte| byte == b'\n') {
                Some(at) => (at, true),
                None => (read.len(), false),
            };
            if self.line.len() + end > MAX_LINE_BYTES {
                (self.line, self.is_too_long) = (Vec::new(), true);
            } else if !self.is_too_long {
                self.line.extend_from_slice(&read[..end]);
            }
            let is_over = read.is_empty();
            self.input.consume(end + usize::from(found));
            if found || is_over {
                if std::mem::take(&mut self.is_too_long) {
                    let why = format!("a message must have at most {MAX_LINE_BYTES} bytes");
                    self.refusals.push_back(refusal(ErrorCode::INVALID_REQUEST, why, None));
                }
                let line = std::mem::take(&mut self.line);
                return (found || !line.is_empty()).then_some(line);
            }
        }
    }

    /// Sends the answers to lines that are not messages.
    async fn refuse(&mut self) {
        let Some(output) = &self.output else { return };
        while !self.refusals.is_empty() {
            // Reserve a place first: if this future is dropped while it waits, no answer is lost.
            let Ok(permit) = output.reserve().await else { return };
            permit.send(self.refusals.pop_front().expect("there is one"));
        }
    }
}

/// The content of a line.
enum Said {
    Message(Box<Incoming>),
    /// Nothing that needs an answer.
    Nothing,
    /// Not a message. Contains the answer.
    Refused(Box<Outgoing>),
}

fn refusal(code: ErrorCode, why: String, id: Option<RequestId>) -> Outgoing {
    JsonRpcMessage::error(ErrorData::new(code, why, None), id)
}

fn said(line: &[u8]) -> Said {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Said::Nothing;
    }
    let problem = match serde_json::from_slice(line) {
        Ok(message) => return Said::Message(Box::new(message)),
        Err(problem) => problem,
    };
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(problem) => {
            return Said::Refused(Box::new(refusal(ErrorCode::PARSE_ERROR, format!("not JSON: {problem}"), None)));
        }
    };
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    match (value["method"].as_str(), id) {
        (Some(method), Some(id)) => {
            Said::Refused(Box::new(refusal(ErrorCode::INVALID_PARAMS, format!("{method}: {problem}"), Some(id))))
        }
        // Notifications get no response. Notifications from other protocols are ignored.
        (Some(_), None) if value.get("id").is_none() => Said::Nothing,
        (_, id) => {
            Said::Refused(Box::new(refusal(ErrorCode::INVALID_REQUEST, "not a JSON-RPC 2.0 message".to_owned(), id)))
        }
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for Lines<R> {
    type Error = std::io::Error;

    fn send(&mut self, message: Outgoing) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let closed = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
            output.ok_or_else(closed)?.send(message).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        loop {
            self.refuse().await;
            let line = self.next_line().await?;
            match said(&line) {
                Said::Message(message) => return Some(*message),
                Said::Nothing => {}
                Said::Refused(refused) => self.refusals.push_back(*refused),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.refuse().await;
        self.output = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_answered_where_somebody_may_wait() {
        let code = |line: &str| match said(line.as_bytes()) {
            Said::Message(_) => "message".to_owned(),
            Said::Nothing => "nothing".to_owned(),
            Said::Refused(refused) => {
                let refused = serde_json::to_value(refused).unwrap();
                format!("{} {}", refused["error"]["code"], refused["id"])
            }
        };
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "message"),
            (r#"{"jsonrpc":"2.0","id":"a","method":"no/such","params":{}}"#, "message"),
            (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#, "-32602 7"),
            (r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":3}"#, "-32602 \"x\""),
            (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":3}"#, "nothing"),
            ("  ", "nothing"),
            ("{", "-32700 null"),
            ("[]", "-32600 null"),
            ("3", "-32600 null"),
            (r#"{"jsonrpc":"2.0","id":3}"#, "-32600 3"),
        ] {
            assert_eq!(code(line), expected, "{line}");
        }
    }
}
