//! Shares of an index. Each machine embeds a share of the passages into a folder that all machines see, and one machine
//! makes the bundle from them. The bundle has the same bytes as one made on a single machine. A share can be made again
//! at any time.

use super::corpus::{Chunked, chunk_corpus};
use super::options::IndexOptions;
use super::reading::read_sources;
use super::scan::Scan;
use super::shares_folder::SharesFolder;
use crate::page_cache::PageCache;
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_base::progress::Progress;
use nearfind_models::embedding_cache::EmbeddingCache;
use nearfind_models::model::embed_all;
use nearfind_models::model::{self, LoadedModel};
use nearfind_models::role::Role;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Instant;

/// Extension of files of vectors.
const EXTENSION: &str = "nfs";
/// Number of digits, in the name of a share, of the hash of the model and of the hash of the content.
const HASH_DIGITS: usize = 16;
/// Maximum number of shares of an index.
const MAX_SHARES: u32 = 9999;
/// Maximum number of missing shares that an error names.
const MAX_NAMED: usize = 8;

/// A share of an index. `3/16` is the third of sixteen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// Its number, from 1.
    pub number: u32,
    /// Number of shares in total.
    pub of: u32,
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let Some((number, of)) = numbers else {
            return Err("give the number of the share and of all shares, as in 3/16".to_owned());
        };
        if of == 0 || of > MAX_SHARES || number == 0 || number > of {
            return Err(format!("shares are 1/N to N/N, with N up to {MAX_SHARES}"));
        }
        Ok(Self { number, of })
    }
}

impl fmt::Display for Share {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.number, self.of)
    }
}

impl Share {
    /// Returns the share, out of `of`, that the text with this key belongs to. It depends only on the key, so that new
    /// and removed pages do not move other texts.
    fn holding(key: &str, of: u32) -> Self {
        let hash = blake3::hash(key.as_bytes());
        let start = u32::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash is longer"));
        Self { number: start % of + 1, of }
    }

    /// Parses the name of a file. Returns its share and the digits of its model's hash, or `None` if it is not a share.
    fn of_name(name: &str) -> Option<(Self, &str)> {
        let mut parts = name.strip_suffix(EXTENSION)?.strip_suffix('.')?.split('-');
        let (model, number, of) = (parts.next()?, parts.next()?, parts.next()?);
        Some((format!("{number}/{of}").parse().ok()?, model))
    }
}

/// Whether a file with this name is a share.
pub fn is_share_name(name: &str) -> bool {
    Share::of_name(name).is_some()
}

/// A report on a share that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShareReport {
    /// Its number and the number of shares, as `3/16`.
    pub share: String,
    /// Name of the model that made the vectors.
    pub model: String,
    /// Number of passages in it.
    pub passages: usize,
    /// Number of passages among them that were embedded, because their vectors were not known.
    pub embedded: usize,
    /// Name of its file in the folder of shares.
    pub file: String,
    /// Milliseconds that making it took.
    pub took_ms: u64,
}

