//! nDCG, MRR, hit rate and recall (Manning, Raghavan and Schütze, "Introduction to Information Retrieval", ch. 8).

use super::JudgedQuery;
use serde::Serialize;

/// Depths of the hit rate.
pub const CUTOFFS: [usize; 3] = [1, 3, 10];

/// Means over queries, all in 0…1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// Number of queries.
    pub queries: usize,
    /// Normalised discounted cumulative gain of the first ten, with linear gains as in trec_eval.
    pub ndcg_at_10: f64,
    /// Mean of 1 / rank of the first relevant document among ten.
    pub mrr_at_10: f64,
    /// Share of queries with a relevant document among the first 1, 3 and 10.
    pub hit_at: [f64; CUTOFFS.len()],
    /// Share of the relevant documents among the first hundred.
    pub recall_at_100: f64,
}

/// Judges the ranked document ids of each query.
pub fn evaluate(answers: &[(&JudgedQuery, Vec<String>)]) -> Metrics {
    let mut sum = Metrics { queries: answers.len(), ..Metrics::default() };
    for (query, ranked) in answers {
        let gain = |document: &String| query.relevant.get(document).copied().unwrap_or(0.0);
        let discounted = |gains: &mut dyn Iterator<Item = f64>| -> f64 {
            gains.take(10).enumerate().map(|(at, gain)| gain / (at as f64 + 2.0).log2()).sum()
        };
        let mut ideal: Vec<f64> = query.relevant.values().copied().collect();
        ideal.sort_by(|a, b| b.total_cmp(a));
        sum.ndcg_at_10 += discounted(&mut ranked.iter().map(gain)) / discounted(&mut ideal.iter().copied());
        let first = ranked.iter().position(|document| gain(document) > 0.0);
        sum.mrr_at_10 += first.filter(|at| *at < 10).map_or(0.0, |at| 1.0 / (at as f64 + 1.0));
        for (hit, cutoff) in sum.hit_at.iter_mut().zip(CUTOFFS) {
            *hit += f64::from(u8::from(first.is_some_and(|at| at < cutoff)));
        }
        let found = ranked.iter().take(100).filter(|document| gain(document) > 0.0).count();
        sum.recall_at_100 += found as f64 / query.relevant.len() as f64;
    }
    let count = answers.len().max(1) as f64;
    let Metrics { queries: _, ndcg_at_10, mrr_at_10, hit_at, recall_at_100 } = &mut sum;
    for value in [ndcg_at_10, mrr_at_10, recall_at_100].into_iter().chain(hit_at) {
        *value /= count;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_worked_example() {
        let query = JudgedQuery {
            id: "q".into(),
            text: "?".into(),
            category: "all".into(),
            relevant: BTreeMap::from([("a".into(), 2.0), ("b".into(), 1.0)]),
        };
        let ranked = ["x", "a", "y", "b"].map(str::to_owned).to_vec();
        let metrics = evaluate(&[(&query, ranked)]);
        // 2/log2(3) + 1/log2(5) against the ideal 2/log2(2) + 1/log2(3).
        let expected = (2.0 / 3f64.log2() + 1.0 / 5f64.log2()) / (2.0 + 1.0 / 3f64.log2());
        assert!((metrics.ndcg_at_10 - expected).abs() < 1e-12);
        assert_eq!((metrics.mrr_at_10, metrics.hit_at, metrics.recall_at_100), (0.5, [0.0, 1.0, 1.0], 1.0));
    }
}
