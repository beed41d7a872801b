//! Attention of short sequences, head by head: scores, shares and mixture never leave the cache.

use crate::WrongSize;
use crate::exponential::exp;
use crate::instruction_set::{LANES, widest};
use crate::layer_norm::sum;

/// Queries that are worked on at once.
const ROWS: usize = 4;

/// What every token gets of the tokens of its own sequence.
///
/// `projected` is `[tokens × 3 · width]`: a token's queries (already divided by the root of a head's width), keys and
/// values, each of all heads. `ends` are the ends of the sequences, the last one the number of tokens. `out` is
/// `[tokens × width]`.
pub fn attention(
    projected: &[f32],
    heads: usize,
    ends: &[usize],
    scratch: &mut AttentionScratch,
    out: &mut [f32],
) -> Result<(), WrongSize> {
    let tokens = ends.last().copied().unwrap_or(0);
    if tokens == 0 && out.is_empty() && projected.is_empty() {
        return Ok(());
    }
    let width = out.len().checked_div(tokens).unwrap_or(0);
    let sizes = width > 0 && out.len() == tokens * width && projected.len() == 3 * out.len();
    if !sizes || !ends.is_sorted() || heads == 0 || !width.is_multiple_of(heads) {
        return Err(WrongSize("attention"));
    }
    let mut start = 0;
    for &end in ends {
        let sequence = Sequence {
            projected: &projected[start * 3 * width..end * 3 * width],
            width,
            head_width: width / heads,
        };
        for head in 0..heads {
            one_head(&sequence, head, scratch, &mut out[start * width..end * width]);
        }
        start = end;
    }
    Ok(())
}

widest! {
    fn one_head(sequence: &Sequence<'_>, head: usize, scratch: &mut AttentionScratch, out: &mut [f32]) = Sequence::head
}

/// Matrices of one head, laid out so that the inner loops walk straight through memory.
#[derive(Clone, Debug, Default)]
pub struct AttentionScratch {
    /// Blocks of [`LANES`] tokens; in each, a row for every component of a key.
    keys: Vec<[f32; LANES]>,
    /// Blocks of [`LANES`] components; in each, a row for every token's value.
    values: Vec<[f32; LANES]>,
    /// Scores of each query, then its shares before they are divided by their sum.
    shares: [Vec<f32>; ROWS],
}

struct Sequence<'a> {
    projected: &'a [f32],
    width: usize,
    head_width: usize,
}

impl Sequence<'_> {
    /// Part 0 is the query of a token, 1 its key, 2 its value.
    #[inline(always)]
    fn vector(&self, token: usize, part: usize, head: usize) -> &[f32] {
        let start = (token * 3 + part) * self.width + head * self.head_width;
        &self.projected[start..start + self.head_width]
    }

    #[inline(always)]
    fn head(&self, head: usize, scratch: &mut AttentionScratch, out: &mut [f32]) {
        let tokens = out.len() / self.width;
        self.lay_out(head, tokens, scratch);
        for first in (0..tokens).step_by(ROWS) {
            // At the end of the sequence the last query fills the place of those that are not there.
            let queries = std::array::from_fn(|row| self.vector((first + row).min(tokens - 1), 0, head));
            let divisors = shares(queries, tokens, scratch);
            let shares = scratch.shares.each_ref().map(Vec::as_slice);
            for (block, values) in scratch.values.chunks_exact(tokens).enumerate() {
                let sums = tile(shares, values);
                let columns = block * LANES..self.head_width.min((block + 1) * LANES);
                for (row, sums) in sums.iter().enumerate().take(tokens - first) {
                    let out = &mut out[(first + row) * self.width + head * self.head_width..][columns.clone()];
                    out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum * divisors[row]);
                }
            }
        }
    }

    #[inline(always)]
    fn lay_out(&self, head: usize, tokens: usize, scratch: &mut AttentionScratch) {
        scratch.keys.clear();
        scratch.keys.resize(tokens.div_ceil(LANES) * self.head_width, [0.0; LANES]);
        scratch.values.clear();
        scratch.values.resize(self.head_width.div_ceil(LANES) * tokens, [0.0; LANES]);
        for token in 0..tokens {
            let block = &mut scratch.keys[token / LANES * self.head_width..][..self.head_width];
            for (row, &key) in block.iter_mut().zip(self.vector(token, 1, head)) {
                row[token % LANES] = key;
            }
            for (block, value) in self.vector(token, 2, head).chunks(LANES).enumerate() {
                scratch.values[block * tokens + token][..value.len()].copy_from_slice(value);
            }
        }
    }
}

