//! Groups rows into clusters of similar size. The rows are halved until the pieces are small, and each row is then
//! assigned to the nearest mean. Similar rows are in the same cluster and similar clusters are next to each other, so
//! that the clusters that a query reads are often neighbors.

use super::floats::{distance, dot, to_floats};

/// Largest number of rows in a cluster after halving. After the assignment to means, clusters have about as many.
const LARGEST: usize = 64;
/// Number of rows that are assigned to means together, because comparing all rows with all means would take hours.
const TOGETHER: usize = 4096;
/// The smaller half has at least one in this many rows.
const SMALLEST_HALF: usize = 4;
/// Number of rounds of k-means. Later rounds would change little.
const ROUNDS: usize = 6;

/// Returns the row numbers of each cluster, ascending, for row-major `codes` with `width` components.
pub(super) fn clusters(codes: &[i16], width: usize) -> Vec<Vec<u32>> {
    let rows: Vec<&[i16]> = codes.chunks_exact(width.max(1)).collect();
    let all = (0..rows.len() as u32).collect();
    let mut found: Vec<Vec<u32>> = Vec::new();
    for together in halved(&rows, all, TOGETHER) {
        let halves = halved(&rows, together.clone(), LARGEST);
        for cluster in by_nearest_mean(&rows, &together, &halves) {
            // Rows that are all equal have the same mean, so a cluster can be too large.
            found.extend(halved(&rows, cluster, 2 * LARGEST));
        }
    }
    found.iter_mut().for_each(|cluster| cluster.sort_unstable());
    found
}

/// Splits `members` into pieces of at most `largest` rows. The pieces of one half precede those of the other.
fn halved(rows: &[&[i16]], members: Vec<u32>, largest: usize) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    // Pieces are taken from the end, so that the first half is split next.
    let mut left = vec![members];
    while let Some(mut members) = left.pop() {
        if members.len() <= largest {
            found.push(members);
            continue;
        }
        let second = halve(rows, &mut members);
        left.push(second);
        left.push(members);
    }
    found
}

/// Groups `members` by the nearest mean, starting with the means of `clusters`.
fn by_nearest_mean(rows: &[&[i16]], members: &[u32], clusters: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let row = |member: u32| rows[member as usize];
    let width = members.first().map_or(0, |&member| row(member).len());
    let mut clusters = clusters.to_vec();
    for _ in 0..ROUNDS {
        let means = clusters.iter().map(|cluster| mean(cluster.iter().map(|&member| row(member)), width));
        // The squared distance |row − mean|² without |row|², which is the same for all means.
        let means: Vec<(f32, Vec<f32>)> = means.map(|mean| (mean.iter().map(|x| x * x).sum::<f32>(), mean)).collect();
        let mut nearer = vec![Vec::new(); means.len()];
        for &member in members {
            let row = to_floats(row(member));
            let distance = |(square, mean): &(f32, Vec<f32>)| square - 2.0 * dot(&row, mean);
            let distances = means.iter().map(distance).enumerate();
            let nearest = distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at);
            nearer[nearest].push(member);
        }
        nearer.retain(|cluster: &Vec<u32>| !cluster.is_empty());
        clusters = nearer;
    }
    clusters
}

/// Returns the mean of the rows in `members`.
pub(super) fn mean<'a>(members: impl Iterator<Item = &'a [i16]>, width: usize) -> Vec<f32> {
    let (mut sum, mut count) = (vec![0.0f32; width], 0.0f32);
    for row in members {
        sum.iter_mut().zip(row).for_each(|(sum, &code)| *sum += f32::from(code));
        count += 1.0;
    }
    sum.into_iter().map(|sum| sum / count.max(1.0)).collect()
}

/// Removes the rows that are nearer to the second of two means from `members`, and returns them.
fn halve(rows: &[&[i16]], members: &mut Vec<u32>) -> Vec<u32> {
    let row = |member: u32| rows[member as usize];
    let width = row(members[0]).len();
    let farthest_from = |point: &[f32], members: &[u32]| {
        let far = members.iter().max_by(|&&a, &&b| distance(row(a), point).total_cmp(&distance(row(b), point)));
        to_floats(row(*far.unwrap_or(&members[0])))
    };
    let all = mean(members.iter().map(|&member| row(member)), width);
    let mut first = farthest_from(&all, members);
    let mut second = farthest_from(&first, members);
    let mut sides: Vec<(f32, u32)> = Vec::new();
    let mut cut = members.len() / 2;
    for _ in 0..ROUNDS {
        // The difference between a row's squared distances from the two means is linear in the row.
        let across: Vec<f32> = first.iter().zip(&second).map(|(first, second)| second - first).collect();
        let middle: f32 = first.iter().zip(&second).zip(&across).map(|((a, b), x)| (a + b) / 2.0 * x).sum();
        let side = |member: u32| row(member).iter().zip(&across).map(|(&code, x)| f32::from(code) * x).sum::<f32>();
        sides = members.iter().map(|&member| (side(member) - middle, member)).collect();
        sides.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let least = sides.len() / SMALLEST_HALF;
        cut = sides.partition_point(|(side, _)| *side < 0.0).clamp(least.max(1), sides.len() - least.max(1));
        first = mean(sides[..cut].iter().map(|(_, member)| row(*member)), width);
        second = mean(sides[cut..].iter().map(|(_, member)| row(*member)), width);
    }
    *members = sides[..cut].iter().map(|(_, member)| *member).collect();
    sides[cut..].iter().map(|(_, member)| *member).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_that_are_all_alike_are_in_clusters_all_the_same() {
        assert!(clusters(&[5; 1000], 1).len() >= 1000 / (2 * LARGEST));
    }

    #[test]
    fn like_rows_come_together() {
        // Four subjects with 100 rows each, in turns.
        let corners = [[100, 0], [0, 100], [-100, 0], [0, -100]];
        let codes: Vec<i16> = (0..400).flat_map(|row| corners[row % 4].map(|code| code + (row / 40) as i16)).collect();
        let found = clusters(&codes, 2);
        assert!((4..=10).contains(&found.len()), "{}", found.len());
        assert!(found.iter().all(|members| members.iter().all(|member| member % 4 == members[0] % 4)));
    }

    proptest! {
        #[test]
        fn every_row_is_in_one_cluster(codes in prop::collection::vec(-50i16..50, 0..3000), width in 1usize..4) {
            let found = clusters(&codes, width);
            prop_assert!(found.iter().all(|members| members.len() <= 2 * LARGEST && members.is_sorted()));
            let mut all = found.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..(codes.len() / width) as u32).collect::<Vec<_>>());
        }
    }
}
