//! nDCG, MRR, hit rate and recall (Manning, Raghavan and Schütze, "Introduction to Information Retrieval", ch. 8).

use super::JudgedQuery;
use super::statistics::bootstrap_interval;
use serde::{Deserialize, Serialize};

/// Cutoffs of the hit rate.
pub const CUTOFFS: [usize; 3] = [1, 3, 10];

/// The scores of a query, all between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Normalized discounted cumulative gain of the first ten results, with linear gains, as in trec_eval.
    pub ndcg_at_10: f64,
    /// 1 / rank of the first relevant document among the first ten results, or 0 if there is none.
    pub mrr_at_10: f64,
    /// 1 if a relevant document is among the first 1, 3 or 10 results, otherwise 0.
    pub hit_at: [f64; CUTOFFS.len()],
    /// Share of the relevant documents that are among the first hundred results.
    pub recall_at_100: f64,
    /// 1 if there are no results, otherwise 0.
    pub empty: f64,
}

/// Means over queries, all between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// Number of queries.
    pub queries: usize,
    /// Means of the scores.
    #[serde(flatten)]
    pub mean: Scores,
    /// 95 % interval of the mean nDCG, from a bootstrap over queries.
    pub ndcg_interval: [f64; 2],
}

/// Scores a ranked list of document ids for a query.
pub fn score(query: &JudgedQuery, ranked: &[String]) -> Scores {
    let gain = |document: &String| query.relevant.get(document).copied().unwrap_or(0.0);
    let discounted = |gains: &mut dyn Iterator<Item = f64>| -> f64 {
        gains.take(10).enumerate().map(|(at, gain)| gain / (at as f64 + 2.0).log2()).sum()
    };
    let mut ideal: Vec<f64> = query.relevant.values().copied().collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let first = ranked.iter().position(|document| gain(document) > 0.0);
    let found = ranked.iter().take(100).filter(|document| gain(document) > 0.0).count();
    Scores {
        ndcg_at_10: discounted(&mut ranked.iter().map(gain)) / discounted(&mut ideal.iter().copied()),
        mrr_at_10: first.filter(|at| *at < 10).map_or(0.0, |at| 1.0 / (at as f64 + 1.0)),
        hit_at: CUTOFFS.map(|cutoff| f64::from(u8::from(first.is_some_and(|at| at < cutoff)))),
        recall_at_100: found as f64 / query.relevant.len() as f64,
        empty: f64::from(u8::from(ranked.is_empty())),
    }
}

/// Returns the means of `scores`.
pub fn means(scores: &[Scores]) -> Metrics {
    let mean = |of: &dyn Fn(&Scores) -> f64| scores.iter().map(of).sum::<f64>() / scores.len().max(1) as f64;
    let ndcg: Vec<f64> = scores.iter().map(|scores| scores.ndcg_at_10).collect();
    Metrics {
        queries: scores.len(),
        mean: Scores {
            ndcg_at_10: mean(&|scores| scores.ndcg_at_10),
            mrr_at_10: mean(&|scores| scores.mrr_at_10),
            hit_at: std::array::from_fn(|cutoff| mean(&|scores| scores.hit_at[cutoff])),
            recall_at_100: mean(&|scores| scores.recall_at_100),
            empty: mean(&|scores| scores.empty),
        },
        ndcg_interval: bootstrap_interval(&ndcg),
    }
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
        let scores = score(&query, &["x", "a", "y", "b"].map(str::to_owned));
        // 2/log2(3) + 1/log2(5) against the ideal 2/log2(2) + 1/log2(3).
        let expected = (2.0 / 3f64.log2() + 1.0 / 5f64.log2()) / (2.0 + 1.0 / 3f64.log2());
        assert!((scores.ndcg_at_10 - expected).abs() < 1e-12);
        assert_eq!((scores.mrr_at_10, scores.hit_at, scores.recall_at_100), (0.5, [0.0, 1.0, 1.0], 1.0));
        let metrics = means(&[scores, score(&query, &[])]);
        assert_eq!((metrics.mean.mrr_at_10, metrics.mean.empty, metrics.queries), (0.25, 0.5, 2));
    }
}
