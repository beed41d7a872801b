//! Finds versions of a page: pages with nearly the same text, and paths that differ only in a version.

use crate::source::version_name::{RELEASED, UNRELEASED, VERSION, is_version};
use nearfind_core::bundle::BundleDocument;
use nearfind_core::records::DocumentVersion;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Number of words in a shingle. Texts are compared by their shingles, which are all runs of this many words.
const SHINGLE_WORDS: usize = 4;
/// Minimum share of shingles that two versions of a page have in common.
const NEARLY_SAME: f64 = 0.5;

/// Marks the version of each document, and the documents that are versions of one page. `projects` contains the names
/// of projects, by number. A version that a page declares takes precedence over the version in its path.
pub(super) fn mark_versions(documents: &mut [BundleDocument], projects: &[String]) {
    // The versions at each position in paths. A single version at a position is just a folder.
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let found: Vec<Option<Versioned>> = documents
        .iter()
        .map(|document| versioned(&projects[document.record.project as usize], &document.record.path))
        .collect();
    for versioned in found.iter().flatten() {
        places.entry(versioned.before.clone()).or_default().insert(versioned.version.clone());
    }
    let mut pages: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut versions: Vec<String> = Vec::with_capacity(documents.len());
    for (number, versioned) in found.iter().enumerate() {
        let document = &mut documents[number];
        let said = document.facets.get(VERSION).filter(|said| said.len() == 1).and_then(|said| said.first());
        let is_one = |versioned: &&Versioned| said.is_some() || places[&versioned.before].len() > 1;
        let of_path = versioned.as_ref().filter(is_one);
        let version = said.or(of_path.map(|versioned| &versioned.version)).cloned().unwrap_or_default();
        if !version.is_empty() {
            document.facets.insert(VERSION.to_owned(), BTreeSet::from([version.clone()]));
            let page = of_path.map_or_else(
                || format!("{}/{}", projects[document.record.project as usize], document.record.path),
                |versioned| format!("{}{}", versioned.before.trim_end_matches('/'), versioned.behind),
            );
            pages.entry(page).or_default().push(number);
        }
        versions.push(version);
    }
    let mut of_projects: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for (document, version) in documents.iter().zip(&versions).filter(|(_, version)| !version.is_empty()) {
        of_projects.entry(document.record.project).or_default().insert(version.clone());
    }
    let several = of_projects.values().flatten().collect::<BTreeSet<_>>().len() > 1;
    for (document, version) in documents.iter_mut().zip(&versions) {
        let is_shown = document.record.meta.iter().any(|(name, _)| name == VERSION);
        let of_project = of_projects.get(&document.record.project).filter(|versions| versions.len() > 1);
        if several && !version.is_empty() && !is_shown {
            document.record.meta.push((VERSION.to_owned(), version.clone()));
            document.record.meta.sort();
        } else if let Some(of_project) = of_project.filter(|_| document.code.is_none()) {
            // A page without a version, such as a blog post, is for the readers of all versions.
            document.facets.entry(VERSION.to_owned()).or_insert_with(|| of_project.clone());
        }
    }
    for mut page in pages.into_values() {
        let version = |number: &usize| versions[*number].as_str();
        page.sort_by_key(|number| Reverse(order_of(version(number))));
        // Pages are not only compared with the latest version: if the latest was rewritten, older versions may be
        // nearly the same.
        while !page.is_empty() {
            let latest = shingles(&documents[page[0]].text);
            let same = |number: &usize| likeness(&latest, &shingles(&documents[*number].text)) >= NEARLY_SAME;
            // Two pages of the same version are different pages, however similar they are.
            let mut seen = BTreeSet::new();
            let (group, others): (Vec<usize>, Vec<usize>) =
                page.iter().partition(|number| same(number) && seen.insert(version(number).to_owned()));
            if group.len() > 1 {
                let versions: Vec<DocumentVersion> = group
                    .iter()
                    .map(|number| DocumentVersion {
                        version: version(number).to_owned(),
                        document: documents[*number].record.id.clone(),
                        url: documents[*number].record.url.clone(),
                    })
                    .collect();
                for &number in &group {
                    documents[number].record.versions.clone_from(&versions);
                    documents[number].latest = Some(group[0] as u32);
                }
            }
            page = if group.is_empty() { Vec::new() } else { others };
        }
    }
}

/// A path, split at its version.
struct Versioned {
    before: String,
    version: String,
    behind: String,
}

/// Splits `path` at the first folder that is a version, or finds a version at the end of the project's name.
fn versioned(project: &str, path: &str) -> Option<Versioned> {
    let folders: Vec<&str> = path.split('/').collect();
    let (_, folders) = folders.split_last()?;
    let mut at = 0;
    for folder in folders {
        if is_version(folder) {
            return Some(Versioned {
                before: format!("{project}/{}", &path[..at]),
                version: (*folder).to_owned(),
                behind: path[at + folder.len()..].to_owned(),
            });
        }
        at += folder.len() + 1;
    }
    let (name, version) = project.rsplit_once('-')?;
    is_version(version).then(|| Versioned {
        before: name.to_owned(),
        version: version.to_owned(),
        behind: format!("/{path}"),
    })
}

