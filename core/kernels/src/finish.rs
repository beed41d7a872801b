//! The steps that follow a product of whole numbers: scales, a bias and, in some layers, an activation function.

/// The activation function of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Then {
    /// No activation function.
    Keep,
    /// GELU.
    Gelu,
}

/// Converts sums of whole numbers to results.
#[derive(Clone, Copy)]
pub(crate) struct Finish<'a> {
    pub(crate) scales: &'a [f32],
    pub(crate) bias: &'a [f32],
    pub(crate) then: Then,
}

impl Finish<'_> {
    /// Writes the results of one row to `out`, from channel `first` on. `out` may be shorter than `sums`.
    #[inline(always)]
    pub(crate) fn write<const W: usize>(&self, sums: &[i32; W], row_scale: f32, first: usize, out: &mut [f32]) {
        if let (Some(out), Some(scales), Some(bias)) =
            (out.first_chunk_mut::<W>(), self.scales[first..].first_chunk(), self.bias[first..].first_chunk())
        {
            self.finish(sums, row_scale, scales, bias, out);
            return;
        }
        // The last channels of a layer use the same arithmetic on padded copies.
        let mut scales = [0.0; W];
        let mut bias = [0.0; W];
        let mut whole = [0.0; W];
        scales[..out.len()].copy_from_slice(&self.scales[first..first + out.len()]);
        bias[..out.len()].copy_from_slice(&self.bias[first..first + out.len()]);
        self.finish(sums, row_scale, &scales, &bias, &mut whole);
        out.copy_from_slice(&whole[..out.len()]);
    }

    #[inline(always)]
    fn finish<const W: usize>(
        &self,
        sums: &[i32; W],
        row_scale: f32,
        scales: &[f32; W],
        bias: &[f32; W],
        out: &mut [f32; W],
    ) {
        for lane in 0..W {
            out[lane] = sums[lane] as f32 * (row_scale * scales[lane]) + bias[lane];
        }
        if self.then == Then::Gelu {
            for out in out {
                *out = crate::gelu::gelu(*out);
            }
        }
    }
}
