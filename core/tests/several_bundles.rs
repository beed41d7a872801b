//! Several bundles that answer as one. The oracle is one bundle of all documents.

mod support;

use nearfind_core::bundle::{Bundle, BundleChunk, BundleDocument};
use nearfind_core::reader::BundleReader;
use nearfind_core::records::{DocumentRecord, SectionStart};
use nearfind_core::search::{Advance, Answer, Filter, Mode, PROJECT, Query, QueryError, Reach, Session};
use nearfind_core::vector::graph::Graph;
use proptest::prelude::*;
use support::{bring, open, query, titles, write};

/// A text with its vector.
type Text = (String, [f32; 3]);

fn bundle_of(project: &str, texts: &[(usize, &Text)]) -> Bundle {
    let documents: Vec<BundleDocument> = texts
        .iter()
        .map(|(number, (text, _))| BundleDocument {
            record: DocumentRecord {
                id: format!("{number}"),
                path: format!("p{number}.md"),
                title: format!("T{number}"),
                ..DocumentRecord::default()
            },
            text: text.as_str().into(),
            chunks: vec![BundleChunk {
                range: 0..text.len(),
                sections: vec![SectionStart::default()],
                ..BundleChunk::default()
            }],
            ..BundleDocument::default()
        })
        .collect();
    let count = documents.len() as u32;
    let graph = Graph::new((0..count).map(|chunk| vec![(chunk + 1) % count]).collect());
    let vectors: Vec<f32> = texts.iter().flat_map(|(_, (_, vector))| *vector).collect();
    write(&[project.to_owned()], &documents, &vectors, &graph, None, 0)
}

/// Brings at most `at_once` blocks at a time.
fn ask(bundles: &[Bundle], query: Query, at_once: usize) -> Result<Vec<Answer>, QueryError> {
    let mut readers: Vec<BundleReader> = bundles.iter().map(open).collect();
    let refs: Vec<&BundleReader> = readers.iter().collect();
    let mut session = Session::new(&refs, query)?;
    let mut answers = Vec::new();
    for _ in 0..99 {
        let refs: Vec<&BundleReader> = readers.iter().collect();
        match session.advance(&refs)? {
            Advance::Done(answer) => {
                answers.push(*answer);
                return Ok(answers);
            }
            Advance::Preview(answer) => answers.push(*answer),
            Advance::Need(blocks) => {
                for (number, id) in blocks.into_iter().take(at_once) {
                    bring(&mut readers[number], &bundles[number], id)?;
                }
            }
        }
    }
    panic!("the session asks without end");
}

fn answer(bundles: &[Bundle], query: Query) -> Answer {
    ask(bundles, query, 99).unwrap().pop().unwrap()
}

fn unit([x, y, z]: [f32; 3]) -> [f32; 3] {
    let length = (x * x + y * y + z * z).sqrt().max(1e-3);
    [x / length, y / length, z / length]
}

fn texts() -> impl Strategy<Value = Vec<(Text, bool)>> {
    let words = prop::collection::vec(prop::sample::select(&["alpha", "beta", "gamma", "delta"][..]), 11);
    // As many lengths as a bundle tells apart, so that it knows each exactly.
    let words = (words, prop::sample::select(&[1, 3, 6, 11][..])).prop_map(|(words, length)| words[..length].to_vec());
    let vector = prop::array::uniform3(0.1f32..1.0).prop_map(unit);
    prop::collection::vec((words.prop_map(|words| words.join(" ")), vector), 2..9).prop_flat_map(|texts| {
        let count = texts.len();
        prop::collection::vec(any::<bool>(), count)
            .prop_map(move |sides| texts.iter().cloned().zip(sides).collect::<Vec<_>>())
    })
}

