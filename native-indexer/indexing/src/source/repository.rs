//! Fetches repositories. The cache contains a bare, shallow clone for each address, branch and depth.
//!
//! Git's own configuration is not read, and no program is asked for a password, because a configuration file from a
//! foreign repository must not run anything.

use super::git_place::{GitPlace, shown_url};
use super::tree::{FileTree, GitTree};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use gix::bstr::ByteSlice as _;
use gix::remote::fetch::{Shallow, Tags};
use gix::{ObjectId, ThreadSafeRepository};
use nearfind_base::progress::Progress;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Name of the reference to the fetched commit in a clone.
const FETCHED: &str = "refs/nearfind/fetched";
/// Time between two checks of whether to give up a fetch.
const LOOK: Duration = Duration::from_millis(100);
/// Maximum number of packs in a clone. Each fetch adds a pack, and a clone with more packs than this is replaced by a
/// new clone.
const MAX_PACKS: usize = 40;
/// Maximum size of a file in MB. Every file is unpacked in memory, even if it is not indexed.
const MAX_FILE_MB: u32 = 512;
/// Maximum number of branches and tags that an error lists.
const SHOWN_REFERENCES: usize = 12;

/// Fetches the newest commit of `place` into `clones`. Gives up after `timeout`.
///
/// A clone that cannot be opened is made again. If the fetch fails, a clone that can be opened stays as it is.
pub fn fetch(place: &GitPlace, clones: &Path, timeout: Duration, progress: Progress) -> Result<()> {
    place.check()?;
    let folder = place.clone_folder(clones);
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let started = Instant::now();
    {
        // The fetch runs on its own thread, because it does not check `stop` while a server is silent.
        let (place, stop) = (place.clone(), Arc::clone(&stop));
        std::thread::spawn(move || sender.send(fetch_now(&place, &folder, &stop)));
    }
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(fetched) => return fetched,
            Err(mpsc::RecvTimeoutError::Disconnected) => bail!("fetching ended without a result"),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        let given_up = progress.check().err().or_else(|| {
            let seconds = timeout.as_secs();
            (started.elapsed() > timeout)
                .then(|| anyhow!("no response within {seconds} seconds; try again, or raise --timeout"))
        });
        if let Some(error) = given_up {
            stop.store(true, Ordering::Relaxed);
            return Err(error);
        }
    }
}

