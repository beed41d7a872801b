//! A server for the protocols of providers, with the vectors of the tiny model. The formats follow their references.

use crate::support::{Workplace, command_in};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const KEY: &str = "sk-tests-0123456789-secret";

/// Faults of the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    /// A status with a body, and an optional header.
    Status(u16, &'static str, &'static str),
    /// 413 for more texts than this.
    LargerThan(usize),
    /// A body that is not JSON.
    NoJson,
    /// Fewer vectors than texts.
    TooFew,
    /// Vectors with one component more.
    LongerVectors,
    /// Vectors of zeros.
    Zeros,
    /// Vectors with a number that JSON cannot represent.
    NotFinite,
    /// Another model under the same name.
    OtherModel,
    /// Entries in another order, with their indices.
    Reordered,
    /// No scores.
    NoResults,
    /// A score of a document that was not sent.
    OutOfRange,
    /// Supports only the protocol of TEI, and wraps its scores.
    WrappedTei,
    /// Sends single bytes slowly.
    Drip,
    /// An endless array of vectors.
    Endless,
    /// Sends nothing.
    Hang,
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// The header with the key.
    pub(crate) authorization: Option<String>,
    /// The body as JSON, or null.
    pub(crate) body: Value,
    pub(crate) media_type: String,
    pub(crate) bytes: Vec<u8>,
}

impl Request {
    /// Returns the texts of the request.
    pub(crate) fn texts(&self) -> Vec<String> {
        let names = ["input", "inputs", "texts", "documents"];
        let texts = names.iter().find_map(|name| self.body[*name].as_array()).cloned().unwrap_or_default();
        texts.iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
    }
}

#[derive(Default)]
struct State {
    requests: Vec<Request>,
    /// Faults of the next requests, one each.
    next: VecDeque<Fault>,
    /// Fault of all other requests.
    always: Option<Fault>,
}

/// The server, which ends with the test.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<State>>,
}

/// A process that encodes texts with the tiny model, one per line.
struct Encoder {
    _process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Encoder {
    fn start(place: &Workplace) -> Self {
        let mut command = command_in(place.folder(), &["model", "embed", "--stdin", "--model", "tiny"]);
        let mut process = command.stdin(Stdio::piped()).spawn().expect("it starts");
        let (input, output) = (process.stdin.take().expect("a pipe"), process.stdout.take().expect("a pipe"));
        Self { _process: process, input, output: BufReader::new(output) }
    }

    fn vector(&mut self, text: &str) -> Vec<f64> {
        writeln!(self.input, "{}", text.replace(['\n', '\r'], " ")).expect("it reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).expect("a vector")
    }
}

impl Server {
    pub(crate) fn start(place: &Workplace) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::<Mutex<State>>::default();
        let (shared, encoder) = (Arc::clone(&state), Arc::new(Mutex::new(Encoder::start(place))));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shared, encoder) = (Arc::clone(&shared), Arc::clone(&encoder));
                std::thread::spawn(move || {
                    let _ = answer(&stream, &shared, &encoder);
                });
            }
        });
        Self { address, state }
    }

    /// Returns settings that make the binary use the server as a provider of type `kind`.
    pub(crate) fn settings(&self, kind: &str) -> Vec<String> {
        let below = if matches!(kind, "openai" | "voyage") { "/v1" } else { "" };
        let all = [
            format!("embedding.provider={kind}"),
            format!("embedding.model=tiny-{kind}"),
            format!("embedding.base_url=http://{}{below}", self.address),
            "embedding.timeout=2".to_owned(),
        ];
        all.into_iter().flat_map(|setting| ["--set".to_owned(), setting]).collect()
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.state.lock().unwrap().requests.clone()
    }

    /// Forgets the received requests.
    pub(crate) fn forget(&self) {
        self.state.lock().unwrap().requests.clear();
    }

    /// Sets the faults of the next requests.
    pub(crate) fn next(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state.lock().unwrap().next = faults.into_iter().collect();
    }

    /// Sets the fault of all requests.
    pub(crate) fn always(&self, fault: Option<Fault>) {
        self.state.lock().unwrap().always = fault;
    }
}

