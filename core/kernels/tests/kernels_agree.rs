//! Every kernel of this machine gives the bits that the scalar one gives.

use nearfind_kernels::{Activations, Kernel, Linear, SharedBytes, Then, write_panels};
use proptest::prelude::*;

fn layer(weights: &[i8], depth: usize, then: Then, kernel: Kernel) -> Linear {
    let channels = weights.len() / depth;
    let panels = SharedBytes::new(write_panels(weights, channels, depth).unwrap());
    let scales = (0..channels).map(|channel| 0.001 + channel as f32 * 1e-5).collect();
    let bias = (0..channels).map(|channel| channel as f32 * 0.01 - 0.1).collect();
    Linear::with_kernel(panels, depth, scales, bias, then, kernel).unwrap()
}

fn run(layer: &Linear, input: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; input.len() / layer.depth() * layer.channels()];
    layer.run(input, &mut Activations::default(), &mut out).unwrap();
    out
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

proptest! {
    #[test]
    fn on_any_shape(
        // Kernels work differently on many rows than on few.
        rows in 0usize..40,
        channels in 1usize..70,
        depth in 1usize..40,
        extreme in any::<bool>(),
        gelu in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut state = seed;
        let mut next = move || { state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1); (state >> 40) as u32 };
        let weights: Vec<i8> = (0..channels * depth)
            .map(|_| if extreme { [-127, 127][next() as usize % 2] } else { (next() % 255) as i32 as u8 as i8 })
            .map(|weight: i8| weight.max(-127))
            .collect();
        let input: Vec<f32> = (0..rows * depth)
            .map(|_| if extreme { [-1.0, 1.0][next() as usize % 2] } else { next() as f32 / 8_388_608.0 - 1.0 })
            .collect();
        let then = if gelu { Then::Gelu } else { Then::Keep };
        let expected = run(&layer(&weights, depth, then, Kernel::Scalar), &input);
        for kernel in Kernel::available() {
            let found = run(&layer(&weights, depth, then, kernel), &input);
            prop_assert_eq!(bits(&found), bits(&expected), "{:?}", kernel);
        }
    }
}

#[test]
fn on_the_deepest_layers_with_the_largest_numbers() {
    for depth in [1536, 4096, 8192] {
        let weights = vec![127; 9 * depth];
        let input = vec![1.0; 5 * depth];
        let expected = run(&layer(&weights, depth, Then::Keep, Kernel::Scalar), &input);
        assert!((expected[0] - (0.127 * depth as f32 - 0.1)).abs() < 0.01 * depth as f32);
        for kernel in Kernel::available() {
            let found = run(&layer(&weights, depth, Then::Keep, kernel), &input);
            assert_eq!(bits(&found), bits(&expected), "{kernel:?}");
        }
    }
}

#[test]
fn the_result_is_the_product() {
    let weights: Vec<i8> = (0..24 * 16).map(|at| ((at * 37) % 255 - 127) as i8).collect();
    let input: Vec<f32> = (0..2 * 16).map(|at| (at as f32 * 0.7).sin()).collect();
    let found = run(&layer(&weights, 16, Then::Keep, Kernel::best()), &input);
    for row in 0..2 {
        for channel in 0..24 {
            let dot: f32 = (0..16).map(|k| input[row * 16 + k] * f32::from(weights[channel * 16 + k])).sum();
            let expected = dot * (0.001 + channel as f32 * 1e-5) + channel as f32 * 0.01 - 0.1;
            assert!((found[row * 24 + channel] - expected).abs() < 1e-3);
        }
    }
}
