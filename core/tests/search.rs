//! Whole queries against a small bundle: what comes first, and why.

mod support;

use nearfind_core::format::Part;
use nearfind_core::search::{Advance, Answer, Corrected, QueryText, Session};
use nearfind_core::search::{Filter, Mode, Query, QueryError, Reach, Tier, VectorMethod};
use nearfind_core::vector::graph::Graph;
use support::{ask, bundle, open, query, titles};

fn parts(answer: &Answer) -> Vec<&str> {
    answer.cost.bytes.iter().map(|(part, _)| *part).collect()
}

#[test]
fn words_rank_by_how_many_of_them_match() {
    let bundle = bundle();
    let mut reader = open(&bundle);
    let answer = ask(&mut reader, &bundle, query("who owns a value", Mode::Words, None)).unwrap();
    // Borrowing has "owning" and "value", Ownership only "value": "owner" is another stem. "who" and "a" are not searched.
    assert_eq!(titles(&answer), ["Borrowing", "Ownership"]);
    assert_eq!(answer.mode, Mode::Words);
    assert!(answer.hits[0].why.words.is_some() && answer.hits[0].why.meaning.is_none());
}

#[test]
fn a_title_says_more_than_a_mention() {
    let bundle = bundle();
    let answer = ask(&mut open(&bundle), &bundle, query("owner ranking", Mode::Words, None)).unwrap();
    // Both words are in one document each; "owner" in the text of Ownership and of Ranking, "ranking" in a title alone.
    assert_eq!(titles(&answer)[0], "Ranking");
    let answer = ask(&mut open(&bundle), &bundle, query("bread", Mode::Words, None)).unwrap();
    // No text says "bread": title and path do.
    assert_eq!(titles(&answer), ["Bread"]);
}

#[test]
fn a_mistyped_word_is_taken_for_one_that_the_documents_have() {
    let bundle = bundle();
    let mut reader = open(&bundle);
    let asked = Query { reach: Reach::Near, ..query("valeu", Mode::Words, None) };
    let answer = ask(&mut reader, &bundle, asked).unwrap();
    // "value" is the one word of two documents with the same first letter that one exchange makes.
    assert_eq!(answer.corrections, [Corrected { word: "valeu".into(), meant: "value".into() }]);
    // Both have it once; the shorter text comes first.
    assert_eq!(titles(&answer), ["Ownership", "Borrowing"]);
    assert!(!answer.hits[0].excerpt.highlights.is_empty(), "what was meant is shown");
    assert!(parts(&answer).contains(&"spelling"));
    // Words that are there are never corrected.
    let answer = ask(&mut reader, &bundle, query("borrow salt", Mode::Words, None)).unwrap();
    assert!(answer.corrections.is_empty() && !parts(&answer).contains(&"spelling"));
}

#[test]
fn a_name_is_found_whole_and_by_its_parts() {
    let bundle = bundle();
    let first =
        |text: &str| titles(&ask(&mut open(&bundle), &bundle, query(text, Mode::Words, None)).unwrap())[0].to_owned();
    // Only Borrowing has the whole name, Ownership has one part of it.
    assert_eq!(first("borrow_mut"), "Borrowing");
    // Nothing has this name: its part "Salt" decides.
    assert_eq!(first("AddSaltFlour"), "Bread");
}

#[test]
fn strange_queries_are_answered() {
    let bundle = bundle();
    let long = "borrow ".repeat(QueryText::MAX_BYTES / 7);
    for text in
        ["the of and", "?!", "🦀🦀", "\u{0}\u{1b}[0m", "ключ 鍵 مفتاح value", long.as_str(), "-value", "\"", "a\u{301}"]
    {
        for mode in [Mode::Words, Mode::Hybrid] {
            assert!(ask(&mut open(&bundle), &bundle, query(text, mode, None)).is_ok(), "{text:?}");
        }
    }
}

