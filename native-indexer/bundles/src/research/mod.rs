//! Research on questions that no single passage answers: a map of documentation and source code on the subject, in
//! clusters. An agent reads the map and then the passages that it needs. A language model, if one is configured, writes
//! a report.

mod citations;
mod cluster;
mod clusters;
mod likeness;
mod map;
mod names;
mod normalize;
mod passages;
mod plan;
mod question;
mod report;
mod ties;
mod word_vectors;

pub use cluster::{Cluster, ClusterFile};
pub use clusters::{Clustering, cluster};
pub use likeness::Likeness;
pub use map::{ResearchMap, Step};
pub use passages::Passage;
pub use question::{CLUSTER_TOKENS, MAX_QUESTIONS, ResearchQuestion};
pub use report::{Citation, Report, Section};
pub use ties::{Tie, tie_words};

use crate::library::{Library, View};
use anyhow::Result;
use cluster::files_of;

impl Library {
    /// Finds the passages for `question`, and groups them into clusters.
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
