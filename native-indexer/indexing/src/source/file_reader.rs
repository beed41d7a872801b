//! Reads the files of a source in parallel, or gets them from the cache.

use super::commits::hash_of_commit;
use super::open_source::OpenSource;
use super::passed_over::by_place;
use super::path_rules::Rules;
use super::spec::SourceSpec;
use crate::page_cache::{CachedPage, PageCache};
use nearfind_base::progress::Bar;
use nearfind_extract::apart::Readers;
use nearfind_extract::archive::ArchiveFormat;
use nearfind_extract::code::Language;
use nearfind_extract::{ExtractError, Extraction, FileKind, LeftOut, kind_of};
use rayon::prelude::*;
use std::path::Path;

/// A file that was read now, or is known from the cache.
pub(super) struct ReadPage {
    pub page: CachedPage,
    /// Hash of the bytes that were read. It may be newer than the hash in the listing.
    pub hash: String,
    /// The file's name in the cache.
    pub name: String,
    /// Whether the cache should remember the file.
    pub is_new: bool,
}

impl ReadPage {
    /// Returns a result that the cache need not remember.
    pub(super) fn unread(page: CachedPage, hash: &str) -> Self {
        Self { page, hash: hash.to_owned(), name: String::new(), is_new: false }
    }
}

/// Reads the files of a source in parallel.
pub(super) struct FileReader<'a> {
    pub source: &'a OpenSource,
    pub rules: &'a Rules,
    pub cache: &'a PageCache,
    pub readers: &'a Readers,
    /// Identifies the OCR that reads pictures, if there is any.
    pub ocr: Option<&'a str>,
    /// Counts the files that were read.
    pub bar: &'a Bar,
}

impl FileReader<'_> {
    /// Reads all files of the source except archives. Returns them sorted by path.
    pub(super) fn read_all(&self) -> Vec<(String, ReadPage)> {
        let files = self.source.files.par_iter().filter(|(path, _)| ArchiveFormat::of(path).is_none());
        let read = |(path, hash): (&String, &String)| {
            let file = self.read_file(path, hash);
            self.bar.advance(1);
            (path.clone(), file)
        };
        files.map(read).collect()
    }

    fn read_file(&self, path: &str, hash: &str) -> ReadPage {
        if let Some(commit) = hash_of_commit(hash) {
            return self.read_commit(path, hash, commit);
        }
        let is_code = kind_of(Path::new(path)).is_none();
        let file = match self.left_out(path, is_code) {
            Some(reason) => ReadPage::unread(CachedPage::LeftOut(reason), hash),
            None => self.read_as(path, hash, is_code),
        };
        // Templates, and text files for programs, are not pages but may be source code.
        let may_be_code = matches!(file.page, CachedPage::LeftOut(LeftOut::Fragment | LeftOut::ForPrograms))
            && self.source.selection.is_in_code(path)
            && Language::of_path(path).is_some();
        if may_be_code { self.read_as(path, hash, true) } else { file }
    }

    /// Returns the reason if a file is left out without being read.
    fn left_out(&self, path: &str, is_code: bool) -> Option<LeftOut> {
        if self.rules.of(path).exclude {
            return Some(LeftOut::Excluded);
        }
        let by_place = || by_place(path, &self.source.files, self.source.selection.is_named(path));
        if is_code { None } else { by_place() }
    }

    /// Gets a commit from the cache, or reads it.
    fn read_commit(&self, path: &str, hash: &str, commit: &str) -> ReadPage {
        if self.rules.of(path).exclude {
            return ReadPage::unread(CachedPage::LeftOut(LeftOut::Excluded), hash);
        }
        // These settings decide which files the commit shows.
        let SourceSpec { path: folder, wanted, rules, .. } = &self.source.spec;
        let name = format!("commit {} {:?} {:?} {rules:?}", folder.display(), wanted.include, wanted.exclude);
        let known = self.cache.page(&name, hash);
        let is_hidden = |path: &str| path.split('/').any(|part| part.starts_with('.'));
        let shows_lines =
            |path: &str| !is_hidden(path) && self.source.selection.is_wanted(path) && !self.rules.of(path).exclude;
        let (page, is_new) = match (known, &self.source.history) {
            (Some(page), _) => (page, false),
            (None, Some(history)) => history.read(commit, self.readers, &shows_lines),
            (None, None) => (CachedPage::Unreadable("its repository cannot be read".to_owned()), false),
        };
        ReadPage { page, hash: hash.to_owned(), name, is_new }
    }

    /// Gets a file from the cache, or reads it.
    fn read_as(&self, path: &str, hash: &str, as_code: bool) -> ReadPage {
        let name = self.cache_key(path, as_code);
        if let Some(page) = self.cache.page(&name, hash) {
            return ReadPage { page, hash: hash.to_owned(), name, is_new: false };
        }
        match self.source.tree.read(path) {
            Ok((bytes, hash)) => {
                let readers = self.readers;
                let read =
                    if as_code { readers.read_code(file_name(path), &bytes) } else { readers.read(path, &bytes) };
                let (page, is_new) = cached(read);
                ReadPage { page, hash, name, is_new }
            }
            Err(problem) => ReadPage::unread(CachedPage::Unreadable(problem), hash),
        }
    }

    /// Returns a file's name in the cache. Reading a file as a page or as code, and with or without OCR, has different
    /// results.
    pub(super) fn cache_key(&self, path: &str, as_code: bool) -> String {
        let name = file_name(path);
        match self.ocr.filter(|_| has_pictures(path)) {
            _ if as_code => format!("code {name}"),
            Some(ocr) => format!("ocr {ocr} {name}"),
            None => name.to_owned(),
        }
    }
}

/// Whether the text of the file at `path` may depend on OCR.
pub(super) fn has_pictures(path: &str) -> bool {
    kind_of(Path::new(path)).is_some_and(FileKind::is_binary)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the result of reading a file, and whether the cache should remember it.
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
