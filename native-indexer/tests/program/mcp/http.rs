//! The server over HTTP: requests that it refuses, and many clients at once.

use super::client::{server, site};
use crate::support::{Workplace, stderr};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const BOTH: &str = "application/json, text/event-stream";
const MODERN: &str = "2026-07-28";

/// The binary's server over HTTP.
struct HttpServer {
    child: Child,
    address: SocketAddr,
}

impl HttpServer {
    fn start(place: &Workplace, arguments: &[&str], token: Option<&str>) -> Self {
        let says_where = arguments.iter().any(|argument| ["--http", "http"].contains(argument));
        let address = if says_where { &[][..] } else { &["--http", "127.0.0.1:0"][..] };
        let mut command = server(place, &[address, arguments].concat());
        command.stderr(Stdio::piped()).stdin(Stdio::null());
        command.envs(token.map(|token| ("NEARFIND_MCP_TOKEN", token)));
        let mut child = command.spawn().expect("the binary starts");
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("serving MCP at http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let mut address: SocketAddr = address.unwrap_or_else(|| panic!("{line}")).parse().expect("an address");
        if address.ip().is_unspecified() {
            address.set_ip([127, 0, 0, 1].into());
        }
        Self { child, address }
    }

    /// Returns the status of the response to `/health`.
    fn health(&self) -> u16 {
        self.exchange("GET /health", &[], "").0
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a limit");
        stream
    }

    /// Sends a request with these headers. Returns the status, headers and body of the response.
    fn exchange(&self, first: &str, headers: &[(&str, &str)], body: &str) -> (u16, String, String) {
        let mut stream = self.connect();
        let mut head = format!("{first} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        // A server that refuses a request may stop reading it.
        let _ = write!(stream, "{head}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        (status, head.to_lowercase(), body.to_owned())
    }

    /// Sends a request of the stateless protocol.
    fn modern(&self, method: &str, mut params: Value, headers: &[(&str, &str)]) -> (u16, String, String) {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let mut all = vec![
            ("Content-Type", "application/json"),
            ("Accept", BOTH),
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", method),
        ];
        if !name.is_empty() {
            all.push(("Mcp-Name", &name));
        }
        all.extend(headers);
        self.exchange("POST /mcp", &all, &body)
    }

    fn search(&self, query: &str) -> Value {
        let (status, _, body) = self.modern(
            "tools/call",
            json!({ "name": "search", "arguments": { "query": query, "mode": "words" } }),
            &[],
        );
        assert_eq!(status, 200, "{body}");
        message(&body)["result"]["structuredContent"].clone()
    }

    /// Performs a handshake, and returns the id of the session.
    fn begin_session(&self) -> String {
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }).to_string();
        // The stream of events does not end after the response, so it is read only up to the response.
        let mut stream = self.connect();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: {BOTH}\r\nContent-Length: {}\r\n\r\n{hello}",
            self.address,
            hello.len()
        )
        .unwrap();
        let mut reader = BufReader::new(stream);
        let mut session = String::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(id) = line.to_lowercase().strip_prefix("mcp-session-id:") {
                id.trim().clone_into(&mut session);
            }
            if line.contains("serverInfo") {
                return session;
            }
            assert!(!line.is_empty());
        }
    }

    /// Searches in a session, and returns the status.
    fn search_in(&self, session: &str) -> u16 {
        let call = json!({ "name": "search", "arguments": { "query": "colour", "mode": "words" } });
        let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }).to_string();
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", BOTH),
            ("Mcp-Session-Id", session),
            ("MCP-Protocol-Version", "2025-11-25"),
        ];
        self.exchange("POST /mcp", &headers, &call).0
    }

    fn tools(&self, headers: &[(&str, &str)]) -> (u16, String, String) {
        self.modern("tools/list", json!({}), headers)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the message in a body of JSON or of a stream of events, in chunks or not.
fn message(body: &str) -> Value {
    let line = body.lines().find_map(|line| {
        let line = line.strip_prefix("data:").unwrap_or(line).trim();
        line.starts_with('{').then(|| serde_json::from_str(line).ok()).flatten()
    });
    line.unwrap_or_else(|| panic!("no message in {body}"))
}

#[test]
fn the_commands_of_other_servers_are_accepted() {
    let place = site();
    assert_eq!(HttpServer::start(&place, &["http", "--port", "0"], None).health(), 200);
    let mut client = super::client::Client::start(&place, &["stdio"]);
    assert!(client.call("list_projects", json!({})).is_ok());
    let refused = place.run(&["mcp", "--port", "5173"]);
    assert!(stderr(&refused).contains("required arguments"), "{}", stderr(&refused));
}

#[test]
fn other_sites_and_other_hosts_are_refused() {
    let place = site();
    let server = HttpServer::start(&place, &[], None);
    let port = server.address.port();
    for (origin, wanted) in [
        ("http://evil.example".to_owned(), 403),
        ("null".to_owned(), 403),
        ("http://localhost.evil.example".to_owned(), 403),
        ("https://localhost".to_owned(), 403),
        ("http://localhost".to_owned(), 200),
        (format!("http://localhost:{port}"), 200),
        ("http://127.0.0.1:3000".to_owned(), 200),
        ("http://[::1]:3000".to_owned(), 200),
        ("http://localhost:1/evil".to_owned(), 403),
        ("http://127.0.0.1:1.evil.example".to_owned(), 403),
        ("http://localhost:3000#evil".to_owned(), 403),
        ("http://localhost:abc".to_owned(), 403),
    ] {
        assert_eq!(server.tools(&[("Origin", &origin)]).0, wanted, "{origin}");
    }
    assert_eq!(server.tools(&[]).0, 200, "programs send no origin");
    for (host, wanted) in [
        ("evil.example".to_owned(), 403),
        (format!("evil.example:{port}"), 403),
        (format!("localhost.evil.example:{port}"), 403),
        (format!("localhost:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        ("evil.example@localhost".to_owned(), 403),
    ] {
        assert_eq!(server.tools(&[("Host", &host)]).0, wanted, "{host}");
    }
    assert_eq!(server.tools(&[("Host", "localhost"), ("Host", "localhost")]).0, 403, "one is enough");
    let origin = ("Origin", "http://localhost");
    assert_eq!(server.tools(&[origin, origin]).0, 403, "one is enough");
}

#[test]
fn allowed_hosts_and_origins_are_accepted() {
    let place = site();
    let server = HttpServer::start(
        &place,
        &["--allow-host", "docs.example.org", "--allow-origin", "https://app.example.org"],
        None,
    );
    assert_eq!(server.tools(&[("Host", "docs.example.org"), ("Origin", "https://app.example.org")]).0, 200);
    assert_eq!(server.tools(&[("Host", "docs.example.org"), ("Origin", "https://other.example.org")]).0, 403);
}

#[test]
fn listening_to_other_machines_requires_a_token() {
    let place = site();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let refused = place.run(&["mcp", "--http", address]);
        assert_eq!(refused.status.code(), Some(1), "{address}");
        assert!(stderr(&refused).contains("NEARFIND_MCP_TOKEN"), "{}", stderr(&refused));
    }
    for token in ["zygote", "", "has a space in it, and more"] {
        let mut command = server(&place, &["--http", "0.0.0.0:0"]);
        let refused = command.env("NEARFIND_MCP_TOKEN", token).stdin(Stdio::null()).output().unwrap();
        assert_eq!(refused.status.code(), Some(1), "{token}");
        assert!(token.is_empty() || !stderr(&refused).contains(token), "a token is never written");
    }
}

#[test]
fn a_token_is_required_and_never_printed() {
    let place = site();
    let token = "correct-horse-battery-staple";
    place.write("token", &format!("{token}\n"));
    let mut server = HttpServer::start(&place, &["--http", "0.0.0.0:0", "--token-file", "token"], None);
    for header in ["", "Bearer", "Bearer wrong-horse-battery-staple", "Basic correct-horse-battery-staple", token] {
        let (status, head, body) = server.tools(&[("Authorization", header)]);
        assert_eq!(status, 401, "{header}");
        assert!(head.contains("www-authenticate: bearer") && !body.contains("staple"), "{head}");
    }
    assert_eq!(server.tools(&[]).0, 401);
    assert_eq!(server.tools(&[("Authorization", &format!("Bearer {token}"))]).0, 200);
    assert_eq!(server.tools(&[("Authorization", &format!("bearer {token}"))]).0, 200);
    assert_eq!(server.health(), 200, "a watcher needs none");
    let bad = server.tools(&[("Authorization", &format!("Bearer {token}")), ("Origin", "http://evil.example")]);
    assert_eq!(bad.0, 403);
    let _ = server.child.kill();
    let mut said = String::new();
    server.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(!said.contains("staple"), "{said}");
}

#[test]
fn invalid_requests_are_refused() {
    let place = site();
    let server = HttpServer::start(&place, &[], None);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }).to_string();
    let usual = [("Content-Type", "application/json"), ("Accept", BOTH)];
    let with = |more: &[(&str, &str)], body: &str| server.exchange("POST /mcp", &[&usual[..], more].concat(), body);
    let modern = ("MCP-Protocol-Version", MODERN);
    let meta =
        json!({ "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} });
    let listed = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } }).to_string();
    let (status, _, body) = with(&[modern], &listed);
    assert_eq!((status, &message(&body)["error"]["code"]), (400, &json!(-32020)), "no Mcp-Method: {body}");
    let (status, _, body) = with(&[("MCP-Protocol-Version", "1999-01-01"), ("Mcp-Method", "tools/list")], &list);
    assert_eq!(status, 400, "{body}");
    assert_eq!(with(&[], "{").0 / 100, 4);
    assert_eq!(with(&[], "").0 / 100, 4);
    assert_eq!(with(&[], "[]").0 / 100, 4);
    assert_eq!(with(&[], &"x".repeat((128 << 10) + 1)).0, 413);
    assert_eq!(server.exchange("POST /mcp", &[("Content-Type", "text/plain"), ("Accept", BOTH)], &list).0, 415);
    assert_eq!(
        server.exchange("POST /mcp", &[("Content-Type", "application/json"), ("Accept", "text/html")], &list).0,
        406
    );
    assert_eq!(server.exchange("GET /mcp", &[("Accept", BOTH), modern], "").0, 405);
    assert_eq!(server.exchange("DELETE /mcp", &[modern], "").0 / 100, 4);
    assert_eq!(server.exchange("GET /other", &[], "").0, 404);
    assert_eq!(server.exchange("GET /../../etc/passwd", &[], "").0, 404);
    // An unknown session.
    assert_eq!(with(&[("Mcp-Session-Id", "none")], &list).0, 404);
    assert_eq!(with(&[], &list).0, 400, "no session, and no handshake");
    assert_eq!(server.search("colour")["results"][0]["document"], "alpha/doc/guide.md");
}