#[test]
fn meaning_stays_out_of_a_question_in_letters_that_the_model_does_not_know() {
    let bundle = bundle();
    let mut reader = open(&bundle);
    let vector = Some([0.0, 0.0, 1.0]);
    let mut ask = |text: &str, mode, vector| ask(&mut reader, &bundle, query(text, mode, vector)).unwrap();
    // The vector is that of Bread, because letters that the model does not know may get any vector: only the word matches.
    let answer = ask("値 value とは", Mode::Hybrid, vector);
    assert_eq!((answer.mode, answer.tier), (Mode::Words, Tier::Words));
    assert_eq!(titles(&answer), ["Ownership", "Borrowing"]);
    assert_eq!(ask("値 value とは", Mode::Hybrid, None).tier, Tier::Words);
    // The vector counts for a question in Latin letters, and if only meaning is requested.
    assert_eq!(ask("value", Mode::Hybrid, vector).tier, Tier::Model);
    assert_eq!(ask("値とは", Mode::Meaning, vector).tier, Tier::Model);
}

#[test]
fn meaning_finds_what_no_word_names() {
    let bundle = bundle();
    let mut reader = open(&bundle);
    let answer = ask(&mut reader, &bundle, query("baking a loaf", Mode::Meaning, Some([0.0, 0.1, 0.9]))).unwrap();
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
    let mut reader = open(&bundle);
    let answer = ask(&mut reader, &bundle, query("borrow_mut", Mode::Hybrid, Some([0.9, 0.1, 0.0]))).unwrap();
    // Borrowing is first in both lists; Ownership is near in meaning and shares the part "borrow".
    assert_eq!(titles(&answer)[..2], ["Borrowing", "Ownership"]);
    for hit in &answer.hits {
        let sum: f32 = [hit.why.words, hit.why.meaning].iter().flatten().map(|list| list.z * list.weight).sum();
        let missing = hit.why.words.is_none() || hit.why.meaning.is_none();
        assert!(missing || (hit.why.fused - sum).abs() < 1e-5, "the explanation adds up");
    }
}

#[test]
fn the_table_encodes_words_and_pieces_of_words() {
    let bundle = bundle();
    for reach in [Reach::Near, Reach::Full] {
        let mut reader = open(&bundle);
        let asked = Query { reach, ..query("Baking a loaf", Mode::Meaning, None) };
        let answer = ask(&mut reader, &bundle, asked).unwrap();
        // "bak", "##ing" and "loaf" all point at cooking.
        assert_eq!((titles(&answer)[0], answer.tier), ("Bread", Tier::Table));
        let hybrid = Query { reach, ..query("baking a loaf in order", Mode::Hybrid, None) };
        let answer = ask(&mut reader, &bundle, hybrid).unwrap();
        // No document has either word: meaning alone decides, cooking before ranking.
        assert_eq!((&titles(&answer)[..2], answer.tier), (&["Bread", "Ranking"][..], Tier::Table));
    }
}

#[test]
fn words_without_rows_leave_words_alone() {
    let bundle = bundle();
    let mut reader = open(&bundle);
    let answer = ask(&mut reader, &bundle, query("flour", Mode::Hybrid, None)).unwrap();
    assert_eq!((answer.mode, titles(&answer)), (Mode::Words, vec!["Bread"]));
    let answer = ask(&mut reader, &bundle, query("flour", Mode::Meaning, None)).unwrap();
    assert!(answer.hits.is_empty());
}

#[test]
fn words_are_shown_while_meaning_is_on_its_way() {
    let bundle = bundle();
    let mut reader = open(&bundle);
    let asked = Query { reach: Reach::Near, previews: true, ..query("owner loaf", Mode::Hybrid, None) };
    // A slow line: one block at a time, those of words first.
    let mut session = Session::new(&[&reader], asked).unwrap();
    let mut answers = Vec::new();
    while answers.last().is_none_or(|answer: &Answer| answer.tier == Tier::Words) {
        match session.advance(&[&reader]).unwrap() {
            Advance::Need(blocks) => support::bring(&mut reader, &bundle, blocks[0].1).unwrap(),
            Advance::Preview(answer) | Advance::Done(answer) => answers.push(*answer),
        }
    }
    let tiers: Vec<Tier> = answers.iter().map(|answer| answer.tier).collect();
    assert_eq!(tiers, [Tier::Words, Tier::Table]);
    // Words do not find "loaf", but meaning finds Bread.
    assert!(!titles(&answers[0]).contains(&"Bread"));
    assert!(titles(&answers[1]).contains(&"Bread"));
}

#[test]
fn near_and_full_find_the_same_nearest() {
    let bundle = bundle();
    for vector in [[0.9, 0.3, 0.0], [0.0, 0.2, 0.9], [0.1, 0.9, 0.1]] {
        let first = |reach| {
            let asked = Query { reach, ..query("x", Mode::Meaning, Some(vector)) };
            titles(&ask(&mut open(&bundle), &bundle, asked).unwrap())[0].to_owned()
        };
        assert_eq!(first(Reach::Near), first(Reach::Full));
    }
}

