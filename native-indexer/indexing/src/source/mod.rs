//! Sources of documents: folders, repositories and benchmark corpora.

mod archives;
mod beir;
mod code_files;
mod code_rank;
mod commits;
mod document;
mod file_reader;
#[cfg(feature = "network")]
mod folder_clone;
mod forge;
mod git_place;
#[cfg(feature = "network")]
mod history;
mod leading_pages;
mod open_source;
mod page_document;
mod page_links;
mod page_url;
mod pages;
mod passed_over;
mod path_rules;
#[cfg(feature = "network")]
mod repository;
mod same_stem;
mod selection;
mod spec;
mod tree;
mod unread;
pub(crate) mod version_name;
#[cfg(not(feature = "network"))]
mod without_git;

pub(crate) use code_files::definition;
pub use document::{SourceContent, SourceDocument};
pub use git_place::{GitPlace, shown_url};
pub use open_source::OpenSource;
pub use page_url::UrlStyle;
pub use passed_over::report_line;
pub use path_rules::PathRule;
pub use selection::{DOCS_FOLDERS, Wanted};
pub use spec::{SourceKind, SourceLimit, SourceSpec, parse_sources};
pub use spec::{check_base_url, check_name};

#[cfg(feature = "network")]
pub use history::last_changes;
#[cfg(feature = "network")]
pub use repository::fetch;
pub(crate) use selection::globs;
#[cfg(not(feature = "network"))]
pub use without_git::{fetch, last_changes};

use crate::page_cache::PageCache;
use anyhow::Result;
use nearfind_base::cache_folder::CacheFolder;
use nearfind_base::progress::Bar;
use nearfind_extract::apart::Readers;

/// Reads the documents of `source` with `readers`, and advances `bar` for each file. If `several` sources are indexed
/// together, addresses on the same site begin with the project's name.
pub fn read(
    source: &OpenSource,
    several: bool,
    cache: &mut PageCache,
    readers: &Readers,
    bar: &Bar,
) -> Result<SourceContent> {
    match source.spec.kind {
        SourceKind::Folder => pages::read(source, several, cache, readers, bar),
        SourceKind::Beir => {
            let content = beir::read(&source.spec)?;
            Ok(SourceContent { project: source.spec.name.clone(), files: source.files.clone(), ..content })
        }
    }
}

/// Reads the documents of a single source, without a cache.
pub fn read_alone(spec: &SourceSpec) -> Result<SourceContent> {
    let none = CacheFolder::none();
    read(
        &OpenSource::open(spec.clone(), &none)?,
        false,
        &mut PageCache::open(&none, "")?,
        &Readers::inside(),
        &Bar::hidden(),
    )
}