/// Chooses the encryption library for both HTTP clients in the program.
fn choose_tls() {
    // This fails if a library was already chosen.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Fetches into the clone in `folder`, or into a new clone that replaces it if it has too many packs.
fn fetch_now(place: &GitPlace, folder: &Path, stop: &AtomicBool) -> Result<()> {
    choose_tls();
    let clones = folder.parent().context("a clone is in a folder")?;
    std::fs::create_dir_all(clones).with_context(|| clones.display().to_string())?;
    // Two configurations may name the same repository.
    let lock = std::fs::File::create(folder.with_extension("lock")).with_context(|| clones.display().to_string())?;
    lock.lock()?;
    let packs = std::fs::read_dir(folder.join("objects").join("pack")).into_iter().flatten().filter_map(Result::ok);
    if packs.filter(|file| file.path().extension().is_some_and(|extension| extension == "pack")).count() <= MAX_PACKS {
        return fetch_into(place, folder, stop);
    }
    let fresh = folder.with_extension("fresh");
    fetch_into(place, &fresh, stop)?;
    std::fs::remove_dir_all(folder).and_then(|()| std::fs::rename(&fresh, folder))?;
    Ok(())
}

fn fetch_into(place: &GitPlace, folder: &Path, stop: &AtomicBool) -> Result<()> {
    let repository = if let Ok(repository) = open(folder) {
        repository
    } else {
        if folder.exists() {
            std::fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        gix::init_bare(folder).map_err(|error| anyhow!("{}: {error}", folder.display()))?;
        open(folder)?
    };
    let repository = repository.to_thread_local();
    let wanted = place.reference();
    let specification = format!("+{wanted}:{FETCHED}");
    let everything = [specification.as_str()];
    let remote = repository.remote_at(place.url.as_str()).map_err(explained)?;
    let remote = remote.with_refspecs(everything, gix::remote::Direction::Fetch).map_err(explained)?;
    let remote = remote.with_fetch_tags(Tags::None);
    let connect = || -> Result<_> {
        let connection = remote.connect(gix::remote::Direction::Fetch).map_err(explained)?;
        // The address may contain a password. Users are not asked for one.
        Ok(connection.with_credentials(credentials_of(&place.url)))
    };
    let options = gix::remote::ref_map::Options::default();
    let prepared = connect()?.prepare_fetch(gix::progress::Discard, options).map_err(explained)?;
    let mapping = prepared.ref_map().mappings.first();
    let Some(target) = mapping.and_then(|mapping| mapping.remote.as_id()).map(ToOwned::to_owned) else {
        // All references are requested only for this error, because a repository may have a hundred thousand.
        let options =
            gix::remote::ref_map::Options { prefix_from_spec_as_filter_on_remote: false, ..Default::default() };
        let (all, _) = connect()?.ref_map(gix::progress::Discard, options).map_err(explained)?;
        bail!(no_reference(place, &all.remote_refs.iter().filter_map(branch_or_tag).collect::<Vec<_>>()));
    };
    // For an annotated tag, this is the tag and not its commit.
    let known = repository.find_reference(FETCHED).ok().and_then(|reference| Some(reference.try_id()?.detach()));
    if known != Some(target) || repository.find_header(target).is_err() {
        let depth = NonZeroU32::new(place.history).unwrap_or(NonZeroU32::MIN);
        let prepared = prepared.with_shallow(Shallow::DepthAtRemote(depth));
        prepared.receive(gix::progress::Discard, stop).map_err(explained)?;
    }
    // A tag may point to something other than a commit.
    fetched(&repository)?;
    ensure!(!stop.load(Ordering::Relaxed), "stopped");
    Ok(())
}

/// Describes the error that the branch or tag of `place` is not among the `known` ones.
fn no_reference(place: &GitPlace, known: &[String]) -> String {
    let (shown, more) = match known.len() {
        0 => ("none".to_owned(), ""),
        all => (known[..all.min(SHOWN_REFERENCES)].join(", "), if all > SHOWN_REFERENCES { ", …" } else { "" }),
    };
    match (&place.branch, &place.tag) {
        (Some(branch), _) => format!("there is no branch {branch:?}; it has {shown}{more}"),
        (None, Some(tag)) => format!("there is no tag {tag:?}; it has {shown}{more}"),
        (None, None) => "the repository is empty".to_owned(),
    }
}

/// Opens a clone, with no configuration except its own.
pub(super) fn open(folder: &Path) -> Result<ThreadSafeRepository> {
    let options = gix::open::Options::isolated()
        .open_path_as_is(true)
        // ssh must not ask questions, because there may be no terminal.
        .config_overrides([
            "core.sshCommand=ssh -oBatchMode=yes",
            "core.fsyncObjectFiles=false",
            &format!("gitoxide.objects.allocLimit={MAX_FILE_MB}m"),
        ]);
    let opened = options.open(folder);
    opened.map_err(|error| anyhow!("{}: {error}", folder.display()))
}

/// Returns the commit that was last fetched.
fn fetched(repository: &gix::Repository) -> Result<ObjectId> {
    let mut reference = repository.find_reference(FETCHED).map_err(|_| anyhow!("nothing has been fetched yet"))?;
    let peeled = reference.peel_to_id().map_err(|error| anyhow!("{error}"))?;
    let object = peeled.object().map_err(|error| anyhow!("{error}"))?;
    ensure!(object.kind == gix::object::Kind::Commit, "it is not a commit");
    Ok(peeled.detach())
}

/// Returns the clone of `place`, and the commit that was last fetched.
pub(super) fn open_clone(place: &GitPlace, clones: &Path) -> Result<(ThreadSafeRepository, ObjectId)> {
    let repository = open(&place.clone_folder(clones)).map_err(|_| anyhow!("it has not been fetched yet"))?;
    let commit = fetched(&repository.to_thread_local())?;
    Ok((repository, commit))
}

/// Returns the files of the commit that was last fetched, and its hash.
pub(crate) fn open_fetched(place: &GitPlace, clones: &Path) -> Result<(Box<dyn FileTree>, String)> {
    let (repository, commit) = open_clone(place, clones)?;
    Ok((Box::new(GitTree::open(repository, commit, place.history, &shown_url(&place.url))?), commit.to_string()))
}

type Credentials = Result<Option<gix::credentials::protocol::Outcome>, gix::Error>;

/// Answers a server that asks for credentials, only once, with the user name and password in the address.
fn credentials_of(url: &str) -> impl FnMut(gix::credentials::helper::Action) -> Credentials + 'static {
    let parsed = gix::url::parse(url.as_bytes().as_bstr()).ok();
    let mut account = parsed.and_then(|url| {
        let (username, password) = (url.user()?.to_owned(), url.password().unwrap_or_default().to_owned());
        Some(gix::sec::identity::Account { username, password, oauth_refresh_token: None })
    });
    move |action| {
        let gix::credentials::helper::Action::Get(context) = action else { return Ok(None) };
        Ok(account.take().map(|identity| gix::credentials::protocol::Outcome { identity, next: context.into() }))
    }
}

fn branch_or_tag(reference: &gix::protocol::handshake::Ref) -> Option<String> {
    let (name, ..) = reference.unpack();
    let name = name.to_str().ok()?;
    let short = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/tags/"))?;
    Some(short.to_owned())
}

/// Turns a git error into an error that says what to do.
#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` calls")]
fn explained(error: gix::Error) -> anyhow::Error {
    let mut chain = vec![error.to_string()];
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        chain.push(cause.to_string());
        source = cause.source();
    }
    chain.dedup();
    advice(&chain.join(": "))
}

