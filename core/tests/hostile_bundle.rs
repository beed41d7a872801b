//! Damaged and hostile bundles: an error that shows the part, never a panic, a hang or a wrong answer.

mod support;

use nearfind_core::bundle::{Bundle, Finding, verify};
use nearfind_core::content::{Lookup, look_up};
use nearfind_core::format::blocks::{BlockId, PartWriter, checksum};
use nearfind_core::format::manifest::{Manifest, open_root};
use nearfind_core::format::proof::proof_of;
use nearfind_core::format::root::Root;
use nearfind_core::format::{FormatErrorKind, Part};
use nearfind_core::grep::{Candidates, Plan, Search, joined, scan_block};
use nearfind_core::reader::BundleReader;
use nearfind_core::records::map::MapColumns;
use nearfind_core::records::{ChunkMap, Directory};
use nearfind_core::search::{Mode, Query, QueryError, Reach, Suggestions, filter_counts, suggestions};
use nearfind_core::symbols::{definitions_of, look_up_symbol};
use proptest::prelude::*;
use support::{ask, bring, bundle, open, query, stored};

const VECTOR: Option<[f32; 3]> = Some([0.9, 0.1, 0.2]);

/// The parts that a bundle without source code contains.
fn part() -> impl Strategy<Value = Part> {
    prop::sample::select(Part::ALL.into_iter().filter(|part| *part != Part::Symbols).collect::<Vec<_>>())
}

fn file_mut(bundle: &mut Bundle, part: Part) -> &mut Vec<u8> {
    let name = bundle.root.file_name(part, 0);
    &mut bundle.parts.iter_mut().find(|file| file.name == name).unwrap().bytes
}

fn check(bundle: &Bundle) -> Vec<Finding> {
    verify(&mut open(bundle), &bundle.manifest.proof, |reader, id| stored(reader, bundle, id))
}

/// Decodes every part, hands the raw blocks to `change`, and seals them again with correct sizes and checksums: what an
/// attacker would do.
fn resealed(change: impl FnOnce(&mut Root, &mut [Vec<Vec<u8>>; Part::ALL.len()])) -> Bundle {
    let mut bundle = bundle();
    let mut reader = open(&bundle);
    let mut streams = Part::ALL.map(|part| {
        let blocks = (0..reader.table(part).unwrap().len()).map(|block| BlockId { part, block });
        let mut decoded = Vec::new();
        for id in blocks.collect::<Vec<_>>() {
            let bytes = stored(&reader, &bundle, id).unwrap();
            decoded.push(reader.table(part).unwrap().decode(id, &bytes).unwrap());
            reader.provide(id, &bytes).unwrap();
        }
        decoded
    });
    let mut root = reader.root().clone();
    let map_before = streams[Part::Map.index()].clone();
    let directory_before = streams[Part::Directory.index()].clone();
    let mut directory = Directory::parse(&directory_before[0], &root).unwrap();
    change(&mut root, &mut streams);
    let write = |part: Part, blocks: &[Vec<u8>]| {
        let mut writer = PartWriter::default();
        blocks.iter().for_each(|block| writer.push(block));
        writer.finish(part, 0)
    };
    bundle.parts.clear();
    let mut tables = Vec::new();
    let mut hashes = std::collections::BTreeMap::new();
    for part in Part::ALL {
        // The map and the directory know where others are.
        let is_last = matches!(part, Part::Map | Part::Directory);
        let blocks = if is_last { &Vec::new() } else { &streams[part.index()] };
        let written = write(part, blocks);
        root.set_table(part, &written.table);
        tables.push(written.table);
        hashes.insert(part, written.hash);
        if !is_last {
            add(&mut bundle, &root, part, written.files);
        }
    }
    let [pages, codes] = [Part::Pages, Part::Codes].map(|part| &tables[part.index()]);
    let sealed = ChunkMap::to_blocks(&MapColumns {
        chunks_of_documents: &vec![1; root.documents as usize],
        facets: &[],
        weights: &[0; 4],
        orders: &[],
        latest: &[0, 1, 2, 3],
        pages,
        codes,
        continues_file: &[],
    });
    let hostile_map = streams[Part::Map.index()] != map_before;
    let written = write(Part::Map, if hostile_map { &streams[Part::Map.index()] } else { &sealed });
    root.set_table(Part::Map, &written.table);
    hashes.insert(Part::Map, written.hash);
    add(&mut bundle, &root, Part::Map, written.files);
    directory.trigrams = tables[Part::Trigrams.index()].clone();
    let sealed = [directory.to_bytes()];
    let streams = &streams[Part::Directory.index()];
    let written = write(Part::Directory, if *streams == directory_before { &sealed } else { streams });
    root.set_table(Part::Directory, &written.table);
    hashes.insert(Part::Directory, written.hash);
    add(&mut bundle, &root, Part::Directory, written.files);
    bundle.manifest = Manifest::new(&root, bundle.manifest.model.clone(), proof_of(hashes.into_values()));
    bundle.root = root;
    bundle
}

