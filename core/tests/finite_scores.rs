//! Scores are finite whatever is asked: phrases that repeat, exclusions, odd letters, vectors of no model.

mod support;

use nearfind_core::bundle::Bundle;
use nearfind_core::search::{Mode, Query, QueryError, Reach};
use proptest::prelude::*;
use std::sync::LazyLock;
use support::{ask, bundle, circle, open, query};

/// Words of the bundle and others, signs and letters that are read in a way of their own.
const PIECES: &[&str] = &[
    "owner",
    "rust",
    "borrow_mut",
    "pin",
    "results",
    "circle",
    "a",
    "zzz",
    "\"",
    "\"",
    "\"",
    "-",
    " -",
    " ",
    " ",
    " ",
    "“",
    "”",
    "BM25",
    "own",
    "C++",
    ".NET",
    "--flag",
    "é",
    "e\u{301}",
    "\u{200b}",
    "\u{ad}",
    "検索",
    "\u{1f600}",
    "\u{0}",
    "(",
    "_",
    "'",
    "\n",
];

fn questions() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 1..40).prop_map(|pieces| pieces.concat());
    // One phrase hundreds of times.
    let repeated =
        (prop::sample::select(PIECES), 1usize..400).prop_map(|(word, times)| format!("\"{word}\" ").repeat(times));
    prop_oneof![4 => pieces, 1 => repeated]
}

fn components() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => -1.0f32..1.0,
        1 => prop::sample::select(vec![0.0, -0.0, 1e-38, 1e30, f32::MAX, f32::MIN, f32::INFINITY, f32::NAN]),
    ]
}

static SMALL: LazyLock<Bundle> = LazyLock::new(bundle);
static LARGE: LazyLock<Bundle> = LazyLock::new(|| circle(50));

proptest! {
    #[test]
    fn scores_are_finite_and_hits_in_order(
        text in questions(),
        vector in prop::option::of(prop::array::uniform3(components())),
        mode in prop::sample::select(vec![Mode::Hybrid, Mode::Words, Mode::Meaning]),
        reach in prop::sample::select(vec![Reach::Near, Reach::Full]),
        unfit: bool,
        typing: bool,
        limit in 1usize..6,
        large: bool,
    ) {
        let bundle = if large { &*LARGE } else { &*SMALL };
        let query = Query { reach, unfit, typing, limit, ..query(&text, mode, vector) };
        match ask(&mut open(bundle), bundle, query) {
            Ok(answer) => {
                for hit in &answer.hits {
                    prop_assert!(hit.score.is_finite() && (0.0..=1.0).contains(&hit.score), "{text:?}: {}", hit.score);
                    prop_assert!(hit.why.fused.is_finite() && hit.why.fit.is_finite(), "{text:?}: {:?}", hit.why);
                    for list in [hit.why.words, hit.why.meaning].into_iter().flatten() {
                        prop_assert!(list.score.is_finite() && list.z.is_finite() && list.weight.is_finite(), "{text:?}: {list:?}");
                    }
                }
                prop_assert!(answer.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
            }
            Err(QueryError::Empty | QueryError::NoVector) => {}
            Err(error) => prop_assert!(false, "{text:?}: {error}"),
        }
    }
}

#[test]
fn a_phrase_that_repeats_a_thousand_times_is_one() {
    let bundle = bundle();
    let words = |text: &str| ask(&mut open(&bundle), &bundle, query(text, Mode::Words, None)).unwrap();
    let (once, often) = (words("\"owner\" rust"), words(&("\"owner\" ".repeat(300) + "rust")));
    let scores = |answer: &nearfind_core::search::Answer| {
        answer
            .hits
            .iter()
            .map(|hit| (hit.document.clone(), hit.why.words.map(|words| words.score.to_bits())))
            .collect::<Vec<_>>()
    };
    assert_eq!(scores(&once), scores(&often));
}
