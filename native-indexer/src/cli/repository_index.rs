//! The index of a repository without a `nearfind.toml`. It is in the user's cache folder, under a name for the path of
//! the repository.

use super::bundle_arguments::PublishedArguments;
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_base::cache_folder::{CacheFolder, INDEXES};
use nearfind_base::real_path::real_path;
use nearfind_bundles::bundle_folder::Keeping;
use serde_json::json;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the bundle in the folder of an index.
const BUNDLE: &str = "search";
/// The file that contains the path of the indexed folder. Every server writes it at its start, so its age is the
/// time since the last use.
const SOURCE: &str = "folder";
/// The file with the settings of an index whose repository is fetched.
const SETTINGS: &str = "settings.json";
/// Indexes that no server has used for this long are removed.
const UNUSED: Duration = Duration::from_hours(24 * 30);
/// Limits for what is indexed without being asked for: the number of files, and their total size in bytes.
pub(super) const MAX_FILES: usize = 50_000;
pub(super) const MAX_BYTES: u64 = 1 << 30;
/// Maximum length of a path that is read back, in bytes.
const MAX_SOURCE_BYTES: u64 = 32 << 10;

/// The index of a repository.
#[derive(Debug)]
pub(super) struct RepositoryIndex {
    /// The top of the repository, or the folder itself if it is not in a repository.
    pub root: PathBuf,
    /// The folder of the bundle.
    pub bundle: PathBuf,
    /// The address that the repository is fetched from. If there is one, `root` is the folder of the index.
    address: Option<String>,
}

impl RepositoryIndex {
    /// Returns the index for the repository around `folder`. Fails if the folder contains more than a project.
    pub(super) fn around(folder: &Path, cache: &CacheFolder) -> Result<Self> {
        let root = top_of(folder)?;
        let key = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        let index = indexes(cache)?.join(format!("{}-{}", project_name(&root), &key[..16]));
        Ok(Self { bundle: index.join(BUNDLE), root, address: None })
    }

    /// Returns the index for the git repository at `address`.
    pub(super) fn at(address: &str, cache: &CacheFolder) -> Result<Self> {
        let key = blake3::hash(address.as_bytes()).to_hex();
        let index = indexes(cache)?.join(format!("{}-{}", name_of(address), &key[..16]));
        Ok(Self { bundle: index.join(BUNDLE), root: index, address: Some(address.to_owned()) })
    }

    /// Records that the index is in use, and removes indexes that are not in use.
    pub(super) fn begin(&self, cache: &CacheFolder) -> Result<()> {
        let index = self.bundle.parent().context("a bundle is in a folder")?;
        fs::create_dir_all(index).with_context(|| index.display().to_string())?;
        let source = index.join(SOURCE);
        fs::write(&source, self.root.as_os_str().as_encoded_bytes()).with_context(|| source.display().to_string())?;
        if let Some(address) = &self.address {
            let settings = json!({
                "output": BUNDLE,
                "box": false,
                "query_encoder": false,
                "trigrams": true,
                "project": [{ "name": name_of(address), "git": address, "docs": ["."], "code": ["."] }],
            });
            let file = index.join(SETTINGS);
            fs::write(&file, settings.to_string()).with_context(|| file.display().to_string())?;
        }
        remove_unused(cache, Some(index));
        Ok(())
    }

    /// Returns the arguments that make this program build the index and keep it up to date.
    pub(super) fn command(&self, published: &PublishedArguments) -> Vec<OsString> {
        if self.address.is_some() {
            let mut command = vec!["update".into(), "--config".into(), self.root.join(SETTINGS).into()];
            command.extend(["--allow-outside", "--watch", "--for-server", "--fetch"].map(OsString::from));
            command.extend(published.folder().into_iter().flat_map(|folder| ["--cache".into(), folder.clone().into()]));
            return command;
        }
        let mut source = OsString::from(format!("{}=", project_name(&self.root)));
        source.push(&self.root);
        let mut command = vec!["index".into(), source, "-o".into(), self.bundle.clone().into()];
        command.extend(["--code", "--watch", "--for-server", "--no-box"].map(OsString::from));
        // The server has the model, so it does without a query encoder, which takes about as long as the passages. After a
        // large change, new passages are found by their words until the model has read them.
        command.extend(["--no-query-encoder", "--trigrams", "true"].map(OsString::from));
        command.extend(["--max-files".into(), MAX_FILES.to_string().into()]);
        command.extend(["--max-bytes".into(), MAX_BYTES.to_string().into()]);
        command.extend(published.folder().into_iter().flat_map(|folder| ["--cache".into(), folder.clone().into()]));
        command
    }
}

