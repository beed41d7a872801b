//! A linear layer in 8 bits: `x · Wᵀ + b`, optionally followed by an activation function.

use crate::activations::Activations;
use crate::finish::{Finish, Then};
use crate::matmul::{Kernel, PackedWeights};
use crate::panels::padded_depth;
use crate::{SharedBytes, WrongSize, panel_bytes};

/// A layer whose weights are in the order in which its kernel reads them.
#[derive(Clone, Debug)]
pub struct Linear {
    weights: PackedWeights,
    scales: Vec<f32>,
    bias: Vec<f32>,
    depth: usize,
    then: Then,
    kernel: Kernel,
}

impl Linear {
    /// Creates a layer with `depth` inputs. `scales` has a scale for each output's weights, so its length is the number
    /// of outputs.
    pub fn new(
        panels: SharedBytes,
        depth: usize,
        scales: Vec<f32>,
        bias: Vec<f32>,
        then: Then,
    ) -> Result<Self, WrongSize> {
        Self::with_kernel(panels, depth, scales, bias, then, Kernel::best())
    }

    /// Does the same as [`Linear::new`] with the given `kernel`, which must be available on this machine.
    pub fn with_kernel(
        panels: SharedBytes,
        depth: usize,
        scales: Vec<f32>,
        bias: Vec<f32>,
        then: Then,
        kernel: Kernel,
    ) -> Result<Self, WrongSize> {
        let channels = scales.len();
        let sound = depth > 0 && bias.len() == channels && panel_bytes(channels, depth) == Some(panels.len());
        if !sound || !Kernel::available().contains(&kernel) {
            return Err(WrongSize("a linear layer"));
        }
        let weights = PackedWeights::new(kernel, panels, channels, padded_depth(depth));
        Ok(Self { weights, scales, bias, depth, then, kernel })
    }

    /// Returns the length of an output row.
    pub fn channels(&self) -> usize {
        self.scales.len()
    }

    /// Returns the length of an input row.
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// Writes the results for `rows`, `[rows × depth]` row-major, to `out`, `[rows × channels]`. `quantized` is working
    /// memory, whose content is overwritten.
    pub fn run(&self, rows: &[f32], quantized: &mut Activations, out: &mut [f32]) -> Result<(), WrongSize> {
        let count = rows.len() / self.depth;
        if rows.len() != count * self.depth || out.len() != count * self.channels() {
            return Err(WrongSize("the input of a linear layer"));
        }
        let finish = Finish { scales: &self.scales, bias: &self.bias, then: self.then };
        quantized.quantize(rows, self.depth);
        self.weights.multiply(self.kernel, quantized, &finish, out);
        Ok(())
    }
}
