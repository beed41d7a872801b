//! The kernel for x86-64 with 512-bit registers: four 8-bit products and their sum in one instruction.
//!
//! One operand of the instruction must be unsigned, so it contains the weights plus 128. Each value of a row is split
//! into two signed bytes, so two products give the exact sum:
//! `Σ a·w = 256 Σ high·(w + 128) + Σ low·(w + 128) − 128 Σ a`. Intermediate sums may wrap.
#![allow(unsafe_code, reason = "instructions of one processor: each block says why it is sound")]

use super::packed_weights::PackedWeights;
use super::tiles::{self, Tile};
use crate::activations::Activations;
use crate::finish::Finish;
use crate::instruction_set::widest;
use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_set1_epi32, _mm512_setzero_si512,
    _mm512_slli_epi32, _mm512_storeu_si512, _mm512_sub_epi32,
};

/// Number of channels in a block. For every four inputs, a block has 128 bytes: four weights of every channel, each
/// plus 128.
pub(super) const CHANNELS: usize = 32;
const ROWS: usize = 6;

pub(super) fn multiply(weights: &PackedWeights, activations: &mut Activations, finish: &Finish<'_>, out: &mut [f32]) {
    assert_eq!(weights.depth, activations.depth, "rows and weights have one depth");
    split(activations);
    // SAFETY: the kernel is offered only if the machine has these features.
    unsafe { wide(&mut DigitTile { weights, activations }, finish, out) }
}

widest! {
    fn split(activations: &mut Activations) = split_rows
}

/// Splits each row into its high bytes, followed by its low bytes.
#[inline(always)]
fn split_rows(activations: &mut Activations) {
    let Activations { values, digits, depth, .. } = activations;
    digits.resize(2 * values.len(), 0);
    for (row, digits) in values.chunks_exact(*depth).zip(digits.chunks_exact_mut(2 * *depth)) {
        let (high, low) = digits.split_at_mut(*depth);
        for ((&value, high), low) in row.iter().zip(high).zip(low) {
            *low = value as i8;
            *high = ((value - i16::from(*low)) >> 8) as i8;
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn wide(tile: &mut DigitTile<'_>, finish: &Finish<'_>, out: &mut [f32]) {
    let DigitTile { weights, activations } = *tile;
    tiles::multiply::<CHANNELS, ROWS>(tile, weights, &activations.scales, finish, out);
}

struct DigitTile<'a> {
    weights: &'a PackedWeights,
    activations: &'a Activations,
}

impl Tile<CHANNELS> for DigitTile<'_> {
    #[inline(always)]
    fn sums<const R: usize>(&self, row: usize, block: usize) -> [[i32; CHANNELS]; R] {
        let depth = self.weights.depth;
        let block = &self.weights.bytes[block * CHANNELS * depth..][..CHANNELS * depth];
        let rows = &self.activations.digits[row * 2 * depth..][..R * 2 * depth];
        // SAFETY: only called by `multiply`, on machines with these instructions. A block has 128 bytes for each four
        // inputs; `rows` holds R rows of two times `depth` digits; 32 sums are two vectors.
        unsafe {
            let mut high = [[_mm512_setzero_si512(); 2]; R];
            let mut low = [[_mm512_setzero_si512(); 2]; R];
            for four in 0..depth / 4 {
                let weights = block.as_ptr().add(four * 4 * CHANNELS).cast::<__m512i>();
                let weights = [_mm512_loadu_si512(weights), _mm512_loadu_si512(weights.add(1))];
                for r in 0..R {
                    let values = rows.as_ptr().add(r * 2 * depth + 4 * four).cast::<i32>();
                    let values = [values.read_unaligned(), values.byte_add(depth).read_unaligned()];
                    let values = values.map(|four| _mm512_set1_epi32(four));
                    for side in 0..2 {
                        high[r][side] = _mm512_dpbusd_epi32(high[r][side], weights[side], values[0]);
                        low[r][side] = _mm512_dpbusd_epi32(low[r][side], weights[side], values[1]);
                    }
                }
            }
            let mut sums = [[0; CHANNELS]; R];
            for r in 0..R {
                let correction = _mm512_set1_epi32(self.activations.sums[row + r].wrapping_mul(128));
                for side in 0..2 {
                    let sum = _mm512_add_epi32(_mm512_slli_epi32(high[r][side], 8), low[r][side]);
                    let sum = _mm512_sub_epi32(sum, correction);
                    _mm512_storeu_si512(sums[r].as_mut_ptr().add(side * 16).cast::<__m512i>(), sum);
                }
            }
            sums
        }
    }
}
