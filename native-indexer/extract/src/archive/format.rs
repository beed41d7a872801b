//! Kinds of archives, known by their names.

/// Larger archives are left out: one is in memory while its files are read.
pub const MAX_ARCHIVE_BYTES: u64 = 256 << 20;

/// Kinds of archives that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveFormat {
    /// A ZIP archive.
    Zip,
    /// A tape archive, compressed by gzip or not at all.
    Tar,
    /// A web archive: pages with their addresses.
    Warc,
}

impl ArchiveFormat {
    /// What the file at `path` is by its ending, if it is an archive that is read.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let ends = |ending: &str| name.strip_suffix(ending).is_some_and(|stem| !stem.is_empty());
        let has_one_of = |endings: &[&str]| endings.iter().any(|ending| ends(ending));
        match () {
            // A collection of web archives is a ZIP archive.
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
