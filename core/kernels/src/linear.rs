//! A linear layer in 8 bits: `x · Wᵀ + b`, then perhaps an activation function.

use crate::activations::Activations;
use crate::finish::{Finish, Then};
use crate::matmul::{Kernel, PackedWeights};
use crate::panels::padded_depth;
use crate::{SharedBytes, WrongSize, panel_bytes};

/// A layer with its weights as the chosen kernel reads them.
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
    /// A layer of `depth` inputs and as many outputs as there are `scales`, one for each output's weights.
    pub fn new(
        panels: SharedBytes,
        depth: usize,
        scales: Vec<f32>,
        bias: Vec<f32>,
        then: Then,
    ) -> Result<Self, WrongSize> {
        Self::with_kernel(panels, depth, scales, bias, then, Kernel::best())
    }

    /// The same as [`Linear::new`] with a kernel of the caller's choice, which this machine must have.
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

    /// Length of a row that comes out.
    pub fn channels(&self) -> usize {
        self.scales.len()
    }

    /// Length of a row that goes in.
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// Writes the results for `rows`, `[rows × depth]` row-major, to `out`, `[rows × channels]`. `quantized` is memory to work
    /// in; what it held is lost.
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
