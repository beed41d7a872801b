//! Resolves links between the pages of a source.

use nearfind_base::file_names::joined;

/// Returns the path of the page that the relative link `target` in the page at `path` points to.
pub(crate) fn resolve(path: &str, target: &str) -> String {
    let target = target.split(['#', '?']).next().unwrap_or_default();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let resolved = joined(folder, target);
    if target.ends_with('/') { format!("{resolved}/index.html").trim_start_matches('/').to_owned() } else { resolved }
}
