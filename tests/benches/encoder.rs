//! Measures the speed of the native encoder for `tests/encoder/run.sh`, which calls this program and its peers in turn.
//!
//! Reads lines of `THREADS TOKENS TEXTS`. Answers each with the seconds for encoding `TEXTS` texts of `TOKENS` tokens,
//! including the framing tokens.
#![expect(clippy::print_stdout, reason = "the answers are for a script")]

use nearfind_tests::default_model;
use std::io::BufRead as _;
use std::time::Instant;

fn main() {
    let encoder = default_model().encoder;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let numbers: Vec<usize> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
        let &[threads, tokens, texts] = &numbers[..] else {
            // `cargo test` and `cargo bench` start this program without such a line.
            continue;
        };
        let words = ["house", "tree", "red", "water", "big"];
        let text: Vec<&str> = words.into_iter().cycle().take(tokens - 2).collect();
        let text = text.join(" ");
        let started = Instant::now();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let own = vec![text.as_str(); texts / threads + usize::from(thread < texts % threads)];
                let encoder = &encoder;
                scope.spawn(move || encoder.encode_passages(&own).expect("the model runs"));
            }
        });
        println!("{}", started.elapsed().as_secs_f64());
    }
}
