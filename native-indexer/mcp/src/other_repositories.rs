//! Other repositories that a call may name. Each has its own server, which starts at the first call about the
//! repository.

use anyhow::{Context as _, Result, ensure};
use nearfind_base::real_path::real_path;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Number of other repositories whose indexes are kept up to date at the same time. When another server starts, the
/// server that was not used for the longest time ends.
const MAX_RUNNING: usize = 4;

/// A server for one repository. Its clones are the same server.
pub trait RepositoryServer: Clone {
    /// Whether the server's index contains the words of all files, and no call is running.
    fn is_idle(&self) -> bool;
    /// Ends the server's background work.
    fn end(&self);
}

/// A repository that a call names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedRepository {
    /// The repository that contains a folder on this machine. When a server is started, the folder is the top folder of
    /// the repository.
    Folder(PathBuf),
    /// The repository at an address, which git fetches.
    Address(String),
}

/// Starts servers for other repositories.
pub trait StartRepository<S>: Send + Sync {
    /// Returns the top folder of the repository that contains `folder`. Fails if there is no repository, or if it must
    /// not be indexed.
    fn top(&self, folder: &Path) -> Result<PathBuf>;
    /// Starts a server for the index of `repository`.
    fn start(&self, repository: &NamedRepository) -> Result<S>;
}

/// The repositories that calls may name besides the one that the server was started for.
pub struct OtherRepositories<S> {
    /// The folders that contain the local repositories.
    roots: Vec<Root>,
    /// The beginnings of the other repositories' addresses.
    addresses: Vec<String>,
    start: Box<dyn StartRepository<S>>,
    /// The servers, each with its repository, in the order of their last use.
    running: Mutex<Vec<(NamedRepository, S)>>,
}

/// A folder whose repositories are allowed.
#[derive(Debug)]
struct Root {
    /// The path as it was specified, without resolved links.
    typed: PathBuf,
    real: PathBuf,
}

impl<S> fmt::Debug for OtherRepositories<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtherRepositories")
            .field("roots", &self.roots)
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}

impl<S> OtherRepositories<S> {
    /// Allows the repositories below `roots`, and the repositories whose addresses begin with one of `addresses`. Fails
    /// if one of the folders does not exist.
    pub fn new(roots: &[PathBuf], addresses: Vec<String>, start: Box<dyn StartRepository<S>>) -> Result<Self> {
        let root = |given: &PathBuf| {
            let name = || format!("--allow-root {}", given.display());
            let typed = std::path::absolute(given).with_context(name)?;
            Ok(Root { real: real_path(given).with_context(name)?, typed })
        };
        let roots = roots.iter().map(root).collect::<Result<Vec<_>>>()?;
        Ok(Self { roots, addresses, start, running: Mutex::default() })
    }

    /// Returns the repository that a call names. Fails if the repository is not allowed.
    pub(crate) fn named(&self, named: &str) -> Result<NamedRepository> {
        if named.contains("://") {
            ensure!(
                self.addresses.iter().any(|start| is_below(named, start)),
                "`repository` is not an address that --allow-git allows"
            );
            return Ok(NamedRepository::Address(named.to_owned()));
        }
        Ok(NamedRepository::Folder(self.folder(named)?))
    }

    /// Returns the real path of the folder that a call names, by its path or by its path below an allowed folder. Fails
    /// if the folder does not exist or is not allowed.
    fn folder(&self, named: &str) -> Result<PathBuf> {
        let named = Path::new(named);
        let candidates = self.roots.iter().filter_map(|root| {
            let inside = if named.is_absolute() {
                named.strip_prefix(&root.typed).or_else(|_| named.strip_prefix(&root.real)).ok()?
            } else {
                named
            };
            // Even checking another path can reach another machine.
            inside
                .components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
                .then(|| root.real.join(inside))
        });
        // A link must not point outside the allowed folders.
        let is_allowed = |folder: &PathBuf| folder.is_dir() && self.allows(folder);
        let found = candidates.filter_map(|folder| real_path(folder).ok()).find(is_allowed);
        found.context("`repository` does not name a folder below those that --allow-root allows")
    }

    fn allows(&self, folder: &Path) -> bool {
        self.roots.iter().any(|root| folder.starts_with(&root.real))
    }
}

