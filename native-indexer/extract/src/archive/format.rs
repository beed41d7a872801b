//! The kinds of archives, recognized by their names.

/// Maximum size of an archive in bytes. The whole archive stays in memory while its files are read.
pub const MAX_ARCHIVE_BYTES: u64 = 256 << 20;

/// The kinds of archives that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveFormat {
    /// A ZIP archive.
    Zip,
    /// A tar archive, uncompressed or compressed with gzip.
    Tar,
    /// A web archive (WARC): pages with their addresses.
    Warc,
}

impl ArchiveFormat {
    /// Returns the format of the file at `path` by its extension, or `None` if it is not an archive that can be read.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let ends = |ending: &str| name.strip_suffix(ending).is_some_and(|stem| !stem.is_empty());
        let has_one_of = |endings: &[&str]| endings.iter().any(|ending| ends(ending));
        match () {
            // A WACZ file, which is a collection of web archives, is a ZIP archive.
            () if has_one_of(&[".zip", ".wacz"]) => Some(Self::Zip),
            () if has_one_of(&[".tar", ".tar.gz", ".tgz"]) => Some(Self::Tar),
            () if has_one_of(&[".warc", ".warc.gz"]) => Some(Self::Warc),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_archives() {
        let of = ArchiveFormat::of;
        assert_eq!(
            (of("a/b.ZIP"), of("b.tar.gz"), of("b.tgz")),
            (Some(ArchiveFormat::Zip), Some(ArchiveFormat::Tar), Some(ArchiveFormat::Tar))
        );
        assert_eq!((of("a.gz"), of("a.zip/b.txt"), of(".zip"), of("zip")), (None, None, None, None));
    }
}
