//! The form of paths for agents and readers: relative to the indexed folder, wherever it is on this machine, and
//! without the name of the project if there is only one.

use crate::library::open::view::View;
use nearfind_base::real_path::{real_path, simplified};
use std::collections::BTreeMap;
use std::path::PathBuf;
use url::Url;

/// Names documents in answers.
#[derive(Clone, Debug, Default)]
pub struct PlaceNames {
    /// The name of the only project, with a slash. It is left out.
    left_out: Option<String>,
}

impl PlaceNames {
    /// Returns the name of a document, from its id or another text that begins with a project and path.
    #[must_use]
    pub fn short<'a>(&self, id: &'a str) -> &'a str {
        self.left_out.as_deref().and_then(|project| id.strip_prefix(project)).unwrap_or(id)
    }

    /// Returns the name of a document, from its project and path.
    #[must_use]
    pub fn join(&self, project: &str, path: &str) -> String {
        match &self.left_out {
            Some(only) if only.strip_suffix('/') == Some(project) => path.to_owned(),
            _ => format!("{project}/{path}"),
        }
    }
}

impl View {
    /// Returns how answers name documents: by path if there is only one project, and otherwise by project and path.
    pub fn place_names(&self) -> PlaceNames {
        let mut projects = self.projects().into_keys();
        match (projects.next(), projects.next()) {
            (Some(only), None) => PlaceNames { left_out: Some(only + "/") },
            _ => PlaceNames::default(),
        }
    }

    /// Returns the folders on this machine that projects were read from, by project name.
    pub fn roots(&self) -> BTreeMap<String, PathBuf> {
        let mut roots = BTreeMap::new();
        for name in self.projects().into_keys() {
            if let Some(folder) = self.bundles.iter().find_map(|bundle| bundle.folder_of(&name)) {
                let root = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
                roots.insert(name, simplified(&root).to_owned());
            }
        }
        roots
    }

    /// Returns the project and path of `name` if it is an absolute path in the folder of a project on this machine.
    /// Nothing is opened. The path is empty for the folder itself, and need not belong to a document.
    pub(crate) fn below_a_root(&self, name: &str) -> Option<(String, String)> {
        let wanted = absolute_path(name)?;
        self.roots().into_iter().find_map(|(project, root)| {
            // The folder may be a link, and `name` may use either of its paths.
            let real = real_path(&root).ok();
            let rest = [Some(root), real].into_iter().flatten().find_map(|root| {
                let rest = wanted.strip_prefix(root).ok()?;
                let parts: Option<Vec<&str>> = rest.iter().map(std::ffi::OsStr::to_str).collect();
                Some(parts?.join("/"))
            });
            Some((project, rest?))
        })
    }
}

/// If `name` is an absolute path on this machine, or the `file://` address of one, returns the path.
pub(super) fn absolute_path(name: &str) -> Option<PathBuf> {
    let name = name.trim();
    let path = match name.strip_prefix("file://") {
        Some(rest) => {
            let url = Url::parse(name).ok();
            url.and_then(|url| url.to_file_path().ok()).unwrap_or_else(|| PathBuf::from(rest))
        }
        None => PathBuf::from(name),
    };
    path.is_absolute().then(|| simplified(&path).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[cfg(unix)]
    #[test]
    fn paths_and_file_addresses_are_absolute_paths() {
        let is = |name: &str, path: &str| assert_eq!(absolute_path(name).as_deref(), Some(Path::new(path)), "{name}");
        is(" /docs/a.md ", "/docs/a.md");
        is("file:///docs/my%20notes/%C3%A9.md", "/docs/my notes/é.md");
        is("file://localhost/docs/a.md", "/docs/a.md");
        for other in ["docs/a.md", "file://a.md", "https://x.org/docs", r"C:\docs\a.md"] {
            assert_eq!(absolute_path(other), None, "{other}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn paths_and_file_addresses_are_absolute_paths() {
        for name in
            [r"C:\docs\a.md", "c:/docs/a.md", "file:///c%3A/docs/a.md", "file:///C:/docs/a.md", r"\\?\C:\docs\a.md"]
        {
            assert_eq!(absolute_path(name).as_deref(), Some(Path::new(r"C:\docs\a.md")), "{name}");
        }
        assert_eq!(absolute_path(r"docs\a.md"), None);
    }

    #[test]
    fn the_only_project_is_left_out() {
        let one = PlaceNames { left_out: Some("queue/".to_owned()) };
        assert_eq!((one.short("queue/src/a.py#push"), one.short("queues/a.py")), ("src/a.py#push", "queues/a.py"));
        assert_eq!(
            (one.join("queue", "src/a.py"), one.join("other", "a.py")),
            ("src/a.py".into(), "other/a.py".into())
        );
        assert_eq!(PlaceNames::default().join("queue", "src/a.py"), "queue/src/a.py");
        assert_eq!(PlaceNames::default().short("queue/src/a.py"), "queue/src/a.py");
    }
}
