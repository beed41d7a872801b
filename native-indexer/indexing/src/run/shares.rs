//! Shares of an index. Each machine embeds a share of the passages, and writes the vectors to a folder that all
//! machines can see. One machine then makes the bundle from all shares. The bundle has the same bytes as a bundle that
//! is made on a single machine. A share can be made again at any time.

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

/// Extension of vector files.
const EXTENSION: &str = "nfs";
/// Number of hash digits in a share's name, for the model's hash and for the content's hash.
const HASH_DIGITS: usize = 16;
/// Maximum number of shares of an index.
const MAX_SHARES: u32 = 9999;
/// Maximum number of missing shares that an error lists.
const MAX_NAMED: usize = 8;

/// A share of an index. `3/16` is the third of sixteen shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// The number of the share, starting at 1.
    pub number: u32,
    /// Number of shares in total.
    pub of: u32,
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let Some((number, of)) = numbers else {
            return Err("write the number of the share and the number of all shares, as in 3/16".to_owned());
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
    /// Returns which of the `of` shares the text with this key belongs to. The result depends only on the key, so that
    /// new and removed pages do not move other texts to another share.
    fn holding(key: &str, of: u32) -> Self {
        let hash = blake3::hash(key.as_bytes());
        let start = u32::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash is longer"));
        Self { number: start % of + 1, of }
    }

    /// Parses a file name. Returns the share and the digits of its model's hash, or `None` if the file is not a share.
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

/// A report on a finished share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShareReport {
    /// The number of the share and the number of all shares, such as `3/16`.
    pub share: String,
    /// Name of the model that made the vectors.
    pub model: String,
    /// Number of passages in the share.
    pub passages: usize,
    /// Number of these passages that were embedded, because their vectors were not known.
    pub embedded: usize,
    /// Name of the share's file in the folder of shares.
    pub file: String,
    /// Milliseconds spent making the share.
    pub took_ms: u64,
}

/// Embeds one share of the passages of `options`, and writes their vectors to a file in the folder `into`.
pub fn make_share(options: &IndexOptions, share: Share, into: &Path, progress: Progress) -> Result<ShareReport> {
    ensure!(options.embedding.is_none(), "shares need a model on this machine, but [embedding] sets a provider");
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

/// Reads the vectors of all shares in `folder`. If a passage is in none of them, returns an error that lists the
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
    let but = if others > 0 { format!(", but {others} for other models") } else { String::new() };
    ensure!(!shares.is_empty(), "{}: it contains no share for the model {}{but}", folder.name, model.name());
    let texts = chunked.texts();
    let missing: Vec<String> = texts
        .iter()
        .map(|text| model.key(Role::Passage, text).into_owned())
        .filter(|key| !known.contains(key))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    // The folder may contain shares of several divisions. The division with the most shares is likely the intended one.
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
