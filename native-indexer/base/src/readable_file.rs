//! Files that other programs read, which are complete or absent at any time.

use std::io::Result;
use std::path::Path;
use tempfile::NamedTempFile;

/// Moves a file from its temporary name to `path`, after its content has reached the disk.
pub fn persist(file: NamedTempFile, path: &Path) -> Result<()> {
    // Temporary files are private, but other programs must be able to read these.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
