//! Lines with exact text, in bundles with and without trigrams. The oracle looks at every line of every file.

mod support;

use nearfind_core::bundle::{Bundle, BundleChunk, BundleCode, BundleDocument, BundleOptions, verify};
use nearfind_core::format::Part;
use nearfind_core::format::blocks::BlockId;
use nearfind_core::grep::{BlockLines, Candidates, FoundLine, Plan, Search, joined, plan_of_expression, scan_block};
use nearfind_core::reader::BundleReader;
use nearfind_core::records::{DocumentRecord, SectionStart};
use nearfind_core::search::{CODE, KIND};
use nearfind_core::vector::graph::Graph;
use proptest::prelude::*;
use std::collections::BTreeSet;
use support::{bring, open, stored, write_with};

/// A file: the texts of its documents' chunks.
type File = Vec<Vec<String>>;

fn bundle_of(files: &[File], trigrams: bool) -> Bundle {
    let mut documents = Vec::new();
    for (number, file) in files.iter().enumerate() {
        for (piece, chunks) in file.iter().enumerate() {
            let mut ends = chunks.iter().scan(0, |end, chunk| {
                *end += chunk.len();
                Some(*end)
            });
            let mut start = 0;
            let chunk = |end| {
                let range = std::mem::replace(&mut start, end)..end;
                BundleChunk { range, sections: vec![SectionStart::default()], ..BundleChunk::default() }
            };
            documents.push(BundleDocument {
                record: DocumentRecord {
                    id: format!("{number}#{piece}"),
                    path: format!("f{number}.c"),
                    title: format!("T{piece}"),
                    ..DocumentRecord::default()
                },
                text: chunks.concat(),
                chunks: ends.by_ref().map(chunk).collect(),
                facets: [(KIND.to_owned(), BTreeSet::from([CODE.to_owned()]))].into(),
                code: Some(BundleCode { continues_file: piece > 0, ..BundleCode::default() }),
                ..BundleDocument::default()
            });
        }
    }
    let count = documents.iter().map(|document| document.chunks.len() as u32).sum::<u32>();
    let graph = Graph::new((0..count).map(|chunk| vec![(chunk + 1) % count]).collect());
    let vectors = [1.0, 0.0, 0.0].repeat(count as usize);
    let options = BundleOptions { trigrams, ..BundleOptions::default() };
    write_with(&["p".into()], &documents, &vectors, &graph, None, &options)
}

/// The lines with `needle` of files whose paths `accepts`, and how many blocks of pages were read.
fn find(bundle: &Bundle, plan: Plan, needle: &str, accepts: &dyn Fn(&str) -> bool) -> (Vec<FoundLine>, u32) {
    let mut reader = open(bundle);
    let mut candidates = Candidates::new(plan, false);
    let blocks = loop {
        match candidates.advance(&reader).unwrap() {
            Search::Need(blocks) => blocks.into_iter().for_each(|id| bring(&mut reader, bundle, id).unwrap()),
            Search::Found(blocks) => break blocks,
        }
    };
    let mut matcher = |text: &str, numbers: &mut Vec<u32>| {
        numbers.extend((0..).zip(text.lines()).filter(|(_, line)| line.contains(needle)).map(|(number, _)| number));
    };
    let mut scanned: Vec<BlockLines> = Vec::new();
    for &block in &blocks {
        let id = BlockId { part: Part::Pages, block };
        bring(&mut reader, bundle, id).unwrap();
        scanned.push(
            scan_block(&reader, block, reader.raw(id).unwrap(), &mut |_, path| accepts(path), &mut matcher).unwrap(),
        );
    }
    (joined(&reader, scanned, &mut matcher).unwrap(), blocks.len() as u32)
}

/// Returns the oracle's answer: the number of the chunk where each such line begins, and of line feeds before it there.
fn expected(files: &[File], needle: &str, accepts: &dyn Fn(&str) -> bool) -> Vec<FoundLine> {
    let mut found = Vec::new();
    let mut first = 0;
    for (number, file) in files.iter().enumerate() {
        let chunks: Vec<&String> = file.iter().flatten().collect();
        let text: String = chunks.iter().map(|chunk| chunk.as_str()).collect();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if accepts(&format!("f{number}.c")) && line.contains(needle) {
                let (mut at, mut before) = (0, 0);
                while before + chunks[at].len() <= start {
                    before += chunks[at].len();
                    at += 1;
                }
                let line = text[before..start].matches('\n').count() as u32;
                found.push(FoundLine { chunk: first + at as u32, line });
            }
            start += line.len();
        }
        first += chunks.len() as u32;
    }
    found
}

