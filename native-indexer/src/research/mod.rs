//! Questions that no one passage answers: what documentation and source code have on them, in clusters of what belongs together.
//! An agent reads the map and then what it needs; a language model, where one is set, writes it up.

mod citations;
mod clusters;
mod likeness;
mod names;
mod passages;
mod plan;
mod report;
mod ties;
mod word_vectors;

pub use clusters::{Clustering, cluster};
pub use likeness::Likeness;
pub use passages::Passage;
pub use plan::Step;
pub use report::{Citation, Report, Section};
pub use ties::{Tie, tie_words};

use crate::library::{Library, PathFilter, View};
use anyhow::{Context as _, Result, ensure};
use nearfind_core::search::Filter;
use serde::Serialize;
use std::collections::BTreeMap;

/// Questions of one research, at most.
pub const MOST_QUESTIONS: usize = 8;
/// Tokens of a cluster, unless somebody says otherwise: a response of the server for agents holds one.
pub const CLUSTER_TOKENS: usize = 2000;
/// A character of English is that part of a token; other languages have more.
const TOKEN_CHARS: usize = 4;

/// What is to be found out.
#[derive(Clone)]
pub struct ResearchQuestion {
    /// The questions, one to [`MOST_QUESTIONS`].
    pub questions: Vec<String>,
    /// Filters, as in [`crate::library::Question`].
    pub filters: Vec<Filter>,
    /// The paths that may answer.
    pub path: Option<PathFilter>,
    /// Tokens that clusters are merged up to.
    pub cluster_tokens: usize,
}

/// What there is on the questions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ResearchMap {
    /// The questions.
    pub questions: Vec<String>,
    /// What belongs together, the cluster with the best passage first.
    pub clusters: Vec<Cluster>,
    /// How the clusters hang together, the strongest ties first.
    pub ties: Vec<Tie>,
    /// Clusters by density alone, before they were merged.
    pub num_native_clusters: usize,
    /// Passages that belonged to none of those, and were added to the nearest.
    pub num_outliers: usize,
    /// Clusters in the end.
    pub num_clusters: usize,
    /// Passages in all of them.
    pub passages: usize,
    /// Files that these are of.
    pub files: usize,
    /// Numbers of the questions, from 1, that nothing was found for.
    pub unanswered: Vec<usize>,
    /// What to read or to ask next.
    pub next: Vec<Step>,
    /// What to know of how this was found.
    pub notices: Vec<String>,
}

/// Passages that belong together.
#[derive(Clone, Debug, Serialize)]
pub struct Cluster {
    /// Its number, from 1.
    pub number: usize,
    /// Its own words, and the folder that all of it is in, if it is in one.
    pub name: String,
    /// About how many tokens its passages have.
    pub tokens: usize,
    /// Numbers of the questions, from 1, that its passages were found for.
    pub questions: Vec<usize>,
    /// Its files, the one with the best passage first.
    pub files: Vec<ClusterFile>,
    /// Places in [`Cluster::passages`] of those that say most of what the cluster says.
    pub representatives: Vec<usize>,
    /// Its passages, the best first.
    pub passages: Vec<Passage>,
}

/// A file of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterFile {
    /// Name of its project.
    pub project: String,
    /// Path inside its project.
    pub path: String,
    /// Its title; empty for source code.
    pub title: String,
    /// What its passages are about: symbols of source code, sections of other files.
    pub about: Vec<String>,
    /// The lines of its passages, from 1, in their order.
    pub lines: Vec<(usize, usize)>,
}

impl ResearchQuestion {
    fn check(&self) -> Result<()> {
        ensure!(self.questions.iter().any(|question| !question.trim().is_empty()), "there is no question to look into");
        ensure!(
            self.questions.len() <= MOST_QUESTIONS,
            "these are {} questions: look into {MOST_QUESTIONS} at a time, at most",
            self.questions.len()
        );
        Ok(())
    }
}

impl std::fmt::Debug for ResearchQuestion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ResearchQuestion").field("questions", &self.questions).finish_non_exhaustive()
    }
}

impl Library {
    /// Finds out what there is on `question`.
    pub fn research(&self, view: &View, question: &ResearchQuestion) -> Result<ResearchMap> {
        question.check()?;
        let mut found = passages::find(self, view, question)?;
        let likeness = Likeness::of_vectors(&passages::vectors(&found.passages)?);
        let tokens: Vec<usize> = found.passages.iter().map(|passage| passage.passage.tokens()).collect();
        let Clustering { clusters, native, outliers } = cluster(&likeness, &tokens, question.cluster_tokens);
        let clusters: Vec<(Vec<usize>, Vec<Passage>)> = clusters
            .into_iter()
            .map(|places| {
                let representatives = clusters::representatives(&places, &likeness);
                (representatives, places.into_iter().map(|place| found.passages[place].passage.clone()).collect())
            })
            .collect();
        let names = names::names(clusters.iter().map(|(_, passages)| passages.as_slice()));
        let mut map = ResearchMap {
            questions: question.questions.clone(),
            num_native_clusters: native,
            num_outliers: outliers,
            num_clusters: clusters.len(),
            passages: found.passages.len(),
            notices: std::mem::take(&mut found.notices),
            ..ResearchMap::default()
        };
        for ((representatives, passages), (name, at)) in clusters.into_iter().zip(names.into_iter().zip(1..)) {
            map.clusters.push(Cluster::new(at, name, representatives, passages));
        }
        let asked_for = |number: &usize| map.clusters.iter().any(|cluster| cluster.questions.contains(number));
        map.unanswered = (1..=map.questions.len()).filter(|number| !asked_for(number)).collect();
        map.files = files_of(map.clusters.iter().flat_map(|cluster| &cluster.passages)).len();
        map.ties = ties::ties(&map.clusters);
        map.next = plan::steps(&map);
        Ok(map)
    }
}

impl ResearchMap {
    /// The cluster with this number.
    pub fn cluster(&self, number: usize) -> Result<&Cluster> {
        let found = number.checked_sub(1).and_then(|place| self.clusters.get(place));
        found.with_context(|| format!("there is no cluster {number}: there are {}", self.clusters.len()))
    }
}

impl Cluster {
    fn new(number: usize, name: String, representatives: Vec<usize>, passages: Vec<Passage>) -> Self {
        let mut questions: Vec<usize> = passages.iter().flat_map(|passage| passage.questions.clone()).collect();
        questions.sort_unstable();
        questions.dedup();
        let tokens = passages.iter().map(Passage::tokens).sum();
        Self { number, name, tokens, questions, files: files_of(&passages), representatives, passages }
    }
}

/// The files of passages, in the order of their first.
fn files_of<'a>(passages: impl IntoIterator<Item = &'a Passage>) -> Vec<ClusterFile> {
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut files: Vec<ClusterFile> = Vec::new();
    for passage in passages {
        let place = *places.entry((&passage.project, &passage.path)).or_insert(files.len());
        if place == files.len() {
            files.push(ClusterFile {
                project: passage.project.clone(),
                path: passage.path.clone(),
                title: if passage.is_code { String::new() } else { passage.title.clone() },
                about: Vec::new(),
                lines: Vec::new(),
            });
        }
        let file = &mut files[place];
        let section = Some(&passage.section).filter(|section| !passage.is_code && !section.is_empty());
        for about in passage.symbols.iter().chain(section) {
            if !file.about.contains(about) {
                file.about.push(about.clone());
            }
        }
        file.lines.push(passage.lines);
    }
    for file in &mut files {
        file.lines.sort_unstable();
        file.lines.dedup();
    }
    files
}
