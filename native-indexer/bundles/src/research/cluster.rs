//! A cluster of passages on one subject, and the files that contain them.

use super::passages::Passage;
use serde::Serialize;
use std::collections::BTreeMap;

/// Passages on one subject.
#[derive(Clone, Debug, Serialize)]
pub struct Cluster {
    /// The cluster's number, starting at 1.
    pub number: usize,
    /// The cluster's characteristic words, and the folder that contains all of its passages, if there is one.
    pub name: String,
    /// The approximate number of tokens in the cluster's passages.
    pub tokens: usize,
    /// Numbers of the questions that found the passages, starting at 1.
    pub questions: Vec<usize>,
    /// The cluster's files, starting with the file of the best passage.
    pub files: Vec<ClusterFile>,
    /// Indices in [`Cluster::passages`] of the passages that represent most of the cluster.
    pub representatives: Vec<usize>,
    /// The cluster's passages, best first.
    pub passages: Vec<Passage>,
}

/// A file of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterFile {
    /// Name of the file's project.
    pub project: String,
    /// Path in the project.
    pub path: String,
    /// The file's title. Empty for source code.
    pub title: String,
    /// The subjects of the file's passages: symbols in source code, and sections in other files.
    pub about: Vec<String>,
    /// The lines of the file's passages, starting at 1, in the order of the passages.
    pub lines: Vec<(usize, usize)>,
}

impl Cluster {
    pub(super) fn new(number: usize, name: String, representatives: Vec<usize>, passages: Vec<Passage>) -> Self {
        let mut questions: Vec<usize> = passages.iter().flat_map(|passage| passage.questions.clone()).collect();
        questions.sort_unstable();
        questions.dedup();
        let tokens = passages.iter().map(Passage::tokens).sum();
        Self { number, name, tokens, questions, files: files_of(&passages), representatives, passages }
    }
}

/// Returns the files of passages, in the order of the first passage of each.
pub(super) fn files_of<'a>(passages: impl IntoIterator<Item = &'a Passage>) -> Vec<ClusterFile> {
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
