//! Attention over short sequences. It is computed head by head, so that scores, shares and mixtures stay in the cache.
//!
//! Both products use whole numbers, as linear layers do. They are twice as fast as products of f32, and the same on
//! every host. Queries and keys have 12 bits and one scale per token. Shares and values have 15 bits.

mod pair_tile;

use crate::WrongSize;
use crate::exponential::exp;
use crate::instruction_set::widest;
use crate::layer_norm::sum;
use crate::whole_numbers::{most, quantize, rounded, scale};
use pair_tile::{LANES, PairRow, ROWS, products};

/// Largest component of a query or key. With it, sums over a head's width fit 32 bits.
const MAX_KEY: f32 = 2047.0;
/// Maximum width of a head.
const MAX_HEAD_WIDTH: usize = 256;
/// Largest component of a value, and also the sum of a query's shares, apart from rounding.
const MAX_VALUE: f32 = 32_767.0;
/// Maximum number of tokens in a sequence. Even if rounding adds half a unit to every share, sums fit 32 bits.
const MAX_TOKENS: usize = 1 << 15;

/// Computes, for every token, the weighted mean of the values in its sequence.
///
/// `projected` is `[tokens × 3 · width]`. For each token, it has the queries of all heads (already divided by the
/// square root of a head's width), then their keys, and then their values. `ends` has the end of each sequence, and the
/// last one is the number of tokens. `out` is `[tokens × width]`.
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
    let fits = tokens <= MAX_TOKENS && heads > 0 && width / heads.max(1) <= MAX_HEAD_WIDTH;
    let sizes = fits && width > 0 && out.len() == tokens * width && projected.len() == 3 * out.len();
    if !sizes || !ends.is_sorted() || !width.is_multiple_of(heads) {
        return Err(WrongSize("attention"));
    }
    let mut start = 0;
    for &end in ends {
        let sequence =
            Sequence { projected: &projected[start * 3 * width..end * 3 * width], width, head_width: width / heads };
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

/// The matrices of one head, laid out so that the inner loops read memory sequentially.
#[derive(Clone, Debug, Default)]
pub struct AttentionScratch {
    /// The queries as whole numbers, token by token.
    queries: Vec<[i16; 2]>,
    query_scales: Vec<f32>,
    /// Blocks of [`LANES`] tokens. Each block has a row for every two components of the keys.
    keys: Vec<PairRow>,
    key_scales: Vec<f32>,
    /// Blocks of [`LANES`] components. Each block has a row for the values of every two tokens.
    values: Vec<PairRow>,
    /// The scores of each query, which are then replaced by its shares, not yet divided by their sum.
    scores: [Vec<f32>; ROWS],
    /// The shares as whole numbers.
    shares: [Vec<[i16; 2]>; ROWS],
}

struct Sequence<'a> {
    projected: &'a [f32],
    width: usize,
    head_width: usize,
}