#[test]
fn files_of_bounded_size_answer_alike() {
    let (one, many) = (bundle(), support::build(Some(&support::encoder()), 64));
    assert!(many.parts.len() > one.parts.len());
    let asked = || Query { reach: Reach::Near, ..query("owner loaf", Mode::Hybrid, None) };
    let answer = |bundle: &_| titles(&ask(&mut open(bundle), bundle, asked()).unwrap()).join(" ");
    assert_eq!(answer(&one), answer(&many));
}

#[test]
fn a_hit_says_where_it_is_and_what_matched() {
    let bundle = bundle();
    let mut reader = open(&bundle);
    let answer = ask(&mut reader, &bundle, query("kneading dough", Mode::Words, None)).unwrap();
    let hit = &answer.hits[0];
    assert_eq!((hit.document.as_str(), hit.url.as_deref()), ("docs/bread.md", Some("/bread/")));
    assert_eq!((hit.section.as_str(), hit.anchor.as_str()), ("Section", "section"));
    // Its heading, which has the other word, is named above and not repeated.
    assert_eq!(hit.excerpt.text, "Flour, water, salt. Knead it and let it rest.");
    assert_eq!(hit.excerpt.highlights, [[20, 25]]);
}

#[test]
fn without_model_and_table_hybrid_is_answered_by_words() {
    let bundle = support::build(None, 0);
    let mut reader = open(&bundle);
    let answer = ask(&mut reader, &bundle, query("flour", Mode::Hybrid, None)).unwrap();
    assert_eq!((answer.mode, answer.tier, titles(&answer)), (Mode::Words, Tier::Words, vec!["Bread"]));
    assert_eq!(ask(&mut reader, &bundle, query("x", Mode::Meaning, None)).unwrap_err(), QueryError::NoVector);
}

#[test]
fn stop_words_alone_are_still_searched() {
    let bundle = bundle();
    let mut reader = open(&bundle);
    assert!(!ask(&mut reader, &bundle, query("it is", Mode::Words, None)).unwrap().hits.is_empty());
    assert!(ask(&mut reader, &bundle, query("zzz", Mode::Words, None)).unwrap().hits.is_empty());
}

#[test]
fn queries_that_cannot_be_answered_say_why() {
    let bundle = bundle();
    let mut reader = open(&bundle);
    let mut refused = |query| ask(&mut reader, &bundle, query).unwrap_err();
    assert_eq!(refused(query("  ", Mode::Words, None)), QueryError::Empty);
    assert_eq!(refused(Query { limit: 0, ..query("x", Mode::Words, None) }), QueryError::Limit(0));
    let other = Query { vector: Some(vec![1.0]), ..query("x", Mode::Hybrid, None) };
    assert_eq!(refused(other), QueryError::Dimensions { expected: 3, got: 1 });
}

#[test]
fn only_the_blocks_of_the_query_are_read() {
    let bundle = bundle();
    let mut reader = open(&bundle);
    let words = ask(&mut reader, &bundle, query("flour", Mode::Words, None)).unwrap();
    assert_eq!(parts(&words), ["map", "terms", "pages"]);
    let near = Query { reach: Reach::Near, ..query("loaf", Mode::Meaning, None) };
    let meaning = ask(&mut reader, &bundle, near).unwrap();
    assert!(["terms", "fine", "graph", "rotation"].iter().all(|part| !parts(&meaning).contains(part)));
    assert_eq!(words.cost.rounds, 2);
}

#[test]
fn a_large_bundle_is_walked_and_finds_the_nearest() {
    let bundle = support::circle(30_000);
    let mut reader = open(&bundle);
    let answer = ask(&mut reader, &bundle, query("point", Mode::Meaning, Some([0.0, 1.0, 0.0]))).unwrap();
    let vectors = answer.cost.vectors.unwrap();
    assert_eq!(vectors.method, VectorMethod::Walk);
    assert!(vectors.compared < 9_000, "{}", vectors.compared);
    // A quarter of the way round; the five degrees about it have the same code in the second dimension.
    let found: u32 = answer.hits[0].document.parse().unwrap();
    assert!(found.abs_diff(7_500) < 450, "{found}");
    assert!(parts(&answer).contains(&"graph"));
}