/// Returns an error that says what to do about git's message `all`. Numbers alone mean nothing, because an address may
/// contain them.
fn advice(all: &str) -> anyhow::Error {
    let says = |words: &[&str]| words.iter().any(|word| all.contains(word));
    if says(&["clear text"]) {
        return anyhow!("passwords are sent only over https: correct the address ({all})");
    }
    if says(&["too large to fit in memory"]) {
        return anyhow!(
            "the repository has a file larger than {MAX_FILE_MB} MB: clone it, and set `path` to the clone's folder ({all})"
        );
    }
    if says(&["HTTP status 401", "HTTP status 403", "redentials", "Permission denied (publickey", "Authentication"]) {
        return anyhow!(
            "the server requires a password: put a token into the address, as in https://TOKEN@host/…, or use ssh with a key ({all})"
        );
    }
    if says(&[
        "HTTP status 404",
        "valid git directory",
        "does not appear to be a git repository",
        "Repository not found",
    ]) {
        return anyhow!("there is no repository at this address ({all})");
    }
    if says(&["dns error", "resolve", "onnection refused", "timed out", "tcp connect", "error sending request"]) {
        return anyhow!("the host cannot be reached: check the address and the network ({all})");
    }
    anyhow!("{all}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_an_address_are_no_status() {
        let all = "Transport handshake failed: Received HTTP status 404: for url (http://127.0.0.1:40165/403.git)";
        assert!(advice(all).to_string().starts_with("there is no repository at this address"));
        let all = "Received HTTP status 401 for url (http://127.0.0.1:40404/x.git)";
        assert!(advice(all).to_string().starts_with("the server requires a password"));
    }

    #[test]
    fn a_file_that_is_too_large_to_fetch_is_named_as_the_reason() {
        let all = "Failed to write the received pack: Entry too large to fit in memory";
        assert!(advice(all).to_string().starts_with("the repository has a file larger than 512 MB: clone it"));
    }
}
