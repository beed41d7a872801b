//! Other repositories that a call may name. Each has a server of its own, which starts at the first call about it.

use anyhow::{Context as _, Result, ensure};
use nearfind_base::real_path::real_path;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Number of other repositories whose indexes are kept up to date at the same time. The one that was not used for the
/// longest time ends when another one begins.
const MAX_RUNNING: usize = 4;

/// A server for one repository. Its clones are the same server.
pub trait RepositoryServer: Clone {
    /// Whether its index has the words of all files, and no call is running.
    fn is_idle(&self) -> bool;
    /// Ends what it runs in the background.
    fn end(&self);
}

/// Starts servers for repositories on this machine.
pub trait StartRepository<S>: Send + Sync {
    /// Returns the top of the repository around `folder`. Fails if there is none, or if it must not be indexed.
    fn top(&self, folder: &Path) -> Result<PathBuf>;
    /// Starts a server over the index of the repository at `top`.
    fn start(&self, top: &Path) -> Result<S>;
}

/// The repositories that calls may name besides the one that the server was started for.
pub struct OtherRepositories<S> {
    /// The folders that contain them.
    roots: Vec<Root>,
    start: Box<dyn StartRepository<S>>,
    /// The servers by the tops of their repositories. The last one was used last.
    running: Mutex<Vec<(PathBuf, S)>>,
}

/// A folder whose repositories are allowed.
#[derive(Debug)]
struct Root {
    /// Its path as it was given, without links resolved.
    typed: PathBuf,
    real: PathBuf,
}

impl<S> fmt::Debug for OtherRepositories<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtherRepositories").field("roots", &self.roots).finish_non_exhaustive()
    }
}

impl<S> OtherRepositories<S> {
    /// Allows the repositories below `roots`. Fails if one of these folders does not exist.
    pub fn below(roots: &[PathBuf], start: Box<dyn StartRepository<S>>) -> Result<Self> {
        let root = |given: &PathBuf| {
            let name = || format!("--allow-root {}", given.display());
            let typed = std::path::absolute(given).with_context(name)?;
            Ok(Root { real: real_path(given).with_context(name)?, typed })
        };
        let roots = roots.iter().map(root).collect::<Result<Vec<_>>>()?;
        Ok(Self { roots, start, running: Mutex::default() })
    }

    /// Returns the real path of the folder that a call names, by its path or its place below an allowed folder. Fails if
    /// there is no such folder.
    pub(crate) fn folder(&self, named: &str) -> Result<PathBuf> {
        let named = Path::new(named);
        let candidates = self.roots.iter().filter_map(|root| {
            let inside = if named.is_absolute() {
                named.strip_prefix(&root.typed).or_else(|_| named.strip_prefix(&root.real)).ok()?
            } else {
                named
            };
            // Even a look at another path can reach another machine.
            inside
                .components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
                .then(|| root.real.join(inside))
        });
        // A link must not lead out of the allowed folders.
        let is_allowed = |folder: &PathBuf| folder.is_dir() && self.allows(folder);
        let found = candidates.filter_map(|folder| real_path(folder).ok()).find(is_allowed);
        found.context("`repository` does not name a folder below those that --allow-root allows")
    }

    fn allows(&self, folder: &Path) -> bool {
        self.roots.iter().any(|root| folder.starts_with(&root.real))
    }
}

impl<S: RepositoryServer> OtherRepositories<S> {
    /// Returns the server for the repository around `folder`, and whether it was started just now.
    pub(crate) fn server(&self, folder: &Path) -> Result<(S, bool)> {
        let top = self.start.top(folder)?;
        ensure!(
            self.allows(&top),
            "`repository` names a part of a repository that --allow-root does not allow as a whole"
        );
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = running.iter().position(|(known, _)| *known == top) {
            let used = running.remove(at);
            let server = used.1.clone();
            running.push(used);
            return Ok((server, false));
        }
        if running.len() == MAX_RUNNING {
            // Calls that wait for an index must get it.
            let idle = running.iter().position(|(_, server)| server.is_idle());
            let idle = idle.context("other repositories are being indexed: ask again in a few seconds")?;
            running.remove(idle).1.end();
        }
        let server = self.start.start(&top)?;
        running.push((top, server.clone()));
        Ok((server, true))
    }

    /// Ends all servers.
    pub(crate) fn end(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.drain(..).for_each(|(_, server)| server.end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[derive(Clone, Default)]
    struct Fake {
        is_idle: Arc<AtomicBool>,
        is_over: Arc<AtomicBool>,
    }

    impl RepositoryServer for Fake {
        fn is_idle(&self) -> bool {
            self.is_idle.load(Ordering::Relaxed)
        }

        fn end(&self) {
            self.is_over.store(true, Ordering::Relaxed);
        }
    }

    struct Starts;

    impl StartRepository<Fake> for Starts {
        fn top(&self, folder: &Path) -> Result<PathBuf> {
            Ok(folder.to_owned())
        }

        fn start(&self, _: &Path) -> Result<Fake> {
            Ok(Fake::default())
        }
    }

    fn others(folders: &[&str]) -> (tempfile::TempDir, OtherRepositories<Fake>) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("allowed");
        folders.iter().for_each(|folder| std::fs::create_dir_all(root.join(folder)).unwrap());
        let others = OtherRepositories::below(&[root], Box::new(Starts)).unwrap();
        (place, others)
    }

    #[test]
    fn a_server_that_was_not_used_for_long_makes_room_but_not_one_at_work() {
        let (_place, others) = others(&["a", "b", "c", "d", "e"]);
        let get = |name: &str| others.server(&others.folder(name).unwrap());
        let (a, is_new) = get("a").unwrap();
        assert!(is_new && !get("a").unwrap().1);
        let others_running: Vec<Fake> = ["b", "c", "d"].into_iter().map(|name| get(name).unwrap().0).collect();
        let refused = get("e").map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("ask again in a few seconds"), "{refused}");
        // The one that was used last stays, although it is idle too.
        get("a").unwrap();
        [&a, &others_running[1]].iter().for_each(|server| server.is_idle.store(true, Ordering::Relaxed));
        assert!(get("e").unwrap().1);
        let is_over = |server: &Fake| server.is_over.load(Ordering::Relaxed);
        assert!(is_over(&others_running[1]) && !is_over(&a) && !is_over(&others_running[0]));
        others.end();
        assert!(is_over(&a) && is_over(&others_running[2]));
    }

    #[test]
    fn names_and_paths_stay_inside_the_allowed_folder() {
        let (place, others) = others(&["a/inside"]);
        let root = place.path().join("allowed");
        std::fs::create_dir_all(place.path().join("other")).unwrap();
        for named in ["a", "a/inside", "./a", root.join("a").to_str().unwrap()] {
            assert!(others.folder(named).unwrap().starts_with(real_path(&root).unwrap()), "{named}");
        }
        let outside = place.path().join("other");
        for named in ["../other", "a/../../other", "missing", "/", r"\\host\share", outside.to_str().unwrap()] {
            assert!(others.folder(named).is_err(), "{named}");
        }
    }
}
