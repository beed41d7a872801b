//! Kills, full disks, unwritable folders, concurrent writers, and readers while the bundle is replaced. At every
//! moment, there is either the complete old bundle or the complete new one.
//!
//! `NEARFIND_KILLS=100 cargo test --release -p nearfind --test program a_kill` kills a hundred times instead of ten.

use crate::support::{Workplace, command_in, stderr, stdout};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Number of pages, large enough that writing takes some time.
const PAGES: usize = 120;

/// A site with the number of its edition on every page.
struct Editions(Workplace);

impl std::ops::Deref for Editions {
    type Target = Workplace;

    fn deref(&self) -> &Workplace {
        &self.0
    }
}

impl Editions {
    fn new() -> Self {
        let editions = Self(Workplace::new());
        editions.write("nearfind.toml", "model = \"tiny\"\n[[project]]\npath = \"docs\"\n");
        editions.edit(0);
        editions
    }

    fn edit(&self, edition: usize) {
        for page in 0..PAGES {
            let filler: String = (0..200).map(|word| format!("word{}x{page} ", word * 7 % 97)).collect();
            let text = format!("# Page {page}\n\nThreads of unsafe code, edition{edition}.\n\n{filler}\n");
            self.write(&format!("docs/{page}.md"), &text);
        }
    }