fn add(bundle: &mut Bundle, root: &Root, part: Part, files: Vec<Vec<u8>>) {
    let files = files.into_iter().enumerate();
    bundle.parts.extend(
        files.map(|(number, bytes)| nearfind_core::bundle::BundleFile {
            name: root.file_name(part, number as u32),
            bytes,
        }),
    );
}

/// A forged block with a checksum that fits. Anyone who writes to a mirror can make one.
#[test]
fn a_forged_part_is_found_though_its_checksums_are_right() {
    let mut bundle = bundle();
    assert_eq!(check(&bundle), []);
    let mut reader = open(&bundle);
    bring(&mut reader, &bundle, BundleReader::MAP).unwrap();
    let identity = reader.root().identities[Part::Pages.index()];
    let request = reader.request(BlockId { part: Part::Pages, block: 0 }).unwrap();
    let range = request.start as usize..request.start as usize + request.bytes as usize;
    let file = file_mut(&mut bundle, Part::Pages);
    // A letter of a text that is stored as it is, or a bit of a deflated one: the checks of what it holds are for others.
    let body = range.start..range.end - 4;
    file[body.end - 1] ^= 1;
    let check_bytes = checksum(identity, 0, &file[body.clone()]);
    file[body.end..range.end].copy_from_slice(&check_bytes);
    let findings = check(&bundle);
    assert!(findings.iter().any(|finding| finding.part == Part::Pages.name()), "{findings:?}");
}

#[test]
fn a_manifest_vouches_for_its_parts_alone() {
    let mut bundle = bundle();
    let other = resealed(|_, _| {});
    assert_eq!(check(&other), []);
    bundle.manifest.proof = "0".repeat(64);
    assert!(check(&bundle)[0].message.contains("nearfind.json: its content does not match the manifest"));
}

/// Whatever is in the bundle: every mode and reach ends with an answer or an error.
fn use_everything(bundle: &Bundle) {
    if let Ok(root) = bundle.manifest.root() {
        let mut reader = BundleReader::new(root);
        for mode in Mode::ALL {
            for (vector, reach) in [(VECTOR, Reach::Full), (VECTOR, Reach::Near), (None, Reach::Near)] {
                let text = "owner of the value in rust flour, owning a baking loaf";
                let _ = ask(&mut reader, bundle, Query { reach, previews: true, ..query(text, mode, vector) });
                let text = "\"has an owner\" -flour -\"rest it\" valu";
                let asked = Query { reach, typing: true, passages: 4, ..query(text, mode, vector) };
                let _ = ask(&mut reader, bundle, asked);
            }
        }
        ask_beside(&mut reader, bundle);
        let _ = check(bundle);
    }
}

/// Makes the requests besides queries, which must end too.
fn ask_beside(reader: &mut BundleReader, bundle: &Bundle) {
    for _ in 0..4 {
        let document = match look_up(&[&*reader], "bread.md") {
            Ok(Lookup::Need(blocks)) => blocks,
            _ => Vec::new(),
        };
        let completions = match suggestions(&[&*reader], "own", 9) {
            Ok(Suggestions::Need(blocks)) => blocks,
            _ => Vec::new(),
        };
        for (_, id) in document.into_iter().chain(completions) {
            let _ = bring(reader, bundle, id);
        }
    }
    find_text(reader, bundle);
    let map = BlockId { part: Part::Map, block: 0 };
    if bring(reader, bundle, map).is_ok() && reader.has(map) {
        let _ = filter_counts(&[&*reader]);
    }
}

