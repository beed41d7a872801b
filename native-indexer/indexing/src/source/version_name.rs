//! Recognizes folder names that are versions.

/// The facet with the version.
pub(crate) const VERSION: &str = "version";
/// Names of released versions without a number, most wanted first. Readers prefer them to any number.
pub(crate) const RELEASED: [&str; 3] = ["stable", "latest", "current"];
/// Names of unreleased versions. Readers prefer any number to them.
pub(crate) const UNRELEASED: [&str; 6] = ["main", "master", "next", "dev", "devel", "nightly"];

/// Whether a folder with this name is a version, such as `2.1`, `v3`, `1.x`, `2.0.0-rc1` or `stable`. A number alone is
/// not a version, because it is often a chapter.
pub(crate) fn is_version(name: &str) -> bool {
    if RELEASED.contains(&name) || UNRELEASED.contains(&name) {
        return true;
    }
    let number = name.strip_prefix('v').unwrap_or(name);
    let is_part = |part: &str| {
        let digits = part.trim_start_matches(|c: char| c.is_ascii_digit());
        part == "x" || (digits.len() < part.len() && digits.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
    };
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.len() < 20
        && number.split('.').all(is_part)
        && (name.starts_with('v') || number.contains('.'))
}

/// Returns the version in a path: the first folder whose name is a version.
pub(crate) fn version_of_path(path: &str) -> Option<&str> {
    let (folders, _) = path.rsplit_once('/')?;
    folders.split('/').find(|folder| is_version(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_from_other_folders() {
        assert!(["v2", "1.x", "2.0.0-rc1"].iter().all(|name| is_version(name)));
        assert!(["2", "2024", "v", "x", "api", "1.two words"].iter().all(|name| !is_version(name)));
        assert_eq!(version_of_path("docs/v6/core/a.html"), Some("v6"));
        assert_eq!((version_of_path("v6.html"), version_of_path("docs/a.html")), (None, None));
    }
}
