//! Computes one or a few codes for a whole document, which a reader compares before it requests the codes of the
//! chunks.

use super::MAX_CELLS;
use super::codes::{CELL, COARSE};
use super::floats::{distance, to_floats};

/// Number of a document's chunks per code. A few codes with large steps find documents better than one code with small
/// steps and the same number of bytes.
const CHUNKS_PER_CELL: usize = 6;
/// Number of rounds of k-means. Documents are small, and later rounds would change little.
const ROUNDS: usize = 8;

/// Returns the codes of a document, given the near codes of its chunks, row-major. They are the means of groups of
/// similar chunks, scaled so that their coarse codes have steps of [`CELL`].
pub(super) fn document_codes(rows: &[i16], near: usize) -> Vec<i16> {
    let rows: Vec<&[i16]> = rows.chunks_exact(near.max(1)).collect();
    let groups = rows.len().div_ceil(CHUNKS_PER_CELL).min(usize::from(MAX_CELLS));
    // The initial means are far apart in reading order, because documents change their subject slowly.
    let mut means: Vec<Vec<f32>> =
        (0..groups).map(|group| to_floats(rows[(2 * group + 1) * rows.len() / (2 * groups)])).collect();
    for _ in 0..ROUNDS {
        let mut sums = vec![(vec![0.0f32; near], 0usize); groups];
        for row in &rows {
            let nearest = (0..groups).min_by(|&a, &b| distance(row, &means[a]).total_cmp(&distance(row, &means[b])));
            let (sum, count) = &mut sums[nearest.unwrap_or(0)];
            sum.iter_mut().zip(*row).for_each(|(sum, &code)| *sum += f32::from(code));
            *count += 1;
        }
        for (mean, (sum, count)) in means.iter_mut().zip(sums) {
            if count > 0 {
                *mean = sum.into_iter().map(|sum| sum / count as f32).collect();
            }
        }
    }
    means.into_iter().flatten().map(|x| (x * f32::from(COARSE) / f32::from(CELL)).round() as i16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_document_has_its_mean() {
        assert_eq!(document_codes(&[10, 20, 30, 40], 2), [8, 12]);
    }

    #[test]
    fn a_long_document_has_the_means_of_its_subjects() {
        let rows: Vec<i16> = (0..30).flat_map(|chunk| if chunk < 15 { [100, 0] } else { [0, 100] }).collect();
        assert_eq!(document_codes(&rows, 2), [40, 0, 40, 0, 0, 40, 0, 40]);
    }
}