/// An exact text is looked for, and symbols.
fn find_text(reader: &mut BundleReader, bundle: &Bundle) {
    let mut candidates = Candidates::new(Plan::of_text("owner"), true);
    for _ in 0..4 {
        match candidates.advance(reader) {
            Ok(Search::Need(blocks)) => blocks.into_iter().for_each(|id| drop(bring(reader, bundle, id))),
            Ok(Search::Found(blocks)) => {
                let mut scanned = Vec::new();
                let mut matcher = |text: &str, numbers: &mut Vec<u32>| {
                    numbers.extend((0..).zip(text.lines()).map(|(number, _)| number));
                };
                for block in blocks {
                    let id = BlockId { part: Part::Pages, block };
                    if bring(reader, bundle, id).is_ok()
                        && let Ok(raw) = reader.raw(id)
                    {
                        scanned.extend(scan_block(reader, block, raw, &mut |_, _| true, &mut matcher));
                    }
                }
                let _ = joined(reader, scanned, &mut matcher);
            }
            Err(_) => return,
        }
    }
    let _ = look_up_symbol(reader, "owner");
    let _ = definitions_of(reader, 0..9);
}

proptest! {
    #[test]
    fn a_flipped_bit_is_an_error_that_names_the_part(part in part(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let mut damaged = bundle();
        let bytes = file_mut(&mut damaged, part);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        for (mode, vector) in [(Mode::Words, None), (Mode::Hybrid, VECTOR), (Mode::Meaning, None)] {
            if let Err(error) = ask(&mut open(&damaged), &damaged, query("owner rust", mode, vector)) {
                let named = matches!(&error, QueryError::Format(error) if matches!(error.kind(), FormatErrorKind::Checksum { part: found, .. } if *found == part.name()));
                prop_assert!(named, "{error}");
            }
        }
        let findings = check(&damaged);
        prop_assert!(findings.iter().any(|finding| finding.part == part.name()), "{:?}", findings);
    }

    #[test]
    fn a_cut_file_is_an_error_that_names_the_part(part in part(), at in any::<prop::sample::Index>()) {
        let mut damaged = bundle();
        let bytes = file_mut(&mut damaged, part);
        bytes.truncate(at.index(bytes.len()));
        let findings = check(&damaged);
        prop_assert!(findings.iter().any(|finding| finding.part == part.name()), "{:?}", findings);
        use_everything(&damaged);
    }

    #[test]
    fn hostile_parts_with_correct_checksums_are_survived(part in part(), block in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), values in prop::collection::vec(any::<u8>(), 1..6)) {
        use_everything(&resealed(|_, streams| {
            let blocks = &mut streams[part.index()];
            if !blocks.is_empty() {
                let block = block.index(blocks.len());
                let at = at.index(blocks[block].len());
                for (byte, value) in blocks[block][at..].iter_mut().zip(values) {
                    *byte = value;
                }
            }
        }));
    }

    #[test]
    fn a_damaged_root_is_refused(at in any::<prop::sample::Index>(), bit in 0u8..8, cut in any::<prop::sample::Index>()) {
        let whole = bundle();
        let mut bytes = whole.root.to_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert_eq!(open_root(&whole.manifest.generation, &bytes).unwrap_err(), FormatErrorKind::Checksum { part: "root", block: 0 }.into());
        bytes.truncate(cut.index(bytes.len()) + 1);
        let _ = Root::parse(&bytes);
    }

    #[test]
    fn a_damaged_manifest_is_read_or_refused(at in any::<prop::sample::Index>(), value in any::<u8>()) {
        let mut bytes = bundle().manifest.to_bytes();
        let at = at.index(bytes.len());
        bytes[at] = value;
        if let Ok(manifest) = Manifest::parse(&bytes) {
            // The damage is in a name, or the root is refused, or white space and the last bits of Base64 do not count.
            let _ = manifest.root().map(|root| assert_eq!(root, bundle().root));
        }
    }
}