fn indexes(cache: &CacheFolder) -> Result<PathBuf> {
    cache.of(INDEXES).context("there is no home directory: choose the folder that keeps the index with --cache")
}

/// Returns a project name for the repository at `address`.
fn name_of(address: &str) -> String {
    project_name(Path::new(address.trim_end_matches('/').trim_end_matches(".git")))
}

/// Returns the top of the repository around `folder`, or `folder` itself. Fails if it contains more than a project.
fn top_of(folder: &Path) -> Result<PathBuf> {
    let folder = real_path(folder).with_context(|| folder.display().to_string())?;
    let top = repository_around(&folder);
    let root = top.unwrap_or(&folder);
    let is_refused = is_too_much(root)
        || (top.is_none() && is_no_project(root, home().as_deref(), temporary().as_deref(), &named_folders(&OF_USER)));
    ensure!(
        !is_refused,
        "{}: this is not a project: name an index with --bundle or the folder of a repository with --folder, or \
        write a nearfind.toml in this folder",
        root.display()
    );
    Ok(root.to_owned())
}

/// Returns the top of the repository around `folder`. Ignores folders with everything of a user or a machine: in the
/// folder of temporary files, for example, any user can create a repository.
pub(super) fn repository_around(folder: &Path) -> Option<&Path> {
    let top = folder.ancestors().find(|folder| is_repository(folder))?;
    let is_project = real_path(top).is_ok_and(|top| !is_too_much(&top));
    is_project.then_some(top)
}

/// Returns whether `folder` contains everything of a user or a machine.
fn is_too_much(folder: &Path) -> bool {
    folder.parent().is_none() || home().is_some_and(|home| home.starts_with(folder)) || is_of_system(folder)
}

/// Returns whether a folder outside any repository may contain a user's settings, keys or downloads, or data of
/// programs. Temporary folders may be indexed.
fn is_no_project(folder: &Path, home: Option<&Path>, temporary: Option<&Path>, of_user: &[PathBuf]) -> bool {
    const OF_PROGRAMS: [&str; 5] = ["/dev", "/private/var", "/root", "/run", "/var"];
    if folder.starts_with("/private/var/folders") || temporary.is_some_and(|temporary| folder.starts_with(temporary)) {
        return false;
    }
    if of_user.iter().any(|data| folder.starts_with(data)) {
        return true;
    }
    // Services have the root of the disk as their home.
    let home = home.filter(|home| home.parent().is_some());
    let Some(inside) = home.and_then(|home| folder.strip_prefix(home).ok()) else {
        return OF_PROGRAMS.iter().any(|data| folder.starts_with(data));
    };
    let is_hidden = inside.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
    is_hidden || inside.components().count() < 2
}

/// Variables of Windows that name folders of programs and of the system.
const OF_MACHINE: [&str; 5] = ["SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432", "ProgramData"];
/// Windows variables that contain the folders where programs keep a user's data.
const OF_USER: [&str; 2] = ["APPDATA", "LOCALAPPDATA"];

/// The folders that `variables` of the environment name, if they are there.
fn named_folders(variables: &[&str]) -> Vec<PathBuf> {
    variables.iter().filter_map(|name| real_path(std::env::var_os(name)?).ok()).collect()
}

fn home() -> Option<PathBuf> {
    real_path(etcetera::home_dir().ok()?).ok()
}

fn temporary() -> Option<PathBuf> {
    real_path(std::env::temp_dir()).ok()
}

