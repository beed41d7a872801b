//! Phrases, exclusions, filters, beginnings of words, pins, synonyms and versions: what a query may say and a site's
//! owner may decide.

mod support;

use nearfind_core::analysis::pin_key;
use nearfind_core::bundle::{Bundle, BundleOptions};
use nearfind_core::format::root::Pin;
use nearfind_core::lexical::Synonyms;
use nearfind_core::search::{Answer, Filter, Mode, PROJECT, PathPattern, Query, QueryError};
use support::{ask, bundle, open, query, site, titles};

fn find(bundle: &Bundle, text: &str) -> Answer {
    ask(&mut open(bundle), bundle, query(text, Mode::Words, None)).unwrap()
}

#[test]
fn a_phrase_must_stand_together() {
    let bundle = bundle();
    // "owner" is in two documents, "an owner" with "has" before it in one.
    assert_eq!(titles(&find(&bundle, "\"has an owner\"")), ["Ownership"]);
    let answer = find(&bundle, "value \"borrow checker\"");
    assert_eq!(titles(&answer), ["Ownership"]);
    assert!(answer.cost.bytes.iter().any(|(part, _)| *part == "positions") && answer.missing_phrases.is_empty());
    // Inflected alike: the phrase is one of stems.
    assert_eq!(titles(&find(&bundle, "\"borrowing checkers\"")), ["Ownership"]);
    // A part of a name has its place.
    assert_eq!(titles(&find(&bundle, "\"call borrow_mut to change\"")), ["Borrowing"]);
}

#[test]
fn a_phrase_that_nobody_wrote_is_searched_by_its_words() {
    let bundle = bundle();
    let answer = find(&bundle, "\"checker borrow\"");
    assert_eq!(answer.missing_phrases, ["checker borrow"]);
    assert_eq!(titles(&answer)[0], "Ownership");
    // Each phrase is there, but not in one document.
    let answer = find(&bundle, "\"borrow checker\" \"flour water\"");
    assert_eq!((answer.missing_phrases.len(), answer.hits.len() >= 2), (2, true));
}

#[test]
fn what_is_excluded_is_not_found_by_words_or_meaning() {
    let bundle = bundle();
    assert_eq!(titles(&find(&bundle, "value -checker")), ["Borrowing"]);
    let asked = query("value -checker", Mode::Hybrid, Some([1.0, 0.0, 0.0]));
    let answer = ask(&mut open(&bundle), &bundle, asked).unwrap();
    assert!(answer.hits.len() == 3 && !titles(&answer).contains(&"Ownership"), "{answer:?}");
    assert_eq!(titles(&find(&bundle, "value -\"borrow checker\"")), ["Borrowing"]);
    // Excluding a word that is in no document excludes nothing.
    assert_eq!(find(&bundle, "value -zebra").hits.len(), 2);
}

#[test]
fn the_last_word_may_be_a_beginning() {
    let bundle = bundle();
    // No document has "chec" or "refe"; both begin words.
    assert_eq!(titles(&find(&bundle, "chec")), ["Ownership"]);
    assert_eq!(titles(&find(&bundle, "value refe")), ["Borrowing", "Ownership"]);
    // Not the last word, so not a beginning.
    assert!(find(&bundle, "chec zebra").hits.is_empty());
    // "own" is a word of a document; who is typing may want "owner" too.
    let typing = |typing| {
        let asked = Query { typing, ..query("own", Mode::Words, None) };
        titles(&ask(&mut open(&bundle), &bundle, asked).unwrap()).len()
    };
    assert_eq!((typing(false), typing(true)), (1, 3));
}

#[test]
fn the_ending_that_a_stem_lacks_may_be_half_typed() {
    // "referen" is the stem's beginning, "referenci" goes beyond the stem "refer" toward "referencing".
    assert_eq!(titles(&find(&bundle(), "referenc")), ["Borrowing"]);
}

#[test]
fn a_version_of_a_page_stands_for_all() {
    let bundle = site(&BundleOptions::default());
    let answer = find(&bundle, "install");
    // The guide of both versions says the same: the latest is shown and names both.
    assert_eq!(titles(&answer), ["Guide 2"]);
    let versions: Vec<&str> = answer.hits[0].versions.iter().map(|version| version.version.as_str()).collect();
    assert_eq!(versions, ["2.0", "1.0"]);
    let old = Filter { name: "version".into(), values: vec!["1.0".into()] };
    let pinned = Query { filters: vec![old], ..query("install", Mode::Words, None) };
    assert_eq!(titles(&ask(&mut open(&bundle), &bundle, pinned).unwrap()), ["Guide 1"]);
    // Text that only the old version contains is found there.
    assert_eq!(titles(&find(&bundle, "install floppy disk"))[0], "Guide 1");
}

