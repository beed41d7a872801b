//! Commits in the listing of a source: how they differ from files, and the document that represents each of them.

use super::document::SourceDocument;
use super::forge::Forge;
use super::git_place::SHORT_HASH;
use super::open_source::OpenSource;
use super::path_rules::Rules;
use nearfind_base::facets::{HISTORY, KIND};
use nearfind_bundles::bundle_folder::COMMIT_HASH;
use nearfind_extract::Extracted;
use std::collections::{BTreeMap, BTreeSet};

/// Weight of a commit. Commits mention code that has changed and explain code that is gone, so current code and pages
/// come first.
const WEIGHT: f32 = 0.25;

/// If `hash`, from a listing, belongs to a commit and not to a file, returns the commit's hash.
pub(super) fn hash_of_commit(hash: &str) -> Option<&str> {
    hash.strip_prefix(COMMIT_HASH)
}

/// Makes the document of the commit that is listed at `path` with this `hash`.
pub(super) fn commit_document(
    source: &OpenSource,
    rules: &Rules,
    forge: Option<&Forge>,
    path: &str,
    hash: &str,
    extracted: Extracted,
) -> SourceDocument {
    let one = |value: &str| BTreeSet::from([value.to_owned()]);
    let mut facets: BTreeMap<String, BTreeSet<String>> =
        source.spec.facets.iter().map(|(name, value)| (name.clone(), one(value))).collect();
    facets.insert(KIND.to_owned(), one(HISTORY));
    let commit = hash_of_commit(hash).unwrap_or(hash);
    SourceDocument {
        path: path.to_owned(),
        id: None,
        url: forge.map(|forge| forge.commit(commit)),
        // A commit can also be found by its hash, or by the first digits, which people use as its name.
        aliases: vec![commit.to_owned(), commit.chars().take(SHORT_HASH).collect()],
        area_at: 0,
        date: extracted.date,
        facets,
        weight: rules.of(path).weight.unwrap_or(WEIGHT),
        content: Some(format!("{hash} {path}")),
        code: None,
        extracted,
    }
}
