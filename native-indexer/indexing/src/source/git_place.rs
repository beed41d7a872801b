//! The address of a repository in a configuration, and the branch or tag to read.

use anyhow::{Result, ensure};
#[cfg(feature = "network")]
use std::path::{Path, PathBuf};

/// Number of hash digits that people use to name a commit.
pub(super) const SHORT_HASH: usize = 8;

/// A branch or tag in a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitPlace {
    /// The repository's address: `https://…`, `http://…`, `git://…`, `file://…`, `ssh://…` or `user@host:path`.
    pub url: String,
    /// Name of the branch. Without a branch or a tag, the repository's default branch is read.
    pub branch: Option<String>,
    /// Name of the tag.
    pub tag: Option<String>,
    /// Number of commits to fetch, starting with the newest. 0 means 1.
    pub history: u32,
}

impl GitPlace {
    /// Returns the name of the reference to fetch.
    #[cfg(feature = "network")]
    pub(super) fn reference(&self) -> String {
        match (&self.branch, &self.tag) {
            (Some(branch), _) => format!("refs/heads/{branch}"),
            (None, Some(tag)) => format!("refs/tags/{tag}"),
            (None, None) => "HEAD".to_owned(),
        }
    }

    /// Returns the folder of the repository's clone in `clones`.
    #[cfg(feature = "network")]
    pub(super) fn clone_folder(&self, clones: &Path) -> PathBuf {
        // Another depth needs another clone, because a shallow clone is not deepened.
        let name = blake3::hash(format!("{}\n{}\n{}", self.url, self.reference(), self.history).as_bytes()).to_hex();
        clones.join(format!("{}.git", &name[..16]))
    }

    /// Refuses addresses that do not name a repository, such as commands or options of a program.
    pub fn check(&self) -> Result<()> {
        let schemes = ["https://", "http://", "file://", "ssh://", "git://"];
        let is_url = schemes.iter().any(|scheme| self.url.starts_with(scheme));
        let is_ssh = self.url.split_once(':').is_some_and(|(host, path)| {
            host.contains('@') && !host.contains(['/', ' ']) && !host.starts_with('-') && !path.starts_with('/')
        });
        ensure!(
            is_url || is_ssh,
            "git = {:?}: use an address that begins with https://, http://, file://, ssh:// or git://, or user@host:path",
            self.url
        );
        let name_of_host = self.url.split("://").nth(1).unwrap_or_default();
        ensure!(!name_of_host.starts_with('-'), "git = {:?}: a host name cannot begin with a dash", self.url);
        Ok(())
    }

    /// Whether the repository is fetched with the user's ssh keys.
    pub(crate) fn uses_ssh(&self) -> bool {
        !["https://", "http://", "file://", "git://"].iter().any(|scheme| self.url.starts_with(scheme))
    }

    /// If the repository's host is known, returns the beginning of the addresses that show its files. A path follows
    /// it.
    pub fn source_base(&self) -> Option<String> {
        let (host, rest) = self.on_host()?;
        let version = self.branch.as_deref().or(self.tag.as_deref());
        match host.as_str() {
            "github.com" => Some(format!("https://{rest}/blob/{}/", version.unwrap_or("HEAD"))),
            "gitlab.com" => Some(format!("https://{rest}/-/blob/{}/", version.unwrap_or("HEAD"))),
            "dev.azure.com" => {
                let kind = if self.branch.is_some() { "GB" } else { "GT" };
                let version = version.map_or(String::new(), |version| format!("version={kind}{version}&"));
                Some(format!("https://{rest}?{version}path=/"))
            }
            _ => None,
        }
    }

    /// If the repository's host is known, returns the beginning of the addresses that show its commits. A hash follows
    /// it.
    pub fn commit_base(&self) -> Option<String> {
        let (host, rest) = self.on_host()?;
        match host.as_str() {
            "github.com" | "dev.azure.com" => Some(format!("https://{rest}/commit/")),
            "gitlab.com" => Some(format!("https://{rest}/-/commit/")),
            _ => None,
        }
    }

    /// Returns the host of the repository, and its address without the scheme.
    fn on_host(&self) -> Option<(String, String)> {
        let url = shown_url(&self.url);
        let url =
            url.strip_prefix("git@").map_or(url.clone(), |rest| format!("https://{}", rest.replacen(':', "/", 1)));
        let url = url.trim_end_matches('/').trim_end_matches(".git");
        let (_, rest) = url.split_once("://")?;
        Some((rest.split('/').next()?.to_owned(), rest.to_owned()))
    }
}

/// Returns the address without user name and password. The user name in `user@host:path` stays.
pub fn shown_url(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let host_end = rest.find('/').unwrap_or(rest.len());
            let host = rest[..host_end].rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}://{}", &rest[host..])
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_repositories_alone() {
        let place = |url: &str| GitPlace { url: url.into(), ..GitPlace::default() };
        let check = |url: &str| place(url).check();
        for (url, uses_ssh) in [
            ("https://x.org/a", false),
            ("git://x.org/a", false),
            ("file:///srv/a.git", false),
            ("ssh://git@x.org/a", true),
            ("git@x.org:a/b", true),
            ("git@x.org:a://b", true),
        ] {
            assert_eq!(place(url).uses_ssh(), uses_ssh, "{url}");
        }
        for url in ["https://x.org/a", "file:///srv/a.git", "git@github.com:holoviz/panel.git", "ssh://git@x.org/a"] {
            assert!(check(url).is_ok(), "{url}");
        }
        for url in
            ["ext::sh -c touch% /tmp/x", "-oProxyCommand=x", "ssh://-oProxyCommand=x/a", "/etc", "x.org/a", "-a@b:c"]
        {
            assert!(check(url).is_err(), "{url}");
        }
    }

    #[test]
    fn known_hosts_show_their_files() {
        let base = |url: &str, branch: Option<&str>| {
            GitPlace { url: url.into(), branch: branch.map(str::to_owned), ..GitPlace::default() }.source_base()
        };
        let panel = "https://github.com/holoviz/panel/blob/main/";
        assert_eq!(base("https://token@github.com/holoviz/panel.git", Some("main")).as_deref(), Some(panel));
        assert_eq!(base("git@github.com:holoviz/panel.git", Some("main")).as_deref(), Some(panel));
        let azure = "https://dev.azure.com/o/p/_git/r?version=GBmain&path=/";
        assert_eq!(base("https://dev.azure.com/o/p/_git/r", Some("main")).as_deref(), Some(azure));
        assert_eq!(base("https://example.org/a", None), None);
    }

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(shown_url("https://secret:token@x.org/a@b"), "https://x.org/a@b");
        assert_eq!(shown_url("git@x.org:a/b"), "git@x.org:a/b");
    }
}