impl Sequence<'_> {
    /// Returns a token's query (part 0), key (part 1) or value (part 2) for a head.
    #[inline(always)]
    fn vector(&self, token: usize, part: usize, head: usize) -> &[f32] {
        let start = (token * 3 + part) * self.width + head * self.head_width;
        &self.projected[start..start + self.head_width]
    }

    /// Returns the number of pairs of components in a head.
    const fn pairs(&self) -> usize {
        self.head_width.div_ceil(2)
    }

    #[inline(always)]
    fn head(&self, head: usize, scratch: &mut AttentionScratch, out: &mut [f32]) {
        let tokens = out.len() / self.width;
        self.lay_out_keys(head, tokens, scratch);
        let value_scale = self.lay_out_values(head, tokens, scratch);
        for first in (0..tokens).step_by(ROWS) {
            // At the end of the sequence, the last query is repeated to fill all rows.
            let rows = std::array::from_fn(|row| (first + row).min(tokens - 1));
            let scales = self.shares(rows, tokens, scratch);
            let shares = scratch.shares.each_ref().map(Vec::as_slice);
            for (block, values) in scratch.values.chunks_exact(tokens.div_ceil(2)).enumerate() {
                let sums = products(shares, values);
                let columns = block * LANES..self.head_width.min((block + 1) * LANES);
                for (row, sums) in sums.iter().enumerate().take(tokens - first) {
                    let out = &mut out[(first + row) * self.width + head * self.head_width..][columns.clone()];
                    let scale = scales[row] * value_scale;
                    out.iter_mut().zip(sums).for_each(|(out, &sum)| *out = sum as f32 * scale);
                }
            }
        }
    }

    #[inline(always)]
    fn lay_out_keys(&self, head: usize, tokens: usize, scratch: &mut AttentionScratch) {
        let AttentionScratch { queries, query_scales, keys, key_scales, .. } = scratch;
        let pairs = self.pairs();
        queries.clear();
        queries.resize(tokens * pairs, [0; 2]);
        keys.clear();
        keys.resize(tokens.div_ceil(LANES) * pairs, [[0; 2]; LANES]);
        query_scales.clear();
        key_scales.clear();
        let mut key = [0; MAX_HEAD_WIDTH];
        for token in 0..tokens {
            let query = queries[token * pairs..(token + 1) * pairs].as_flattened_mut();
            query_scales.push(quantize(self.vector(token, 0, head), MAX_KEY, query));
            key_scales.push(quantize(self.vector(token, 1, head), MAX_KEY, &mut key));
            let block = &mut keys[token / LANES * pairs..][..pairs];
            for (row, pair) in block.iter_mut().zip(key.as_chunks().0) {
                row[token % LANES] = *pair;
            }
        }
        // Scores beyond the sequence are computed and then dropped.
        key_scales.resize(tokens.next_multiple_of(LANES), 0.0);
    }

    /// Lays out the values, and returns their scale, which is the same for the whole head.
    #[inline(always)]
    fn lay_out_values(&self, head: usize, tokens: usize, scratch: &mut AttentionScratch) -> f32 {
        let rows = tokens.div_ceil(2);
        scratch.values.clear();
        scratch.values.resize(self.head_width.div_ceil(LANES) * rows, [[0; 2]; LANES]);
        let most = (0..tokens).map(|token| most(self.vector(token, 2, head)).to_bits()).max().unwrap_or(0);
        let (scale, per_step) = scale(f32::from_bits(most), MAX_VALUE);
        for token in 0..tokens {
            for (block, value) in self.vector(token, 2, head).chunks(LANES).enumerate() {
                let row = &mut scratch.values[block * rows + token / 2];
                for (pair, value) in row.iter_mut().zip(value) {
                    pair[token % 2] = rounded(value * per_step);
                }
            }
        }
        scale
    }

    /// Fills `scratch.shares` for the queries of the tokens in `rows`. Returns, for each query, the factor that makes
    /// its shares add up to 1.
    #[inline(always)]
    fn shares(&self, rows: [usize; ROWS], tokens: usize, scratch: &mut AttentionScratch) -> [f32; ROWS] {
        let pairs = self.pairs();
        let AttentionScratch { queries, query_scales, keys, key_scales, scores, shares, .. } = scratch;
        let queries = rows.map(|token| &queries[token * pairs..(token + 1) * pairs]);
        scores.iter_mut().for_each(Vec::clear);
        for (keys, key_scales) in keys.chunks_exact(pairs).zip(key_scales.as_chunks::<LANES>().0) {
            let sums = products(queries, keys);
            for row in 0..ROWS {
                let scale = query_scales[rows[row]];
                let block: [f32; LANES] =
                    std::array::from_fn(|lane| sums[row][lane] as f32 * (scale * key_scales[lane]));
                scores[row].extend_from_slice(&block);
            }
        }
        let mut divisors = [0.0; ROWS];
        for ((divisor, scores), shares) in divisors.iter_mut().zip(scores).zip(shares) {
            scores.truncate(tokens);
            *divisor = share(scores, shares);
        }
        divisors
    }
}

/// Computes shares from `scores`, and writes them to `shares` as whole numbers. Returns the factor that makes them add
/// up to 1.
#[inline(always)]
fn share(scores: &mut [f32], shares: &mut Vec<[i16; 2]>) -> f32 {
    let most = largest(scores);
    scores.iter_mut().for_each(|score| *score = exp(*score - most));
    let per_step = MAX_VALUE / sum(scores, |share| share);
    // If the number of tokens is odd, the last pair contains a share that stays 0.
    shares.clear();
    shares.resize(scores.len().div_ceil(2), [0; 2]);
    let whole = shares.as_flattened_mut();
    for (share, score) in whole.iter_mut().zip(&*scores) {
        *share = rounded(score * per_step);
    }
    let total: i32 = whole.iter().map(|&share| i32::from(share)).sum();
    1.0 / total as f32
}

/// Returns the largest of `scores`, compared lane by lane.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Computes attention by its definition, in f64, one sequence after the other.
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
                prop_assert!((f64::from(*found) - expected).abs() < 2e-3, "{found} {expected}");
            }
            // The result for a sequence does not depend on its neighbors.
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
