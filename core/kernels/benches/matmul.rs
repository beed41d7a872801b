//! Speed of the kernels on the layers of a small transformer, in 10⁹ multiplications a second.

use nearfind_kernels::{
    Activations, AttentionScratch, Kernel, LayerNorm, Linear, SharedBytes, Then, attention, write_panels,
};
use std::time::Instant;

fn best_of<R>(mut run: impl FnMut() -> R) -> f64 {
    let once = || {
        let start = Instant::now();
        std::hint::black_box(run());
        start.elapsed().as_secs_f64()
    };
    std::iter::repeat_with(once).take(60).fold(f64::MAX, f64::min)
}

fn main() {
    for kernel in Kernel::available() {
        for (depth, channels) in [(384, 384), (384, 1152), (384, 1536), (1536, 384)] {
            let weights: Vec<i8> = (0..channels * depth).map(|at| (at * 37 % 255) as u8 as i8).collect();
            let panels = SharedBytes::new(write_panels(&weights, channels, depth).expect("sizes fit"));
            let (scales, bias) = (vec![0.001; channels], vec![0.0; channels]);
            let then = if channels == 1536 { Then::Gelu } else { Then::Keep };
            let layer = Linear::with_kernel(panels, depth, scales, bias, then, kernel).expect("sizes fit");
            print!("{kernel:?} {depth}x{channels}");
            for rows in [1, 12, 32, 128] {
                let input: Vec<f32> = (0..rows * depth).map(|at| (at as f32).sin()).collect();
                let (mut out, mut quantized) = (vec![0.0; rows * channels], Activations::default());
                let seconds = best_of(|| layer.run(&input, &mut quantized, &mut out));
                print!("  {rows}: {:.1}", (rows * depth * channels) as f64 / seconds / 1e9);
            }
            println!();
        }
    }
    for tokens in [12, 32, 128] {
        let projected: Vec<f32> = (0..tokens * 1152).map(|at| (at as f32).sin()).collect();
        let (mut out, mut scratch) = (vec![0.0; tokens * 384], AttentionScratch::default());
        let seconds = best_of(|| attention(&projected, 12, &[tokens], &mut scratch, &mut out));
        println!("attention {tokens}: {:.3} ms, {:.1}", seconds * 1e3, (tokens * tokens * 768) as f64 / seconds / 1e9);
        let norm = LayerNorm::new(vec![1.0; 384], vec![0.0; 384], 1e-12).expect("sizes fit");
        let (mut x, added) = (vec![0.5; tokens * 384], vec![0.1; tokens * 384]);
        println!("layer norm {tokens}: {:.3} ms", best_of(|| norm.apply(&mut x, &added)) * 1e3);
    }
}
