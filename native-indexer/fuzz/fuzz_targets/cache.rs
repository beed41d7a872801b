#![no_main]
//! Opens a cache with any bytes in its file, after any part of a sound file. The cache must open, and keep what is then
//! put into it.
use libfuzzer_sys::fuzz_target;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_bundles::library::PublishedCache;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const ADDRESS: &str = "https://docs.example.org/search/";

/// A cache in a folder.
struct Kept {
    folder: PathBuf,
    /// Its file, and the content of that file while it is sound.
    file: PathBuf,
    sound: Vec<u8>,
}

static KEPT: LazyLock<Kept> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("nearfind-fuzz-{}", std::process::id()));
    let mut cache = open(&folder);
    cache.keep_block("terms.nf", 7, vec![1, 2, 3]);
    cache.save().expect("it can be written");
    let file = files(&folder).into_iter().next().expect("it has a file");
    Kept { sound: std::fs::read(&file).expect("a file"), folder, file }
});

fn open(folder: &Path) -> PublishedCache {
    PublishedCache::open(&CacheFolder::at(Some(folder.to_owned())), ADDRESS).expect("any bytes are a cache")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    entries.flat_map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { vec![entry.path()] }).collect()
}

fuzz_target!(|input: (u8, Vec<u8>)| {
    let (kept, bytes) = input;
    let sound = &KEPT.sound[..KEPT.sound.len() * usize::from(kept) / 255];
    std::fs::write(&KEPT.file, [sound, &bytes].concat()).expect("a file");
    let mut cache = open(&KEPT.folder);
    let _ = (cache.block("terms.nf", 7), cache.manifest());
    cache.keep_block("other.nf", 9, bytes.clone());
    cache.save().expect("it can be written");
    assert_eq!(open(&KEPT.folder).block("other.nf", 9), Some(bytes));
});
