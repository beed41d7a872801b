//! Servers that refuse, lie, delay or break: the message is clear, and nothing is lost or leaked.

use super::embedding::{index, run, scores, search, site, succeeds};
use super::server::{Fault, KEY, Server};
use crate::support::{Workplace, stderr, stdout};
use std::path::Path;
use std::time::{Duration, Instant};

/// Permanent faults, and the messages for them.
const FATAL: [(Fault, &str); 10] = [
    (Fault::Status(401, r#"{"error":{"message":"Incorrect API key provided: {key}"}}"#, ""), "check the key"),
    (Fault::Status(400, r#"{"error":{"message":"no such model"}}"#, ""), "no such model"),
    (Fault::Status(307, "", "Location: http://127.0.0.1:1/"), "redirects are not followed"),
    (Fault::NoJson, "check provider and base_url"),
    (Fault::TooFew, "vectors"),
    (Fault::LongerVectors, "5 components among vectors with 4"),
    (Fault::Zeros, "a vector of zeros"),
    (Fault::NotFinite, "check provider and base_url"),
    (Fault::Endless, "larger than"),
    (Fault::Status(429, "later", "Retry-After: 9999"), "it asks for a pause of 9999 s"),
];

/// Returns the files below `folder` that contain `text`.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(files_with(&entry.path(), text));
        } else if String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).contains(text) {
            found.push(entry.path().display().to_string());
        }
    }
    found
}

#[test]
fn a_failed_run_explains_why_and_keeps_the_bundle() {
    let place = site();
    let server = Server::start(&place);
    succeeds(&index(&place, &server, "openai", &[]));
    let settings = server.settings("openai");
    let before = scores(&search(&place, "openai", "openai", &settings));
    for (number, (fault, expected)) in FATAL.into_iter().enumerate() {
        place.write("docs/new.md", &format!("# A new page\n\nOf {number} unsafe threads.\n"));
        // The probe gets an answer, because the fault concerns later requests.
        let is_about_length = fault == Fault::LongerVectors;
        server.next([Fault::LargerThan(9999)]);
        server.always(Some(fault.clone()));
        let failed = index(&place, &server, "openai", &["--no-query-encoder"]);
        assert!(!failed.status.success(), "{fault:?}");
        let said = stderr(&failed);
        assert!(said.contains(expected) && said.contains("127.0.0.1"), "{fault:?}: {said}");
        assert!(!said.contains(KEY) && !said.contains(&KEY[..8]), "{fault:?}: {said}");
        if is_about_length {
            continue;
        }
        server.always(None);
        assert_eq!(scores(&search(&place, "openai", "openai", &settings)), before, "{fault:?}");
    }
    assert_eq!(files_with(place.folder(), KEY), Vec::<String>::new());
}

#[test]
fn temporary_faults_are_retried() {
    let place = site();
    let server = Server::start(&place);
    let later = Fault::Status(429, "slow down", "Retry-After: 2");
    server.next([Fault::LargerThan(99), later, Fault::Status(429, "", ""), Fault::Status(503, "", ""), Fault::Drip]);
    let started = Instant::now();
    succeeds(&index(&place, &server, "openai", &["--no-query-encoder"]));
    assert!(started.elapsed() >= Duration::from_secs(2), "it comes again when it is told to");
    // At most two requests are in progress when the first is refused.
    assert!(server.requests().len() >= 6, "{}", server.requests().len());
}

#[test]
fn requests_that_are_too_large_are_split() {
    let place = site();
    let server = Server::start(&place);
    for kind in ["tei", "openai"] {
        server.forget();
        server.always(Some(Fault::LargerThan(2)));
        succeeds(&index(&place, &server, kind, &[]));
        let sizes: Vec<usize> = server.requests().iter().map(|request| request.texts().len()).collect();
        let refused = sizes.iter().filter(|size| **size > 2).count();
        assert!((1..8).contains(&refused), "one that is refused is enough to know better: {sizes:?}");
    }
}

