//! Finds dead links inside a site: links to missing pages, and links to missing anchors.

use anyhow::Result;
use nearfind_base::root_folder::RootFolder;
use nearfind_extract::{Links, links};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use std::collections::BTreeMap;
use url::Url;

/// Maximum size of a page, in bytes.
const MOST: u64 = 32 << 20;
/// A placeholder for the address of the site, used to resolve links.
const SITE: &str = "http://site.invalid/";

/// A dead link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeadLink {
    /// The target: the path of a page, followed by `#` and the anchor if there is one.
    pub to: String,
    /// Whether the page exists, so that only the anchor is missing.
    pub has_page: bool,
    /// Number of pages with this link.
    pub links: usize,
    /// One of these pages.
    pub from: String,
}

/// Returns the dead links on the pages at `paths` of a site. Links that occur on the most pages come first. Links with
/// complete addresses are ignored. Links from the root of the host are ignored if their target does not exist, because
/// the site may not be at the root.
///
/// # Errors
///
/// Returns an error if the folder does not exist.
pub fn dead_links(site: &RootFolder, paths: &[String]) -> Result<Vec<DeadLink>> {
    anyhow::ensure!(site.path().is_dir(), "{}: this folder does not exist", site.path().display());
    let mut pages = Pages { site, read: BTreeMap::new() };
    let mut dead: BTreeMap<String, DeadLink> = BTreeMap::new();
    for path in paths {
        let Some(Links { addresses, base, .. }) = pages.links(path).cloned() else { continue };
        for address in addresses {
            let Some((target, place)) = target_of(path, base.as_deref(), &address) else { continue };
            // A link from the root of the host may lead outside the site.
            let is_from_root = |address: &str| address.starts_with('/');
            if (is_from_root(&address) || base.as_deref().is_some_and(is_from_root)) && pages.find(&target).is_none() {
                continue;
            }
            let found = pages.find(&target);
            let has_place = |links: &Links| place.is_empty() || place == "top" || links.places.contains(&place);
            let is_dead = found.as_ref().is_none_or(|page| pages.links(page).is_some_and(|links| !has_place(links)));
            if is_dead {
                let to = if place.is_empty() { target } else { format!("{target}#{place}") };
                let link = dead.entry(to.clone()).or_insert_with(|| DeadLink {
                    to,
                    has_page: found.is_some(),
                    links: 0,
                    from: path.clone(),
                });
                link.links += 1;
            }
        }
    }
    let mut dead: Vec<DeadLink> = dead.into_values().collect();
    dead.sort_by(|a, b| b.links.cmp(&a.links).then_with(|| a.to.cmp(&b.to)));
    Ok(dead)
}

/// The pages of a site, each read once.
struct Pages<'a> {
    site: &'a RootFolder,
    read: BTreeMap<String, Option<Links>>,
}

impl Pages<'_> {
    /// Returns the links and anchors of the page at `path`, or `None` if it is not a page or cannot be read.
    fn links(&mut self, path: &str) -> Option<&Links> {
        if !self.read.contains_key(path) {
            let is_page = std::path::Path::new(path)
                .extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case("html") || ending.eq_ignore_ascii_case("htm"));
            let bytes = is_page.then(|| self.site.bytes(path, MOST).ok()).flatten();
            let found = bytes.and_then(|bytes| links(&String::from_utf8_lossy(&bytes)).ok());
            self.read.insert(path.to_owned(), found);
        }
        self.read.get(path).and_then(Option::as_ref)
    }

    /// Returns the file that a host serves for a path, if there is one.
    fn find(&self, path: &str) -> Option<String> {
        let folder = if path.is_empty() || path.ends_with('/') { path.to_owned() } else { format!("{path}/") };
        [path.to_owned(), format!("{path}.html"), format!("{folder}index.html"), format!("{folder}index.htm")]
            .into_iter()
            .find(|candidate| !candidate.is_empty() && self.site.size(candidate).is_some())
    }
}

/// Returns the path and the anchor that a link on the page at `path` points to, or `None` if the link leads to another
/// site.
fn target_of(path: &str, base: Option<&str>, address: &str) -> Option<(String, String)> {
    let page = Url::parse(SITE).ok()?.join(path).ok()?;
    let base = base.map_or(Some(page.clone()), |base| page.join(base).ok())?;
    let target = base.join(address).ok()?;
    if !target.as_str().starts_with(SITE) {
        return None;
    }
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let place = target.fragment().map(decoded).unwrap_or_default();
    // Text fragments and router paths are not anchors.
    let place = place.split(":~:").next().unwrap_or_default();
    let place = if place.starts_with(['/', '!']) { "" } else { place };
    Some((decoded(target.path().trim_start_matches('/')), place.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_links_to_missing_pages_and_places_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "index.html",
            "<a href='guide/#gone'>1</a><a href='guide/#here'>2</a><a href='nowhere.html'>3</a><a href='#top'>4</a>",
        );
        write(
            "guide/index.html",
            "<h2 id=here>x</h2><a href='../#%C3%A4'>5</a><a href='https://example.org/x'>6</a><a href='/other/'>7</a>
             <a href='mailto:a@b.c'>8</a><a href='../nowhere.html'>9</a><a href='../a.pdf#page=3'>10</a><a href='../../../x'>11</a>",
        );
        write("a.pdf", "%PDF");
        write("deep/page.html", "<base href='../'><a href='guide/#here'>12</a><a href='index.html'>13</a>");
        let site = RootFolder::new(folder.path().to_owned());
        let paths = ["index.html", "guide/index.html", "deep/page.html"].map(str::to_owned);
        let found = dead_links(&site, &paths).unwrap();
        let told: Vec<_> = found.iter().map(|link| (link.to.as_str(), link.has_page, link.links)).collect();
        assert_eq!(told, [("nowhere.html", false, 2), ("#ä", true, 1), ("guide/#gone", true, 1), ("x", false, 1)]);
    }
}
