//! Converts the names of files in an archive to safe relative paths.

/// Maximum length of a name in bytes.
const MAX_NAME_BYTES: usize = 1024;
/// The folder where macOS stores metadata about the files next to it.
const RESOURCE_FORKS: &str = "__MACOSX";

/// The path of a file to read, or a file to skip without a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InnerPath {
    /// A relative path with the separator `/`, which does not point outside the archive.
    File(String),
    /// A hidden file, or a file that an operating system adds.
    Hidden,
}

/// Returns the path of the file `name` in its archive, or the reason why the name is refused.
pub(super) fn inner_path(name: &str) -> Result<InnerPath, &'static str> {
    if name.len() > MAX_NAME_BYTES {
        return Err("its name is too long");
    }
    if name.chars().any(char::is_control) {
        return Err("its name has control characters");
    }
    let name = name.replace('\\', "/");
    let has_drive = name.as_bytes().get(1) == Some(&b':');
    if name.starts_with('/') || has_drive || name.split('/').any(|part| part == "..") {
        return Err("its name leads out of the archive");
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.iter().any(|part| part.starts_with('.') || *part == RESOURCE_FORKS) {
        return Ok(InnerPath::Hidden);
    }
    Ok(if parts.is_empty() { InnerPath::Hidden } else { InnerPath::File(parts.join("/")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside() {
        for name in ["../a.txt", "a/../../b.txt", "/etc/passwd", "\\\\host\\a.txt", "C:\\a.txt", "a\\..\\b.txt", ".."] {
            assert_eq!(inner_path(name), Err("its name leads out of the archive"), "{name}");
        }
        assert_eq!(inner_path("./a//b\\c.txt"), Ok(InnerPath::File("a/b/c.txt".to_owned())));
        assert_eq!(inner_path("a/..b.txt"), Ok(InnerPath::Hidden));
        assert_eq!(inner_path("__MACOSX/._a.txt"), Ok(InnerPath::Hidden));
        assert!(inner_path("a\n.txt").is_err() && inner_path(&"a".repeat(2000)).is_err());
    }
}