#[test]
fn results_before_a_fault_are_kept() {
    let place = site();
    for page in 0..40 {
        place.write(&format!("docs/more/{page}.md"), &format!("# Page {page}\n\nUnsafe threads, {page} of them.\n"));
    }
    let server = Server::start(&place);
    let small = ["--no-query-encoder", "--set", "embedding.batch_texts=8", "--set", "embedding.requests=1"];
    server.next([
        Fault::LargerThan(99),
        Fault::LargerThan(99),
        Fault::LargerThan(99),
        Fault::Status(400, "enough", ""),
    ]);
    assert!(!index(&place, &server, "openai", &small).status.success());
    server.forget();
    succeeds(&index(&place, &server, "openai", &small));
    let sent: usize = server.requests().iter().map(|request| request.texts().len()).sum();
    assert_eq!(sent, 1 + 43 - 16, "the probe and what had not come");
}

#[test]
fn reordered_entries_are_sorted_by_index() {
    let place = site();
    let server = Server::start(&place);
    succeeds(&index(&place, &server, "openai", &[]));
    let settings = server.settings("openai");
    let before = scores(&search(&place, "openai", "openai", &settings));
    server.always(Some(Fault::Reordered));
    std::fs::remove_dir_all(place.path("cache")).unwrap();
    server.forget();
    succeeds(&index(&place, &server, "openai", &["--full"]));
    assert!(server.requests().iter().any(|request| request.texts().len() > 2));
    assert_eq!(scores(&search(&place, "openai", "openai", &settings)), before);
}

#[test]
fn questions_are_answered_despite_any_fault() {
    let place = site();
    let server = Server::start(&place);
    succeeds(&index(&place, &server, "openai", &[]));
    let settings = server.settings("openai");
    for fault in [
        Fault::Status(500, "{}", ""),
        Fault::Status(401, "{key}", ""),
        Fault::NoJson,
        Fault::TooFew,
        Fault::LongerVectors,
        Fault::NotFinite,
        Fault::Endless,
        Fault::Hang,
    ] {
        server.always(Some(fault.clone()));
        let started = Instant::now();
        let answer = search(&place, "openai", "openai", &settings);
        assert_eq!(answer["tier"].as_u64(), Some(1), "{fault:?}");
        let notice = answer["notice"].as_str().unwrap();
        assert!(notice.starts_with("searching by the index's own query encoder: "), "{notice}");
        assert!(!notice.contains(KEY) && !notice.contains(&KEY[..8]), "{notice}");
        assert!(started.elapsed() < Duration::from_secs(30), "{fault:?}");
    }
}

#[test]
fn an_unavailable_provider_is_not_contacted_for_every_question() {
    let place = site();
    let server = Server::start(&place);
    succeeds(&index(&place, &server, "openai", &[]));
    server.forget();
    server.always(Some(Fault::Status(401, "no", "")));
    let mut command = crate::support::command_in(place.folder(), &["search", "openai", "--stdin"]);
    command.args(server.settings("openai")).env("OPENAI_API_KEY", KEY).stdin(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"thread\nthreads\ncode\nunsafe code\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(stdout(&output).lines().count(), 4, "{}", stderr(&output));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn unencrypted_and_unreachable_providers_are_reported() {
    let place = site();
    let server = Server::start(&place);
    for (url, expected) in [
        (format!("https://{}/v1", server.address), "https://127.0.0.1"),
        ("http://127.0.0.1:1/v1".to_owned(), "127.0.0.1:1"),
    ] {
        let said = refused(&place, &url);
        assert!(said.contains(expected), "{said}");
    }
    for url in ["ftp://a", "http://user:password@a/", "nonsense"] {
        let said = refused(&place, url);
        assert!(said.contains("base_url") && !said.contains("password@"), "{said}");
    }
}

/// Returns the error of indexing with a provider at `url`.
fn refused(place: &Workplace, url: &str) -> String {
    let settings = ["embedding.provider=openai", "embedding.model=m", &format!("embedding.base_url={url}")];
    let settings: Vec<String> =
        settings.iter().flat_map(|setting| ["--set".to_owned(), (*setting).to_owned()]).collect();
    let arguments =
        ["index", "docs", "-o", "none", "--model", "tiny", "--no-box", "-q", "--set", "embedding.retries=0"];
    let failed = run(place, "openai", &arguments, &settings);
    assert!(!failed.status.success());
    stderr(&failed)
}
