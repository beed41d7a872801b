//! Puts the search box beside a bundle, and says what a page needs to show it.

use anyhow::{Context as _, Result};
use nearfind_base::real_path::real_path;
use nearfind_base::say;
use nearfind_bundles::bundle_folder::{BundleFiles, SCRIPT, package, write_box};
use std::path::Path;

/// Puts the box beside the bundle in `out`, if the program has one.
pub(super) fn write(out: &Path) -> Result<()> {
    let Some(package) = package() else { return Ok(()) };
    write_box(&package, out, &BundleFiles::read(out)?.manifest)
        .context("the search box cannot be put beside the bundle")
}

/// Prints the lines that a page needs; `site` is the folder that is published, if that is known.
pub(super) fn explain(out: &Path, site: Option<&Path>) {
    if package().is_none() {
        say!("the search box is in the npm package `nearfind`; `npx nearfind index` puts it beside the bundle");
        return;
    }
    let folder = site.and_then(|site| place_in(out, site)).unwrap_or_else(|| "…/".to_owned());
    say!("add these two lines to your page template; prefix the address with the site's base path:");
    say!("  <script type=\"module\" src=\"/{folder}{SCRIPT}\"></script>");
    say!("  <nearfind-search></nearfind-search>");
}

/// Where `out` is below `site`, with a slash at its end.
pub(super) fn place_in(out: &Path, site: &Path) -> Option<String> {
    let (out, site) = (real_path(out).ok()?, real_path(site).ok()?);
    let parts = out.strip_prefix(site).ok()?.components();
    Some(parts.map(|part| format!("{}/", part.as_os_str().to_string_lossy())).collect())
}
