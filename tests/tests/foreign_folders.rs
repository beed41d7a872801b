//! Checks that only one module, `nearfind_base::root_folder`, opens files in folders with content of third parties.
//! Files of the crates that read such folders may open files directly only if they are listed here, with the reason why
//! that is safe.

use regex::Regex;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files below `native-indexer` that may open files, each with the reason.
const OWN: [(&str, &str); 18] = [
    ("base/src/root_folder.rs", "the door itself"),
    ("base/src/cache_folder.rs", "the user's cache"),
    ("base/src/readable_file.rs", "gives a file of our own its name, and follows no link for that"),
    ("base/src/record_log.rs", "the user's cache"),
    ("base/src/http_client.rs", "certificates that the user's environment names"),
    ("base/src/shared_lock.rs", "the user's cache"),
    ("bundles/src/bucket/object_storage.rs", "files of a bundle that was just written and checked"),
    ("bundles/src/bundle_folder/keeping.rs", "the user's cache"),
    ("bundles/src/bundle_folder/lock.rs", "makes the output folder; the lock goes through the door"),
    ("bundles/src/bundle_folder/record.rs", "the user's cache"),
    ("bundles/src/bundle_folder/search_box.rs", "reads the package that came with the program"),
    ("bundles/src/bundle_folder/write.rs", "renames over what is there and removes it, and follows no link for that"),
    ("bundles/src/library/ask/encoders.rs", "a temporary file"),
    ("bundles/src/library/open/published_cache.rs", "the user's cache"),
    ("indexing/src/config/everybody.rs", "the user's own settings"),
    ("indexing/src/source/history/borrowed.rs", "a temporary repository"),
    ("indexing/src/source/history/tests.rs", "repositories that tests make"),
    ("indexing/src/source/repository.rs", "clones in the user's cache"),
];
/// Files that may open files because the user names the files on the command line, or because the paths come from a
/// checked configuration.
const NAMED: [&str; 3] =
    ["indexing/src/config/mod.rs", "indexing/src/source/beir.rs", "indexing/src/source/open_source.rs"];

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn only_root_folder_opens_files_of_foreign_folders() {
    let opens = Regex::new(
        r"\b(File::(open|create|options)|OpenOptions::new|fs::(read|read_to_string|write|copy|rename|hard_link|create_dir|create_dir_all|remove_file|remove_dir_all|set_permissions|read_link))\b",
    )
    .unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../native-indexer");
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for of_crate in ["base", "bundles", "indexing"] {
        let mut files = Vec::new();
        collect(&root.join(of_crate).join("src"), &mut files);
        assert!(files.len() > 5, "{of_crate} has its sources elsewhere");
        for file in files {
            let source = fs::read_to_string(&file).unwrap();
            let code = source.split("#[cfg(test)]").next().unwrap().split("#[cfg(all(test").next().unwrap();
            let is_comment = |line: &&str| line.trim_start().starts_with("//");
            let count = code.lines().filter(|line| !is_comment(line)).filter(|line| opens.is_match(line)).count();
            if count > 0 {
                let name = file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                found.insert(name, count);
            }
        }
    }
    let may = |file: &str| OWN.iter().any(|(own, _)| *own == file) || NAMED.contains(&file);
    let others: Vec<&String> = found.keys().filter(|file| !may(file)).collect();
    assert!(others.is_empty(), "these open files themselves, use RootFolder there: {others:?}");
    let gone = OWN.iter().map(|(file, _)| *file).chain(NAMED).filter(|file| !found.contains_key(*file));
    assert_eq!(gone.collect::<Vec<_>>(), Vec::<&str>::new(), "these open no files any more: take them off the list");
}
