//! A bundle on a web server. Answers are the same as from disk, regardless of the features and faults of the server.

use super::client::{Client, site};
use crate::support::{Workplace, stderr};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The behavior of a web server.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Manner {
    /// Serves files, with ranges and entity tags.
    #[default]
    Files,
    /// Serves files without ranges.
    WholeFiles,
    /// Serves a page of the site for every request.
    Page,
    /// Serves a page of the site for everything except the manifest.
    PageForParts,
    /// Serves parts of the right length with other bytes.
    OtherBytes,
    /// Serves nothing.
    Gone,
    /// Sends endless bodies.
    Endless,
    /// Sends bodies that are shorter than declared.
    Short,
    /// Sends fewer bytes than the requested range.
    OtherRange,
    /// Responds to every request that nothing has changed.
    NothingNew,
    /// Sends compressed bodies that would expand a thousandfold.
    Compressed,
    /// Redirects to another address of the same host, which serves the files.
    Moved,
    /// Redirects to this machine by another name.
    MovedToNeighbour,
    /// Redirects in a circle.
    MovedForever,
    /// Sends single bytes slowly.
    Drip,
}

/// A server for the files of a folder.
struct WebServer {
    address: SocketAddr,
    manner: Arc<Mutex<Manner>>,
    /// Number of requests by file and status.
    requests: Arc<Mutex<BTreeMap<(String, u16), usize>>>,
}

impl WebServer {
    fn start(folder: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (manner, requests) = (Arc::<Mutex<Manner>>::default(), Arc::<Mutex<BTreeMap<_, _>>>::default());
        let (now, counted) = (Arc::clone(&manner), Arc::clone(&requests));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (folder, now, counted) = (folder.clone(), Arc::clone(&now), Arc::clone(&counted));
                std::thread::spawn(move || {
                    let _ = answer(&stream, &folder, &now, &counted);
                });
            }
        });
        Self { address, manner, requests }
    }

    fn url(&self) -> String {
        format!("http://{}/docs/search/", self.address)
    }

    fn becomes(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    fn count(&self) -> usize {
        self.requests.lock().unwrap().values().sum()
    }
}