#[test]
fn projects_and_facets_filter_and_unknown_ones_are_named() {
    let bundle = site(&BundleOptions::default());
    let asked = |name: &str, value: &str| Query {
        filters: vec![Filter { name: name.into(), values: vec![value.into()] }],
        ..query("package", Mode::Hybrid, Some([1.0, 0.0, 0.0]))
    };
    let ask = |query| ask(&mut open(&bundle), &bundle, query);
    assert_eq!(titles(&ask(asked(PROJECT, "tool")).unwrap()), ["Tool"]);
    assert_eq!(ask(asked(PROJECT, "app")).unwrap().hits.len(), 1);
    let unknown = ask(asked(PROJECT, "apps")).unwrap_err();
    assert_eq!(unknown, QueryError::UnknownValue { name: "project".into(), value: "apps".into() });
    assert_eq!(ask(asked("colour", "red")).unwrap_err(), QueryError::UnknownFilter("colour".into()));
}

#[test]
fn the_catalog_filters_and_is_read_only_then() {
    let bundle = site(&BundleOptions::default());
    let asked = |filters: &[(&str, &str)], path_pattern| Query {
        filters: Filter::of_pairs(filters.iter().map(|(name, value)| ((*name).into(), (*value).into()))),
        path_pattern,
        ..query("package", Mode::Words, None)
    };
    let ask = |filters: &[(&str, &str)], pattern| ask(&mut open(&bundle), &bundle, asked(filters, pattern));
    let found = |filters: &[(&str, &str)], pattern| {
        let answer = ask(filters, pattern).unwrap();
        let reads = answer.cost.bytes.iter().any(|(part, _)| *part == "catalog");
        assert_eq!(reads, !filters.is_empty());
        titles(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    // Guides are one page in two versions, the tool another.
    assert_eq!(found(&[], None).len(), 2);
    assert_eq!(found(&[("area", "even")], None), ["Tool"]);
    assert_eq!(found(&[("area", "odd")], None), ["Guide 2"]);
    assert_eq!(found(&[("area", "odd"), ("area", "even")], None).len(), 2);
    assert_eq!(found(&[("sub_area", "odd")], None).len(), 0);
    assert_eq!(found(&[("path", "docs/even/")], None), ["Tool"]);
    assert_eq!(found(&[("since", "2024-05-01")], None), ["Guide 2"]);
    assert_eq!(found(&[("since", "2024-05-02")], None).len(), 0);
    // A page from 2023 may be from any month of that year.
    assert_eq!(found(&[("since", "2023-06"), ("until", "2023-07")], None), ["Tool"]);
    assert_eq!(
        found(&[("path_regex", "for the host")], Some(PathPattern::new(|path| path.contains("tool")))),
        ["Tool"]
    );
    assert_eq!(found(&[("path_regex", "without a host")], None).len(), 0);
    assert_eq!(ask(&[("until", "soon")], None).unwrap_err(), QueryError::Date("soon".into()));
}

#[test]
fn pinned_pages_come_first_and_synonyms_are_found() {
    let bundle = site(&BundleOptions {
        synonyms: Synonyms::new(&[vec!["setup".into(), "install".into()]]),
        pins: vec![Pin { key: pin_key("how to install"), documents: vec![2] }],
        ..BundleOptions::default()
    });
    let answer = find(&bundle, "installing");
    assert_eq!(titles(&answer), ["Tool", "Guide 2"]);
    assert!(answer.hits[0].pinned && !answer.hits[1].pinned);
    // No document contains "setup".
    assert_eq!(titles(&find(&bundle, "setup")), ["Guide 2"]);
}

#[test]
fn odd_queries_are_answered() {
    let bundle = bundle();
    for text in [
        "the of and",
        "?!",
        "🦀🦀",
        "a\u{0}b\u{7}",
        "索引 über наука",
        &"value zzz ".repeat(1000),
        "\"",
        "-",
        "--",
        "-\"\"",
    ] {
        let answer = ask(&mut open(&bundle), &bundle, query(text, Mode::Hybrid, Some([0.0, 0.0, 1.0]))).unwrap();
        assert!(answer.hits.iter().all(|hit| hit.score.is_finite()), "{text}");
    }
    assert_eq!(find(&bundle, &"value ".repeat(2000)).hits.len(), 2);
}

#[test]
fn a_score_is_the_sum_of_its_reasons() {
    let bundle = bundle();
    let answer = ask(&mut open(&bundle), &bundle, query("owner value", Mode::Hybrid, Some([0.1, 0.9, 0.0]))).unwrap();
    // Four documents by meaning, three of them by words: Bread has its reasons too.
    assert_eq!(answer.hits.len(), 4);
    for hit in &answer.hits {
        let [words, meaning] = [hit.why.words.unwrap(), hit.why.meaning.unwrap()];
        let sum = words.z * words.weight + meaning.z * meaning.weight;
        assert!((hit.why.fused - sum).abs() < 1e-5, "{hit:?}");
        assert!((0.0..=1.0).contains(&hit.score), "{hit:?}");
    }
    assert!(answer.hits.is_sorted_by(|a, b| a.score >= b.score));
}
