//! Distributing the embedding across several machines: the bundle is the same as from one machine, repetitions are
//! harmless, and missing shares are clearly reported.

use crate::support::{Workplace, stderr, stdout, tiny_onnx_model};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Output;

const SHARES: u32 = 3;

fn site() -> Workplace {
    let place = Workplace::new();
    for page in 0..40 {
        let words = ["thread", "threads", "unsafe code", "code"][page % 4];
        place.write(
            &format!("docs/{page}.md"),
            &format!("# Page {page}\n\n{words}, {page} of {words}.\n\n## More\n\nUnsafe {words}.\n"),
        );
    }
    // The same page twice, with its passages in one share.
    place.write("docs/again.md", "# Page 7\n\ncode, 7 of code.\n\n## More\n\nUnsafe code.\n");
    place
}

/// Runs the binary as a machine with a cache of its own.
fn machine(place: &Workplace, name: &str, arguments: &[&str]) -> Output {
    let all = [&["index", "docs", "--model", "tiny", "--no-box"], arguments].concat();
    crate::support::command_in(place.folder(), &all)
        .env("NEARFIND_CACHE", place.path(name))
        .output()
        .expect("it starts")
}

fn share(place: &Workplace, number: u32, more: &[&str]) -> Output {
    let of = format!("{number}/{SHARES}");
    let arguments = [&["--share", &of, "--into", "shares", "-q"], more].concat();
    machine(place, &format!("cache-{number}"), &arguments)
}

fn all_shares(place: &Workplace) -> Vec<Value> {
    (1..=SHARES).map(|number| report(&share(place, number, &[]))).collect()
}

/// Returns the JSON at the end of a share's output.
fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{}", stderr(output));
    let printed = stdout(output);
    serde_json::from_str(printed.lines().last().unwrap()).unwrap()
}

/// The published files of a folder: names and bytes.
struct Files(BTreeMap<String, Vec<u8>>);

fn files(folder: &Path) -> Files {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    let published = named.filter(|(name, _)| !name.starts_with('.'));
    Files(published.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect())
}

impl Files {
    /// Returns the names of files that differ.
    fn differences(&self, other: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        names.into_iter().filter(|name| self.0.get(*name) != other.0.get(*name)).cloned().collect()
    }
}

#[test]
fn shares_yield_the_bundle_of_a_single_machine() {
    let place = site();
    let alone = machine(&place, "cache-alone", &["-o", "alone", "-q"]);
    assert!(alone.status.success(), "{}", stderr(&alone));
    let shares = all_shares(&place);
    let counts: Vec<u64> = shares.iter().map(|share| share["passages"].as_u64().unwrap()).collect();
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    assert!(shares.iter().all(|share| share["embedded"] == share["passages"] && share["model"] == "tiny"));
    let together = machine(&place, "cache-index", &["-o", "together", "--from", "shares", "--json"]);
    let outcome = report(&together);
    // Nothing is embedded again.
    assert_eq!(outcome["written"]["projects"][0]["embedded"], 0, "{outcome:#}");
    assert_eq!(files(&place.path("together")).differences(&files(&place.path("alone"))), Vec::<String>::new());
    // A repeated share is the same file, on this machine or another.
    let before = files(&place.path("shares"));
    let again = report(&share(&place, 2, &[]));
    assert_eq!((&again["embedded"], &again["file"]), (&Value::from(0), &shares[1]["file"]));
    std::fs::remove_dir_all(place.path("cache-2")).unwrap();
    share(&place, 2, &[]);
    assert_eq!(files(&place.path("shares")).differences(&before), Vec::<String>::new());
}