#[test]
fn swapped_parts_are_noticed() {
    let mut swapped = bundle();
    let graph = file_mut(&mut swapped, Part::Graph).clone();
    *file_mut(&mut swapped, Part::Pages) = graph;
    let error = ask(&mut open(&swapped), &swapped, query("flour", Mode::Words, None)).unwrap_err();
    assert!(error.to_string().starts_with("pages:"), "{error}");
}

#[test]
fn a_web_page_in_place_of_a_part_is_noticed() {
    let mut replaced = bundle();
    *file_mut(&mut replaced, Part::Map) = b"<!doctype html><title>Not found</title>".repeat(20);
    let error = ask(&mut open(&replaced), &replaced, query("flour", Mode::Words, None)).unwrap_err();
    assert!(error.to_string().starts_with("map:"), "{error}");
}

#[test]
fn a_part_of_another_generation_is_noticed() {
    let mut mixed = bundle();
    let older = support::circle(4);
    let name = older.root.file_name(Part::Terms, 0);
    let terms = older.parts.iter().find(|file| file.name == name).unwrap().bytes.clone();
    *file_mut(&mut mixed, Part::Terms) = terms.repeat(9);
    let error = ask(&mut open(&mixed), &mixed, query("flour", Mode::Words, None)).unwrap_err();
    assert!(error.to_string().starts_with("terms:"), "{error}");
}

#[test]
fn a_root_of_another_bundle_is_refused() {
    let (whole, other) = (bundle(), resealed(|root, _| root.tokens += 1));
    let refused = open_root(&whole.manifest.generation, &other.root.to_bytes()).unwrap_err();
    assert_eq!(refused, FormatErrorKind::Checksum { part: "root", block: 0 }.into());
}

#[test]
fn empty_files_and_newer_versions_are_named() {
    let whole = bundle();
    assert!(Manifest::parse(b"").unwrap_err().to_string().starts_with("nearfind.json:"));
    assert!(Manifest::parse(b"<!doctype html>").unwrap_err().to_string().starts_with("nearfind.json:"));
    let mut newer = whole.manifest.clone();
    newer.format = 7;
    let refused = Manifest::parse(&newer.to_bytes()).unwrap_err();
    assert_eq!(refused, FormatErrorKind::Version { part: "nearfind.json", expected: 0, got: 7 }.into());
}

#[test]
fn a_manifest_cannot_lead_out_of_its_folder() {
    let mut manifest = bundle().manifest;
    let file = nearfind_core::format::manifest::ModelFile { file: "../../secrets".into(), bytes: 1, start_bytes: None };
    manifest.model.file = Some(file);
    assert!(Manifest::parse(&manifest.to_bytes()).unwrap_err().to_string().contains("plain name"));
}

#[test]
fn a_hash_that_is_none_is_refused() {
    let mut manifest = bundle().manifest;
    manifest.model.hash = "é".into();
    assert!(Manifest::parse(&manifest.to_bytes()).unwrap_err().to_string().contains("64 hexadecimal digits"));
}

#[test]
fn a_large_bundle_is_sound_and_damage_in_any_block_of_its_map_is_noticed() {
    let mut damaged = support::circle(5_000);
    assert_eq!(check(&damaged), []);
    let table = damaged.root.table(Part::Map).clone();
    assert!(table.len() > 1);
    for block in 0..table.len() {
        let place = table.place(block).unwrap();
        let at = place.start as usize + place.bytes as usize / 2;
        file_mut(&mut damaged, Part::Map)[at] ^= 1;
        assert!(check(&damaged).iter().any(|finding| finding.part == "map"), "{block}");
        assert!(ask(&mut open(&damaged), &damaged, query("point", Mode::Words, None)).is_err() || block > 0);
        file_mut(&mut damaged, Part::Map)[at] ^= 1;
    }
}

#[test]
fn a_sound_bundle_has_no_findings_and_an_unreachable_chunk_is_one() {
    assert_eq!(check(&bundle()), []);
    assert_eq!(check(&support::build(Some(&support::encoder()), 100)), []);
    assert_eq!(check(&resealed(|_, _| {})), []);
    let cut_off = resealed(|_, streams| streams[Part::Graph.index()] = vec![vec![0, 0, 0, 0]]);
    let findings = check(&cut_off);
    assert!(findings.len() == 1 && findings[0].part == "graph", "{findings:?}");
}
