//! The requests of a host besides queries: whole documents, completions, and the values to filter by.

mod support;

use nearfind_core::bundle::{Bundle, BundleChunk, BundleDocument, BundleOptions};
use nearfind_core::content::{DocumentText, Lookup, look_up};
use nearfind_core::format::Part;
use nearfind_core::format::blocks::BlockId;
use nearfind_core::records::{DocumentRecord, SectionStart};
use nearfind_core::search::{
    ChunkVectors, Filter, FilterCounts, Mode, Query, Suggestions, chunk_vectors, filter_counts, suggestions,
};
use nearfind_core::vector::graph::Graph;
use proptest::prelude::*;
use support::{ask, bring, bundle, circle, open, query, site, write};

fn document(bundle: &Bundle, name: &str) -> Option<DocumentText> {
    let mut reader = open(bundle);
    // Catalog and map, then pages.
    for _ in 0..3 {
        match look_up(&[&reader], name).unwrap() {
            Lookup::Need(blocks) => blocks.into_iter().for_each(|(_, id)| bring(&mut reader, bundle, id).unwrap()),
            Lookup::Found(document) => return document.map(|document| *document),
        }
    }
    panic!("it asks without end");
}

fn completions(bundle: &Bundle, text: &str, limit: usize) -> Vec<String> {
    let mut reader = open(bundle);
    for _ in 0..2 {
        match suggestions(&[&reader], text, limit).unwrap() {
            Suggestions::Need(blocks) => {
                blocks.into_iter().for_each(|(_, id)| bring(&mut reader, bundle, id).unwrap());
            }
            Suggestions::Found(found) => return found,
        }
    }
    panic!("it asks without end");
}

fn flat(counts: &[FilterCounts]) -> Vec<(&str, &str, u32)> {
    let values = |filter: &'_ FilterCounts| filter.values.len();
    assert!(counts.iter().all(|filter| values(filter) > 0));
    counts
        .iter()
        .flat_map(|filter| {
            filter.values.iter().map(|value| (filter.name.as_str(), value.value.as_str(), value.documents))
        })
        .collect()
}

#[test]
fn filters_count_documents() {
    let bundle = site(&BundleOptions::default());
    let mut reader = open(&bundle);
    bring(&mut reader, &bundle, BlockId { part: Part::Map, block: 0 }).unwrap();
    let all = [("project", "app", 2), ("project", "tool", 1), ("version", "1.0", 1), ("version", "2.0", 1)];
    assert_eq!(flat(&filter_counts(&[&reader]).unwrap()), all);

    let counted = |text: &str, filters: Vec<Filter>| {
        let asked = Query { counts: true, filters, ..query(text, Mode::Words, None) };
        ask(&mut open(&bundle), &bundle, asked).unwrap().filters
    };
    // Every page contains the word.
    assert_eq!(flat(&counted("package", Vec::new())), all);
    // The old guide alone.
    let floppy = [("project", "app", 1), ("project", "tool", 0), ("version", "1.0", 1), ("version", "2.0", 0)];
    assert_eq!(flat(&counted("floppy", Vec::new())), floppy);
    assert_eq!(flat(&counted("package -network", Vec::new()))[3], ("version", "2.0", 0));
    // A chosen version: projects are counted within it, versions as if none were chosen.
    let chosen = vec![Filter { name: "version".into(), values: vec!["1.0".into()] }];
    let within = [("project", "app", 1), ("project", "tool", 0), ("version", "1.0", 1), ("version", "2.0", 1)];
    assert_eq!(flat(&counted("package", chosen)), within);
    // No query asked for them.
    let asked = query("package", Mode::Words, None);
    assert!(ask(&mut open(&bundle), &bundle, asked).unwrap().filters.is_empty());
}

#[test]
fn the_last_word_is_completed() {
    let bundle = site(&BundleOptions::default());
    assert_eq!(completions(&bundle, "How to ins", 5), ["How to install"]);
    // The typed letters stay unchanged.
    assert_eq!(completions(&bundle, "PACK", 5), ["PACKage"]);
    // In three chunks, in two: "package" before "from"; both begin with other letters, so one at a time.
    assert_eq!(completions(&bundle, "pa", 5), ["package"]);
    assert_eq!(completions(&bundle, "package", 5), [""; 0]);
    for nothing in ["", "p", "package ", "zz", "??", "pa1"] {
        assert!(completions(&bundle, nothing, 5).is_empty(), "{nothing:?}");
    }
    assert!(completions(&bundle, "pa", 0).is_empty());
}

#[test]
fn a_document_is_found_by_name() {
    let found = document(&bundle(), "docs/bread.md").unwrap();
    assert_eq!((found.title.as_str(), found.url.as_deref(), found.sections.len()), ("Bread", Some("/bread/"), 1));
    assert_eq!(found.sections[0].anchor, "section");
    assert_eq!(document(&bundle(), "nothing.md"), None);
}

proptest! {
    /// Sections come out whole, however they were cut into chunks.
    #[test]
    fn sections_that_were_cut_are_joined(sections in prop::collection::vec(prop::collection::vec("[a-zé]{1,9}", 1..4), 1..6)) {
        let mut chunks = Vec::new();
        let mut text = String::new();
        for (number, pieces) in sections.iter().enumerate() {
            for piece in pieces {
                let section = SectionStart { at: 0, title: number.to_string(), anchor: format!("a{number}") };
                chunks.push(BundleChunk { range: text.len()..text.len() + piece.len(), sections: vec![section], ..BundleChunk::default() });
                text.push_str(piece);
            }
        }
        let count = chunks.len() as u32;
        let record = DocumentRecord { path: "a.md".into(), title: "A".into(), ..DocumentRecord::default() };
        let documents = [BundleDocument { record, text, chunks, ..BundleDocument::default() }];
        let graph = Graph::new((0..count).map(|chunk| vec![(chunk + 1) % count]).collect());
        let vectors = [0.0, 0.0, 1.0].repeat(count as usize);
        let bundle = write(&["docs".into()], &documents, &vectors, &graph, None, 0);
        let found = document(&bundle, "a.md").unwrap();
        let texts: Vec<String> = found.sections.iter().map(|section| section.text.clone()).collect();
        prop_assert_eq!(texts, sections.iter().map(|pieces| pieces.concat()).collect::<Vec<_>>());
        let in_order = found.sections.iter().zip(0..).all(|(section, at)| section.anchor == format!("a{at}"));
        prop_assert!(in_order);
    }
}

#[test]
fn vectors_come_back_as_the_model_gave_them() {
    // Their rotation is undone, and codes are as fine as fits what they are for.
    let bundle = circle(12);
    let mut reader = open(&bundle);
    for _ in 0..4 {
        match chunk_vectors(&reader, &[0, 3]).unwrap() {
            ChunkVectors::Need(blocks) => blocks.into_iter().for_each(|id| bring(&mut reader, &bundle, id).unwrap()),
            ChunkVectors::Found(vectors) => {
                for (found, expected) in vectors.iter().zip([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]) {
                    let distance: f32 = found.iter().zip(expected).map(|(a, b)| (a - b).powi(2)).sum();
                    assert!(distance.sqrt() < 0.02, "{found:?} for {expected:?}");
                }
                return assert_eq!(vectors.len(), 2);
            }
        }
    }
    panic!("it asks without end");
}
