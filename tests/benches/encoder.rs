//! Speed of the native encoder, for `tests/encoder/run.sh`, which asks this and its peers in turns.
//!
//! Reads lines of `THREADS TOKENS TEXTS` and answers each with the seconds that it took to encode that many texts of that
//! many tokens, framing tokens included.
#![expect(clippy::print_stdout, reason = "the answers are for a script")]

use nearfind_tests::default_model;
use std::io::BufRead as _;
use std::time::Instant;

fn main() {
    let encoder = default_model().encoder;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let numbers: Vec<usize> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
        let &[threads, tokens, texts] = &numbers[..] else {
            // `cargo test` and `cargo bench` start it without a line that is meant for it.
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
