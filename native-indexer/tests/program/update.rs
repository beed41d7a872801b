//! Updates with a configuration of several projects. The model is tiny, so that embedding takes no time.

use crate::support::{Workplace, nearfind_in, stderr, stdout};
use serde_json::Value;
use std::collections::BTreeMap;
#[cfg(unix)]
use std::io::BufRead as _;
use std::path::Path;

/// A folder with a configuration, projects, a model and a cache.
struct Team(Workplace);

impl std::ops::Deref for Team {
    type Target = Workplace;

    fn deref(&self) -> &Workplace {
        &self.0
    }
}

impl Team {
    fn new(projects: &[&str]) -> Self {
        let team = Self(Workplace::new());
        let mut config = "model = \"tiny\"\n".to_owned();
        for project in projects {
            config += &format!("\n[[project]]\nname = \"{project}\"\npath = \"{project}\"\n");
            for page in ["guide/threads.md", "guide/unsafe.md", "index.md"] {
                team.write(
                    &format!("{project}/{page}"),
                    &format!("# {page} of {project}\n\nUnsafe code of threads.\n"),
                );
            }
        }
        team.write("nearfind.toml", &config);
        team
    }

    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", stdout(&output));
        stderr(&output)
    }

    fn documents(&self, arguments: &[&str]) -> Vec<String> {
        let mut all = vec!["search", "search", "threads", "--mode", "words", "--json", "--limit", "100"];
        all.extend(arguments);
        let answer: Value = serde_json::from_str(&self.done(&all)).unwrap();
        let hits = answer["hits"].as_array().unwrap().iter();
        let mut documents: Vec<String> = hits.map(|hit| hit["document"].as_str().unwrap().to_owned()).collect();
        documents.sort();
        documents
    }

    /// Returns the manifest and the files that it lists.
    fn bundle(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let mut names = nearfind_bundles::bundle_folder::BundleFiles::read(&self.path(folder)).unwrap().names();
        names.push("nearfind.json".into());
        names.into_iter().map(|name| (name.clone(), std::fs::read(self.path(folder).join(name)).unwrap())).collect()
    }
}

/// Returns the number before `what` in a summary.
fn number(summary: &str, what: &str) -> usize {
    let words: Vec<&str> =
        summary.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
    let at = words.iter().rposition(|word| *word == what).unwrap_or_else(|| panic!("no {what}: {summary}"));
    words[at - 1].parse().unwrap_or_else(|_| panic!("{what}: {summary}"))
}

