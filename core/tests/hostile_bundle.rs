//! Damaged and hostile bundles: an error that names the part, never a panic, a hang or a wrong answer.

mod support;

use nearfind_core::bundle::{Bundle, verify};
use nearfind_core::format::blocks::{BlockId, PartWriter};
use nearfind_core::format::manifest::Manifest;
use nearfind_core::format::root::Root;
use nearfind_core::format::{FormatError, Part};
use nearfind_core::search::{Mode, QueryError, Searcher};
use proptest::prelude::*;
use support::{ask, bundle, file, open, query};

const VECTOR: Option<[f32; 3]> = Some([0.9, 0.1, 0.2]);

fn part() -> impl Strategy<Value = Part> {
    prop::sample::select(Part::ALL.to_vec())
}

fn file_mut(bundle: &mut Bundle, part: Part) -> &mut Vec<u8> {
    let name = bundle.manifest.part(part.name()).unwrap().file.clone();
    &mut bundle.parts.iter_mut().find(|file| file.name == name).unwrap().bytes
}

fn files(bundle: &Bundle) -> [Vec<u8>; Part::ALL.len()] {
    Part::ALL.map(|part| file(bundle, part.name()).to_vec())
}

/// Decodes every part, hands the raw streams to `change`, and seals them again with correct sizes and hashes: what an
/// attacker would do.
fn resealed(change: impl FnOnce(&mut Root, &mut [Vec<Vec<u8>>; Part::ALL.len()])) -> Bundle {
    let mut bundle = bundle();
    let searcher = open(&bundle);
    let mut streams = Part::ALL.map(|part| {
        let table = searcher.root().table(part);
        let decode = |block| table.decode_in(BlockId { part, block }, file(&bundle, part.name())).unwrap();
        (0..table.len()).map(decode).collect::<Vec<_>>()
    });
    let mut root = searcher.root().clone();
    change(&mut root, &mut streams);
    let mut entries: [Vec<_>; Part::ALL.len()] = Default::default();
    for (part, blocks) in Part::ALL.into_iter().zip(streams) {
        let mut writer = PartWriter::default();
        for block in &blocks {
            writer.push(block);
        }
        let (bytes, table) = writer.finish();
        entries[part.index()] = table;
        *file_mut(&mut bundle, part) = bytes;
    }
    let root_name = bundle.manifest.part("root").unwrap().file.clone();
    let root_bytes = root.to_bytes(&entries);
    bundle.parts.iter_mut().find(|file| file.name == root_name).unwrap().bytes = root_bytes;
    for part in bundle.manifest.parts.values_mut() {
        let bytes = &bundle.parts.iter().find(|file| file.name == part.file).unwrap().bytes;
        part.bytes = bytes.len() as u64;
        part.hash = blake3::hash(bytes).to_hex().to_string();
    }
    bundle.manifest = bundle.manifest.sealed();
    bundle
}

/// Whatever is in the bundle: every mode ends with an answer or an error.
fn use_everything(bundle: &Bundle) {
    if let Ok(mut searcher) = Searcher::open(&bundle.manifest.to_bytes(), file(bundle, "root")) {
        for mode in Mode::ALL {
            let _ = ask(&mut searcher, bundle, query("owner of the value in rust flour", mode, VECTOR));
        }
        let _ = verify(&searcher, &files(bundle));
    }
}

