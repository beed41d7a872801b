//! A file of another program, which is replaced whole or not at all.

use anyhow::{Context as _, Result, bail, ensure};
use nearfind_base::readable_file;
use nearfind_base::real_path::real_path;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A larger file is no configuration.
const MAX_BYTES: u64 = 64 << 20;
/// Ends the name of the file as it was before the first change; a number follows for each further one.
const BACKUP: &str = ".before-nearfind";

/// A file of another program, as it was read.
#[derive(Debug)]
pub struct OwnedFile {
    /// Where it is, or will be, links followed.
    path: PathBuf,
    /// Its text; `None` if there is none.
    text: Option<String>,
}

impl OwnedFile {
    /// Reads `file`, to which no link may lead out of `folder`.
    pub fn read(file: &Path, folder: &Path) -> Result<Self> {
        let name = || file.display().to_string();
        let Ok(known) = fs::symlink_metadata(file) else {
            let inside = file.ancestors().skip(1).find(|folder| folder.exists()).map(real_path);
            let is_inside =
                matches!((inside, real_path(folder)), (Some(Ok(inside)), Ok(folder)) if inside.starts_with(&folder));
            ensure!(is_inside, "{}: it is not in {}", name(), folder.display());
            return Ok(Self { path: file.to_owned(), text: None });
        };
        let (path, folder) = (real_path(file).with_context(name)?, real_path(folder).with_context(name)?);
        if !path.starts_with(&folder) {
            bail!("{}: it is a link to {}; change that file by hand", name(), path.display());
        }
        let metadata = if known.is_symlink() { fs::metadata(&path).with_context(name)? } else { known };
        ensure!(metadata.is_file() && metadata.len() <= MAX_BYTES, "{}: this is no file of settings", name());
        let text = fs::read_to_string(&path).with_context(name)?;
        Ok(Self { path, text: Some(text) })
    }

    /// Its text; empty if there is none.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Puts `text` in its place, and keeps what was there in a new file beside it, whose name it gives. What was written since it was
    /// read stays, and is an error.
    pub fn replace(&self, text: &str) -> Result<Option<PathBuf>> {
        let name = || self.path.display().to_string();
        let folder = self.path.parent().with_context(name)?;
        fs::create_dir_all(folder).with_context(name)?;
        let mut file = tempfile::Builder::new().prefix(".nearfind-").tempfile_in(folder).with_context(name)?;
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).with_context(name)?;
        let Some(before) = &self.text else {
            file.persist_noclobber(&self.path).with_context(|| format!("{}: it was made meanwhile", name()))?;
            return Ok(None);
        };
        let permissions = fs::metadata(&self.path).with_context(name)?.permissions();
        ensure!(!permissions.readonly(), "{}: it may not be written, and stays as it is", name());
        let is_same = fs::read_to_string(&self.path).is_ok_and(|now| now == *before);
        ensure!(is_same, "{}: another program has written it meanwhile; run this again", name());
        let mut kept = tempfile::Builder::new().prefix(".nearfind-").tempfile_in(folder).with_context(name)?;
        kept.write_all(before.as_bytes()).with_context(name)?;
        for written in [&kept, &file] {
            fs::set_permissions(written.path(), permissions.clone()).with_context(name)?;
        }
        let backup = self.keep_beside(kept).with_context(name)?;
        readable_file::replace(file, &self.path).with_context(name)?;
        Ok(Some(backup))
    }

    /// Gives `kept` the first free name beside this file: one that is kept stays, and a link of that name may lead anywhere.
    fn keep_beside(&self, mut kept: NamedTempFile) -> io::Result<PathBuf> {
        let mut number = 1;
        loop {
            let mut backup = self.path.clone().into_os_string();
            backup.push(if number == 1 { BACKUP.to_owned() } else { format!("{BACKUP}-{number}") });
            match kept.persist_noclobber(&backup) {
                Ok(_) => return Ok(PathBuf::from(backup)),
                Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => kept = taken.file,
                Err(failed) => return Err(failed.error),
            }
            number += 1;
        }
    }
}
