//! A transparent client: sends lines of JSON to the binary, and reads its responses.

use crate::support::Workplace;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Once;

/// Creates a site of two projects that share file names, with reference pages, a notebook and small sections.
pub(crate) fn site() -> Workplace {
    let place = Workplace::new();
    write_site(&place);
    update(&place);
    place
}

/// Returns the same site for tests that only read it. The first of them builds it, and later runs update it.
pub(crate) fn shared_site() -> Workplace {
    static BUILT: Once = Once::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared-site");
    BUILT.call_once(|| {
        std::fs::create_dir_all(&folder).expect("a folder");
        // Another run may be building it.
        let lock = std::fs::File::create(folder.with_extension("lock")).expect("a file");
        lock.lock().expect("a lock");
        for project in ["alpha", "beta-docs"] {
            drop(std::fs::remove_dir_all(folder.join(project)));
        }
        let place = Workplace::at(folder.clone());
        write_site(&place);
        update(&place);
    });
    Workplace::at(folder)
}

fn write_site(place: &Workplace) {
    place.write("alpha/doc/index.md", "# Alpha\n\nAlpha draws plots of large data.\n");
    place.write(
        "alpha/doc/guide.md",
        "# Guide\n\nHow to begin with alpha, step by step, from nothing to a plot that can be shown.\n\n## Tiny\n\n--zap\n\n\
         ## Fences\n\n~~~~python\n# no heading\n~~~\n# nor this\n~~~~\n\n## Colours\n\nColours are chosen with a colour map.\n",
    );
    place.write(
        "alpha/examples/reference/widgets/Button.ipynb",
        &notebook("# Button\n\nA `Button` starts an action when it is clicked."),
    );
    place.write("beta-docs/doc/index.md", "# Beta\n\nBeta draws tables of small data.\n");
    place.write(
        "beta-docs/doc/tables.md",
        "# Tables\n\nRows of a table are sorted by `sort_rows`.\n\n## Cells\n\nA cell is formatted by a formatter.\n",
    );
    place.write("beta-docs/examples/reference/Button.md", "# Button of beta\n\nA button inside a table.\n");
    place.write(
        "nearfind.toml",
        "model = \"tiny\"\ndefault_reference = \"examples/reference\"\n\n[[project]]\nname = \"alpha\"\npath = \"alpha\"\nurl = \"https://alpha.example.org\"\n\n\
         [[project]]\nname = \"beta-docs\"\npath = \"beta-docs\"\nurl = \"https://beta.example.org\"\n",
    );
}

/// Builds the bundle of a workplace.
pub(crate) fn update(place: &Workplace) {
    let built = place.run(&["update", "--quiet"]);
    assert!(built.status.success(), "{}", crate::support::stderr(&built));
}

fn notebook(markdown: &str) -> String {
    let cells = json!([
        { "cell_type": "markdown", "metadata": {}, "source": markdown },
        { "cell_type": "code", "metadata": {}, "execution_count": 1, "outputs": [], "source": "import alpha" },
    ]);
    json!({ "cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5 }).to_string()
}

/// The binary's server over standard input and output.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
    /// All messages other than responses.
    pub(crate) notifications: Vec<Value>,
}

#[expect(clippy::needless_pass_by_value, reason = "calls read best with a literal in them")]
impl Client {
    /// Starts the server in `place`, and performs the handshake.
    pub(crate) fn start(place: &Workplace, arguments: &[&str]) -> Self {
        let mut client = Self::spawn(place, arguments);
        let answer = client.initialize("2025-11-25");
        assert_eq!(answer["result"]["serverInfo"]["name"], "nearfind", "{answer}");
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// Starts the server like an agent, and performs the handshake.
    pub(crate) fn plain(place: &Workplace, arguments: &[&str]) -> Self {
        let mut client = Self::of(plain_server(place, arguments));
        client.initialize("2025-11-25");
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// Starts the server without a handshake.
    pub(crate) fn spawn(place: &Workplace, arguments: &[&str]) -> Self {
        Self::of(server(place, arguments))
    }

    /// Starts `command`.
    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::inherit()).spawn().expect("the binary starts");
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().expect("a pipe")));
        Self { child, input, output, last_id: 0, notifications: Vec::new() }
    }

    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let client = json!({ "name": "test", "version": "1" });
        self.request("initialize", json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client }))
    }

    /// Sends a line unchanged.
    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("the server reads");
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request, and returns its id.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }).to_string());
        self.last_id
    }

    /// Returns the response to the request `id`.
    pub(crate) fn response(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive().expect("the server answers");
            if message["id"] == id {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Returns the next message, or `None` at the end.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("UTF-8");
        if line.is_empty() {
            return None;
        }
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a message: {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0");
        Some(message)
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.response(id)
    }

    /// Calls a tool. Returns its structured outcome, or its message as `Err`.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let response = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        outcome(&response)
    }

    /// Calls a tool. Returns the text that an agent reads, or its message as `Err`.
    pub(crate) fn text(&mut self, tool: &str, arguments: Value) -> Result<String, String> {
        let response = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &response["result"];
        assert!(result.get("structuredContent").is_none(), "{response}");
        let text = result["content"][0]["text"].as_str().expect("a text form").to_owned();
        if result["isError"] == true { Err(text) } else { Ok(text) }
    }

    /// Closes the input. Returns the remaining output, and the exit status.
    pub(crate) fn finish(mut self) -> (String, ExitStatus) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("UTF-8");
        (rest, self.child.wait().expect("it ends"))
    }

    pub(crate) fn process(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the structured outcome of a tool's response, or its message as `Err`.
pub(crate) fn outcome(response: &Value) -> Result<Value, String> {
    let result = &response["result"];
    assert!(result.is_object(), "{response}");
    let text = result["content"][0]["text"].as_str().expect("a text form").to_owned();
    if result["isError"] == true {
        assert!(result.get("structuredContent").is_none(), "{response}");
        return Err(text);
    }
    assert!(!text.is_empty());
    Ok(result["structuredContent"].clone())
}

/// Returns the command for a server with outcomes as JSON, for tests.
pub(crate) fn server(place: &Workplace, arguments: &[&str]) -> Command {
    let mut command = plain_server(place, arguments);
    command.arg("--structured");
    command
}

/// Returns the command for a server, as agents start it.
fn plain_server(place: &Workplace, arguments: &[&str]) -> Command {
    let mut command = crate::support::command_in(place.folder(), &["mcp"]);
    // Other tests check how an index is kept up to date.
    command.arg("--no-watch").args(arguments).stdin(Stdio::piped());
    command
}

/// Returns the documents in the results of a search.
pub(crate) fn documents(outcome: &Value) -> Vec<&str> {
    outcome["results"].as_array().expect("results").iter().map(|hit| hit["document"].as_str().expect("an id")).collect()
}