#[test]
fn the_protocol_with_sessions() {
    let place = site();
    let server = HttpServer::start(&place, &[], None);
    let usual = [("Content-Type", "application/json"), ("Accept", BOTH)];
    let session = server.begin_session();
    assert!(session.len() >= 16 && session.bytes().all(|c| c.is_ascii_graphic()), "{session}");
    let headers =
        [&usual[..], &[("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-11-25")]].concat();
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    assert_eq!(server.exchange("POST /mcp", &headers, &initialized).0, 202);
    let call = json!({ "name": "search", "arguments": { "query": "colour", "mode": "words" } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }).to_string();
    let (status, _, body) = server.exchange("POST /mcp", &headers, &call);
    assert_eq!(
        (status, &message(&body)["result"]["structuredContent"]["results"][0]["document"]),
        (200, &json!("alpha/doc/guide.md"))
    );
    assert_eq!(server.exchange("DELETE /mcp", &headers, "").0, 204);
    assert_eq!(server.exchange("POST /mcp", &headers, &call).0, 404);
}

#[test]
fn slow_and_disconnecting_clients_do_not_delay_others() {
    let place = site();
    let server = HttpServer::start(&place, &[], None);
    let mut slow: Vec<TcpStream> = (0..50).map(|_| server.connect()).collect();
    for (number, stream) in slow.iter_mut().enumerate() {
        let begun = [
            "POST /mcp HTTP/1.1\r\n",
            "",
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 500\r\n\r\n{\"jsonrpc\"",
        ];
        write!(stream, "{}", begun[number % begun.len()]).unwrap();
    }
    for number in 0..20 {
        // The client disconnects before the answer.
        let mut stream = server.connect();
        let body = json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": { "name": "search", "arguments": { "query": "colour" } } });
        let body = body.to_string();
        write!(stream, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: {BOTH}\r\nMCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: search\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }
    let begun = Instant::now();
    assert_eq!(server.search("colour")["results"][0]["document"], "alpha/doc/guide.md");
    assert!(begun.elapsed() < Duration::from_secs(10), "others are served meanwhile");
    // Incomplete headers time out.
    let mut rest = Vec::new();
    let _ = slow[0].read_to_end(&mut rest);
    assert!(begun.elapsed() < Duration::from_secs(40));
}

#[test]
fn many_handshakes_do_not_affect_used_sessions() {
    let place = site();
    let server = HttpServer::start(&place, &[], None);
    let used = server.begin_session();
    assert_eq!(server.search_in(&used), 200);
    let first = server.begin_session();
    // More sessions than the server keeps.
    for _ in 0..300 {
        server.begin_session();
    }
    assert_eq!(server.search_in(&used), 200, "a session that is used is kept");
    assert_eq!(server.search_in(&first), 404, "the protocol's word for one that is gone");
    assert_eq!(server.search_in(&server.begin_session()), 200);
}

#[test]
fn idle_connections_are_closed_for_new_ones() {
    let place = site();
    let server = HttpServer::start(&place, &[], None);
    // More connections than the server keeps, but no more files than tests may open.
    let silent: Vec<TcpStream> = (0..400).map(|_| server.connect()).collect();
    let begun = Instant::now();
    assert_eq!(server.search("colour")["results"][0]["document"], "alpha/doc/guide.md");
    assert!(begun.elapsed() < Duration::from_secs(10), "nobody waits for those to go");
    let mut first = &silent[0];
    assert_eq!(first.read(&mut [0]).unwrap_or(0), 0, "the first is ended");
}

#[test]
fn sixteen_concurrent_clients_get_the_same_answers() {
    let place = site();
    let server = HttpServer::start(&place, &[], None);
    let queries = ["colour map", "button", "table of rows", "formatter", "zap", "large data"];
    let alone: Vec<Value> = queries.iter().map(|query| server.search(query)).collect();
    std::thread::scope(|scope| {
        for client in 0..16 {
            let (server, alone) = (&server, &alone);
            scope.spawn(move || {
                for round in 0..queries.len() {
                    let number = (client + round) % queries.len();
                    assert_eq!(server.search(queries[number]), alone[number]);
                }
            });
        }
    });
}

#[test]
fn closing_a_stream_cancels_the_request() {
    let place = super::update::site_with_much_to_do();
    let server = HttpServer::start(&place, &["--allow-update"], None);
    let update = |project: &str| {
        let params = json!({ "name": "update_index", "arguments": { "project": project } });
        let (status, _, body) = server.modern("tools/call", params, &[]);
        assert_eq!(status, 200, "{body}");
        message(&body)["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let meta = json!({
        "progressToken": 1,
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": "update_index", "arguments": {}, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let mut stream = server.connect();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: {BOTH}\r\n\
         MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: update_index\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while !line.contains("notifications/progress") {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0);
    }
    assert!(update("alpha").contains("an update is under way"));
    drop(reader);
    let begun = Instant::now();
    while update("zzz").contains("under way") {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.search("word7")["results"], json!([]), "the index is as it was");
}

#[cfg(unix)]
#[test]
fn a_signal_shuts_the_server_down_cleanly() {
    let place = site();
    let mut server = HttpServer::start(&place, &[], None);
    let _open = server.connect();
    server.search("colour");
    let begun = Instant::now();
    assert!(
        std::process::Command::new("kill").args(["-TERM", &server.child.id().to_string()]).status().unwrap().success()
    );
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(15));
    assert!(TcpStream::connect(server.address).is_err());
}
