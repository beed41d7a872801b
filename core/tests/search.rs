//! Whole queries over a small bundle: what comes first, and why.

mod support;

use nearfind_core::search::{Mode, Query, QueryError, VectorMethod};
use support::{ask, bundle, open, query, titles};

#[test]
fn words_rank_by_how_many_of_them_match() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let answer = ask(&mut searcher, &bundle, query("who owns a value", Mode::Words, None)).unwrap();
    // Borrowing has "owning" and "value", Ownership only "value": "owner" is another stem. "who" and "a" are not searched.
    assert_eq!(titles(&answer), ["Borrowing", "Ownership"]);
    assert_eq!(answer.mode, Mode::Words);
    assert!(answer.hits[0].why.words.is_some() && answer.hits[0].why.meaning.is_none());
}

#[test]
fn meaning_finds_what_no_word_names() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let answer = ask(&mut searcher, &bundle, query("baking a loaf", Mode::Meaning, Some([0.0, 0.1, 0.9]))).unwrap();
    // Nearest first: only Bread has the third component, Ranking shares the second.
    assert_eq!(titles(&answer)[..2], ["Bread", "Ranking"]);
    let vectors = answer.cost.vectors.unwrap();
    assert_eq!((vectors.method, vectors.compared), (VectorMethod::Scan, 4));
    let cosine = answer.hits[0].why.meaning.unwrap().score;
    assert!((cosine - 0.9).abs() < 0.02, "{cosine}");
}

#[test]
fn hybrid_prefers_what_both_lists_find() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let answer = ask(&mut searcher, &bundle, query("borrow_mut", Mode::Hybrid, Some([0.9, 0.1, 0.0]))).unwrap();
    // Borrowing is first in both lists and scores 1; Ownership is near in meaning and shares the part "borrow".
    assert_eq!(titles(&answer)[..2], ["Borrowing", "Ownership"]);
    assert!((answer.hits[0].score - 1.0).abs() < 1e-6);
    for hit in &answer.hits {
        let ranks = [hit.why.words, hit.why.meaning];
        let from_ranks: f32 = ranks.iter().flatten().map(|list| 61.0 / (60.0 + list.rank as f32)).sum::<f32>() / 2.0;
        assert!((hit.score - from_ranks).abs() < 1e-6, "the explanation adds up to the score");
    }
}

#[test]
fn a_hit_says_where_it_is_and_what_matched() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let answer = ask(&mut searcher, &bundle, query("kneading dough", Mode::Words, None)).unwrap();
    let hit = &answer.hits[0];
    assert_eq!((hit.document.as_str(), hit.url.as_deref()), ("docs/bread.md", Some("/bread/")));
    assert_eq!((hit.section.as_str(), hit.anchor.as_str()), ("Section", "section"));
    assert_eq!(hit.excerpt.text, "Dough Flour, water, salt. Knead it and let it rest.");
    assert_eq!(hit.excerpt.highlights, [[0, 5], [26, 31]]);
}

#[test]
fn hybrid_without_a_vector_is_answered_by_words() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let answer = ask(&mut searcher, &bundle, query("flour", Mode::Hybrid, None)).unwrap();
    assert_eq!((answer.mode, titles(&answer)), (Mode::Words, vec!["Bread"]));
}

#[test]
fn stop_words_alone_are_still_searched() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    assert!(!ask(&mut searcher, &bundle, query("it is", Mode::Words, None)).unwrap().hits.is_empty());
    assert!(ask(&mut searcher, &bundle, query("zzz", Mode::Words, None)).unwrap().hits.is_empty());
}

#[test]
fn queries_that_cannot_be_answered_say_why() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let mut refused = |query| ask(&mut searcher, &bundle, query).unwrap_err();
    assert_eq!(refused(query("  ", Mode::Words, None)), QueryError::Empty);
    assert_eq!(refused(Query { limit: 0, ..query("x", Mode::Words, None) }), QueryError::Limit(0));
    assert_eq!(refused(query(&"x".repeat(5000), Mode::Words, None)), QueryError::TooLong(5000));
    assert_eq!(refused(query("x", Mode::Meaning, None)), QueryError::NoVector("toy".into()));
    let other = Query { vector: Some(vec![1.0]), ..query("x", Mode::Hybrid, None) };
    assert_eq!(refused(other), QueryError::Dimensions { expected: 3, got: 1 });
}

#[test]
fn only_the_blocks_of_the_query_are_read() {
    let bundle = bundle();
    let mut searcher = open(&bundle);
    let words = ask(&mut searcher, &bundle, query("flour", Mode::Words, None)).unwrap();
    assert!(!words.cost.bytes.contains_key("vectors"));
    let meaning = ask(&mut searcher, &bundle, query("flour", Mode::Meaning, Some([0.0, 0.0, 1.0]))).unwrap();
    assert!(!meaning.cost.bytes.contains_key("terms") && !meaning.cost.bytes.contains_key("postings"));
    assert!(words.cost.rounds <= 5);
}

#[test]
fn a_large_bundle_is_walked_and_finds_the_nearest() {
    let bundle = support::circle(20_000);
    let mut searcher = open(&bundle);
    let answer = ask(&mut searcher, &bundle, query("point", Mode::Meaning, Some([0.0, 1.0, 0.0]))).unwrap();
    let vectors = answer.cost.vectors.unwrap();
    assert_eq!(vectors.method, VectorMethod::Walk);
    assert!(vectors.compared < 5_000, "{}", vectors.compared);
    // A quarter of the way round; the five degrees about it have the same code in the second dimension.
    let found: u32 = answer.hits[0].document.parse().unwrap();
    assert!(found.abs_diff(5_000) < 300, "{found}");
    assert!(answer.cost.bytes.contains_key("graph"));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let (first, second) = (bundle(), bundle());
    assert_eq!(first.manifest.to_bytes(), second.manifest.to_bytes());
    for (first, second) in first.parts.iter().zip(&second.parts) {
        assert_eq!((&first.name, &first.bytes), (&second.name, &second.bytes));
    }
}
