//! Multiplies quantized rows by quantized weights. Every kernel returns the same whole numbers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512_vnni;
#[cfg(target_arch = "aarch64")]
mod neon;
mod packed_weights;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod tiles;

pub(crate) use packed_weights::PackedWeights;

use crate::activations::Activations;
use crate::finish::Finish;
use crate::shared_bytes::SharedBytes;

/// The method of computing products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// One product after the other. This kernel runs everywhere and defines the correct result.
    Scalar,
    /// WASM with 128-bit registers: 16-bit products.
    Simd128,
    /// x86-64 with 256-bit registers: 16-bit products.
    Avx2,
    /// x86-64 with 512-bit registers: 8-bit products.
    Avx512Vnni,
    /// ARM with 128-bit registers: 16-bit products.
    Neon,
}

impl Kernel {
    /// Returns the kernels that this machine can run, best last.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "there are targets with one kernel alone")]
        let mut kernels = vec![Self::Scalar];
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        kernels.push(Self::Simd128);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            kernels.push(Self::Avx2);
            if crate::instruction_set::has_avx512() && is_x86_feature_detected!("avx512vnni") {
                kernels.push(Self::Avx512Vnni);
            }
        }
        #[cfg(target_arch = "aarch64")]
        kernels.push(Self::Neon);
        kernels
    }

    /// Returns the best kernel that this machine can run.
    pub fn best() -> Self {
        Self::available().pop().expect("the scalar kernel is always there")
    }
}

impl PackedWeights {
    /// Arranges the weights in `panels` for `kernel`. The size of `panels` must match `channels` and `depth`, which
    /// must be a multiple of four.
    pub(crate) fn new(kernel: Kernel, panels: SharedBytes, channels: usize, depth: usize) -> Self {
        let weights = Self { bytes: panels, channels, depth };
        match kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => weights.in_blocks(avx2::CHANNELS, 2, 0),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vnni => weights.in_blocks(avx512_vnni::CHANNELS, 4, 128),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => weights.in_blocks(neon::CHANNELS, 1, 0),
            _ => weights,
        }
    }

    /// Writes the results, `[rows × channels]`, to `out`.
    pub(crate) fn multiply(&self, kernel: Kernel, activations: &mut Activations, finish: &Finish<'_>, out: &mut [f32]) {
        debug_assert_eq!(activations.depth, self.depth);
        debug_assert_eq!(out.len(), activations.rows() * self.channels);
        match kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::multiply(self, activations, finish, out),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vnni => avx512_vnni::multiply(self, activations, finish, out),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128 => simd128::multiply(self, activations, finish, out),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => neon::multiply(self, activations, finish, out),
            _ => scalar::multiply(self, activations, finish, out),
        }
    }
}
