//! One client, over standard input and output.

use super::Server;
use anyhow::{Result, bail};
use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use tokio_util::sync::CancellationToken;

/// Serves the client until its input ends or `stop` is cancelled.
pub async fn serve_stdio(server: Server, stop: CancellationToken) -> Result<()> {
    let running = match serve_server_with_ct(server, rmcp::transport::stdio(), stop).await {
        Ok(running) => running,
        // A client that says nothing and goes has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => bail!("the client does not speak MCP: {error}"),
    };
    match running.waiting().await? {
        QuitReason::JoinError(error) => bail!("the server failed: {error}"),
        _ => Ok(()),
    }
}