#[test]
fn an_update_reads_only_changes_and_writes_the_same_as_a_rebuild() {
    let team = Team::new(&["a", "b"]);
    let first = team.done(&["update"]);
    assert_eq!((number(&first, "documents"), number(&first, "embedded")), (6, 6), "{first}");
    // No model is needed to detect that nothing has changed.
    std::fs::rename(team.path("models"), team.path("models-away")).unwrap();
    std::fs::create_dir(team.path("models")).unwrap();
    for pack in std::fs::read_dir(team.path("models-away")).unwrap() {
        std::fs::write(team.path("models").join(pack.unwrap().file_name()), "not a model").unwrap();
    }
    assert!(team.done(&["update"]).contains("nothing has changed"));
    std::fs::remove_dir_all(team.path("models")).unwrap();
    std::fs::rename(team.path("models-away"), team.path("models")).unwrap();

    // One page is changed, one removed, one moved, and one added.
    team.write("a/guide/threads.md", "# Threads\n\nThreads wait for each other.\n");
    std::fs::remove_file(team.path("a/index.md")).unwrap();
    std::fs::create_dir(team.path("b/moved")).unwrap();
    std::fs::rename(team.path("b/guide/unsafe.md"), team.path("b/moved/unsafe.md")).unwrap();
    team.write("b/new.md", "# New\n\nA page about threads that was not there.\n");
    let before = team.bundle("search");
    let dry = team.done(&["update", "--dry-run"]);
    for line in [
        "a: 0 new, 1 changed, 0 moved, 1 gone",
        "~ guide/threads.md",
        "- index.md",
        "> guide/unsafe.md → moved/unsafe.md",
        "+ new.md",
        "documents have changed",
    ] {
        assert!(dry.contains(line), "{line}: {dry}");
    }
    assert_eq!(before, team.bundle("search"), "a dry run changes nothing");
    let second = team.done(&["update"]);
    assert_eq!((number(&second, "documents"), number(&second, "embedded")), (6, 2), "{second}");
    assert_eq!(
        team.documents(&[]),
        [
            "a/guide/threads.md",
            "a/guide/unsafe.md",
            "b/guide/threads.md",
            "b/index.md",
            "b/moved/unsafe.md",
            "b/new.md"
        ]
    );

    // The bundle is equal to that of a rebuild in another folder. After a rebuild in place, only the query encoder
    // differs.
    let updated = team.bundle("search");
    let config = std::fs::read_to_string(team.path("nearfind.toml")).unwrap();
    team.write("again.toml", &format!("output = \"again\"\n{config}"));
    team.done(&["update", "--config", "again.toml"]);
    assert_eq!(updated, team.bundle("again"));
    let full = team.done(&["update", "--full"]);
    assert_eq!(number(&full, "embedded"), 0, "{full}");
    assert!(full.contains("fitted on"), "{full}");
    // This run fitted the query encoder again. Everything else stays the same.
    let without = |bundle: &BTreeMap<String, Vec<u8>>| {
        let others = bundle.iter().filter(|(name, _)| !name.starts_with("tokens") && *name != "nearfind.json");
        others.map(|(name, bytes)| (name.clone(), bytes.clone())).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(without(&updated), without(&team.bundle("search")));
}

#[test]
fn only_the_named_project_is_updated_and_unknown_ones_are_reported() {
    let team = Team::new(&["a", "b"]);
    team.done(&["update"]);
    team.write("a/new.md", "# New\n\nMore of threads.\n");
    team.write("b/new.md", "# New\n\nMore of threads.\n");
    std::fs::remove_file(team.path("b/index.md")).unwrap();
    let refused = team.refused(&["update", "--project", "x", "-p", "a"]);
    assert!(refused.contains("unknown projects: x; available projects: a, b"), "{refused}");
    team.done(&["update", "--project", "a"]);
    let documents = team.documents(&[]);
    assert!(documents.contains(&"a/new.md".into()) && !documents.contains(&"b/new.md".into()), "{documents:?}");
    assert!(documents.contains(&"b/index.md".into()), "b is as it was: {documents:?}");
    team.done(&["update"]);
    assert!(!team.documents(&[]).contains(&"b/index.md".into()));
}

#[test]
fn a_missing_project_is_reported_and_its_pages_stay() {
    let team = Team::new(&["a", "b"]);
    let config = std::fs::read_to_string(team.path("nearfind.toml")).unwrap();
    team.write("nearfind.toml", &format!("{config}docs = [\"guide\", \".\"]\n"));
    team.done(&["update"]);
    std::fs::rename(team.path("b"), team.path("elsewhere")).unwrap();
    team.write("a/new.md", "# New\n\nMore of threads.\n");
    let output = team.run(&["update"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("error: b: ") && stderr(&output).contains("its pages are unchanged"),
        "{}",
        stderr(&output)
    );
    let documents = team.documents(&[]);
    assert!(documents.contains(&"a/new.md".into()) && documents.contains(&"b/index.md".into()), "{documents:?}");
}

#[test]
fn metadata_filters_and_aliases() {
    let team = Team::new(&[]);
    team.write("p/doc/how_to/callbacks/async.md", "---\ndate: 2024-05-01\n---\n# Threads\n\nCode.\n");
    team.write("p/doc/blog/2023-02-03-unsafe.md", "# Unsafe threads\n\nCode.\n");
    team.write("p/doc/index.md", "# Home of threads\n\nCode.\n");
    let notebook = r##"{"cells":[{"cell_type":"markdown","metadata":{},"source":["# Button\n","Threads of a button."]}],"metadata":{},"nbformat":4,"nbformat_minor":5}"##;
    team.write("p/examples/reference/widgets/Button.ipynb", notebook);
    team.write("p/README.md", "# Not the docs of threads\n");
    team.write(
        "nearfind.toml",
        "model = \"tiny\"\ndefault_reference = [\"examples/reference\"]\n[[project]]\nname = \"p\"\npath = \"p\"\nurl = \"https://p.org\"\ncategory = \"ui\"\n\
         [[pin]]\nqueries = [\"press\"]\npages = [\"reference/widgets/Button.md\"]\n",
    );
    team.done(&["update"]);
    let button = "p/examples/reference/widgets/Button.ipynb";
    let (how_to, blog, home) = ("p/doc/how_to/callbacks/async.md", "p/doc/blog/2023-02-03-unsafe.md", "p/doc/index.md");
    for (filters, expected) in [
        (vec![], vec![blog, how_to, home, button]),
        (vec!["kind=reference"], vec![button]),
        (vec!["area=how_to"], vec![how_to]),
        (vec!["area=how_to", "area=widgets"], vec![how_to, button]),
        (vec!["sub_area=callbacks"], vec![how_to]),
        (vec!["path=doc/b"], vec![]),
        (vec!["path=doc/blog"], vec![blog]),
        (vec!["path=doc/blog/"], vec![blog]),
        (vec!["path=doc/index.md"], vec![home]),
        (vec!["path_regex=(async|index)\\.md$"], vec![how_to, home]),
        (vec!["since=2024"], vec![how_to]),
        (vec!["until=2023"], vec![blog]),
        (vec!["since=2023-02-03", "until=2024-05"], vec![blog, how_to]),
        (vec!["category=ui", "kind=guide", "area=blog"], vec![blog]),
        (vec!["area=nothing"], vec![]),
    ] {
        let mut arguments = Vec::new();
        filters.iter().for_each(|filter| arguments.extend(["--filter", filter]));
        // The only project has a single category. It is not shown as a facet, but can be used as a filter.
        assert_eq!(team.documents(&arguments), expected, "{filters:?}");
    }
    let date = team.refused(&["search", "search", "threads", "--filter", "since=soon"]);
    assert!(date.contains("2024-05"), "{date}");
    let regex = team.refused(&["search", "search", "threads", "--filter", "path_regex=("]);
    assert!(regex.contains("path_regex"), "{regex}");
    let found: Value = serde_json::from_str(&team.done(&["search", "search", "press", "--json"])).unwrap();
    assert_eq!(found["hits"][0]["document"], button, "a pin may name an alias");
    assert_eq!(found["hits"][0]["url"], "https://p.org/reference/widgets/Button.html");
    let shown = team.done(&["show", "search", "reference/widgets/Button.md"]);
    assert!(shown.contains(button) && shown.contains("Threads of a button."), "{shown}");
}

// Only some file systems support names that are not UTF-8.
#[cfg(target_os = "linux")]
#[test]
fn bad_files_are_left_out_with_a_reason() {
    use std::os::unix::ffi::OsStrExt as _;
    let team = Team::new(&["a"]);
    team.write("outside/secret.md", "# Secret threads\n");
    std::os::unix::fs::symlink(team.path("outside/secret.md"), team.path("a/link.md")).unwrap();
    std::fs::write(team.path("a").join(std::ffi::OsStr::from_bytes(b"caf\xe9.md")), "# Name\n").unwrap();
    std::fs::write(team.path("a/binary.md"), b"# Bin\0ary\n").unwrap();
    std::fs::write(team.path("a/latin.md"), b"# Threads in a caf\xe9\n").unwrap();
    std::fs::File::create(team.path("a/huge.md")).unwrap().set_len(500 << 20).unwrap();
    let output = team.run(&["update"]);
    assert!(output.status.success(), "{}", stderr(&output));
    for (name, reason) in [
        ("link.md", "symbolic link out of the folder"),
        ("caf", "not UTF-8"),
        ("binary.md", "binary"),
        ("huge.md", "larger than 16 MB"),
    ] {
        let said = stderr(&output);
        assert!(said.lines().any(|line| line.contains(name) && line.contains(reason)), "{name}: {said}");
    }
    assert!(!team.documents(&[]).iter().any(|id| id.contains("secret") || id.contains("link")));
    assert!(team.documents(&[]).iter().any(|id| id.contains("latin")), "text of another encoding is read");
    let stats: Value = serde_json::from_str(&team.done(&["stats", "--json"])).unwrap();
    assert_eq!(stats["left_out"]["a"].as_array().unwrap().len(), 4, "{stats}");
}

#[test]
fn fifty_thousand_small_files() {
    let team = Team::new(&[]);
    team.write("nearfind.toml", "model = \"tiny\"\n[[project]]\npath = \"many\"\n");
    for number in 0..50_000 {
        team.write(&format!("many/{}/{number}.md", number % 100), &format!("Threads number {number}.\n"));
    }
    let first = team.done(&["update"]);
    assert_eq!(number(&first, "documents"), 50_000, "{first}");
    assert!(team.done(&["update"]).contains("nothing has changed"));
    let found = team.done(&["search", "search", "number 31415", "--mode", "words", "--json", "--limit", "1"]);
    assert!(found.contains("\"many/15/31415.md\""), "{found}");
    assert!(team.done(&["verify", "search"]).starts_with("sound: 50000 documents"));
}

#[test]
fn projects_stats_prune_and_collections() {
    let team = Team::new(&["a", "b"]);
    assert!(team.done(&["projects"]).contains("not indexed yet"));
    team.done(&["update"]);
    let projects: Value = serde_json::from_str(&team.done(&["projects", "--json"])).unwrap();
    assert_eq!((&projects[0]["project"], &projects[0]["documents"]), (&"a".into(), &3.into()));
    team.write("a/new.md", "# New\n\nMore of threads.\n");
    team.done(&["update"]);
    let stats: Value = serde_json::from_str(&team.done(&["stats", "--json"])).unwrap();
    assert_eq!((&stats["generations"], &stats["documents"]), (&2.into(), &7.into()));
    assert!(!team.done(&["prune"]).contains(" 0 files"));
    let stats: Value = serde_json::from_str(&team.done(&["stats", "--json"])).unwrap();
    assert_eq!(stats["generations"], 1);
    assert!(team.done(&["verify", "search"]).starts_with("sound"));
    assert!(team.done(&["warmup"]).contains("a question takes"));

    // A collection is a folder with its own configuration, which may name any folders.
    let docs = team.path("a");
    team.write(
        "home/notes/nearfind.toml",
        &format!("model = \"tiny\"\n[[project]]\npath = {:?}\n", docs.to_str().unwrap()),
    );
    team.done(&["update", "--collection", "notes"]);
    assert!(team.done(&["search", "@notes", "threads", "--mode", "words"]).contains("threads.md"));
    assert!(team.refused(&["update", "--collection", "none"]).contains("there is no collection \"none\""));
    team.write("outside.toml", "[[project]]\npath = \"/etc\"\n");
    assert!(team.refused(&["update", "--config", "outside.toml"]).contains("--allow-outside"));
    assert!(nearfind_in(&team.path("home"), &["update"]).status.code() == Some(1));
}

#[test]
fn damage_is_found_and_repaired_at_the_next_update() {
    let team = Team::new(&["a"]);
    team.done(&["update"]);
    let whole = team.bundle("search");
    let part = whole.keys().find(|name| name.starts_with("pages")).unwrap();
    std::fs::write(team.path("search").join(part), "short").unwrap();
    let damaged = team.refused(&["search", "search", "threads", "--mode", "words"]);
    assert!(damaged.contains("pages"), "{damaged}");
    assert!(team.done(&["update", "--dry-run"]).contains("the index is damaged"));
    assert!(team.done(&["update"]).contains("wrote the index: the index is damaged"));
    assert_eq!(team.bundle("search"), whole);
    // Damaged caches only cost time.
    for cache in ["embeddings", "pages", "encoders"] {
        for file in std::fs::read_dir(team.path("cache").join(cache)).unwrap() {
            let path = file.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x40;
            std::fs::write(&path, bytes).unwrap();
        }
    }
    std::fs::remove_dir_all(team.path("search")).unwrap();
    let repaired = team.run(&["update"]);
    assert!(repaired.status.success() && stderr(&repaired).matches("damaged").count() == 3, "{}", stderr(&repaired));
    assert_eq!(team.bundle("search"), whole);
    assert!(!stderr(&team.run(&["update", "--full"])).contains("damaged"));
}

#[test]
fn changes_in_a_watched_folder_are_indexed() {
    let team = Team::new(&["a"]);
    let mut watching = crate::support::command_in(team.folder(), &["update", "--watch"]).spawn().unwrap();
    let wait_for = |document: &str| {
        for _ in 0..300 {
            let is_there =
                team.path("search/nearfind.json").exists() && team.documents(&[]).iter().any(|id| id == document);
            if is_there {
                return true;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        false
    };
    assert!(wait_for("a/index.md"));
    std::thread::sleep(std::time::Duration::from_millis(500));
    team.write("a/new.md", "# New\n\nMore of threads.\n");
    let mut found = wait_for("a/new.md");
    // A change during another write is not lost.
    let lock = std::fs::File::create(team.path("search/.nearfind-lock")).unwrap();
    lock.lock().unwrap();
    team.write("a/later.md", "# Later\n\nStill more of threads.\n");
    std::thread::sleep(std::time::Duration::from_secs(1));
    found &= !team.documents(&[]).contains(&"a/later.md".into());
    drop(lock);
    found &= wait_for("a/later.md");
    // A build that writes continuously does not prevent changes from being found.
    let is_writing = std::sync::atomic::AtomicBool::new(true);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0.. {
                if !is_writing.load(std::sync::atomic::Ordering::Relaxed) {
                    return;
                }
                team.write("a/log.md", &format!("# Log\n\nLine {number}.\n"));
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
        });
        team.write("a/amid.md", "# Amid\n\nThreads amid all that.\n");
        found &= wait_for("a/amid.md");
        is_writing.store(false, std::sync::atomic::Ordering::Relaxed);
    });
    watching.kill().unwrap();
    watching.wait().unwrap();
    assert!(found);
}

#[test]
fn files_that_are_written_while_a_watch_begins_are_found() {
    let team = Team::new(&["a"]);
    let mut watching = crate::support::command_in(team.folder(), &["update", "--watch"]).spawn().unwrap();
    let said = std::io::BufReader::new(watching.stderr.take().unwrap()).lines();
    let (sender, watches) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        said.map_while(Result::ok).filter(|line| line.starts_with("watching")).for_each(|line| drop(sender.send(line)));
    });
    // Files are written at every moment until the program reports that it watches.
    let mut last = String::new();
    for number in 0.. {
        if watches.try_recv().is_ok() {
            break;
        }
        last = format!("a/during-{number}.md");
        team.write(&last, &format!("# Number {number}\n\nMore of threads.\n"));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let found = (0..300).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        team.documents(&[]).contains(&last)
    });
    watching.kill().unwrap();
    watching.wait().unwrap();
    assert!(found, "{last}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_does_not_change_the_bundle() {
    let team = Team::new(&["a"]);
    team.done(&["update"]);
    let before = team.bundle("search");
    for number in 0..2_000 {
        team.write(&format!("a/many/{number}.md"), &format!("# Page {number}\n\n{}", "unsafe threads ".repeat(60)));
    }
    let mut child = crate::support::command_in(team.folder(), &["update"]).spawn().unwrap();
    // The program has read the files, but not embedded them.
    let mut said = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("2003 documents")));
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let rest: String = said.map(|line| line.unwrap() + "\n").collect();
    assert!(interrupted.success() && !child.wait().unwrap().success(), "{rest}");
    assert!(rest.contains("the existing index still works"), "{rest}");
    assert_eq!(team.bundle("search"), before);
    team.done(&["update"]);
    assert!(Path::new(&team.path("search/nearfind.json")).exists());
}

