//! Groups passages by subject. HDBSCAN finds dense groups, other passages join the nearest group, and similar clusters
//! are merged as long as a reader can read the result at once.

use super::likeness::Likeness;
use hdbscan::{DistanceMetric, Hdbscan, HdbscanHyperParams};
use std::collections::BTreeMap;

/// Minimum number of passages in a cluster.
const MIN_CLUSTER: usize = 2;
/// Maximum number of passages that represent a cluster.
const REPRESENTATIVES: usize = 3;

/// Indices of passages, grouped into clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clustering {
    /// The indices in each cluster, in ascending order. Clusters are ordered by their first index.
    pub clusters: Vec<Vec<usize>>,
    /// Number of clusters before merging.
    pub native: usize,
    /// Number of passages that were in none of these clusters.
    pub outliers: usize,
}

/// Clusters passages. `tokens` contains the number of tokens in each passage. Clusters are merged as long as they have
/// at most `most_tokens`.
pub fn cluster(likeness: &Likeness, tokens: &[usize], most_tokens: usize) -> Clustering {
    let mut native: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    let mut outliers = Vec::new();
    for (place, label) in labels(likeness).into_iter().enumerate() {
        if label < 0 { outliers.push(place) } else { native.entry(label).or_default().push(place) }
    }
    let mut clusters: Vec<Vec<usize>> = native.into_values().collect();
    let count = clusters.len();
    if clusters.is_empty() {
        // A passage that is not similar to any other has a cluster of its own.
        clusters = outliers.iter().map(|&place| vec![place]).collect();
    } else {
        let nearest = |place: usize| {
            let nearness = |cluster: &Vec<usize>| likeness.of_all(&[place], cluster) / likeness.length(cluster);
            let nearness: Vec<f32> = clusters.iter().map(nearness).collect();
            (0..clusters.len()).max_by(|&a, &b| nearness[a].total_cmp(&nearness[b])).unwrap_or_default()
        };
        let nearest: Vec<usize> = outliers.iter().map(|&place| nearest(place)).collect();
        outliers.iter().zip(nearest).for_each(|(&place, cluster)| clusters[cluster].push(place));
    }
    let mut clusters = merged(clusters, likeness, tokens, most_tokens);
    clusters.iter_mut().for_each(|places| places.sort_unstable());
    clusters.sort_unstable();
    Clustering { clusters, native: count, outliers: outliers.len() }
}

/// Returns the cluster of each passage, or -1 for none.
fn labels(likeness: &Likeness) -> Vec<i32> {
    let count = likeness.count();
    if count <= MIN_CLUSTER {
        return vec![-1; count];
    }
    let distance = |a: usize, b: usize| (2.0 - 2.0 * likeness.of(a, b)).max(0.0).sqrt();
    let distances: Vec<Vec<f32>> = (0..count).map(|a| (0..count).map(|b| distance(a, b)).collect()).collect();
    let parameters = HdbscanHyperParams::builder()
        .min_cluster_size(MIN_CLUSTER)
        .min_samples(1)
        .dist_metric(DistanceMetric::Precalculated)
        .build();
    // It only refuses input that is not a matrix of numbers.
    Hdbscan::new(&distances, parameters).cluster().unwrap_or_else(|_| vec![-1; count])
}

/// Repeatedly merges the two most similar clusters that are small enough together, as long as they are more similar
/// than clusters were on average. Less similar clusters have little in common except the question.
fn merged(mut clusters: Vec<Vec<usize>>, likeness: &Likeness, tokens: &[usize], most_tokens: usize) -> Vec<Vec<usize>> {
    let size = |places: &Vec<usize>| places.iter().map(|&place| tokens[place]).sum();
    let mut sizes: Vec<usize> = clusters.iter().map(size).collect();
    // The sums of the products of all pairs of passages. These are the products of the clusters' centers, apart from
    // the centers' lengths.
    let row = |a: &Vec<usize>| clusters.iter().map(|b| likeness.of_all(a, b)).collect();
    let mut products: Vec<Vec<f32>> = clusters.iter().map(row).collect();
    let cosine = |products: &[Vec<f32>], a: usize, b: usize| {
        let lengths = (products[a][a] * products[b][b]).sqrt();
        if lengths > 0.0 { products[a][b] / lengths } else { 0.0 }
    };
    let pairs = |count: usize| (0..count).flat_map(|b| (0..b).map(move |a| (a, b)));
    let count = pairs(clusters.len()).count().max(1);
    let average = pairs(clusters.len()).map(|(a, b)| cosine(&products, a, b)).sum::<f32>() / count as f32;
    loop {
        let fit = pairs(clusters.len()).filter(|&(a, b)| sizes[a] + sizes[b] <= most_tokens);
        let nearest = fit.map(|(a, b)| (cosine(&products, a, b), a, b)).max_by(|x, y| x.0.total_cmp(&y.0));
        let Some((_, a, b)) = nearest.filter(|(cosine, ..)| *cosine >= average) else { return clusters };
        let (places, size) = (clusters.swap_remove(b), sizes.swap_remove(b));
        clusters[a].extend(places);
        sizes[a] += size;
        let of_b = products[b].clone();
        products[a].iter_mut().zip(&of_b).for_each(|(sum, product)| *sum += product);
        for row in &mut products {
            row[a] += row[b];
            row.swap_remove(b);
        }
        products.swap_remove(b);
    }
}

