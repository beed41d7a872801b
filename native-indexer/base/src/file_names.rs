//! Names of files in paths with `/`.

/// The path without the ending of its file: `a/b.md` is `a/b`. A file that begins with a dot has no other ending.
pub fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    path[name..].rfind('.').filter(|&at| at > 0).map_or(path, |at| &path[..name + at])
}

/// The file's name without its ending.
pub fn file_stem(path: &str) -> &str {
    let stem = stem(path);
    stem.rsplit('/').next().unwrap_or(stem)
}

/// The path that `relative` means in `folder`: `../` leads up, and a slash at its beginning to the top.
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