#[test]
fn of_a_large_bundle_the_nearest_clusters_of_codes_are_read() {
    let bundle = support::circle(6_000);
    let near = |filters: Vec<Filter>| Query {
        reach: Reach::Near,
        filters,
        ..query("point", Mode::Meaning, Some([0.0, 1.0, 0.0]))
    };
    let answer = ask(&mut open(&bundle), &bundle, near(Vec::new())).unwrap();
    // A quarter of the way round. Codes end before components of two dimensions do, so that an arc about it is as near.
    let found: u32 = answer.hits[0].document.parse().unwrap();
    assert!((250..2_750).contains(&found), "{found}");
    let vectors = answer.cost.vectors.unwrap();
    assert_eq!(vectors.method, VectorMethod::Cells);
    assert!(vectors.compared < 4_000, "{}", vectors.compared);
    let bytes_of = |answer: &Answer, part: &str| answer.cost.bytes.iter().find(|(of, _)| *of == part).unwrap().1;
    // The places of most documents' codes are not needed.
    assert!(bytes_of(&answer, "map") < bundle.root.table(Part::Map).stored_total() / 2);
    // The documents that pass the filter are on the other side, so more clusters are read.
    let evening = Filter { name: "hour".into(), values: vec!["18".into()] };
    let filtered = ask(&mut open(&bundle), &bundle, near(vec![evening])).unwrap();
    let hours: Vec<u32> = filtered.hits.iter().map(|hit| hit.document.parse::<u32>().unwrap() * 24 / 6_000).collect();
    assert_eq!(hours, [18; 10]);
    assert!(bytes_of(&filtered, "cells") > bytes_of(&answer, "cells"));
}

#[test]
fn a_bundle_without_fine_codes_is_compared_by_more_of_its_coarse_ones_where_all_was_asked_for() {
    let bundle = support::circle_with(9_000, &Graph::default());
    let compared = |reach| {
        let asked = Query { reach, ..query("point", Mode::Meaning, Some([0.0, 1.0, 0.0])) };
        let answer = ask(&mut open(&bundle), &bundle, asked).unwrap();
        assert_eq!(answer.hits.len(), 10);
        let vectors = answer.cost.vectors.unwrap();
        assert_eq!(vectors.method, VectorMethod::Cells);
        vectors.compared
    };
    assert!(compared(Reach::Full) > compared(Reach::Near));
}

#[test]
fn of_a_word_that_many_chunks_have_the_head_of_the_list_is_read_and_the_rest_where_it_matters() {
    let bundle = support::circle(9_000);
    let words = || Query { reach: Reach::Near, ..query("circle", Mode::Words, None) };
    let asked = |query: Query| ask(&mut open(&bundle), &bundle, query).unwrap();
    let bytes_of_terms = |answer: &Answer| answer.cost.bytes.iter().find(|(part, _)| *part == "terms").unwrap().1;
    let answer = asked(words());
    // It has the word twice.
    assert_eq!(titles(&answer)[0], "Point 0");
    // All others have it once, and the head has those that come first.
    let evening = Filter { name: "hour".into(), values: vec!["18".into()] };
    let filtered = asked(Query { filters: vec![evening], ..words() });
    assert!(filtered.hits.iter().all(|hit| hit.document.parse::<u32>().unwrap() * 24 / 9_000 == 18));
    assert_eq!(filtered.hits.len(), 10);
    let counted = asked(Query { counts: true, ..words() });
    assert_eq!(counted.filters[0].values.iter().map(|value| value.documents).sum::<u32>(), 9_000);
    for whole in [filtered, counted] {
        assert!(bytes_of_terms(&whole) > bytes_of_terms(&answer));
    }
    // Positions are in the order of all chunks, wherever these are.
    let phrase = asked(Query { text: "\"on a circle\" -\"point 17\"".into(), ..words() });
    assert_eq!(titles(&phrase)[0], "Point 0");
    let twice = asked(Query { text: "\"circle a circle\"".into(), ..words() });
    assert_eq!(titles(&twice), ["Point 0"]);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let (first, second) = (bundle(), bundle());
    assert_eq!(first.manifest.to_bytes(), second.manifest.to_bytes());
    for (first, second) in first.parts.iter().zip(&second.parts) {
        assert_eq!((&first.name, &first.bytes), (&second.name, &second.bytes));
    }
}
