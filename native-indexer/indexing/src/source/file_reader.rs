//! Reads the files of a source, each by itself and in parallel, or takes them from the cache.

use super::open_source::OpenSource;
use super::passed_over::by_place;
use super::path_rules::Rules;
use crate::page_cache::{CachedPage, PageCache};
use nearfind_extract::apart::Readers;
use nearfind_extract::archive::ArchiveFormat;
use nearfind_extract::code::Language;
use nearfind_extract::{ExtractError, Extraction, LeftOut, kind_of};
use rayon::prelude::*;
use std::path::Path;

/// A file that was read, or is known.
pub(super) struct ReadPage {
    pub page: CachedPage,
    /// Hash of the bytes that were read, which may be newer than the listing.
    pub hash: String,
    /// Whether the cache should remember it.
    pub is_new: bool,
    pub as_code: bool,
}

impl ReadPage {
    /// A file that was left out unread, or could not be read this time.
    pub(super) fn unread(page: CachedPage, hash: &str) -> Self {
        Self { page, hash: hash.to_owned(), is_new: false, as_code: false }
    }
}

/// Reads files, each by itself and in parallel.
pub(super) struct FileReader<'a> {
    pub source: &'a OpenSource,
    pub rules: &'a Rules,
    pub cache: &'a PageCache,
    pub readers: &'a Readers,
}

impl FileReader<'_> {
    /// The files of the source that are no archives, by path.
    pub(super) fn read_all(&self) -> Vec<(String, ReadPage)> {
        let files = self.source.files.par_iter().filter(|(path, _)| ArchiveFormat::of(path).is_none());
        files.map(|(path, hash)| (path.clone(), self.read_file(path, hash))).collect()
    }

    fn read_file(&self, path: &str, hash: &str) -> ReadPage {
        let is_code = kind_of(Path::new(path)).is_none();
        let file = match self.left_out(path, is_code) {
            Some(reason) => ReadPage::unread(CachedPage::LeftOut(reason), hash),
            None => self.read_as(path, hash, is_code),
        };
        // Templates and the lists of a build are not pages, but may be code.
        let may_be_code = matches!(file.page, CachedPage::LeftOut(LeftOut::Fragment | LeftOut::ForPrograms))
            && self.source.selection.is_in_code(path)
            && Language::of_path(path).is_some();
        if may_be_code { self.read_as(path, hash, true) } else { file }
    }

    /// Why a file is left out unread.
    fn left_out(&self, path: &str, is_code: bool) -> Option<LeftOut> {
        if self.rules.of(path).exclude {
            return Some(LeftOut::Excluded);
        }
        let by_place = || by_place(path, &self.source.files, self.source.selection.is_named(path));
        if is_code { None } else { by_place() }
    }

    /// Takes a file from the cache, or reads it.
    fn read_as(&self, path: &str, hash: &str, as_code: bool) -> ReadPage {
        if let Some(page) = self.cache.page(&cache_key(path, as_code), hash) {
            return ReadPage { page, hash: hash.to_owned(), is_new: false, as_code };
        }
        match self.source.tree.read(path) {
            Ok((bytes, hash)) => {
                let readers = self.readers;
                let read =
                    if as_code { readers.read_code(file_name(path), &bytes) } else { readers.read(path, &bytes) };
                let (page, is_new) = cached(read);
                ReadPage { page, hash, is_new, as_code }
            }
            Err(problem) => ReadPage { as_code, ..ReadPage::unread(CachedPage::Unreadable(problem), hash) },
        }
    }
}

/// The name of a file in the cache. A file may be read as a page and as code, with different results.
pub(super) fn cache_key(path: &str, as_code: bool) -> String {
    let name = file_name(path);
    if as_code { format!("code {name}") } else { name.to_owned() }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What a file was read as, and whether that is to be remembered.
pub(super) fn cached(read: Result<Extraction, ExtractError>) -> (CachedPage, bool) {
    match read {
        Ok(Extraction::Code(file)) => (CachedPage::Code(file), true),
        Ok(Extraction::Unwanted(reason)) => (CachedPage::Unwanted(reason), true),
        Ok(Extraction::Document(extracted)) => (CachedPage::Document(extracted), true),
        Ok(Extraction::Redirect(target)) => (CachedPage::Redirect(target), true),
        Ok(Extraction::LeftOut(reason)) => (CachedPage::LeftOut(reason), true),
        Ok(Extraction::KeptOut(reason, notes)) => (CachedPage::KeptOut(reason, notes), true),
        Err(problem) => (CachedPage::Unreadable(problem.to_string()), problem.is_lasting()),
    }
}
