//! Weights in the order in which a kernel reads them.

use crate::shared_bytes::SharedBytes;

/// Weights as one kernel reads them.
#[derive(Clone, Debug)]
pub(crate) struct PackedWeights {
    /// The panels of the pack, or the kernel's own order.
    pub(super) bytes: SharedBytes,
    pub(super) channels: usize,
    /// Inputs with padding.
    pub(super) depth: usize,
}

impl PackedWeights {
    /// The order that most kernels want: blocks of `width` channels; in each, for every `group` inputs the weights of one
    /// channel after the other. `offset` is added to a weight.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(super) fn in_blocks(&self, width: usize, group: usize, offset: u8) -> Self {
        let padded = self.channels.next_multiple_of(width);
        let mut bytes = vec![0; padded * self.depth];
        for channel in 0..padded {
            let (block, lane) = (channel / width, channel % width);
            for k in 0..self.depth {
                let at = (block * self.depth + k / group * group) * width + lane * group + k % group;
                bytes[at] = (self.weight(channel, k) as u8).wrapping_add(offset);
            }
        }
        Self { bytes: SharedBytes::new(bytes), ..*self }
    }

    /// The weight of `channel` for input `k`: from the pack's panels.
    pub(super) fn weight(&self, channel: usize, k: usize) -> i8 {
        crate::panels::weight_at(&self.bytes, channel, k, self.depth)
    }
}
