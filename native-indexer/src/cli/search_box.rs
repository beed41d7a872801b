//! Puts the search box next to a bundle, and explains how a page shows it.

use anyhow::{Context as _, Result};
use nearfind_base::real_path::real_path;
use nearfind_base::say;
use nearfind_bundles::bundle_folder::{BundleFiles, SCRIPT, package, write_box};
use std::path::Path;

/// Puts the box next to the bundle in `out`, if the program comes with a box.
pub(super) fn write(out: &Path) -> Result<()> {
    let Some(package) = package() else { return Ok(()) };
    write_box(&package, out, &BundleFiles::read(out)?.manifest)
        .context("the search box cannot be put next to the index")
}

/// Prints the lines that a page needs. `site` is the published folder, if it is known.
pub(super) fn explain(out: &Path, site: Option<&Path>) {
    if package().is_none() {
        say!("the search box is in the npm package `nearfind`; `npx nearfind index` puts it next to the index");
        return;
    }
    let folder = site.and_then(|site| place_in(out, site)).unwrap_or_else(|| "…/".to_owned());
    say!("add these two lines to your page template; prefix the address with the site's base path:");
    say!("  <script type=\"module\" src=\"/{folder}{SCRIPT}\"></script>");
    say!("  <nearfind-search></nearfind-search>");
}

/// Returns the path of `out` relative to `site`, with a slash at the end, or `None` if it is outside.
pub(super) fn place_in(out: &Path, site: &Path) -> Option<String> {
    let (out, site) = (real_path(out).ok()?, real_path(site).ok()?);
    let parts = out.strip_prefix(site).ok()?.components();
    Some(parts.map(|part| format!("{}/", part.as_os_str().to_string_lossy())).collect())
}
