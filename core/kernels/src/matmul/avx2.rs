//! The kernel for x86-64 with 256-bit registers: 16-bit products, summed in pairs.
//!
//! For many rows, the weights of a block are widened to 16 bits only once, because widening in the inner loop takes a
//! tenth of its instructions. For few rows, this would cost more than it saves.
#![allow(unsafe_code, reason = "instructions of one processor: each block says why it is sound")]

use super::packed_weights::PackedWeights;
use super::tiles::{self, Tile};
use crate::activations::Activations;
use crate::finish::Finish;
use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_set1_epi32, _mm256_setzero_si256, _mm256_storeu_si256,
};

/// Number of channels in a block. For each pair of inputs, a block has 32 bytes: two weights of every channel.
pub(super) const CHANNELS: usize = 16;
/// Number of rows in a tile. Two sums per row, two vectors of weights and one vector of values fill the registers.
const ROWS: usize = 6;
/// Minimum number of rows where widening pays off.
const MANY_ROWS: usize = 24;

pub(super) fn multiply(weights: &PackedWeights, activations: &mut Activations, finish: &Finish<'_>, out: &mut [f32]) {
    assert_eq!(weights.depth, activations.depth, "rows and weights have one depth");
    let mut widened = std::mem::take(&mut activations.widened);
    widened.resize(if activations.rows() < MANY_ROWS { 0 } else { CHANNELS * weights.depth }, 0);
    let mut tile = PairTile { weights, activations, widened };
    // SAFETY: the kernel is offered only if the machine has AVX2.
    unsafe { wide(&mut tile, finish, out) }
    activations.widened = tile.widened;
}

#[target_feature(enable = "avx2")]
fn wide(tile: &mut PairTile<'_>, finish: &Finish<'_>, out: &mut [f32]) {
    let PairTile { weights, activations, .. } = *tile;
    tiles::multiply::<CHANNELS, ROWS>(tile, weights, &activations.scales, finish, out);
}

struct PairTile<'a> {
    weights: &'a PackedWeights,
    activations: &'a Activations,
    /// The weights of a block in 16 bits. Empty if they are not widened.
    widened: Vec<i16>,
}

impl PairTile<'_> {
    #[inline(always)]
    fn sums_with<const R: usize>(
        &self,
        row: usize,
        // Returns the weights of a pair of inputs, for all channels.
        weights_of: impl Fn(usize) -> [__m256i; 2],
    ) -> [[i32; CHANNELS]; R] {
        let depth = self.weights.depth;
        let rows = &self.activations.values[row * depth..][..R * depth];
        // SAFETY: only called by `multiply`, on machines with AVX2. `rows` holds R rows of `depth` values, a pair is two of
        // them; sixteen sums are two vectors.
        unsafe {
            let mut totals = [[_mm256_setzero_si256(); 2]; R];
            for pair in 0..depth / 2 {
                let weights = weights_of(pair);
                for (r, totals) in totals.iter_mut().enumerate() {
                    let values = rows.as_ptr().add(r * depth + 2 * pair).cast::<i32>().read_unaligned();
                    let values = _mm256_set1_epi32(values);
                    for side in 0..2 {
                        totals[side] = _mm256_add_epi32(totals[side], _mm256_madd_epi16(values, weights[side]));
                    }
                }
            }
            let mut sums = [[0; CHANNELS]; R];
            for (sums, totals) in sums.iter_mut().zip(totals) {
                _mm256_storeu_si256(sums.as_mut_ptr().cast::<__m256i>(), totals[0]);
                _mm256_storeu_si256(sums.as_mut_ptr().add(8).cast::<__m256i>(), totals[1]);
            }
            sums
        }
    }
}

impl Tile<CHANNELS> for PairTile<'_> {
    #[inline(always)]
    fn begin(&mut self, block: usize) {
        let bytes = &self.weights.bytes[block * CHANNELS * self.weights.depth..];
        self.widened.iter_mut().zip(bytes).for_each(|(wide, &byte)| *wide = i16::from(byte as i8));
    }

    #[inline(always)]
    fn sums<const R: usize>(&self, row: usize, block: usize) -> [[i32; CHANNELS]; R] {
        let depth = self.weights.depth;
        if self.widened.is_empty() {
            let block = &self.weights.bytes[block * CHANNELS * depth..][..CHANNELS * depth];
            // SAFETY: only called by `multiply`, on machines with AVX2. A block has 32 bytes for each pair of inputs.
            self.sums_with(row, |pair| unsafe {
                let weights = block.as_ptr().add(pair * 2 * CHANNELS).cast::<__m128i>();
                [weights, weights.add(1)].map(|eight| _mm256_cvtepi8_epi16(_mm_loadu_si128(eight)))
            })
        } else {
            let block = &self.widened[..CHANNELS * depth];
            // SAFETY: the same; a block has 32 numbers for each pair of inputs.
            self.sums_with(row, |pair| unsafe {
                let weights = block.as_ptr().add(pair * 2 * CHANNELS).cast::<__m256i>();
                [_mm256_loadu_si256(weights), _mm256_loadu_si256(weights.add(1))]
            })
        }
    }
}