#[test]
fn settings_come_from_the_file_the_environment_and_the_command_line() {
    let team = Team::new(&["alpha"]);
    let shown = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = crate::support::command_in(team.folder(), &[&["config"], arguments].concat());
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let plain = shown(&[], &[]);
    assert!(plain.contains("model = \"tiny\"  # nearfind.toml\n"), "{plain}");
    assert!(plain.contains("chunk_overlap = 0  # default\n") && plain.contains("project.alpha.path = \"alpha\"  # "));
    let variables = [("NEARFIND_SET_CHUNK_OVERLAP", "16"), ("NEARFIND_SET_OUTPUT", "elsewhere")];
    let set = shown(&["--set", "output=third"], &variables);
    assert!(set.contains("chunk_overlap = 16  # NEARFIND_SET_CHUNK_OVERLAP\n"), "{set}");
    assert!(set.contains("output = \"third\"  # --set\n"), "{set}");
    // The settings take effect.
    let updated = crate::support::command_in(team.folder(), &["update", "-q"]).envs(variables).output().unwrap();
    assert!(updated.status.success() && team.path("elsewhere/nearfind.json").exists(), "{}", stderr(&updated));
    let refused = team.refused(&["config", "--set", "chunk_token=1"]);
    assert!(refused.contains("chunk_token") && refused.contains("chunk_tokens"), "{refused}");
    // The environment may name the file.
    std::fs::rename(team.path("nearfind.toml"), team.path("other.toml")).unwrap();
    assert!(shown(&[], &[("NEARFIND_CONFIG", "other.toml")]).contains("# other.toml"));
}