/// Returns the indices in `places` of the passages that represent a cluster. `places` lists the best passages first.
/// The first passage represents the cluster, and then, one at a time, the best passage that is least similar to those
/// already chosen.
pub(super) fn representatives(places: &[usize], likeness: &Likeness) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::new();
    while taken.len() < REPRESENTATIVES.min(places.len()) {
        let worth = |at: usize| {
            let likest = taken.iter().map(|&other| likeness.of(places[at], places[other])).fold(0.0f32, f32::max);
            (1.0 - likest) / (at + 1) as f32
        };
        let left = (0..places.len()).filter(|at| !taken.contains(at));
        let best = left.max_by(|&a, &b| worth(a).total_cmp(&worth(b)).then(b.cmp(&a)));
        taken.extend(best);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::super::normalize::normalize;
    use super::*;
    use proptest::prelude::*;

    /// Makes a vector near axis `axis` of four.
    fn near(axis: usize, off: f32) -> Vec<f32> {
        let mut vector = vec![0.02 * off, 0.01 * off, -0.02 * off, 0.015 * off];
        vector[axis] += 1.0;
        normalize(&mut vector);
        vector
    }

    fn clustered(vectors: &[Vec<f32>], tokens: &[usize], most_tokens: usize) -> Clustering {
        cluster(&Likeness::of_vectors(vectors), tokens, most_tokens)
    }

    fn places(clustering: &Clustering) -> Vec<usize> {
        let mut places: Vec<usize> = clustering.clusters.concat();
        places.sort_unstable();
        places
    }

    #[test]
    fn what_is_dense_belongs_together_and_the_rest_to_the_nearest() {
        let mut vectors: Vec<Vec<f32>> = (0..6).map(|at| near(0, at as f32)).collect();
        vectors.extend((0..6).map(|at| near(1, at as f32)));
        // A vector between both groups, nearer to the second.
        let mut between = vec![0.5, 0.7, 0.6, 0.0];
        normalize(&mut between);
        vectors.push(between);
        let found = clustered(&vectors, &[10; 13], 0);
        let of = |place: usize| found.clusters.iter().position(|places| places.contains(&place)).unwrap();
        assert!((0..6).all(|place| of(place) == of(0)) || found.clusters.len() > 2);
        assert!((0..6).all(|first| (6..12).all(|second| of(first) != of(second))), "{found:?}");
        assert!((6..12).any(|second| of(12) == of(second)), "{found:?}");
        assert_eq!(places(&found), (0..13).collect::<Vec<_>>());
    }

    #[test]
    fn the_nearest_are_merged_as_long_as_they_can_be_read_at_once() {
        // Pairs on four axes. The first two axes are near each other, and so are the last two.
        let towards = |axis: usize, other: usize, off: f32| {
            let mut vector = near(axis, off);
            vector[other] += 0.8;
            normalize(&mut vector);
            vector
        };
        let pairs = [(0, 1), (1, 0), (2, 3), (3, 2)];
        let vectors: Vec<Vec<f32>> =
            pairs.iter().flat_map(|&(axis, other)| [0.0, 0.5, 1.0].map(|off| towards(axis, other, off))).collect();
        let tokens = vec![10; vectors.len()];
        let apart = clustered(&vectors, &tokens, 0);
        let merged = clustered(&vectors, &tokens, 60);
        assert_eq!(apart.native, apart.clusters.len());
        assert_eq!(merged.clusters, [(0..6).collect::<Vec<_>>(), (6..12).collect()], "{apart:?}");
        // Distant clusters are not merged just because they are small enough.
        assert_eq!(clustered(&vectors, &tokens, 10_000).clusters, merged.clusters);
    }

    #[test]
    fn few_passages_are_clusters_of_their_own() {
        assert_eq!(clustered(&[], &[], 10), Clustering::default());
        let one = clustered(&[near(0, 0.0)], &[5], 10);
        assert_eq!((one.clusters.len(), one.outliers), (1, 1));
        assert_eq!(clustered(&[near(0, 0.0), near(1, 0.0)], &[5, 5], 1).clusters.len(), 2);
        // Equal vectors, and vectors of length 0.
        let same = clustered(&vec![near(0, 0.0); 5], &[1; 5], 100);
        assert_eq!(places(&same), [0, 1, 2, 3, 4]);
        let nothing = clustered(&vec![vec![0.0; 4]; 5], &[1; 5], 100);
        assert_eq!(places(&nothing), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn representatives_are_the_best_and_what_is_not_like_them() {
        let likeness = Likeness::of_vectors(&[near(0, 0.0), near(0, 1.0), near(0, 2.0), near(2, 0.0)]);
        assert_eq!(representatives(&[0, 1, 2, 3], &likeness)[..2], [0, 3]);
        assert_eq!(representatives(&[2], &likeness), [0]);
    }

    proptest! {
        #[test]
        fn each_passage_is_in_one_cluster_and_merging_keeps_the_budget(
            numbers in prop::collection::vec(prop::collection::vec(-1.0f32..1.0, 3), 0..40),
            budget in 0usize..200,
        ) {
            let mut vectors = numbers;
            vectors.iter_mut().for_each(|vector| normalize(vector));
            let tokens: Vec<usize> = (0..vectors.len()).map(|place| 1 + place % 9).collect();
            let found = clustered(&vectors, &tokens, budget);
            prop_assert_eq!(places(&found), (0..vectors.len()).collect::<Vec<_>>());
            prop_assert!(found.clusters.iter().all(|places| places.is_sorted()) && found.clusters.is_sorted());
            let apart = clustered(&vectors, &tokens, 0);
            for places in &found.clusters {
                let size: usize = places.iter().map(|&place| tokens[place]).sum();
                prop_assert!(size <= budget || apart.clusters.contains(places));
            }
        }
    }
}
