//! The kernel for ARM with 128-bit registers: 16-bit products. It does not use 8-bit products (`sdot`), because they
//! are not stable in the compiler yet.
#![allow(unsafe_code, reason = "instructions of one processor: each block says why it is sound")]

use super::packed_weights::PackedWeights;
use super::tiles::{self, Tile};
use crate::activations::Activations;
use crate::finish::Finish;
use std::arch::aarch64::{vdupq_n_s32, vget_high_s16, vget_low_s16, vld1_s8, vmlal_n_s16, vmovl_s8, vst1q_s32};

/// Number of channels in a block. For each input, a block has the eight weights of these channels.
pub(super) const CHANNELS: usize = 8;
const ROWS: usize = 4;

pub(super) fn multiply(weights: &PackedWeights, activations: &Activations, finish: &Finish<'_>, out: &mut [f32]) {
    assert_eq!(weights.depth, activations.depth, "rows and weights have one depth");
    let mut tile = ValueTile { weights, activations };
    tiles::multiply::<CHANNELS, ROWS>(&mut tile, weights, &activations.scales, finish, out);
}

struct ValueTile<'a> {
    weights: &'a PackedWeights,
    activations: &'a Activations,
}

impl Tile<CHANNELS> for ValueTile<'_> {
    #[inline(always)]
    fn sums<const R: usize>(&self, row: usize, block: usize) -> [[i32; CHANNELS]; R] {
        let depth = self.weights.depth;
        let block = &self.weights.bytes[block * CHANNELS * depth..][..CHANNELS * depth];
        let rows = &self.activations.values[row * depth..][..R * depth];
        // SAFETY: NEON is part of every 64-bit ARM. A block has 8 bytes for each input, eight sums are two vectors.
        unsafe {
            let mut totals = [[vdupq_n_s32(0); 2]; R];
            for (k, weights) in block.as_chunks::<CHANNELS>().0.iter().enumerate() {
                let weights = vmovl_s8(vld1_s8(weights.as_ptr().cast()));
                for (r, totals) in totals.iter_mut().enumerate() {
                    let value = *rows.get_unchecked(r * depth + k);
                    totals[0] = vmlal_n_s16(totals[0], vget_low_s16(weights), value);
                    totals[1] = vmlal_n_s16(totals[1], vget_high_s16(weights), value);
                }
            }
            let mut sums = [[0; CHANNELS]; R];
            for (sums, totals) in sums.iter_mut().zip(totals) {
                vst1q_s32(sums.as_mut_ptr(), totals[0]);
                vst1q_s32(sums.as_mut_ptr().add(4), totals[1]);
            }
            sums
        }
    }
}