/// Returns whether a folder is the top of a repository. In worktrees and submodules, `.git` is a file.
fn is_repository(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

/// Returns whether a folder belongs to the system, is the folder of temporary files, or is directly below the root of a
/// disk and not a repository.
fn is_of_system(folder: &Path) -> bool {
    const SYSTEM: [&str; 12] = [
        "/bin",
        "/boot",
        "/etc",
        "/lib",
        "/lib64",
        "/private/etc",
        "/proc",
        "/sbin",
        "/sys",
        "/usr",
        "/System",
        "/Library",
    ];
    let is_shallow = folder.parent().is_some_and(|parent| parent.parent().is_none()) && !is_repository(folder);
    let is_temporary = temporary().is_some_and(|temporary| temporary == folder);
    let is_of_machine = named_folders(&OF_MACHINE).iter().any(|named| folder.starts_with(named));
    is_shallow || is_temporary || is_of_machine || SYSTEM.iter().any(|system| folder.starts_with(system))
}

/// Returns a project name for a folder.
fn project_name(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let name: String = name.trim_start_matches('.').chars().map(plain).take(60).collect();
    if name.is_empty() { "project".to_owned() } else { name }
}

/// Removes indexes of folders that no longer exist, and those that no server has used for a month, but not `own`.
/// Returns how many were removed.
pub(super) fn remove_unused(cache: &CacheFolder, own: Option<&Path>) -> usize {
    let entries = cache.of(INDEXES).and_then(|indexes| fs::read_dir(indexes).ok());
    let indexes = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let unused = indexes.filter(|index| Some(index.as_path()) != own && is_unused(index));
    unused.filter(|index| remove(index, cache).is_ok()).count()
}

/// Returns whether the folder of `index` no longer exists, or the index has not been used for a month. Anything that is
/// not an index is kept.
fn is_unused(index: &Path) -> bool {
    let source = index.join(SOURCE);
    let Ok(noted) = fs::symlink_metadata(&source) else { return false };
    if !noted.is_file() || noted.len() > MAX_SOURCE_BYTES {
        return false;
    }
    let is_old = noted.modified().ok().and_then(|time| time.elapsed().ok()).is_some_and(|age| age > UNUSED);
    is_old || fs::read_to_string(&source).is_ok_and(|folder| !Path::new(&folder).exists())
}

/// Removes an index. Fails if a process keeps it up to date.
fn remove(index: &Path, cache: &CacheFolder) -> Result<()> {
    let Some(_keeping) = Keeping::take(&index.join(BUNDLE), cache)? else { bail!("it is in use") };
    Ok(fs::remove_dir_all(index)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_hold_everything_are_refused() {
        let home = etcetera::home_dir().unwrap();
        for folder in [Path::new("/"), &home, &std::env::temp_dir()] {
            let refused = top_of(folder).unwrap_err().to_string();
            assert!(refused.contains("not a project"), "{refused}");
        }
        let of_system = if cfg!(windows) { r"C:\Windows\System32" } else { "/usr/lib" };
        assert!(top_of(Path::new(of_system)).is_err());
    }

    #[test]
    fn without_a_repository_settings_and_downloads_are_refused() {
        let is_refused = |folder: &str, home: &str| {
            let of_user = [PathBuf::from("/home/a/AppData/Local")];
            is_no_project(Path::new(folder), Some(Path::new(home)), Some(Path::new("/var/tmp")), &of_user)
        };
        assert!(is_refused("/home/a/AppData/Local/Vendor/Program", "/home/a"), "programs keep data there on Windows");
        for folder in
            ["/home/a/.aws", "/home/a/.config/x/y", "/home/a/Downloads", "/home/a/b/.venv", "/var/lib/x", "/root/x"]
        {
            assert!(is_refused(folder, "/home/a"), "{folder}");
        }
        for folder in ["/home/a/notes/work", "/srv/docs/x", "/var/tmp/x", "/private/var/folders/x/y"] {
            assert!(!is_refused(folder, "/home/a"), "{folder}");
        }
        // A home directory may be anywhere.
        assert!(!is_refused("/root/notes/work", "/root") && !is_refused("/var/home/a/notes/work", "/var/home/a"));
        assert!(is_refused("/var/lib/x", "/"));
    }

    #[test]
    fn an_index_is_of_the_whole_repository_and_goes_with_it() {
        let place = tempfile::tempdir().unwrap();
        let (root, inside) = (place.path().join("my project"), place.path().join("my project/src/deep"));
        fs::create_dir_all(&inside).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        let cache = CacheFolder::at(Some(place.path().join("cache")));
        let index = RepositoryIndex::around(&inside, &cache).unwrap();
        assert_eq!(index.root, real_path(&root).unwrap());
        let name = index.bundle.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        assert!(name.starts_with("my-project-"), "{name}");
        index.begin(&cache).unwrap();
        assert_eq!(remove_unused(&cache, None), 0);
        fs::remove_dir_all(&root).unwrap();
        // A folder that is not an index is kept.
        fs::create_dir_all(cache.of(INDEXES).unwrap().join("other")).unwrap();
        assert_eq!(remove_unused(&cache, Some(index.bundle.parent().unwrap())), 0);
        assert_eq!(remove_unused(&cache, None), 1);
        assert!(cache.of(INDEXES).unwrap().join("other").exists());
    }
}