#[test]
fn missing_shares_are_reported_and_the_bundle_stays() {
    let place = site();
    let reports = all_shares(&place);
    let index =
        |more: &[&str]| machine(&place, "cache-index", &[&["-o", "bundle", "--from", "shares", "-q"], more].concat());
    assert!(index(&[]).status.success());
    let before = files(&place.path("bundle"));
    let refused = |expected: &str| {
        let output = index(&["--full"]);
        let said = stderr(&output);
        assert!(!output.status.success() && said.contains(expected), "{expected}: {said}");
        assert_eq!(files(&place.path("bundle")).differences(&before), Vec::<String>::new(), "{expected}");
    };
    let second = place.path("shares").join(reports[1]["file"].as_str().unwrap());
    let bytes = std::fs::read(&second).unwrap();

    std::fs::remove_file(&second).unwrap();
    refused("make the shares that are missing: 2/3");
    // A truncated copy, and a changed one.
    std::fs::write(&second, &bytes[..bytes.len() - 9]).unwrap();
    refused("is damaged: make that share again");
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 1;
    std::fs::write(&second, &changed).unwrap();
    refused("is damaged: make that share again");
    std::fs::write(&second, &bytes).unwrap();

    // A page that was added later.
    place.write("docs/new.md", "# New\n\nA thread that nobody has embedded.\n");
    refused("made from other files, with other options or by another version");
    std::fs::remove_file(place.path("docs/new.md")).unwrap();

    // Another model.
    let folder = tempfile::tempdir().unwrap();
    let model = tiny_onnx_model(folder.path().to_str().unwrap());
    let imported = place.run(&["model", "import", &model, "--name", "other", "--query-prefix", "code "]);
    assert!(imported.status.success(), "{}", stderr(&imported));
    let other = crate::support::command_in(
        place.folder(),
        &["index", "docs", "--model", "other", "--no-box", "-o", "bundle", "--from", "shares"],
    );
    let other = { other }.output().unwrap();
    assert!(
        stderr(&other).contains("it contains no share for the model other, but 3 for other models"),
        "{}",
        stderr(&other)
    );
    assert!(stderr(&machine(&place, "cache-index", &["-o", "x", "--from", "nowhere"])).contains("shares nowhere"));
    assert_eq!(files(&place.path("bundle")).differences(&before), Vec::<String>::new());
}

#[test]
fn invalid_options_for_shares_are_refused() {
    let place = site();
    for (arguments, expected) in [
        (&["--share", "4/3", "--into", "shares"][..], "shares are 1/N to N/N"),
        (&["--share", "1/3"], "--into"),
        (&["--into", "shares", "-o", "bundle"], "--share"),
        (&["--share", "1/3", "--into", "shares", "--from", "shares"], "cannot be used with"),
        (&["--share", "1/3", "--into", "docs/1.md"], "docs/1.md"),
    ] {
        let refused = machine(&place, "cache", arguments);
        assert!(
            !refused.status.success() && stderr(&refused).contains(expected),
            "{arguments:?}: {}",
            stderr(&refused)
        );
    }
    let provider = ["--set", "embedding.provider=ollama", "--set", "embedding.model=m"];
    let refused = share(&place, 1, &provider);
    assert!(stderr(&refused).contains("shares need a model on this machine"), "{}", stderr(&refused));
    assert!(!place.path("shares").exists());
}

#[test]
fn shares_work_with_a_configuration() {
    let place = site();
    place
        .write("nearfind.toml", "model = \"tiny\"\nquery_encoder = false\nbox = false\n[[project]]\npath = \"docs\"\n");
    let update = |arguments: &[&str], cache: &str| {
        let all = [&["update", "-q"], arguments].concat();
        crate::support::command_in(place.folder(), &all)
            .env("NEARFIND_CACHE", place.path(cache))
            .output()
            .expect("it starts")
    };
    for number in ["1/2", "2/2"] {
        report(&update(&["--share", number, "--into", "shares"], number));
    }
    let together = update(&["--from", "shares"], "together");
    assert!(together.status.success(), "{}", stderr(&together));
    let before = files(&place.path("search"));
    assert!(update(&["--full"], "alone").status.success());
    assert_eq!(files(&place.path("search")).differences(&before), Vec::<String>::new());
}