/// Embeds one share of the passages of `options`, and writes their vectors to a file in the folder `into`.
pub fn make_share(options: &IndexOptions, share: Share, into: &Path, progress: Progress) -> Result<ShareReport> {
    ensure!(options.embedding.is_none(), "shares need a model on this machine, but [embedding] names a provider");
    let started = Instant::now();
    let scan = Scan::of(options, None);
    if let Some(failure) = scan.failures.first() {
        bail!("{}: {}", failure.project, failure.problem);
    }
    let mut pages = PageCache::open(&options.cache, &options.build)?;
    let contents = read_sources(&scan, options, &mut pages, progress)?;
    let (model, mut known) = model::open(&options.model, None, &options.cache)?;
    let chunked = chunk_corpus(contents, &model.encoder, options.chunk_size, &mut pages);
    pages.save();
    let own = |text: &&str| Share::holding(&model.key(Role::Passage, text), share.of) == share;
    let distinct: BTreeSet<&str> = chunked.texts().into_iter().filter(own).collect();
    let texts: Vec<String> = distinct.into_iter().map(str::to_owned).collect();
    let bar = progress.bar(&format!("share {share}: embedding"), texts.len() as u64);
    let (_, embedded) = embed_all(&model, Role::Passage, &texts, &mut known, &bar, progress)?;
    bar.finish();
    let keys: Vec<String> = texts.iter().map(|text| model.key(Role::Passage, text).into_owned()).collect();
    let mut hasher = blake3::Hasher::new();
    for key in &keys {
        hasher.update(blake3::hash(key.as_bytes()).as_bytes());
    }
    let content = hasher.finalize().to_hex();
    let file = format!(
        "{}-{:04}-{:04}-{}.{EXTENSION}",
        &model.hash()[..HASH_DIGITS],
        share.number,
        share.of,
        &content[..HASH_DIGITS]
    );
    known.write_share(&into.join(&file), &keys).with_context(|| into.display().to_string())?;
    Ok(ShareReport {
        share: share.to_string(),
        model: model.name().to_owned(),
        passages: texts.len(),
        embedded,
        file,
        took_ms: started.elapsed().as_millis() as u64,
    })
}

/// Takes the vectors of all shares in `folder`. If a passage is in none of them, returns an error that names the
/// missing shares.
pub(super) fn take_shares(
    folder: &SharesFolder,
    model: &LoadedModel,
    chunked: &Chunked,
    known: &mut EmbeddingCache,
) -> Result<()> {
    let mut shares: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut others = 0;
    let entries = std::fs::read_dir(&folder.path).with_context(|| format!("shares {}", folder.name))?;
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_unstable();
    for name in names {
        let Some((share, of_model)) = Share::of_name(&name) else { continue };
        if !model.hash().starts_with(of_model) || of_model.len() != HASH_DIGITS {
            others += 1;
            continue;
        }
        known.read_share(&folder.path.join(&name))?;
        shares.entry(share.of).or_default().insert(share.number);
    }
    ensure!(
        !shares.is_empty(),
        "{}: it contains no share of the model {}{}",
        folder.name,
        model.name(),
        if others > 0 { format!(", but {others} of other models") } else { String::new() }
    );
    let texts = chunked.texts();
    let missing: Vec<String> = texts
        .iter()
        .map(|text| model.key(Role::Passage, text).into_owned())
        .filter(|key| !known.contains(key))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    // The folder may have shares of several divisions. The one with the most shares is likely the one that was meant.
    let (&of, there) = shares.iter().max_by_key(|(_, there)| there.len()).expect("there is one");
    let wanted: BTreeSet<Share> = missing.iter().map(|key| Share::holding(key, of)).collect();
    let absent: Vec<String> =
        wanted.iter().filter(|share| !there.contains(&share.number)).map(Share::to_string).collect();
    let why = if absent.is_empty() {
        "they were made from other files, with other options or by another version of nearfind: make them again"
            .to_owned()
    } else {
        let more = absent.len().saturating_sub(MAX_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("make the shares that are missing: {}{more}", absent[..absent.len().min(MAX_NAMED)].join(", "))
    };
    bail!("{}: {} of {} passages are in no share; {why}", folder.name, missing.len(), texts.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_numbers_of_several() {
        assert_eq!("3/16".parse(), Ok(Share { number: 3, of: 16 }));
        for wrong in ["0/3", "4/3", "1/0", "1/10000", "3", "a/b", "", "-1/3"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
        let name = "0123456789abcdef-0003-0016-fedcba9876543210.nfs";
        assert_eq!(Share::of_name(name), Some((Share { number: 3, of: 16 }, "0123456789abcdef")));
        assert_eq!(Share::of_name("0123456789abcdef-0003.nfs"), None);
        assert_eq!(Share::of_name("nearfind.json"), None);
    }

    #[test]
    fn texts_are_spread_over_all_shares() {
        let mut counts = [0; 8];
        (0..8000).for_each(|text| counts[Share::holding(&text.to_string(), 8).number as usize - 1] += 1);
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
