//! The kernel for WASM with 128-bit registers: 16-bit products, with two 8-bit weights in each 16-bit lane.
//!
//! A lane is `x = high · 256 + low + 128` for the weights of two channels (see `panels`). Two products separate these
//! weights, one with `x` and one with `x >> 8 = high` (the shift keeps the sign, and `low + 128` is not negative):
//! `Σ a·low = Σ a·x − 256 Σ a·high − 128 Σ a`. The result is exact: intermediate sums may wrap, but the result fits.
#![allow(unsafe_code, reason = "instructions of one processor: each block says why it is sound")]

use super::packed_weights::PackedWeights;
use super::tiles::{self, Tile};
use crate::activations::Activations;
use crate::finish::Finish;
use crate::panels::PANEL_CHANNELS;
use std::arch::wasm32::{
    i16x8_shr, i32x4_add, i32x4_dot_i16x8, i32x4_shl, i32x4_splat, i32x4_sub, v128, v128_load, v128_load32_splat,
    v128_store,
};

/// Number of rows in a tile. With two sums per row, they fill half of the registers. Compilers generate the best code
/// for this size.
const ROWS: usize = 4;

pub(super) fn multiply(weights: &PackedWeights, activations: &mut Activations, finish: &Finish<'_>, out: &mut [f32]) {
    assert_eq!(weights.depth, activations.depth, "rows and weights have one depth");
    interleave(activations);
    let mut tile = PairTile { weights, activations };
    tiles::multiply::<PANEL_CHANNELS, ROWS>(&mut tile, weights, &activations.scales, finish, out);
}

/// Interleaves the rows of a tile, pair by pair, so that one address serves all of them.
fn interleave(activations: &mut Activations) {
    let Activations { values, tiled, depth, scales, .. } = activations;
    tiled.resize(values.len(), 0);
    let mut row = 0;
    for count in tiles::heights::<ROWS>(scales.len()) {
        let range = row * *depth..(row + count) * *depth;
        let (rows, tile) = (&values[range.clone()], &mut tiled[range]);
        for (number, row) in rows.chunks_exact(*depth).enumerate() {
            for (pair, side_by_side) in row.as_chunks::<2>().0.iter().zip(tile.chunks_exact_mut(2 * count)) {
                side_by_side[2 * number..2 * number + 2].copy_from_slice(pair);
            }
        }
        row += count;
    }
}

struct PairTile<'a> {
    weights: &'a PackedWeights,
    activations: &'a Activations,
}

impl Tile<PANEL_CHANNELS> for PairTile<'_> {
    #[inline(never)]
    fn sums<const R: usize>(&self, row: usize, block: usize) -> [[i32; PANEL_CHANNELS]; R] {
        let depth = self.weights.depth;
        let panel = &self.weights.bytes[block * PANEL_CHANNELS * depth..][..PANEL_CHANNELS * depth];
        let rows = &self.activations.tiled[row * depth..][..R * depth];
        let mut both = [i32x4_splat(0); R];
        let mut high = [i32x4_splat(0); R];
        for pair in 0..depth / 2 {
            // SAFETY: a panel has 16 bytes for each pair of inputs.
            let lanes = unsafe { v128_load(panel.as_ptr().cast::<v128>().add(pair)) };
            let upper = i16x8_shr(lanes, 8);
            for r in 0..R {
                // SAFETY: `rows` holds R pairs for each pair of inputs.
                let values = unsafe { v128_load32_splat(rows.as_ptr().cast::<u32>().add(pair * R + r)) };
                both[r] = i32x4_add(both[r], i32x4_dot_i16x8(values, lanes));
                high[r] = i32x4_add(high[r], i32x4_dot_i16x8(values, upper));
            }
        }
        let mut sums = [[0; PANEL_CHANNELS]; R];
        for r in 0..R {
            let correction = i32x4_splat(self.activations.sums[row + r].wrapping_mul(128));
            let low = i32x4_sub(i32x4_sub(both[r], i32x4_shl(high[r], 8)), correction);
            // SAFETY: eight sums are two vectors.
            unsafe {
                v128_store(sums[r].as_mut_ptr().cast(), low);
                v128_store(sums[r].as_mut_ptr().add(4).cast(), high[r]);
            }
        }
        sums
    }
}