fn answer(stream: &TcpStream, state: &Mutex<State>, encoder: &Mutex<Encoder>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let header = |name: &str| {
        let named = |line: &String| {
            let (own, value) = line.split_once(':')?;
            own.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        };
        lines.iter().find_map(named)
    };
    let length = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request = Request {
        path: lines[0].split(' ').nth(1).unwrap_or_default().to_owned(),
        authorization: header("authorization").or_else(|| header("x-api-key")),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        media_type: header("content-type").unwrap_or_default(),
        bytes: body,
    };
    let fault = {
        let mut state = state.lock().unwrap();
        state.requests.push(request.clone());
        state.next.pop_front().or_else(|| state.always.clone())
    };
    let texts = request.texts();
    let mut stream = stream;
    let (mut status, mut more) = (200, String::new());
    let body = match &fault {
        Some(Fault::Hang) => {
            std::thread::sleep(Duration::from_secs(20));
            return Ok(());
        }
        Some(Fault::Status(code, body, header)) => {
            status = *code;
            more = if header.is_empty() { String::new() } else { format!("{header}\r\n") };
            // Some servers echo the key.
            body.replace("{key}", request.authorization.as_deref().unwrap_or_default())
        }
        Some(Fault::LargerThan(most)) if texts.len() > *most => {
            status = 413;
            r#"{"error":"batch size is too large","error_type":"Validation"}"#.to_owned()
        }
        Some(Fault::NoJson) => "<html>Welcome</html>".to_owned(),
        _ if request.path.ends_with("/rerank") => {
            let (code, body) = scored(&request.body, &texts, fault.as_ref());
            status = code;
            body.to_string()
        }
        _ if request.path.ends_with("/ocr") => "A receipt for otters".to_owned(),
        _ if request.path.ends_with("/ocr-json") => json!({"text": "A receipt for otters", "pages": 1}).to_string(),
        _ if writes(&request.path) => written(&request.path, &request.body).to_string(),
        _ => {
            let mut vectors: Vec<Vec<f64>> = {
                let mut encoder = encoder.lock().unwrap();
                texts.iter().map(|text| encoder.vector(text)).collect()
            };
            match &fault {
                Some(Fault::TooFew) => drop(vectors.pop()),
                Some(Fault::LongerVectors) => vectors.iter_mut().for_each(|vector| vector.push(0.5)),
                Some(Fault::Zeros) => vectors.iter_mut().for_each(|vector| vector.fill(0.0)),
                Some(Fault::OtherModel) => vectors.iter_mut().for_each(|vector| vector.reverse()),
                _ => {}
            }
            let body = encoded(&request.path, &request.body, vectors, fault == Some(Fault::Reordered)).to_string();
            if fault == Some(Fault::NotFinite) { body.replacen("0.", "1e999", 1) } else { body }
        }
    };
    if fault == Some(Fault::Endless) {
        stream.write_all(b"HTTP/1.1 200 x\r\nConnection: close\r\n\r\n{\"data\":[")?;
        let row = format!("{{\"embedding\":[{}0]}},", "0.25,".repeat(10_000));
        // Until the client disconnects.
        loop {
            stream.write_all(row.as_bytes())?;
        }
    }
    write!(stream, "HTTP/1.1 {status} x\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len())?;
    if fault == Some(Fault::Drip) {
        return body.bytes().try_for_each(|byte| {
            std::thread::sleep(Duration::from_millis(300));
            stream.write_all(&[byte])
        });
    }
    stream.write_all(body.as_bytes())
}

/// Returns the relevance of a text, which only depends on a word in it.
fn score(text: &str) -> f64 {
    [("wanted", 0.9), ("near", 0.6), ("far", 0.4)]
        .iter()
        .find(|(word, _)| text.contains(word))
        .map_or(0.05, |(_, score)| *score)
}

/// Returns scores of texts, best first, in the format of the request's protocol.
fn scored(body: &Value, texts: &[String], fault: Option<&Fault>) -> (u16, Value) {
    let is_cohere = body["documents"].is_array();
    if fault == Some(&Fault::WrappedTei) && is_cohere {
        return (422, json!({"error": "missing field `texts`", "error_type": "Validation"}));
    }
    if is_cohere && !body["model"].is_string() {
        return (400, json!({"message": "model is required"}));
    }
    let mut scores: Vec<(usize, f64)> = texts.iter().map(|text| score(text)).enumerate().collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    if fault == Some(&Fault::OutOfRange) {
        scores.insert(0, (texts.len(), 1.0));
    }
    let name = if is_cohere { "relevance_score" } else { "score" };
    let entries: Vec<Value> = scores.iter().map(|(index, score)| json!({"index": index, name: score})).collect();
    let answer = match fault {
        Some(Fault::NoResults) => json!({"id": "x"}),
        Some(Fault::WrappedTei) => json!({"results": entries}),
        _ if is_cohere => json!({"id": "x", "results": entries, "meta": {}}),
        _ => json!(entries),
    };
    (200, answer)
}

fn writes(path: &str) -> bool {
    ["/chat/completions", "/api/chat", "/v1/messages"].iter().any(|end| path.ends_with(end))
}

/// Returns the task of a request to a language model, and its material.
pub(crate) fn task_and_material(body: &Value) -> (String, String) {
    let messages = body["messages"].as_array().expect("messages");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let task = if body["system"].is_string() { &body["system"] } else { &messages[0]["content"] };
    (text(task), text(&messages[messages.len() - 1]["content"]))
}

/// Returns the picture in a request to a language model: its media type, if the protocol names it, and its bytes in
/// Base64.
pub(crate) fn picture_of(body: &Value) -> Option<(String, String)> {
    let message = body["messages"].as_array()?.last()?;
    if let Some(data) = message["images"][0].as_str() {
        return Some((String::new(), data.to_owned()));
    }
    let part = &message["content"][0];
    if let Some(url) = part["image_url"]["url"].as_str() {
        let (media_type, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
        return Some((media_type.to_owned(), data.to_owned()));
    }
    let source = &part["source"];
    Some((source["media_type"].as_str()?.to_owned(), source["data"].as_str()?.to_owned()))
}

/// Returns the output of an obedient language model in the format of the protocol at `path`: further questions,
/// statements on each passage, an answer, and a statement without support.
fn written(path: &str, body: &Value) -> Value {
    let (task, material) = match picture_of(body) {
        Some(_) => (body.to_string(), String::new()),
        None => task_and_material(body),
    };
    let text = if task.contains("given a picture") {
        "Sales by year\n\nA chart of kangaroos: 12 in 2023 and 40 in 2024.".to_owned()
    } else if task.contains("given a page") {
        "A page on wombats".to_owned()
    } else if task.contains("up to four questions") {
        if material.contains("thread") {
            "1. How do programs do several things at once?\n2. what is concurrency".to_owned()
        } else {
            "NOTHING".to_owned()
        }
    } else if task.contains("thirty words") {
        format!("A guide to simultaneity in {}", material.lines().next().unwrap_or_default())
    } else if task.contains("further search queries") {
        "- unsafe code\n- what code is unsafe".to_owned()
    } else if material.contains("Notes:") {
        let notes = material.split_once("Notes:\n").expect("notes").1;
        format!("{notes} And the moon is a cheese [998].")
    } else if task.contains("numbered passages") {
        let mut said = String::new();
        let mut lines = material.lines();
        while let Some(line) = lines.next() {
            if let Some((number, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                let text: Vec<&str> = lines.by_ref().skip(1).take_while(|line| !line.starts_with("====")).collect();
                said += &format!("{} [{number}]. ", text.join(" ").replace(['#', '[', ']'], ""));
            }
        }
        format!("{said}Pigs fly over the ocean [999]. ")
    } else {
        format!("What {} says?", material.lines().next().unwrap_or_default())
    };
    match path {
        "/api/chat" => json!({"model": body["model"], "message": {"role": "assistant", "content": text}, "done": true}),
        "/v1/messages" => {
            json!({"type": "message", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"})
        }
        _ => json!({"id": "x", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}),
    }
}

/// Returns vectors in the format of the protocol at `path`.
fn encoded(path: &str, body: &Value, vectors: Vec<Vec<f64>>, reordered: bool) -> Value {
    let texts = vectors.len();
    match path {
        "/v1/embeddings" => {
            let entry = |(index, embedding)| json!({"object": "embedding", "index": index, "embedding": embedding});
            let mut data: Vec<Value> = vectors.into_iter().enumerate().map(entry).collect();
            if reordered {
                data.reverse();
            }
            json!({"object": "list", "data": data, "model": body["model"], "usage": {"prompt_tokens": texts, "total_tokens": texts}})
        }
        "/embed" => json!(vectors),
        "/api/embed" => {
            json!({"model": body["model"], "embeddings": vectors, "total_duration": 1, "prompt_eval_count": texts})
        }
        "/v2/embed" => json!({"id": "x", "embeddings": {"float": vectors}, "texts": body["texts"], "meta": {}}),
        _ => json!({"error": {"message": "no such path"}}),
    }
}
