//! The outer loop that kernels share. It goes through the blocks of channels one by one, and processes a few rows at a
//! time.

use super::packed_weights::PackedWeights;
use crate::finish::Finish;

/// A kernel's inner loop, which computes the sums of a few rows with a block of `W` channels.
pub(super) trait Tile<const W: usize> {
    /// Prepares the sums of all rows with channel block `block`.
    #[inline(always)]
    fn begin(&mut self, _block: usize) {}

    /// Returns the sums of `R` rows, starting with row `row`, with channel block `block`.
    fn sums<const R: usize>(&self, row: usize, block: usize) -> [[i32; W]; R];
}

/// Returns the number of rows in each tile, for `rows` rows in tiles of `R`. The remaining rows form smaller tiles.
pub(super) fn heights<const R: usize>(rows: usize) -> impl Iterator<Item = usize> {
    let mut left = rows;
    std::iter::from_fn(move || {
        let height = if left >= R { R } else { left.min(4) };
        left -= height;
        (height > 0).then_some(height)
    })
}

/// The data that every step of the loop uses.
struct Walk<'a, 'b> {
    channels: usize,
    scales: &'a [f32],
    finish: &'a Finish<'b>,
    out: &'a mut [f32],
}

impl Walk<'_, '_> {
    #[inline(always)]
    fn step<const W: usize, const R: usize>(&mut self, tile: &impl Tile<W>, row: usize, block: usize) {
        let sums = tile.sums::<R>(row, block);
        let first = block * W;
        let width = W.min(self.channels - first);
        for (row, sums) in (row..).zip(&sums) {
            let out = &mut self.out[row * self.channels + first..][..width];
            self.finish.write(sums, self.scales[row], first, out);
        }
    }
}

/// Writes the results, `[rows × channels]`, to `out`, `R` rows at a time. The remaining rows form smaller tiles and are
/// not padded to `R` rows.
#[inline(always)]
pub(super) fn multiply<const W: usize, const R: usize>(
    tile: &mut impl Tile<W>,
    weights: &PackedWeights,
    scales: &[f32],
    finish: &Finish<'_>,
    out: &mut [f32],
) {
    let rows = scales.len();
    let mut walk = Walk { channels: weights.channels, scales, finish, out };
    for block in 0..weights.channels.div_ceil(W) {
        tile.begin(block);
        let mut row = 0;
        for height in heights::<R>(rows) {
            match height {
                1 => walk.step::<W, 1>(tile, row, block),
                2 => walk.step::<W, 2>(tile, row, block),
                3 => walk.step::<W, 3>(tile, row, block),
                4 => walk.step::<W, 4>(tile, row, block),
                _ => walk.step::<W, R>(tile, row, block),
            }
            row += height;
        }
    }
}
