//! Makes the document for a page, with its title, address, date, filters and weight.

use super::document::SourceDocument;
use super::open_source::OpenSource;
use super::page_url::{UrlStyle, page_url};
use super::path_rules::{Rules, usual_weight};
use nearfind_base::facets::KIND;
use nearfind_base::file_names::stem;
use nearfind_core::search::{CATALOG_FILTERS, LANGUAGE, PROJECT};
use nearfind_extract::{Extracted, FileKind, Metadata, composed, date_in_name, kind_of};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Makes the document for the file at `path` from its text. `content` identifies that text.
pub(super) fn page_document(
    source: &OpenSource,
    rules: &Rules,
    several: bool,
    path: &str,
    mut extracted: Extracted,
    content: &str,
) -> SourceDocument {
    let spec = &source.spec;
    let (root, inside) = source.selection.place(path);
    let said = rules.of(path);
    if extracted.title.is_empty() {
        let title = title_from_path(path);
        extracted.title = composed(&title).unwrap_or(title);
    }
    let canonical = extracted.canonical_url.clone().filter(|_| spec.canonical);
    let url = canonical.unwrap_or_else(|| address(source, several, path));
    let date = extracted.date.or_else(|| date_in_name(path)).or_else(|| source.dates.get(path).copied());
    let mut facets = facets_of(&extracted.metadata);
    let of_project = spec.facets.iter().map(|(name, value)| (name.clone(), BTreeSet::from([value.clone()])));
    facets.extend(of_project);
    if let Some(kind) = said.kind.or(root.kind) {
        facets.insert(KIND.to_owned(), BTreeSet::from([kind.name().to_owned()]));
    }
    if let Some(archive) = source.archive_of(path) {
        // A link to this document opens the archive, so readers want to know its name and size.
        let name = archive.rsplit('/').next().unwrap_or(archive);
        let shown = [("format", name.to_owned()), ("size", source.size(archive).to_string())];
        extracted.metadata.shown.extend(shown.map(|(name, value)| (name.to_owned(), value)));
    }
    let weight = said.weight.or(extracted.metadata.weight).unwrap_or_else(|| usual_weight(inside));
    SourceDocument {
        path: path.to_owned(),
        id: None,
        url: Some(url),
        aliases: Vec::new(),
        area_at: (path.len() - inside.len()) as u32,
        date,
        facets,
        weight,
        content: Some(format!("{content} {path}")),
        code: None,
        extracted,
    }
}

/// Returns the facets that a page declares, except those with the name of one of nearfind's own filters.
fn facets_of(metadata: &Metadata) -> BTreeMap<String, BTreeSet<String>> {
    let is_free = |name: &str| name != PROJECT && name != LANGUAGE && !CATALOG_FILTERS.contains(&name);
    let own = metadata.filters.iter().filter(|(name, _)| is_free(name));
    own.map(|(name, values)| (name.clone(), values.clone())).collect()
}

/// Returns the address of the file at `path`. For a file in an archive, this is the address of the archive, because no
/// address leads into it.
pub(super) fn address(source: &OpenSource, several: bool, path: &str) -> String {
    let spec = &source.spec;
    let archive = source.archive_of(path);
    let path = archive.unwrap_or(path);
    let (root, inside) = source.selection.place(path);
    let base = match &spec.base_url {
        Some(base) => base.clone(),
        None if several => format!("/{}", spec.name),
        None => String::new(),
    };
    let published = if root.url_path.is_empty() { inside.to_owned() } else { format!("{}/{inside}", root.url_path) };
    // Only pages are published under a name that differs from their file name.
    let is_page = archive.is_none() && kind_of(Path::new(path)).is_none_or(FileKind::is_page);
    page_url(if is_page { spec.url_style } else { UrlStyle::File }, &base, &published)
}

/// Makes a title from a path: `getting_started.md` becomes `Getting Started`. An index page gets the name of its
/// folder.
fn title_from_path(path: &str) -> String {
    let stem = stem(path);
    let stem = stem.strip_suffix("/index").unwrap_or(stem);
    let name = stem.rsplit('/').next().unwrap_or(stem);
    let words = name.split(['_', '-', ' ']).filter(|word| !word.is_empty());
    let titled = words.map(|word| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>()).unwrap_or_default()
    });
    titled.collect::<Vec<_>>().join(" ")
}