proptest! {
    #[test]
    fn a_flipped_bit_is_an_error_that_names_the_part(part in part(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let mut damaged = bundle();
        let bytes = file_mut(&mut damaged, part);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let mut searcher = open(&damaged);
        for mode in Mode::ALL {
            if let Err(error) = ask(&mut searcher, &damaged, query("owner rust", mode, VECTOR)) {
                prop_assert_eq!(error, QueryError::Format(FormatError::Checksum { part: part.name(), block: 0 }));
            }
        }
        let findings = verify(&searcher, &files(&damaged));
        prop_assert!(findings.iter().any(|finding| finding.part == part.name()), "{:?}", findings);
    }

    #[test]
    fn a_cut_file_is_an_error_that_names_the_part(part in part(), at in any::<prop::sample::Index>()) {
        let mut damaged = bundle();
        let bytes = file_mut(&mut damaged, part);
        bytes.truncate(at.index(bytes.len()));
        let findings = verify(&open(&damaged), &files(&damaged));
        prop_assert!(findings.iter().any(|finding| finding.part == part.name()), "{:?}", findings);
        use_everything(&damaged);
    }

    #[test]
    fn hostile_parts_with_correct_checksums_are_survived(part in part(), at in any::<prop::sample::Index>(), values in prop::collection::vec(any::<u8>(), 1..6)) {
        use_everything(&resealed(|_, streams| {
            if let Some(block) = streams[part.index()].first_mut() {
                let at = at.index(block.len());
                for (byte, value) in block[at..].iter_mut().zip(values) {
                    *byte = value;
                }
            }
        }));
    }

    #[test]
    fn a_hostile_root_is_survived(at in any::<prop::sample::Index>(), value in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let whole = bundle();
        let mut bytes = file(&whole, "root").to_vec();
        let at = at.index(bytes.len());
        bytes[at] = value;
        bytes.truncate(cut.index(bytes.len()) + 1);
        let _ = Root::parse(&bytes);
    }

    #[test]
    fn a_damaged_manifest_is_refused(at in any::<prop::sample::Index>(), value in any::<u8>()) {
        let mut bytes = bundle().manifest.to_bytes();
        let at = at.index(bytes.len());
        prop_assume!(bytes[at] != value && !bytes[at].is_ascii_whitespace() && !value.is_ascii_whitespace());
        bytes[at] = value;
        prop_assert!(Manifest::parse(&bytes).is_err());
    }
}

#[test]
fn swapped_parts_are_noticed() {
    let mut swapped = bundle();
    let text = file(&swapped, "text").to_vec();
    *file_mut(&mut swapped, Part::Documents) = text;
    let mut searcher = open(&swapped);
    let error = ask(&mut searcher, &swapped, query("flour", Mode::Words, None)).unwrap_err();
    assert!(error.to_string().starts_with("documents:"), "{error}");
}

#[test]
fn a_root_of_another_bundle_is_refused() {
    let whole = bundle();
    let other = resealed(|root, _| root.tokens += 1);
    let refused = Searcher::open(&whole.manifest.to_bytes(), file(&other, "root")).unwrap_err();
    assert_eq!(refused, FormatError::Checksum { part: "root", block: 0 });
}

#[test]
fn empty_files_and_newer_versions_are_named() {
    let whole = bundle();
    assert!(Manifest::parse(b"").unwrap_err().to_string().starts_with("nearfind.json:"));
    let refused = Searcher::open(&whole.manifest.to_bytes(), b"").unwrap_err();
    assert_eq!(refused, FormatError::Checksum { part: "root", block: 0 });
    let mut newer = whole.manifest.clone();
    newer.format = 7;
    let refused = Manifest::parse(&newer.to_bytes()).unwrap_err();
    assert_eq!(refused, FormatError::Version { part: "nearfind.json", expected: 0, got: 7 });
}

#[test]
fn a_manifest_cannot_lead_out_of_its_folder() {
    let mut manifest = bundle().manifest;
    manifest.parts.get_mut("text").unwrap().file = "../../secrets".into();
    let manifest = manifest.sealed();
    assert!(Manifest::parse(&manifest.to_bytes()).unwrap_err().to_string().contains("plain name"));
}

#[test]
fn a_hash_that_is_none_is_refused() {
    let mut manifest = bundle().manifest;
    manifest.model.hash = "é".into();
    assert!(Manifest::parse(&manifest.sealed().to_bytes()).unwrap_err().to_string().contains("64 hexadecimal digits"));
}

#[test]
fn a_sound_bundle_has_no_findings_and_an_unreachable_chunk_is_one() {
    let whole = bundle();
    assert_eq!(verify(&open(&whole), &files(&whole)), []);
    let cut_off = resealed(|_, streams| streams[Part::Graph.index()] = vec![vec![0, 0, 0, 0]]);
    let findings = verify(&open(&cut_off), &files(&cut_off));
    assert!(findings.len() == 1 && findings[0].part == "graph", "{findings:?}");
}
