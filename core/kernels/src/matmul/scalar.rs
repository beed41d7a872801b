//! The kernel that defines the result. Every other kernel must return the same numbers.

use super::packed_weights::PackedWeights;
use crate::activations::Activations;
use crate::finish::Finish;

pub(super) fn multiply(weights: &PackedWeights, activations: &Activations, finish: &Finish<'_>, out: &mut [f32]) {
    for channel in 0..weights.channels {
        let column: Vec<i32> = (0..weights.depth).map(|k| i32::from(weights.weight(channel, k))).collect();
        for (number, row) in activations.values.chunks_exact(weights.depth).enumerate() {
            let sum = row.iter().zip(&column).map(|(&value, weight)| i32::from(value) * weight).sum();
            let place = number * weights.channels + channel;
            finish.write(&[sum], activations.scales[number], channel, &mut out[place..=place]);
        }
    }
}