/// Fills `scratch.shares` for some queries; returns what their shares are to be multiplied with.
#[inline(always)]
fn shares(queries: [&[f32]; ROWS], tokens: usize, scratch: &mut AttentionScratch) -> [f32; ROWS] {
    scratch.shares.iter_mut().for_each(Vec::clear);
    for keys in scratch.keys.chunks_exact(queries[0].len()) {
        for (scores, sums) in scratch.shares.iter_mut().zip(&tile(queries, keys)) {
            scores.extend_from_slice(sums);
        }
    }
    let mut divisors = [0.0; ROWS];
    for (divisor, scores) in divisors.iter_mut().zip(&mut scratch.shares) {
        // The last block may reach beyond the sequence.
        scores.truncate(tokens);
        let most = largest(scores);
        scores.iter_mut().for_each(|score| *score = exp(*score - most));
        *divisor = 1.0 / sum(scores, |share| share);
    }
    divisors
}

/// The largest of `scores`, lane by lane.
#[inline(always)]
fn largest(scores: &[f32]) -> f32 {
    let more = |a: f32, b: f32| if a > b { a } else { b };
    let mut lanes = [f32::MIN; LANES];
    let (blocks, rest) = scores.as_chunks::<LANES>();
    for block in blocks {
        for lane in 0..LANES {
            lanes[lane] = more(lanes[lane], block[lane]);
        }
    }
    rest.iter().chain(&lanes).fold(f32::MIN, |most, &score| more(most, score))
}

/// `a · b`: every sum runs through the rows of `b` in order, so it does not depend on how many lanes there are.
#[inline(always)]
fn tile(a: [&[f32]; ROWS], b: &[[f32; LANES]]) -> [[f32; LANES]; ROWS] {
    let a = a.map(|row| &row[..b.len()]);
    let mut sums = [[0.0; LANES]; ROWS];
    for (k, b) in b.iter().enumerate() {
        for row in 0..ROWS {
            for lane in 0..LANES {
                sums[row][lane] += a[row][k] * b[lane];
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, in f64, with one sequence after the other.
    fn plain(projected: &[f32], width: usize, heads: usize, ends: &[usize]) -> Vec<f64> {
        let at = |token: usize, part: usize, i: usize| f64::from(projected[(token * 3 + part) * width + i]);
        let tokens = projected.len() / (3 * width);
        let mut out = vec![0.0; tokens * width];
        let mut start = 0;
        for &end in ends {
            for token in start..end {
                for i in 0..width {
                    let head = i / (width / heads) * (width / heads)..(i / (width / heads) + 1) * (width / heads);
                    let scores: Vec<f64> = (start..end)
                        .map(|other| head.clone().map(|i| at(token, 0, i) * at(other, 1, i)).sum::<f64>().exp())
                        .collect();
                    let mixed: f64 = (start..end).zip(&scores).map(|(other, share)| share * at(other, 2, i)).sum();
                    out[token * width + i] = mixed / scores.iter().sum::<f64>();
                }
            }
            start = end;
        }
        out
    }

    proptest! {
        #[test]
        fn it_is_the_definition(
            lengths in prop::collection::vec(0usize..40, 1..4),
            heads in 1usize..4,
            head_width in prop::sample::select(vec![1usize, 5, 8, 33]),
            seed in any::<u32>(),
        ) {
            let ends: Vec<usize> = lengths.iter().scan(0, |end, length| { *end += length; Some(*end) }).collect();
            let (width, tokens) = (heads * head_width, *ends.last().unwrap());
            let projected: Vec<f32> = (0..tokens * 3 * width)
                .map(|at| ((at as u32).wrapping_mul(2_654_435_761).wrapping_add(seed) >> 8) as f32 / (1 << 23) as f32 - 1.0)
                .collect();
            let mut found = vec![0.0; tokens * width];
            attention(&projected, heads, &ends, &mut AttentionScratch::default(), &mut found).unwrap();
            for (found, expected) in found.iter().zip(plain(&projected, width, heads, &ends)) {
                prop_assert!((f64::from(*found) - expected).abs() < 1e-5, "{found} {expected}");
            }
            // A sequence does not notice its neighbours.
            if let [first, ..] = ends[..] {
                let mut alone = vec![0.0; first * width];
                attention(&projected[..first * 3 * width], heads, &[first], &mut AttentionScratch::default(), &mut alone).unwrap();
                prop_assert_eq!(&alone[..], &found[..first * width]);
            }
        }
    }

    #[test]
    fn sizes_that_differ_are_refused() {
        let refused = |heads, ends: &[usize]| {
            attention(&[0.0; 12], heads, ends, &mut AttentionScratch::default(), &mut [0.0; 4]).is_err()
        };
        assert!(!refused(2, &[1, 2]));
        assert!(refused(3, &[2]) && refused(0, &[2]) && refused(1, &[3]) && refused(1, &[2, 1]) && refused(1, &[]));
    }
}
