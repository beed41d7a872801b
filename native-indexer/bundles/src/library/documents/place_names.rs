//! Paths as agents and readers use them: below the folder that was indexed, without the name of the project where there is
//! one, and wherever that folder is on this machine.

use crate::library::open::view::View;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How documents are named in answers.
#[derive(Clone, Debug, Default)]
pub struct PlaceNames {
    /// The only project with a slash, which says nothing.
    left_out: Option<String>,
}

impl PlaceNames {
    /// The name of a document by its id, or by anything else that begins with project and path.
    #[must_use]
    pub fn short<'a>(&self, id: &'a str) -> &'a str {
        self.left_out.as_deref().and_then(|project| id.strip_prefix(project)).unwrap_or(id)
    }

    /// The name of a document by its project and path.
    #[must_use]
    pub fn join(&self, project: &str, path: &str) -> String {
        match &self.left_out {
            Some(only) if only.strip_suffix('/') == Some(project) => path.to_owned(),
            _ => format!("{project}/{path}"),
        }
    }
}

impl View {
    /// How documents are named in answers: by their paths where there is one project, else after its name.
    pub fn place_names(&self) -> PlaceNames {
        let mut projects = self.projects().into_keys();
        match (projects.next(), projects.next()) {
            (Some(only), None) => PlaceNames { left_out: Some(only + "/") },
            _ => PlaceNames::default(),
        }
    }

    /// The folders of this machine that projects were read from, by name.
    pub fn roots(&self) -> BTreeMap<String, PathBuf> {
        let mut roots = BTreeMap::new();
        for name in self.projects().into_keys() {
            if let Some(folder) = self.bundles.iter().find_map(|bundle| bundle.folder_of(&name)) {
                roots.insert(name, std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()));
            }
        }
        roots
    }

    /// Project and path of what is at `name` on this machine, if that is in the folder of a project. Nothing is opened: the path
    /// is empty for the folder itself, and may be of no document.
    pub(crate) fn below_a_root(&self, name: &str) -> Option<(String, String)> {
        let wanted = Path::new(name.trim().trim_start_matches("file://"));
        if !wanted.is_absolute() {
            return None;
        }
        self.roots().into_iter().find_map(|(project, root)| {
            // The folder may be a link, of which either name is given.
            let real = std::fs::canonicalize(&root).ok();
            let rest = [Some(root), real].into_iter().flatten().find_map(|root| {
                let rest = wanted.strip_prefix(root).ok()?;
                let parts: Option<Vec<&str>> = rest.iter().map(std::ffi::OsStr::to_str).collect();
                Some(parts?.join("/"))
            });
            Some((project, rest?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
