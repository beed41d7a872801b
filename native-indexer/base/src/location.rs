//! The location of a bundle.

use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
use url::Url;

/// The URL schemes of buckets.
const BUCKET_SCHEMES: [&str; 5] = ["s3", "gs", "az", "abfs", "abfss"];

/// Whether an address is in a bucket.
pub fn is_in_bucket(url: &Url) -> bool {
    BUCKET_SCHEMES.contains(&url.scheme())
}

/// The location of a bundle.
///
/// ```
/// use nearfind_base::location::Location;
///
/// # fn main() -> anyhow::Result<()> {
/// let published = Location::published("https://docs.example.org/search/nearfind.json")?.unwrap();
/// assert_eq!(published.label(), "docs.example.org/search");
/// // Text without a scheme names no address.
/// assert_eq!(Location::published("docs/nearfind")?, None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a folder on this machine.
    Folder(PathBuf),
    /// On a web server or in a bucket: the address of its folder, with a slash at the end.
    Published(Url),
}

impl Location {
    /// Returns the location if `text` is an address with the scheme http or https, or with a bucket's scheme.
    pub fn published(text: &str) -> Result<Option<Self>> {
        let is_address = text.split_once("://").is_some_and(|(scheme, _)| scheme.chars().all(char::is_alphanumeric));
        if !is_address {
            return Ok(None);
        }
        let mut url = Url::parse(text).with_context(|| format!("{text} is not a valid URL"))?;
        ensure!(
            matches!(url.scheme(), "http" | "https") || is_in_bucket(&url),
            "{text}: the index must be in a folder, on a web server (https) or in a bucket (s3, gs, az)"
        );
        ensure!(url.has_host(), "{text} has no host");
        url.set_fragment(None);
        url.set_query(None);
        let path = url.path().strip_suffix("nearfind.json").unwrap_or(url.path()).trim_end_matches('/').to_owned();
        url.set_path(&format!("{path}/"));
        Ok(Some(Self::Published(url)))
    }

    /// Returns the address if it is in a bucket.
    pub fn in_bucket(&self) -> Option<&Url> {
        match self {
            Self::Published(url) => Some(url).filter(|url| is_in_bucket(url)),
            Self::Folder(_) => None,
        }
    }

    /// Returns a short name for readers: an address's host and path, or a folder's name without the path to it.
    pub fn label(&self) -> String {
        match self {
            Self::Published(url) => {
                let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
                let path = url.path().trim_end_matches('/');
                format!("{}{port}{path}", url.host_str().unwrap_or_default())
            }
            Self::Folder(folder) => {
                let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
                whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy().into_owned()
            }
        }
    }
}

impl From<&Path> for Location {
    fn from(folder: &Path) -> Self {
        Self::Folder(folder.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_folders() {
        let location = |text| Location::published(text).unwrap().unwrap();
        for text in ["https://x.org/a", "https://x.org/a/", "https://x.org/a/nearfind.json", "https://x.org/a?b#c"] {
            let Location::Published(url) = location(text) else { panic!("{text}") };
            assert_eq!(url.as_str(), "https://x.org/a/", "{text}");
        }
        assert_eq!(location("http://127.0.0.1:8000").label(), "127.0.0.1:8000");
        assert_eq!(location("https://x.org/a/search/").label(), "x.org/a/search");
        assert_eq!(location("s3://bucket/docs/nearfind.json").label(), "bucket/docs");
        assert_eq!(
            location("abfss://container@account.dfs.core.windows.net/docs").label(),
            "account.dfs.core.windows.net/docs"
        );
        assert_eq!(Location::published("search").unwrap(), None);
        assert_eq!(Location::published("C:\\search").unwrap(), None);
        assert!(Location::published("file:///etc").is_err() && Location::published("ftp://x.org/").is_err());
        assert_eq!(Location::from(Path::new("/secret/way/docs")).label(), "docs");
    }
}
