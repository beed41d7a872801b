//! Suggests how to use a map of passages: read clusters, then whole files, then the code around them, and ask again if
//! questions remain.

use super::cluster::Cluster;
use super::map::{ResearchMap, Step};
use super::passages::Passage;

/// Maximum numbers of clusters, files and symbols in the suggestions.
const CLUSTERS: usize = 3;
const FILES: usize = 3;
const SYMBOLS: usize = 2;
/// Minimum number of passages that makes it better to read the whole file.
const PASSAGES: usize = 3;

/// Returns the suggestions for `map`.
pub(super) fn steps(map: &ResearchMap) -> Vec<Step> {
    let mut steps: Vec<Step> =
        map.clusters.iter().take(CLUSTERS).map(|cluster| Step::ReadCluster(cluster.number)).collect();
    let is_dense = |cluster: &Cluster, project: &str, path: &str| {
        cluster.passages.iter().filter(|passage| passage.project == project && passage.path == path).count() >= PASSAGES
    };
    let mut files = Vec::new();
    for cluster in &map.clusters {
        for file in cluster.files.iter().filter(|file| is_dense(cluster, &file.project, &file.path)) {
            let step = Step::ReadFile(file.project.clone(), file.path.clone());
            if !files.contains(&step) {
                files.push(step);
            }
        }
    }
    steps.extend(files.into_iter().take(FILES));
    let mut passages: Vec<&Passage> = map.clusters.iter().flat_map(|cluster| &cluster.passages).collect();
    passages.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut symbols: Vec<Step> = Vec::new();
    for symbol in passages.iter().filter_map(|passage| passage.symbols.first()) {
        let step = Step::Callers(symbol.clone());
        if symbols.len() < SYMBOLS && !symbols.contains(&step) {
            symbols.push(step);
        }
    }
    steps.extend(symbols);
    steps.extend(map.unanswered.iter().map(|&number| Step::AskAgain(number)));
    steps
}