fn file() -> impl Strategy<Value = File> {
    // Some chunks are as long as a block, and some lines go through several.
    let chunk = ("[abc\n]{0,6}", prop::sample::select(vec!["x", "\n", "cab", ""]), 1usize..4000)
        .prop_map(|(start, filling, times)| format!("{start}{}", filling.repeat(times)));
    prop::collection::vec(prop::collection::vec(chunk, 1..4), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_line_is_found(files in prop::collection::vec(file(), 1..5), needle in "[abcx]{3,6}", skipped in 0usize..5) {
        let accepts = |path: &str| path != format!("f{skipped}.c");
        let expected = expected(&files, &needle, &accepts);
        for trigrams in [false, true] {
            let bundle = bundle_of(&files, trigrams);
            for plan in [Plan::All, Plan::of_text(&needle)] {
                prop_assert_eq!(&find(&bundle, plan, &needle, &accepts).0, &expected, "{}", trigrams);
            }
        }
    }
}

#[test]
fn a_line_after_an_empty_chunk_at_the_edge_of_a_block_begins_in_its_own_chunk() {
    let text = |start: &str, filling: &str, times| format!("{start}{}", filling.repeat(times));
    let line = text("aaa", "x", 3640);
    let last = vec![vec![text("\n\na\n\na", "x", 3207), text("a", "\n", 439)], vec![String::new(), line.clone()]];
    let files: Vec<File> = vec![vec![vec![text("cab", "cab", 2367)]], vec![vec![text("\n", "x", 1983)]], last];
    // An empty document in a block of its own, between the line before and the line after.
    let alone = vec![vec![text("a\n", "x\n", 4095)], vec![String::new(); 3], vec![line]];
    for files in [files, vec![alone]] {
        let everything = |_: &str| true;
        let bundle = bundle_of(&files, false);
        assert_eq!(find(&bundle, Plan::All, "xxx", &everything).0, expected(&files, "xxx", &everything));
    }
}

/// It was lost: readers go through an open line to its end, and the block of the empty chunk was in no list.
#[test]
fn a_line_that_an_empty_chunk_in_a_block_of_its_own_ends_is_found_by_its_letters() {
    let long = |times| "cab".repeat(times);
    for times in (1000..4000).step_by(100) {
        let line = vec![vec!["x".to_owned(), "x".to_owned()], vec!["xx".to_owned(), long(times), String::new()]];
        let files: Vec<File> = vec![line, vec![vec![long(2000)]], vec![vec![long(3000)]]];
        let everything = |_: &str| true;
        let found = find(&bundle_of(&files, true), Plan::of_text("xxc"), "xxc", &everything).0;
        assert_eq!(found, expected(&files, "xxc", &everything), "{times}");
    }
}

#[test]
fn few_blocks_are_read_for_a_rare_text() {
    let words = ["lorem", "ipsum", "dolor", "sit", "amet", "nunc"];
    let filling = |seed: usize| -> String {
        (0..900).map(|word| format!("{} {}\n", words[(seed * 7 + word * word) % 6], word * seed)).collect()
    };
    let mut files: Vec<File> = (0..60).map(|seed| vec![vec![filling(seed)]]).collect();
    files[41][0].push("return quux_level(7);\n".to_owned());
    let bundle = bundle_of(&files, true);
    assert_eq!(
        verify(&mut open(&bundle), &bundle.manifest.proof, |reader: &BundleReader, id| stored(reader, &bundle, id)),
        []
    );
    let everything = |_: &str| true;
    let plan = plan_of_expression(r"quux_\w+\(", false);
    let (found, blocks) = find(&bundle, plan, "quux_level", &everything);
    assert_eq!(found, [FoundLine { chunk: 42, line: 0 }], "it has a chunk of its own after that of file 41");
    assert_eq!(blocks, 1, "no other block has its letters");
    assert_eq!(find(&bundle, Plan::of_text("nothing_like_it"), "nothing_like_it", &everything), (Vec::new(), 0));
    assert!(find(&bundle, Plan::All, "quux", &everything).1 > 50, "nothing is known of any text");
}
