//! Relations between clusters: names that one defines and the other uses, links, and files that both share.

use super::cluster::Cluster;
use super::passages::Passage;
use nearfind_base::file_names::{joined, stem};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Maximum number of ties, and of names, links and files in each tie.
const MAX_TIES: usize = 20;
const MAX_NAMES: usize = 5;

/// A relation between two clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tie {
    /// The number of the cluster that contains the names or links.
    pub from: usize,
    /// The number of the other cluster.
    pub to: usize,
    /// Names that are defined in `to` and mentioned in `from`.
    pub names: Vec<String>,
    /// Files of `to`, with project and path, that `from` links to.
    pub links: Vec<String>,
    /// Files of both clusters, listed once for each pair.
    pub files: Vec<String>,
}

impl Tie {
    fn strength(&self) -> usize {
        self.names.len() + self.links.len() + self.files.len()
    }
}

/// Describes a tie in words.
pub fn tie_words(names: &[String], links: &[String], files: &[String]) -> String {
    let kinds =
        [("names", names), ("links to", links), ("shares", files)].into_iter().filter(|(_, what)| !what.is_empty());
    kinds.map(|(kind, what)| format!("{kind} {}", what.join(", "))).collect::<Vec<_>>().join("; ")
}

/// Returns the ties of all clusters, strongest first.
pub(super) fn ties(clusters: &[Cluster]) -> Vec<Tie> {
    let known: Vec<Known<'_>> = clusters.iter().map(Known::of).collect();
    let mut ties = Vec::new();
    for (from, to) in (0..clusters.len()).flat_map(|from| (0..clusters.len()).map(move |to| (from, to))) {
        if from == to {
            continue;
        }
        let (here, there) = (&known[from], &known[to]);
        let is_named = |name: &&&str| here.words.contains(**name) && !here.defined.contains(**name);
        let mut tie = Tie {
            from: from + 1,
            to: to + 1,
            names: there.defined.iter().filter(is_named).map(|name| (*name).to_owned()).collect(),
            links: there.files.iter().filter(|file| here.links(file)).map(id).collect(),
            files: Vec::new(),
        };
        if from < to {
            tie.files = here.files.intersection(&there.files).map(id).collect();
        }
        for list in [&mut tie.names, &mut tie.links, &mut tie.files] {
            list.truncate(MAX_NAMES);
        }
        ties.extend(Some(tie).filter(|tie| tie.strength() > 0));
    }
    ties.sort_by_key(|tie| (std::cmp::Reverse(tie.strength()), tie.from, tie.to));
    ties.truncate(MAX_TIES);
    ties
}

/// The project and path of a file.
type File<'a> = (&'a str, &'a str);

fn id((project, path): &File<'_>) -> String {
    format!("{project}/{path}")
}

/// The names, words and links of a cluster.
struct Known<'a> {
    files: BTreeSet<File<'a>>,
    /// The names that it defines.
    defined: BTreeSet<&'a str>,
    words: HashSet<&'a str>,
    /// For each project, the paths that the cluster links to, without file extensions.
    targets: BTreeMap<&'a str, HashSet<String>>,
}

impl<'a> Known<'a> {
    fn of(cluster: &'a Cluster) -> Self {
        let mut known =
            Self { files: BTreeSet::new(), defined: BTreeSet::new(), words: HashSet::new(), targets: BTreeMap::new() };
        for passage in &cluster.passages {
            known.files.insert((&passage.project, &passage.path));
            known.defined.extend(passage.defines());
            known.words.extend(passage.text.split(|c: char| !c.is_alphanumeric() && c != '_'));
            known.targets.entry(&passage.project).or_default().extend(targets(passage));
        }
        known
    }

    /// Whether a passage links to a file that is not in this cluster.
    fn links(&self, (project, path): &File<'_>) -> bool {
        !self.files.contains(&(*project, *path))
            && self.targets.get(project).is_some_and(|targets| targets.contains(page(path)))
    }
}

/// Returns the pages that a Markdown passage links to.
fn targets(passage: &Passage) -> impl Iterator<Item = String> {
    let folder = passage.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let addresses = passage.text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ', '#', '?']).next());
    let own = addresses.filter(|address| !address.contains("://") && !address.is_empty());
    own.map(move |address| page(&joined(folder, address)).to_owned())
}

/// Returns a path without its file extension. For an index page, it is the path of its folder.
fn page(path: &str) -> &str {
    let page = stem(path);
    ["/index", "/README"].iter().find_map(|index| page.strip_suffix(index)).unwrap_or(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(number: usize, passages: Vec<Passage>) -> Cluster {
        Cluster::new(number, String::new(), Vec::new(), passages)
    }

    fn page(path: &str, text: &str) -> Passage {
        Passage { project: "p".to_owned(), path: path.to_owned(), text: text.to_owned(), ..Passage::default() }
    }

    #[test]
    fn clusters_hang_together_by_names_links_and_files() {
        let code = Passage {
            is_code: true,
            symbols: vec!["Client.send_all".to_owned(), "Client.new".to_owned()],
            ..page("src/client.rs", "fn send_all() {}")
        };
        let caller = Passage { is_code: true, ..page("src/run.rs", "client.send_all(); Client::new()") };
        let guide =
            page("docs/guide/index.md", "See [retries](../retry.md#pauses) and [others](https://a.example/retry.md).");
        let retry = page("docs/retry.md", "It is tried again.");
        let clusters = [cluster(1, vec![code.clone()]), cluster(2, vec![caller, guide]), cluster(3, vec![retry, code])];
        let ties = ties(&clusters);
        let found = |from, to| ties.iter().find(|tie| (tie.from, tie.to) == (from, to));
        // A three-letter name occurs in every text.
        assert_eq!(found(2, 1).unwrap().names, ["send_all"]);
        assert_eq!(
            (found(2, 3).unwrap().links.as_slice(), found(2, 3).unwrap().names.len()),
            (["p/docs/retry.md".to_owned()].as_slice(), 1)
        );
        assert_eq!(found(1, 3).unwrap().files, ["p/src/client.rs"]);
        assert_eq!((found(3, 1), found(1, 2)), (None, None));
    }
}