fn answer(
    stream: &TcpStream,
    folder: &std::path::Path,
    manner: &Mutex<Manner>,
    counted: &Mutex<BTreeMap<(String, u16), usize>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let Some(path) = lines.first().and_then(|line| line.split(' ').nth(1)) else { return Ok(()) };
    let header = |name: &str| {
        lines.iter().find_map(|line| line.to_lowercase().strip_prefix(name).map(|value| value.trim().to_owned()))
    };
    let manner = *manner.lock().unwrap();
    let moved = path.strip_prefix("/moved/").filter(|_| manner == Manner::Moved);
    let name = moved.or(path.strip_prefix("/docs/search/")).unwrap_or("none").to_owned();
    let port = stream.local_addr()?.port();
    let target = match manner {
        Manner::Moved if moved.is_none() => Some(format!("/moved/{name}")),
        Manner::MovedToNeighbour => Some(format!("http://localhost:{port}/docs/search/{name}")),
        Manner::MovedForever => Some(path.to_owned()),
        _ => None,
    };
    if let Some(target) = target {
        return write!(
            &mut { stream },
            "HTTP/1.1 302 x\r\nLocation: {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    }
    let is_page = match manner {
        Manner::Page => true,
        Manner::PageForParts => name != "nearfind.json",
        _ => false,
    };
    let (mut status, mut body, mut more) = (200, std::fs::read(folder.join(&name)).unwrap_or_default(), String::new());
    if is_page {
        body = b"<!doctype html><title>A page of the site</title>".to_vec();
        more.push_str("Content-Type: text/html\r\n");
    } else if manner == Manner::Gone || !folder.join(&name).is_file() {
        (status, body) = (404, b"not found".to_vec());
    } else {
        if manner == Manner::OtherBytes && name != "nearfind.json" {
            body.iter_mut().for_each(|byte| *byte ^= 0x55);
        }
        let mark =
            format!("\"{}\"", body.iter().fold(7u64, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into())));
        more = format!("ETag: {mark}\r\n");
        if manner != Manner::Drip && header("if-none-match:").is_some_and(|known| known == mark) {
            (status, body) = (304, Vec::new());
        } else if manner != Manner::WholeFiles
            && let Some(range) = header("range:")
        {
            let (from, to) = range.strip_prefix("bytes=").and_then(|range| range.split_once('-')).unwrap();
            let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
            more += &format!("Content-Range: bytes {from}-{to}/{}\r\n", body.len());
            let end = if manner == Manner::OtherRange { to } else { to + 1 };
            (status, body) = (206, body[from..end].to_vec());
        }
    }
    *counted.lock().unwrap().entry((name, status)).or_default() += 1;
    let mut stream = stream;
    let mut length = body.len();
    match manner {
        Manner::NothingNew => return write!(stream, "HTTP/1.1 304 x\r\nConnection: close\r\n\r\n"),
        Manner::Endless => {
            write!(stream, "HTTP/1.1 {status} x\r\n{more}Connection: close\r\n\r\n")?;
            loop {
                stream.write_all(&[b' '; 4096])?;
            }
        }
        Manner::Drip => {
            write!(stream, "HTTP/1.1 {status} x\r\n{more}Content-Length: {length}\r\nConnection: close\r\n\r\n")?;
            return body.iter().try_for_each(|byte| {
                std::thread::sleep(Duration::from_millis(500));
                stream.write_all(&[*byte])
            });
        }
        Manner::Compressed => {
            more += "Content-Encoding: gzip\r\n";
            let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::fastest());
            let spaces = vec![b' '; 64 << 20];
            body.resize(compressor.gzip_compress_bound(spaces.len()), 0);
            length = compressor.gzip_compress(&spaces, &mut body).expect("there is room");
            body.truncate(length);
        }
        Manner::Short => body.truncate(length / 2),
        _ => {}
    }
    write!(stream, "HTTP/1.1 {status} x\r\n{more}Content-Length: {length}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(&body)
}

const QUESTIONS: [(&str, &str); 4] =
    [("search", "colour map"), ("search", "formatter of a cell"), ("search", "buton"), ("pages", "table")];

/// Makes a fixed series of calls. Returns their outcomes with unchanged addresses.
fn outcomes(client: &mut Client) -> Vec<Value> {
    let mut outcomes: Vec<Value> =
        QUESTIONS.iter().map(|(tool, query)| client.call(tool, json!({ "query": query })).unwrap()).collect();
    outcomes.push(client.call("get_document", json!({ "path": "guide.md" })).unwrap());
    outcomes.push(client.call("get_reference_guide", json!({ "component": "Button" })).unwrap());
    outcomes.push(client.call("list_documents", json!({})).unwrap());
    outcomes
}

fn published() -> (Workplace, WebServer) {
    let place = site();
    let web = WebServer::start(place.path("search"));
    (place, web)
}

fn fetched(client: &mut Client) -> u64 {
    client.call("index_status", json!({})).unwrap()["bundles"][0]["fetched_bytes"].as_u64().unwrap()
}

/// Returns the number of fetched bytes, once background reads after the first question have finished.
fn settled(client: &mut Client) -> u64 {
    let mut before = fetched(client);
    loop {
        std::thread::sleep(Duration::from_millis(300));
        let now = fetched(client);
        if now == before {
            return now;
        }
        before = now;
    }
}

#[test]
fn a_published_bundle_answers_as_it_does_from_disk() {
    let (place, web) = published();
    let from_disk = outcomes(&mut Client::start(&place, &[]));
    for manner in [Manner::Files, Manner::WholeFiles] {
        web.becomes(manner);
        let _ = std::fs::remove_dir_all(place.path("cache"));
        let mut client = Client::start(&place, &["--bundle", &web.url()]);
        assert_eq!(outcomes(&mut client), from_disk, "{manner:?}");
        assert!(fetched(&mut client) > 0);
    }
}

#[test]
fn fetched_data_is_not_fetched_again() {
    let (place, web) = published();
    let mut client = Client::start(&place, &["--bundle", &web.url()]);
    client.call("search", json!({ "query": "colour map" })).unwrap();
    let first = settled(&mut client);
    client.call("search", json!({ "query": "colour map", "mode": "words" })).unwrap();
    assert_eq!(fetched(&mut client), first, "nothing is read twice");
    drop(client);
    let before = web.count();
    let mut client = Client::start(&place, &["--bundle", &web.url()]);
    client.call("search", json!({ "query": "colour map", "mode": "words" })).unwrap();
    assert_eq!(fetched(&mut client), 0, "a new process reads the cache");
    assert_eq!(web.count(), before + 1, "and asks whether the manifest is still the one");
    assert_eq!(web.requests.lock().unwrap()[&("nearfind.json".to_owned(), 304)], 1);
}

#[test]
fn a_damaged_cache_is_ignored() {
    let (place, web) = published();
    let expected = outcomes(&mut Client::start(&place, &["--bundle", &web.url()]));
    let folder = std::fs::read_dir(place.path("cache/published")).unwrap().next().unwrap().unwrap().path();
    for name in ["blocks", "manifest.json"] {
        let mut bytes = std::fs::read(folder.join(name)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(folder.join(name), bytes).unwrap();
        let mut client = Client::start(&place, &["--bundle", &web.url()]);
        assert_eq!(outcomes(&mut client), expected, "{name}");
    }
}

#[test]
fn fetched_data_answers_while_the_server_is_down() {
    let (place, web) = published();
    let mut client = Client::start(&place, &["--bundle", &web.url()]);
    client.call("search", json!({ "query": "colour map", "mode": "words" })).unwrap();
    drop(client);
    web.becomes(Manner::Gone);
    let mut client = Client::start(&place, &["--bundle", &web.url()]);
    let found = client.call("search", json!({ "query": "colour map", "mode": "words" })).unwrap();
    assert_eq!(found["results"][0]["document"], "alpha/doc/guide.md");
    assert!(found["notices"][0].as_str().unwrap().contains("answering with what was fetched before"), "{found}");
}

#[test]
fn wrong_responses_of_servers_are_reported() {
    for (manner, said) in [
        (Manner::Page, "is not an index that this program can read"),
        (Manner::PageForParts, "is this a page of the site?"),
        (Manner::OtherBytes, "these bytes are not the ones that the index lists"),
        (Manner::Gone, "the server responded with 404"),
        (Manner::Endless, "is not an index that this program can read"),
        (Manner::Compressed, "is not an index that this program can read"),
        (Manner::Short, "the publisher's response was cut off"),
        (Manner::OtherRange, "a range other than the requested one"),
        (Manner::NothingNew, "the server responded with 304"),
        (Manner::MovedToNeighbour, "is not a public address"),
        (Manner::MovedForever, "cannot be reached"),
    ] {
        let (place, web) = published();
        web.becomes(manner);
        let mut client = Client::start(&place, &["--bundle", &web.url()]);
        let error = client.call("search", json!({ "query": "colour" })).unwrap_err();
        assert!(error.contains(said) && error.contains("127.0.0.1"), "{manner:?}: {error}");
        // Nothing of it is kept, so the bundle works again after the repair.
        web.becomes(Manner::Files);
        assert!(client.call("search", json!({ "query": "colour" })).is_ok(), "{manner:?}");
    }
}

#[test]
fn redirects_within_the_host_are_followed() {
    let (place, web) = published();
    web.becomes(Manner::Moved);
    let mut client = Client::start(&place, &["--bundle", &web.url()]);
    assert!(client.call("search", json!({ "query": "colour" })).is_ok());
}

#[test]
fn slow_servers_time_out_and_fetched_data_answers() {
    let (place, web) = published();
    let mut client = Client::start(&place, &["--bundle", &web.url()]);
    let before = client.call("search", json!({ "query": "colour" })).unwrap();
    web.becomes(Manner::Drip);
    let mut client = Client::start(&place, &["--bundle", &web.url()]);
    let began = std::time::Instant::now();
    let found = client.call("search", json!({ "query": "colour" })).unwrap();
    assert!(began.elapsed() < Duration::from_mins(2), "{:?}", began.elapsed());
    assert_eq!(found["results"], before["results"]);
    assert!(found["notices"][0].as_str().unwrap().contains("answering with what was fetched before"), "{found}");
}

#[test]
fn unreachable_addresses_are_reported() {
    let place = site();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut client = Client::start(&place, &["--bundle", &format!("http://{free}/")]);
    let error = client.call("search", json!({ "query": "colour" })).unwrap_err();
    assert!(error.contains("cannot be reached"), "{error}");
}

#[test]
fn a_newly_published_bundle_is_loaded() {
    let (place, web) = published();
    let mut client = Client::start(&place, &["--bundle", &web.url()]);
    let mut other = Client::start(&place, &["--bundle", &web.url()]);
    client.call("search", json!({ "query": "colour map", "mode": "words" })).unwrap();
    other.call("search", json!({ "query": "colour map", "mode": "words" })).unwrap();
    place.write("alpha/doc/new.md", "# New\n\nAbout wombats.\n");
    super::client::update(&place);
    // Parts of the previous bundle are gone, so the first question that needs one discovers the new bundle.
    let pruned = place.run(&["prune"]);
    assert!(pruned.status.success(), "{}", stderr(&pruned));
    let document = client.call("get_document", json!({ "path": "tables.md" })).unwrap();
    assert_eq!(document["title"], "Tables");
    let found = client.call("search", json!({ "query": "wombats", "mode": "words" })).unwrap();
    assert_eq!(found["results"][0]["document"], "alpha/doc/new.md");
    let lines = other.call("grep", json!({ "pattern": "wombats" })).unwrap();
    assert_eq!((&lines["total_lines"], &lines["lines"][0]["document"]), (&1.into(), &"alpha/doc/new.md".into()));
}

#[test]
fn a_published_model_is_fetched_in_the_background() {
    let place = site();
    let config = std::fs::read_to_string(place.path("nearfind.toml")).unwrap();
    place.write("nearfind.toml", &format!("ship_model = true\n{config}"));
    super::client::update(&place);
    let expected = outcomes(&mut Client::start(&place, &[]));
    let web = WebServer::start(place.path("search"));
    std::fs::rename(place.path("models"), place.path("models-away")).unwrap();
    let mut client = Client::start(&place, &["--bundle", &web.url()]);
    let begun = std::time::Instant::now();
    loop {
        let found = client.call("search", json!({ "query": "colour map" })).unwrap();
        assert!(!found["results"].as_array().unwrap().is_empty());
        let Some(notice) = found["notices"][0].as_str() else { break };
        assert!(notice.contains("is being fetched"), "{notice}");
        assert!(begun.elapsed().as_secs() < 60);
    }
    assert_eq!(outcomes(&mut client), expected);
    settled(&mut client);
    drop(client);
    // The next process finds the model on disk.
    let before = web.count();
    let mut client = Client::start(&place, &["--bundle", &web.url()]);
    assert_eq!(outcomes(&mut client), expected);
    assert_eq!(web.count(), before + 1);
}

#[test]
fn a_rare_text_needs_few_blocks_of_a_published_bundle() {
    let place = Workplace::new();
    // The files consist of different words, so that their trigrams differ.
    let mut state = 7u64;
    let mut word = || {
        (0..7)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                char::from(b'a' + (state >> 59) as u8 % 26)
            })
            .collect::<String>()
    };
    for file in 0..150 {
        let text: String = (0..900).map(|_| format!("let {} = {}({});\n", word(), word(), word())).collect();
        place.write(&format!("repo/src/{file}.rs"), &format!("fn part() {{\n{text}}}\n"));
    }
    place.write("repo/src/rare.rs", "fn quux_level() -> u32 {\n    7\n}\n\nfn user() {\n    quux_level();\n}\n");
    let arguments = ["index", "repo", "--code", "-o", "bundle", "--model", "tiny", "--no-box", "--trigrams", "true"];
    let indexed = place.run(&arguments);
    assert!(indexed.status.success(), "{}", stderr(&indexed));
    let ask = |client: &mut Client| client.call("grep", json!({ "pattern": r"quux_\w+\(", "regex": true })).unwrap();
    let expected = ask(&mut Client::start(&place, &["--bundle", "bundle"]));
    assert_eq!(
        (&expected["total_lines"], &expected["lines"][1]["section"], &expected["lines"][1]["line"]),
        (&2.into(), &"user".into(), &6.into())
    );
    let web = WebServer::start(place.path("bundle"));
    let mut client = Client::start(&place, &["--bundle", &web.url()]);
    assert_eq!(ask(&mut client), expected);
    let pages: u64 = std::fs::read_dir(place.path("bundle"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("pages-"))
        .map(|entry| entry.metadata().unwrap().len())
        .sum();
    let bytes = settled(&mut client);
    assert!(pages > 1_000_000 && bytes < 150_000, "{bytes} bytes were fetched of {pages} in pages alone");
}
