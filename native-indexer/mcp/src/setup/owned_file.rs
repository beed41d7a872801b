//! A file that belongs to another program. It is replaced completely or not at all.

use anyhow::{Context as _, Result, bail, ensure};
use nearfind_base::readable_file;
use nearfind_base::real_path::real_path;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Maximum size of a configuration file in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// The suffix of the first backup. Later backups add a number.
const BACKUP: &str = ".before-nearfind";

/// A file that belongs to another program, as it was when it was read.
#[derive(Debug)]
pub struct OwnedFile {
    /// Where the file is or will be, with links resolved.
    path: PathBuf,
    /// The file's text, or `None` if there is no file.
    text: Option<String>,
}

impl OwnedFile {
    /// Reads `file`. Fails if, after following links, it is outside `folder`, or if it is too large or not text.
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
        ensure!(metadata.is_file() && metadata.len() <= MAX_BYTES, "{}: this is not a settings file", name());
        let text = fs::read_to_string(&path).with_context(name)?;
        Ok(Self { path, text: Some(text) })
    }

    /// Returns the text, which is empty if there is no file.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Replaces the file with `text`, and returns the path of the backup, if there was a file. Fails if the file was
    /// changed since it was read.
    pub fn replace(&self, text: &str) -> Result<Option<PathBuf>> {
        let name = || self.path.display().to_string();
        let folder = self.path.parent().with_context(name)?;
        fs::create_dir_all(folder).with_context(name)?;
        let mut file = tempfile::Builder::new().prefix(".nearfind-").tempfile_in(folder).with_context(name)?;
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).with_context(name)?;
        let Some(before) = &self.text else {
            file.persist_noclobber(&self.path)
                .with_context(|| format!("{}: another program has created it in the meantime", name()))?;
            return Ok(None);
        };
        let permissions = fs::metadata(&self.path).with_context(name)?.permissions();
        ensure!(
            !permissions.readonly(),
            "{}: nearfind has no permission to write this file, and leaves it unchanged",
            name()
        );
        let is_same = fs::read_to_string(&self.path).is_ok_and(|now| now == *before);
        ensure!(is_same, "{}: another program has changed it in the meantime; run this again", name());
        let mut kept = tempfile::Builder::new().prefix(".nearfind-").tempfile_in(folder).with_context(name)?;
        kept.write_all(before.as_bytes()).with_context(name)?;
        for written in [&kept, &file] {
            fs::set_permissions(written.path(), permissions.clone()).with_context(name)?;
        }
        let backup = self.keep_beside(kept).with_context(name)?;
        readable_file::replace(file, &self.path).with_context(name)?;
        Ok(Some(backup))
    }

    /// Saves `kept` beside this file, under the first free backup name. Older backups stay, and so does a link with
    /// such a name, which may lead anywhere.
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
