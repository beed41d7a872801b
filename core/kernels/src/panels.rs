//! The order of 8-bit weights in a model pack. The WASM kernel reads them in this order.
//!
//! A panel holds [`PANEL_CHANNELS`] output channels. For each pair of inputs, it has 16 bytes, which are eight 16-bit
//! lanes. Lane `2c + i` is for input `i` of the pair. Its low byte is the weight of channel `c` (0 to 3) plus 128, and
//! its high byte is the weight of channel `c + 4`. One multiplication by a lane serves two channels, and
//! `matmul::simd128` explains how the results are separated. Channels are padded to whole panels, and inputs to a
//! multiple of four, with weights of zero.

use crate::WrongSize;

/// Number of output channels in a panel.
pub const PANEL_CHANNELS: usize = 8;

/// The number of inputs is padded to a multiple of this.
pub(crate) const DEPTH_STEP: usize = 4;

/// Returns the number of inputs of a layer, including padding.
pub(crate) const fn padded_depth(depth: usize) -> usize {
    depth.next_multiple_of(DEPTH_STEP)
}

/// Returns the number of bytes in the panels of a layer with `channels` outputs and `depth` inputs, or `None` if it
/// overflows.
pub fn panel_bytes(channels: usize, depth: usize) -> Option<usize> {
    let depth = depth.checked_next_multiple_of(DEPTH_STEP)?;
    channels.checked_next_multiple_of(PANEL_CHANNELS)?.checked_mul(depth)
}

/// Returns the byte offset of the weight of `channel` for input `k`, and whether the weight is in a low byte.
fn place(channel: usize, k: usize, padded: usize) -> (usize, bool) {
    let (panel, lane) = (channel / PANEL_CHANNELS, channel % PANEL_CHANNELS);
    let (half, channel) = (lane / 4, lane % 4);
    (panel * PANEL_CHANNELS * padded + (k / 2) * 16 + (2 * channel + k % 2) * 2 + half, half == 0)
}

/// Returns the weight of `channel` for input `k` in panels with a depth of `padded`, or zero for padding channels
/// beyond the panels.
pub(crate) fn weight_at(panels: &[u8], channel: usize, k: usize, padded: usize) -> i8 {
    let (at, low) = place(channel, k, padded);
    panels.get(at).map_or(0, |&byte| if low { byte.wrapping_sub(128) as i8 } else { byte as i8 })
}

/// Arranges `weights`, `[channels × depth]` row-major, in panels.
pub fn write_panels(weights: &[i8], channels: usize, depth: usize) -> Result<Vec<u8>, WrongSize> {
    let bytes = panel_bytes(channels, depth).filter(|_| weights.len() == channels * depth);
    let mut panels = vec![0; bytes.ok_or(WrongSize("a matrix of weights"))?];
    let padded = padded_depth(depth);
    for channel in 0..channels.next_multiple_of(PANEL_CHANNELS) {
        for k in 0..padded {
            let weight = if channel < channels && k < depth { weights[channel * depth + k] } else { 0 };
            let (at, low) = place(channel, k, padded);
            panels[at] = if low { (i16::from(weight) + 128) as u8 } else { weight as u8 };
        }
    }
    Ok(panels)
}

/// Returns the weights from panels that [`write_panels`] returned, `[channels × depth]` row-major.
pub fn read_panels(panels: &[u8], channels: usize, depth: usize) -> Result<Vec<i8>, WrongSize> {
    if panel_bytes(channels, depth) != Some(panels.len()) {
        return Err(WrongSize("a layer's panels"));
    }
    let padded = padded_depth(depth);
    let rows = (0..channels).flat_map(|channel| (0..depth).map(move |k| weight_at(panels, channel, k, padded)));
    Ok(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn panels_round_trip(channels in 1usize..20, depth in 1usize..20, seed in any::<u64>()) {
            let weights: Vec<i8> = (0..channels * depth)
                .map(|at| (seed.wrapping_mul(2 * at as u64 + 1) >> 32) as i8)
                .collect();
            let panels = write_panels(&weights, channels, depth).unwrap();
            prop_assert_eq!(Some(panels.len()), panel_bytes(channels, depth));
            prop_assert_eq!(read_panels(&panels, channels, depth).unwrap(), weights);
        }
    }

    #[test]
    fn sizes_that_differ_are_refused() {
        assert!(write_panels(&[0; 7], 2, 4).is_err());
        assert!(read_panels(&[0; 31], 8, 4).is_err());
        assert_eq!(panel_bytes(usize::MAX, 4), None);
    }
}