/// Returns a sort key that is greater for later versions.
fn order_of(version: &str) -> (u8, usize, Vec<u64>, Reverse<String>) {
    if let Some(place) = RELEASED.iter().position(|name| *name == version) {
        return (2, RELEASED.len() - place, Vec::new(), Reverse(String::new()));
    }
    if UNRELEASED.contains(&version) {
        return (0, 0, Vec::new(), Reverse(version.to_owned()));
    }
    let numbers = version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
    // `2.0` is later than `2.0-rc1`.
    let is_release = version.trim_start_matches('v').chars().all(|c| c.is_ascii_digit() || c == '.');
    (1, usize::from(is_release), numbers.collect(), Reverse(version.to_owned()))
}

fn shingles(text: &str) -> BTreeSet<Vec<&str>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(SHINGLE_WORDS.min(words.len()).max(1)).map(<[&str]>::to_vec).collect()
}

/// Returns the share of common shingles (Jaccard index). Two empty texts are the same.
fn likeness(a: &BTreeSet<Vec<&str>>, b: &BTreeSet<Vec<&str>>) -> f64 {
    let common = a.intersection(b).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearfind_core::records::DocumentRecord;

    fn marked(pages: &[(&str, &str)], project: &str) -> Vec<BundleDocument> {
        let page = |(path, text): &(&str, &str)| BundleDocument {
            record: DocumentRecord { path: (*path).to_owned(), id: (*path).to_owned(), ..DocumentRecord::default() },
            text: (*text).to_owned(),
            ..BundleDocument::default()
        };
        let mut documents: Vec<_> = pages.iter().map(page).collect();
        mark_versions(&mut documents, &[project.to_owned()]);
        documents
    }

    #[test]
    fn pages_that_differ_in_their_version_are_one() {
        let text = "How to install the package with the help of the installer and nothing else";
        let documents = marked(
            &[
                ("docs/1.9/a.md", text),
                ("docs/1.10/a.md", &format!("{text} now")),
                ("docs/1.10/b.md", "Other"),
                ("docs/2.0-rc1/a.md", "Quite another text"),
            ],
            "x",
        );
        let latest: Vec<_> = documents.iter().map(|document| document.latest).collect();
        // 1.10 is later than 1.9, the page of 2.0 was rewritten, and no page is like `b`.
        assert_eq!(latest, [Some(1), Some(1), None, None]);
        let versions: Vec<_> = documents[0].record.versions.iter().map(|version| version.version.as_str()).collect();
        assert_eq!(versions, ["1.10", "1.9"]);
        assert_eq!(documents[2].facets[VERSION].first().unwrap(), "1.10");
    }

    #[test]
    fn what_pages_say_of_their_version_counts_where_paths_do_not() {
        let text = "All about the first thing that there is to say on this page";
        let page = |path: &str, version: &str| BundleDocument {
            record: DocumentRecord { path: path.to_owned(), ..DocumentRecord::default() },
            text: text.to_owned(),
            facets: [(VERSION.to_owned(), BTreeSet::from([version.to_owned()]))].into(),
            ..BundleDocument::default()
        };
        // On Docusaurus sites, the latest version has no folder of its own.
        let mut documents = [
            page("docs/a.html", "3.1"),
            page("docs/v2/a.html", "2.x"),
            page("docs/v3/a.html", "3.1"),
            BundleDocument { facets: BTreeMap::new(), ..page("blog/a.html", "") },
        ];
        mark_versions(&mut documents, &["x".to_owned()]);
        let latest: Vec<_> = documents.iter().map(|document| document.latest).collect();
        // Two pages of the same version stay separate.
        assert_eq!(latest, [Some(0), Some(0), None, None]);
        assert_eq!(documents[1].record.meta, [(VERSION.to_owned(), "2.x".to_owned())]);
        assert_eq!(documents[3].facets[VERSION].len(), 2, "it is there for the readers of all");
    }

    #[test]
    fn one_version_is_just_a_folder() {
        let documents =
            marked(&[("7.6/a.md", "A"), ("7.6/b.md", "A"), ("part/2/c.md", "A"), ("part/3/c.md", "A")], "x");
        assert!(documents.iter().all(|document| document.facets.is_empty() && document.latest.is_none()));
    }

    #[test]
    fn versions_are_in_their_order() {
        let mut versions = ["main", "1.9", "stable", "v2", "1.10", "latest"];
        versions.sort_by_key(|version| Reverse(order_of(version)));
        assert_eq!(versions, ["stable", "latest", "v2", "1.10", "1.9", "main"]);
    }
}