proptest! {
    /// By words, two bundles give the same documents, with the same scores, as one bundle of both.
    #[test]
    fn words_score_as_in_one_bundle(texts in texts()) {
        let numbered: Vec<(usize, &Text)> = texts.iter().enumerate().map(|(at, (text, _))| (at, text)).collect();
        let side = |wanted: bool| -> Vec<(usize, &Text)> {
            numbered.iter().filter(|(at, _)| texts[*at].1 == wanted).copied().collect()
        };
        prop_assume!(!side(true).is_empty() && !side(false).is_empty());
        let [left, right] = [bundle_of("docs", &side(false)), bundle_of("docs", &side(true))];
        let one = answer(&[bundle_of("docs", &numbered)], query("alpha beta", Mode::Words, None));
        let two = answer(&[left, right], query("alpha beta", Mode::Words, None));
        let scored = |answer: &Answer| {
            let mut hits: Vec<(String, u32, u32)> = answer.hits.iter().map(|hit| {
                (hit.document.clone(), hit.why.fused.to_bits(), hit.why.words.unwrap().score.to_bits())
            }).collect();
            // Equal scores are in the order of their bundles.
            hits.sort_by(|a, b| f32::from_bits(b.1).total_cmp(&f32::from_bits(a.1)).then(a.0.cmp(&b.0)));
            hits
        };
        prop_assert_eq!(scored(&one), scored(&two));
        prop_assert!(two.hits.is_sorted_by(|a, b| a.score >= b.score));
        prop_assert!(two.hits.iter().all(|hit| texts[hit.document.parse::<usize>().unwrap()].1 == (hit.bundle == 1)));
    }

    /// By meaning codes are rounded for each bundle by itself, so scores are near those of one bundle.
    #[test]
    fn meaning_scores_nearly_as_in_one_bundle(texts in texts(), asked in prop::array::uniform3(0.1f32..1.0)) {
        let numbered: Vec<(usize, &Text)> = texts.iter().enumerate().map(|(at, (text, _))| (at, text)).collect();
        let side = |wanted: bool| -> Vec<(usize, &Text)> {
            numbered.iter().filter(|(at, _)| texts[*at].1 == wanted).copied().collect()
        };
        prop_assume!(!side(true).is_empty() && !side(false).is_empty());
        let asked = || Query { reach: Reach::Full, ..query("alpha", Mode::Meaning, Some(unit(asked))) };
        let one = answer(&[bundle_of("docs", &numbered)], asked());
        let two = answer(&[bundle_of("docs", &side(false)), bundle_of("docs", &side(true))], asked());
        prop_assert_eq!(one.hits.len(), two.hits.len());
        for hit in &two.hits {
            let other = one.hits.iter().find(|other| other.document == hit.document).unwrap();
            let [a, b] = [hit, other].map(|hit| hit.why.meaning.unwrap().score);
            prop_assert!((a - b).abs() < 0.08, "{} {}", a, b);
        }
    }
}

fn two() -> [Bundle; 2] {
    let text = |text: &str| (text.to_owned(), [1.0, 0.0, 0.0]);
    let [a, b, c, d] =
        ["the kitten sleeps", "a kitten and a mitten", "the mitten is warm", "the mitten is lost"].map(text);
    [bundle_of("cats", &[(0, &a), (1, &b)]), bundle_of("gloves", &[(2, &c), (3, &d)])]
}

#[test]
fn a_word_that_another_bundle_has_is_not_corrected() {
    // "kitten" is a mistake or two away from "mitten", the only similar word in the second bundle.
    let found = answer(&two(), query("kitten", Mode::Words, None));
    assert!(found.corrections.is_empty());
    assert!(found.hits.iter().all(|hit| hit.bundle == 0), "{:?}", titles(&found));
    assert_eq!(answer(&two(), query("kittne", Mode::Words, None)).corrections[0].meant, "kitten");
}

#[test]
fn a_phrase_of_one_bundle_leaves_the_others_out() {
    let found = answer(&two(), query("\"mitten is lost\"", Mode::Words, None));
    assert_eq!((titles(&found), found.missing_phrases.len()), (vec!["T3"], 0));
    // A phrase that is in no document is searched by its words everywhere.
    let found = answer(&two(), query("\"lost mitten\"", Mode::Words, None));
    assert_eq!((found.hits.len(), found.missing_phrases.len()), (3, 1));
}

#[test]
fn filters_keep_to_the_bundles_that_know_them_and_counts_add_up() {
    let asked = |value: &str| Query {
        filters: vec![Filter { name: PROJECT.into(), values: vec![value.into()] }],
        ..query("mitten", Mode::Words, None)
    };
    assert_eq!(titles(&answer(&two(), asked("gloves"))).len(), 2);
    assert_eq!(titles(&answer(&two(), asked("cats"))), ["T1"]);
    assert!(matches!(ask(&two(), asked("dogs"), 99), Err(QueryError::UnknownValue { .. })));
    // Alternatives may be in different bundles, but each must be in one.
    let either = |values: [&str; 2]| Query {
        filters: vec![Filter { name: PROJECT.into(), values: values.map(str::to_owned).to_vec() }],
        ..query("mitten", Mode::Words, None)
    };
    assert_eq!(titles(&answer(&two(), either(["cats", "gloves"]))).len(), 3);
    assert!(matches!(ask(&two(), either(["cats", "dogs"]), 99), Err(QueryError::UnknownValue { .. })));
    let counted = answer(&two(), Query { counts: true, ..query("mitten", Mode::Words, None) });
    let values: Vec<(&str, u32)> =
        counted.filters[0].values.iter().map(|value| (value.value.as_str(), value.documents)).collect();
    assert_eq!(values, [("cats", 1), ("gloves", 2)]);
}

#[test]
fn previews_are_of_all_bundles() {
    let asked = Query { previews: true, ..query("mitten", Mode::Hybrid, Some([1.0, 0.0, 0.0])) };
    let answers = ask(&two(), asked, 1).unwrap();
    assert!(answers.len() >= 2);
    assert_eq!(answers[answers.len() - 2].hits.len(), 3);
    assert!(answers.last().unwrap().hits.iter().any(|hit| hit.bundle == 1));
}