    /// Returns the names of all files in the bundle's folder.
    fn bundle_files(&self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(self.path("search")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn update(&self) -> Child {
        command_in(self.folder(), &["update", "-q"]).spawn().unwrap()
    }

    /// Verifies the bundle, and returns the edition of its answers.
    fn verified_edition(&self) -> usize {
        let verified = self.run(&["verify", "search"]);
        assert!(verified.status.success(), "{}{}", stdout(&verified), stderr(&verified));
        let arguments =
            ["search", "search", "threads", "--mode", "words", "--json", "--limit", "1000", "--content", "full"];
        let answer = self.run(&arguments);
        assert!(answer.status.success(), "{}", stderr(&answer));
        edition_of(&serde_json::from_str(&stdout(&answer)).unwrap())
    }
}

/// Returns the edition of all hits of an answer.
fn edition_of(answer: &Value) -> usize {
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(hits.len(), PAGES, "{answer}");
    let editions = hits.iter().map(|hit| {
        let text = hit["content"].as_str().unwrap_or_else(|| hit["excerpt"]["text"].as_str().unwrap());
        let at = text.find("edition").unwrap_or_else(|| panic!("no edition: {text}")) + "edition".len();
        text[at..].chars().take_while(char::is_ascii_digit).collect::<String>().parse::<usize>().unwrap()
    });
    let editions: Vec<usize> = editions.collect();
    assert!(editions.iter().all(|edition| *edition == editions[0]), "answers of two bundles: {editions:?}");
    editions[0]
}

/// Returns a number below `most` from a generator with a fixed seed (xorshift64).
fn random(state: &mut u64, most: u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state % most.max(1)
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_or_the_new_bundle() {
    let kills: usize = std::env::var("NEARFIND_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(10);
    let site = Editions::new();
    let started = Instant::now();
    assert!(site.update().wait().unwrap().success());
    let whole_run = started.elapsed().as_micros() as u64;
    let mut state = 88_172_645_463_325_252;
    let (mut current, mut killed, mut while_writing, mut new, mut edition) = (0, 0, 0, 0, 0);
    // Some runs end before they are killed.
    while killed < kills && edition < kills * 5 {
        edition += 1;
        site.edit(edition);
        let files_before = site.bundle_files();
        let mut child = site.update();
        if edition % 2 == 0 {
            // The run is killed at a random moment.
            std::thread::sleep(Duration::from_micros(random(&mut state, whole_run)));
        } else {
            // The run is killed while it writes parts, manifest and record.
            let deadline = Instant::now() + Duration::from_secs(30);
            let writes = || !site.bundle_files().is_subset(&files_before);
            while !writes() && child.try_wait().unwrap().is_none() && Instant::now() < deadline {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_micros(random(&mut state, whole_run / 25)));
        }
        child.kill().unwrap();
        let was_killed = !child.wait().unwrap().success();
        killed += usize::from(was_killed);
        while_writing += usize::from(was_killed && site.bundle_files() != files_before);
        let found = site.verified_edition();
        assert!(found == current || found == edition, "edition {found} after {current} and {edition}");
        new += usize::from(found == edition);
        current = found;
    }
    #[expect(clippy::disallowed_macros, reason = "tests say what they did")]
    let () = eprintln!(
        "{killed} of {edition} runs were killed, {while_writing} of them while files of the bundle were written; {new} times the new bundle was there"
    );
    assert!(while_writing > 0);
    assert_eq!(killed, kills);
    // Files that the killed runs left behind cause no problems, and the next run removes them.
    site.edit(edition + 1);
    assert!(site.update().wait().unwrap().success());
    assert_eq!(site.verified_edition(), edition + 1);
    assert!(!site.bundle_files().iter().any(|name| name.contains("-tmp-")));
}

#[test]
fn readers_see_one_bundle_at_a_time_while_it_is_replaced() {
    const READERS: usize = 8;
    const REPLACEMENTS: usize = 20;
    let site = Editions::new();
    assert!(site.update().wait().unwrap().success());
    let done = AtomicBool::new(false);
    let answers: Vec<usize> = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|reader| {
                let (site, done) = (&site, &done);
                scope.spawn(move || {
                    let mode = if reader % 2 == 0 { "hybrid" } else { "words" };
                    let arguments =
                        ["search", "search", "--stdin", "--mode", mode, "--limit", "1000", "--content", "full"];
                    let mut command = command_in(site.folder(), &arguments);
                    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
                    let mut input = child.stdin.take().unwrap();
                    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
                    let mut editions = Vec::new();
                    while !done.load(Ordering::Relaxed) {
                        writeln!(input, "threads of unsafe code").unwrap();
                        let line = output.next().expect("an answer").unwrap();
                        let answer: Value = serde_json::from_str(&line).unwrap();
                        assert_eq!(answer["hits"].as_array().unwrap().len(), PAGES);
                        editions.push(edition_of(&answer));
                    }
                    drop(input);
                    assert!(child.wait().unwrap().success());
                    assert!(editions.is_sorted(), "an older bundle came back: {editions:?}");
                    editions.dedup();
                    editions.len()
                })
            })
            .collect();
        for edition in 1..=REPLACEMENTS {
            site.edit(edition);
            assert!(site.update().wait().unwrap().success());
        }
        done.store(true, Ordering::Relaxed);
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    // Readers noticed the new bundles without a restart.
    assert!(answers.iter().all(|editions| *editions > 1), "{answers:?}");
}

#[test]
fn a_second_writer_is_refused_and_a_stale_lock_is_ignored() {
    let site = Editions::new();
    assert!(site.update().wait().unwrap().success());
    let lock = std::fs::File::create(site.path("search/.nearfind-lock")).unwrap();
    lock.lock().unwrap();
    std::fs::write(site.path("search/.nearfind-lock"), "4242").unwrap();
    site.edit(1);
    let refused = site.run(&["update"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("process 4242 is writing"), "{}", stderr(&refused));
    // Readers need no lock.
    assert_eq!(site.verified_edition(), 0);
    drop(lock);
    assert!(site.update().wait().unwrap().success());
    assert_eq!(site.verified_edition(), 1);
}

/// Runs a shell script as root in a separate mount namespace.
fn with_mounts(site: &Editions, script: &str) -> std::process::Output {
    let mounts = ["sh", "-c", "mount -t tmpfs tmpfs /tmp"];
    let allowed = |way: &&[&str]| {
        let tried = Command::new(way[0]).args(&way[1..]).args(mounts).output();
        tried.is_ok_and(|output| output.status.success())
    };
    let ways: [&[&str]; 3] = [&["unshare", "-m"], &["unshare", "-rm"], &["sudo", "-nE", "unshare", "-m"]];
    let way = ways.into_iter().find(allowed).expect("mounting is not allowed here: run this test as root");
    let mut command = Command::new(way[0]);
    command.args(&way[1..]).args(["sh", "-ec", script]).current_dir(site.folder());
    command.env("NEARFIND", env!("CARGO_BIN_EXE_nearfind")).env("NEARFIND_CACHE", site.path("cache"));
    command.env("NEARFIND_MODELS", site.path("models")).output().unwrap()
}

#[test]
#[ignore = "mounts file systems: `just full` runs it, as root or where user namespaces are allowed"]
fn a_full_disk_or_an_unwritable_folder_does_not_damage_the_bundle() {
    let site = Editions::new();
    assert!(site.update().wait().unwrap().success());
    let files = std::fs::read_dir(site.path("search")).unwrap();
    let pages: u64 = files.map(|file| file.unwrap().metadata().unwrap().len().div_ceil(4096)).sum();
    site.edit(1);
    // Space for the bundle and half of another one.
    let script = format!(
        "mkdir -p small; mount -t tmpfs -o size={} tmpfs small; cp -a search/. small/; mount --bind small search; \
         if $NEARFIND update -q; then exit 3; fi; \
         $NEARFIND verify search; $NEARFIND search search threads --mode words --json --limit 1000 --content full; ls -a search",
        pages * 3 / 2 * 4096
    );
    let full = with_mounts(&site, &script);
    let said = stderr(&full);
    assert!(full.status.success(), "{said}{}", stdout(&full));
    assert!(said.contains("No space left") && said.contains("existing files are unchanged"), "{said}");
    let printed = stdout(&full);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("sound"), "{lines:?}");
    assert_eq!(edition_of(&serde_json::from_str(lines[1]).unwrap()), 0);
    assert!(!lines[2..].iter().any(|name| name.contains("-tmp-")), "{lines:?}");

    // A full cache only makes the next run slower. If the output folder is full, the first index leaves nothing behind.
    let script = "mkdir full new; mount -t tmpfs -o size=16k tmpfs full; mount -t tmpfs -o size=32k tmpfs new; \
        NEARFIND_CACHE=full $NEARFIND index docs -o other --model tiny --quick -q; $NEARFIND verify other; \
        if $NEARFIND index docs -o new --model tiny --quick -q; then exit 3; fi; ls -A new";
    let full = with_mounts(&site, script);
    let said = stderr(&full);
    assert!(full.status.success(), "{said}{}", stdout(&full));
    assert!(said.contains("are not kept for the next run") && said.contains("existing files are unchanged"), "{said}");
    let printed = stdout(&full);
    assert!(printed.starts_with("sound"), "{printed}");
    assert_eq!(printed.lines().skip(1).count(), 0, "{printed}");

    let script = "mount --bind search search; mount -o remount,ro,bind search; \
        if $NEARFIND update -q; then exit 3; fi; $NEARFIND verify search";
    let read_only = with_mounts(&site, script);
    assert!(read_only.status.success(), "{}", stderr(&read_only));
    assert!(stderr(&read_only).contains("nothing can be written here"), "{}", stderr(&read_only));
    assert_eq!(site.verified_edition(), 0);
    assert!(site.update().wait().unwrap().success());
    assert_eq!(site.verified_edition(), 1);
}
