//! Names of files, in paths separated by `/`.

/// Returns the path without the file extension: `a/b` for `a/b.md`. A name whose only dot is its first character has no
/// extension.
pub fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    path[name..].rfind('.').filter(|&at| at > 0).map_or(path, |at| &path[..name + at])
}

/// Returns the name of the file without its extension.
pub fn file_stem(path: &str) -> &str {
    let stem = stem(path);
    stem.rsplit('/').next().unwrap_or(stem)
}

/// Resolves `relative` against `folder`: `../` leads up, and a slash at the start leads to the top.
pub fn joined(folder: &str, relative: &str) -> String {
    let start = if relative.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in start.split('/').chain(relative.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems() {
        assert_eq!(
            (stem("a/b.md"), stem("a.d/b"), stem("a/.env"), file_stem("a/b.c.md")),
            ("a/b", "a.d/b", "a/.env", "b.c")
        );
    }
}
