//! Other repositories that a call may name. Each has a server of its own, which starts at the first call about it.

use super::Server;
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_base::real_path::real_path;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Number of other repositories whose indexes are kept up to date at the same time. The one that was not used for the
/// longest time ends when another one begins.
const MAX_RUNNING: usize = 4;

/// Starts servers for repositories on this machine.
pub trait StartRepository: Send + Sync {
    /// Returns the top of the repository around `folder`. Fails if the folder must not be indexed.
    fn top(&self, folder: &Path) -> Result<PathBuf>;
    /// Starts a server over the index of the repository at `top`.
    fn start(&self, top: &Path) -> Result<Server>;
}

/// The repositories that calls may name besides the one that the server was started for.
pub struct OtherRepositories {
    /// The folders that contain them, as real paths.
    roots: Vec<PathBuf>,
    start: Box<dyn StartRepository>,
    /// The servers by the tops of their repositories. The last one was used last.
    running: Mutex<Vec<(PathBuf, Server)>>,
}

impl fmt::Debug for OtherRepositories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtherRepositories").field("roots", &self.roots).finish_non_exhaustive()
    }
}

impl OtherRepositories {
    /// Allows the repositories below `roots`. Fails if one of these folders does not exist.
    pub fn below(roots: &[PathBuf], start: Box<dyn StartRepository>) -> Result<Self> {
        let real = |root: &PathBuf| real_path(root).with_context(|| format!("--allow-root {}", root.display()));
        let roots = roots.iter().map(real).collect::<Result<Vec<_>>>()?;
        Ok(Self { roots, start, running: Mutex::default() })
    }

    /// Returns the server for the repository that a call names, and whether it was started just now.
    pub(crate) fn server(&self, named: &str) -> Result<(Server, bool)> {
        let top = self.start.top(&self.folder(named)?)?;
        ensure!(self.allows(&top), "{} is not below a folder that is allowed here: {}", top.display(), self.listed());
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = running.iter().position(|(known, _)| *known == top) {
            let used = running.remove(at);
            let server = used.1.clone();
            running.push(used);
            return Ok((server, false));
        }
        let server = self.start.start(&top)?;
        if running.len() == MAX_RUNNING {
            running.remove(0).1.end();
        }
        running.push((top, server.clone()));
        Ok((server, true))
    }

    /// Returns the real path of an existing folder, by its path or its place below an allowed folder.
    fn folder(&self, named: &str) -> Result<PathBuf> {
        let named = named.trim();
        ensure!(!named.is_empty(), "argument `repository` is empty: name a folder");
        // A link must not lead out of the allowed folders.
        let inside = self.roots.iter().filter_map(|root| real_path(root.join(named)).ok());
        match inside.into_iter().find(|folder| folder.is_dir() && self.allows(folder)) {
            Some(folder) => Ok(folder),
            None => bail!("{named:?} is not a folder below those that are allowed here: {}", self.listed()),
        }
    }

    fn allows(&self, folder: &Path) -> bool {
        self.roots.iter().any(|root| folder.starts_with(root))
    }

    fn listed(&self) -> String {
        self.roots.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(", ")
    }

    /// Ends all servers.
    pub(crate) fn end(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.drain(..).for_each(|(_, server)| server.end());
    }
}
