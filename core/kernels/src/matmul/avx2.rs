//! x86-64, 256-bit registers: 16-bit products, summed in pairs.
#![allow(unsafe_code, reason = "instructions of one processor: each block says why it is sound")]

use super::packed_weights::PackedWeights;
use super::tiles::{self, Tile};
use crate::activations::Activations;
use crate::finish::Finish;
use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_madd_epi16, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_storeu_si256,
};

/// Channels of a block. For each pair of inputs it has 32 bytes, two weights of every channel.
pub(super) const CHANNELS: usize = 16;
const ROWS: usize = 4;

pub(super) fn multiply(weights: &PackedWeights, activations: &Activations, finish: &Finish<'_>, out: &mut [f32]) {
    assert_eq!(weights.depth, activations.depth, "rows and weights have one depth");
    // SAFETY: the kernel is offered only where the machine has AVX2.
    unsafe { wide(&PairTile { weights, activations }, finish, out) }
}

#[target_feature(enable = "avx2")]
fn wide(tile: &PairTile<'_>, finish: &Finish<'_>, out: &mut [f32]) {
    tiles::multiply::<CHANNELS, ROWS>(tile, tile.weights, &tile.activations.scales, finish, out);
}

struct PairTile<'a> {
    weights: &'a PackedWeights,
    activations: &'a Activations,
}

impl Tile<CHANNELS> for PairTile<'_> {
    #[inline(always)]
    fn sums<const R: usize>(&self, row: usize, block: usize) -> [[i32; CHANNELS]; R] {
        let depth = self.weights.depth;
        let block = &self.weights.bytes[block * CHANNELS * depth..][..CHANNELS * depth];
        let rows = &self.activations.values[row * depth..][..R * depth];
        // SAFETY: only called by `multiply`, on machines with AVX2. A block has 32 bytes for each pair of inputs; `rows`
        // holds R rows of `depth` values, a pair is two of them; sixteen sums are two vectors.
        unsafe {
            let mut totals = [[_mm256_setzero_si256(); 2]; R];
            for pair in 0..depth / 2 {
                let weights = block.as_ptr().add(pair * 2 * CHANNELS).cast::<__m128i>();
                let first = _mm256_cvtepi8_epi16(_mm_loadu_si128(weights));
                let second = _mm256_cvtepi8_epi16(_mm_loadu_si128(weights.add(1)));
                for (r, totals) in totals.iter_mut().enumerate() {
                    let values = rows.as_ptr().add(r * depth + 2 * pair).cast::<i32>().read_unaligned();
                    let values = _mm256_set1_epi32(values);
                    totals[0] = _mm256_add_epi32(totals[0], _mm256_madd_epi16(values, first));
                    totals[1] = _mm256_add_epi32(totals[1], _mm256_madd_epi16(values, second));
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
