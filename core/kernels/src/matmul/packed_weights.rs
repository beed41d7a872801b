//! Weights in the order in which a kernel reads them.

use crate::shared_bytes::SharedBytes;

/// The weights of a layer, arranged for one kernel.
#[derive(Clone, Debug)]
pub(crate) struct PackedWeights {
    /// The panels of the pack, or the same weights in a different order that the kernel needs.
    pub(super) bytes: SharedBytes,
    pub(super) channels: usize,
    /// Number of inputs, including padding.
    pub(super) depth: usize,
}

impl PackedWeights {
    /// Returns the weights in the order that most kernels need: in blocks of `width` channels. For every `group`
    /// inputs, a block has the weights of one channel after the other. `offset` is added to each weight.
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

    /// Returns the weight of `channel` for input `k` from the pack's panels.
    pub(super) fn weight(&self, channel: usize, k: usize) -> i8 {
        crate::panels::weight_at(&self.bytes, channel, k, self.depth)
    }
}