impl<S: RepositoryServer> OtherRepositories<S> {
    /// Returns the server for a repository, and whether the server was just started.
    pub(crate) fn server(&self, named: NamedRepository) -> Result<(S, bool)> {
        let repository = match named {
            NamedRepository::Folder(folder) => NamedRepository::Folder(self.top(&folder)?),
            address @ NamedRepository::Address(_) => address,
        };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = running.iter().position(|(known, _)| *known == repository) {
            let used = running.remove(at);
            let server = used.1.clone();
            running.push(used);
            return Ok((server, false));
        }
        if running.len() == MAX_RUNNING {
            // Calls that wait for an index must not lose its server.
            let idle = running.iter().position(|(_, server)| server.is_idle());
            let idle = idle.context("other repositories are being indexed: ask again in a few seconds")?;
            running.remove(idle).1.end();
        }
        let server = self.start.start(&repository)?;
        running.push((repository, server.clone()));
        Ok((server, true))
    }

    /// Returns the top folder of the repository that contains `folder`. Fails if the repository is not allowed as a
    /// whole.
    fn top(&self, folder: &Path) -> Result<PathBuf> {
        let top = self.start.top(folder)?;
        ensure!(self.allows(&top), "`repository` is in a git repository whose top folder --allow-root does not allow");
        Ok(top)
    }

    /// Ends all servers.
    pub(crate) fn end(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.drain(..).for_each(|(_, server)| server.end());
    }
}

/// Whether `address` begins with `start`, up to the end of a part of its path, and does not lead elsewhere.
fn is_below(address: &str, start: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~/:".contains(c);
    let rest = address.strip_prefix(start);
    rest.is_some_and(|rest| {
        let is_part = start.ends_with('/') || rest.is_empty() || rest.starts_with('/');
        is_part && rest.chars().all(is_plain) && !rest.split('/').any(|part| part == "..")
    })
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

        fn start(&self, _: &NamedRepository) -> Result<Fake> {
            Ok(Fake::default())
        }
    }

    fn others(folders: &[&str]) -> (tempfile::TempDir, OtherRepositories<Fake>) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("allowed");
        std::fs::create_dir_all(&root).unwrap();
        folders.iter().for_each(|folder| std::fs::create_dir_all(root.join(folder)).unwrap());
        let others =
            OtherRepositories::new(&[root], vec!["https://example.org/team".into()], Box::new(Starts)).unwrap();
        (place, others)
    }

    #[test]
    fn a_server_that_was_not_used_for_long_makes_room_but_not_one_at_work() {
        let (_place, others) = others(&["a", "b", "c", "d", "e"]);
        let get = |name: &str| others.server(others.named(name).unwrap());
        let (a, is_new) = get("a").unwrap();
        assert!(is_new && !get("a").unwrap().1);
        let others_running: Vec<Fake> = ["b", "c", "d"].into_iter().map(|name| get(name).unwrap().0).collect();
        let refused = get("e").map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("ask again in a few seconds"), "{refused}");
        // The server that was used last stays, although it is idle too.
        get("a").unwrap();
        [&a, &others_running[1]].iter().for_each(|server| server.is_idle.store(true, Ordering::Relaxed));
        assert!(get("e").unwrap().1);
        let is_over = |server: &Fake| server.is_over.load(Ordering::Relaxed);
        assert!(is_over(&others_running[1]) && !is_over(&a) && !is_over(&others_running[0]));
        others.end();
        assert!(is_over(&a) && is_over(&others_running[2]));
    }

    #[test]
    fn addresses_stay_below_the_allowed_one() {
        let (_place, others) = others(&[]);
        let is_allowed = |address: &str| others.named(address).is_ok();
        assert!(is_allowed("https://example.org/team/app.git") && is_allowed("https://example.org/team"));
        for address in [
            "https://example.org/teamwork/app",
            "https://example.org/team/../other",
            "https://example.org/team@evil.org/a",
            "https://example.org/team/a?b=c",
            "https://example.org.evil.org/team/a",
            "http://example.org/team/a",
            "file:///etc",
        ] {
            assert!(!is_allowed(address), "{address}");
        }
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
