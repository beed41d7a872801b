//! Writes the pages of a site as Markdown next to them, for language models that read a site page by page. The text is
//! the one that is searched.

use super::llms_list::{address, entry};
use super::search_box::place_in;
use anyhow::{Result, bail};
use nearfind_base::root_folder::RootFolder;
use nearfind_base::{remark, say};
use nearfind_bundles::bundle_folder::place_file;
use nearfind_bundles::library::{Document, FoundPath, WELL_KNOWN};
use nearfind_extract::one_line;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use url::Url;

/// Marks the end of files that this module wrote. Other files are not replaced.
const MARK: &str = "\n<!-- Written by nearfind export -->\n";
/// Maximum size of a file that may be replaced, in bytes.
const MOST: u64 = 64 << 20;
/// How many pages may share a description. A description of more pages does not describe any of them.
const SAME: usize = 2;
/// The part of the list with pages that are in no folder.
const TOP: &str = "";
/// The part of the list with reference pages.
const OPTIONAL: &str = "Optional";

/// Writes `page.md` next to each page of `site`, `llms.txt` with a part for each of the site's folders,
/// `llms-full.txt`, and the address of `bundle` if it is inside the site.
pub(super) fn write(
    site: &Path,
    bundle: Option<&Path>,
    documents: &[FoundPath],
    at: Option<&Url>,
    title: &str,
) -> Result<ExitCode> {
    if !site.is_dir() {
        bail!("{}: this folder does not exist; pass the folder of the indexed site", site.display());
    }
    let folder = RootFolder::new(site.to_owned());
    let mut parts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut full = format!("# {}\n", one_line(title));
    let (mut written, mut kept) = (0_usize, 0_usize);
    let documents = documents.iter().map(FoundPath::read).collect::<Result<Vec<_>>>()?;
    let mut described: BTreeMap<String, usize> = BTreeMap::new();
    documents.iter().for_each(|document| *described.entry(document.description.clone()).or_default() += 1);
    for mut document in documents {
        if described[&document.description] > SAME {
            document.description.clear();
        }
        let Some(twin) = twin_of(&document.path).filter(|_| folder.size(&document.path).is_some()) else { continue };
        let text = markdown(&document);
        if is_free(&folder, &twin) {
            place_file(&folder, Path::new(&twin), format!("{text}{MARK}").as_bytes())?;
            written += 1;
        } else {
            remark!("warning: {twin} already exists and is left unchanged");
            kept += 1;
        }
        let part = document.path.split_once('/').map_or(TOP, |(top, _)| top);
        if document.path == format!("{part}/index.html") {
            names.insert(part.to_owned(), one_line(&document.title));
        }
        let url = address(&document, at);
        // The format allows readers with little space to leave out this part.
        let part = if document.is_reference { OPTIONAL } else { part };
        parts.entry(part.to_owned()).or_default().push(entry(&document, &twin_address(&url, &twin)));
        write!(full, "\n{text}\nSource: {url}\n")?;
    }
    if written + kept == 0 {
        bail!("{}: this folder contains no page of the index; pass the folder of the indexed site", site.display());
    }
    let mut list = format!("# {}\n", one_line(title));
    let optional = parts.remove_entry(OPTIONAL);
    for (part, lines) in parts.iter().chain(optional.as_ref().map(|(part, lines)| (part, lines))) {
        let name = names.get(part).map_or(part.as_str(), String::as_str);
        let heading = if part == TOP { String::new() } else { format!("\n## {name}\n") };
        write!(list, "{heading}\n{}\n", lines.join("\n"))?;
    }
    for (name, text) in [("llms.txt", list), ("llms-full.txt", full)] {
        if is_free(&folder, name) {
            place_file(&folder, Path::new(name), format!("{text}{MARK}").as_bytes())?;
        } else {
            remark!("warning: {name} already exists and is left unchanged");
        }
    }
    if let Some(place) = bundle.and_then(|bundle| place_in(bundle, site)) {
        name_bundle(&folder, &place)?;
    }
    say!("wrote {written} pages as Markdown, llms.txt and llms-full.txt into {}", site.display());
    Ok(ExitCode::SUCCESS)
}

/// Writes the address of the bundle for programs that know only the address of the site.
fn name_bundle(folder: &RootFolder, place: &str) -> Result<()> {
    let said = |bytes: &[u8]| serde_json::from_slice::<BTreeMap<String, String>>(bytes).ok();
    let is_ours = |bytes: Vec<u8>| said(&bytes).is_some_and(|said| said.keys().eq(["bundle"]));
    if folder.size(WELL_KNOWN).is_some() && !folder.bytes(WELL_KNOWN, MOST).is_ok_and(is_ours) {
        remark!("warning: {WELL_KNOWN} already exists and is left unchanged");
        return Ok(());
    }
    let text = serde_json::json!({ "bundle": format!("../{place}") });
    place_file(folder, Path::new(WELL_KNOWN), format!("{text}\n").as_bytes())
}

/// Returns the path of the Markdown of a page, or `None` for other files.
fn twin_of(path: &str) -> Option<String> {
    path.strip_suffix(".html").map(|stem| format!("{stem}.md"))
}

/// Returns the address of the Markdown of the page at `url`, which may lack parts of the file name.
fn twin_address(url: &str, twin: &str) -> String {
    let page = url.split(['#', '?']).next().unwrap_or_default();
    if let Some(folder) = page.strip_suffix('/').or(page.is_empty().then_some("")) {
        let slash = if page.is_empty() { "" } else { "/" };
        return format!("{folder}{slash}index.md");
    }
    let stem = page.strip_suffix(".html").unwrap_or(page);
    // `guide` may mean `guide.html` or `guide/index.html`.
    let inside = twin.ends_with("/index.md") && !stem.ends_with("/index");
    if inside { format!("{stem}/index.md") } else { format!("{stem}.md") }
}

/// Returns the text of a page, with its title unless the text contains that as a heading.
fn markdown(document: &Document) -> String {
    let text = document.text();
    let title = one_line(&document.title);
    let is_titled = text.lines().any(|line| line.strip_prefix("# ").is_some_and(|heading| heading.trim() == title));
    let heading = if is_titled { String::new() } else { format!("# {title}\n\n") };
    format!("{heading}{}\n", text.trim())
}

/// Returns whether a file may be written: it does not exist, or this module wrote it.
fn is_free(folder: &RootFolder, path: &str) -> bool {
    folder.size(path).is_none() || folder.bytes(path, MOST).is_ok_and(|bytes| bytes.ends_with(MARK.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_are_beside_their_pages_and_so_are_their_addresses() {
        for (path, url, twin, address) in [
            ("guide/index.html", "/docs/guide/", "guide/index.md", "/docs/guide/index.md"),
            ("guide/index.html", "guide", "guide/index.md", "guide/index.md"),
            ("guide/a.html", "https://x.org/guide/a", "guide/a.md", "https://x.org/guide/a.md"),
            ("index.html", "", "index.md", "index.md"),
        ] {
            assert_eq!(twin_of(path).as_deref(), Some(twin));
            assert_eq!(twin_address(url, twin), address);
        }
        assert_eq!(twin_of("report.pdf"), None);
    }
}
