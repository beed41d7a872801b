//! Damaged bytes on a disk, and bad builds. The command that the error suggests repairs the damage, and the previous
//! bundle can be restored.

use crate::support::{Workplace, stderr, stdout};
use nearfind_bundles::bundle_folder::BundleFiles;
use nearfind_core::format::Part;
use nearfind_core::format::blocks::{BlockId, checksum};
use nearfind_core::format::manifest::Manifest;
use nearfind_core::reader::BundleReader;
use std::fs;

fn site() -> Workplace {
    let site = Workplace::new();
    site.write("nearfind.toml", "model = \"tiny\"\nship_model = true\n[[project]]\nname = \"docs\"\npath = \"docs\"\n");
    for page in ["threads", "channels", "locks"] {
        site.write(&format!("docs/{page}.md"), &format!("# {page}\n\nUnsafe code, the first edition of {page}.\n"));
    }
    done(&site, &["update", "-q"]);
    site
}

fn done(site: &Workplace, arguments: &[&str]) -> String {
    let output = site.run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
    stdout(&output)
}

#[test]
fn an_update_repairs_any_changed_byte() {
    let site = site();
    let sound: Vec<(String, Vec<u8>)> = {
        let mut names = BundleFiles::read(&site.path("search")).unwrap().names();
        names.push("nearfind.json".into());
        names.into_iter().map(|name| (name.clone(), fs::read(site.path("search").join(name)).unwrap())).collect()
    };
    for (name, bytes) in &sound {
        let path = site.path("search").join(name);
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            let said = done(&site, &["update"]);
            assert!(said.contains("damaged"), "{name}, byte {at}: {said}");
            assert!(done(&site, &["verify", "search"]).starts_with("sound"), "{name}, byte {at}");
            assert_eq!(&fs::read(&path).unwrap(), bytes, "{name}, byte {at}");
        }
    }
    // After the repair, nothing is left to do.
    assert!(done(&site, &["update"]).contains("nothing has changed"));
}

/// Other bytes with valid checksums, which anyone with write access to a mirror or a shared folder can create.
#[test]
fn a_replaced_part_is_found_and_repaired() {
    let site = site();
    let manifest = Manifest::parse(&fs::read(site.path("search/nearfind.json")).unwrap()).unwrap();
    let reader = BundleReader::new(manifest.root().unwrap());
    let request = reader.request(BlockId { part: Part::Terms, block: 0 }).unwrap();
    let path = site.path("search").join(&request.file);
    let mut bytes = fs::read(&path).unwrap();
    let (start, end) = (request.start as usize, request.start as usize + request.bytes as usize - 4);
    bytes[end - 1] ^= 1;
    let fitting = checksum(reader.root().identities[Part::Terms.index()], 0, &bytes[start..end]);
    bytes[end..end + 4].copy_from_slice(&fitting);
    fs::write(&path, bytes).unwrap();
    let files = BundleFiles::read(&site.path("search")).unwrap();
    let error = files.check().unwrap_err().to_string();
    assert!(error.contains("terms: its content does not match the manifest"), "{error}");
    assert!(!site.run(&["verify", "search"]).status.success());
    assert!(done(&site, &["update"]).contains("damaged"));
    assert!(done(&site, &["verify", "search"]).starts_with("sound"));
}

#[test]
fn the_suggested_repair_of_a_damaged_bundle_works() {
    let site = site();
    let terms = fs::read_dir(site.path("search")).unwrap().map(|entry| entry.unwrap().path());
    let terms = terms.into_iter().find(|path| path.to_string_lossy().contains("terms-")).unwrap();
    let mut bytes = fs::read(&terms).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&terms, bytes).unwrap();
    let refused = site.run(&["search", "search", "unsafe", "--mode", "words"]);
    assert!(stderr(&refused).contains("fix it with `nearfind update`"), "{}", stderr(&refused));
    done(&site, &["update", "-q"]);
    assert!(done(&site, &["search", "search", "unsafe", "--mode", "words"]).contains("threads"));
}

#[test]
fn a_build_can_be_rolled_back() {
    let site = site();
    let refused = site.run(&["rollback"]);
    assert!(stderr(&refused).contains("no earlier index"), "{}", stderr(&refused));
    site.write("docs/threads.md", "# threads\n\nNothing of what was here.\n");
    done(&site, &["update", "-q"]);
    let finds =
        |word: &str| done(&site, &["search", "search", word, "--mode", "words", "--unfit"]).contains("threads.md");
    assert!(!finds("threads edition") || finds("nothing"));
    let before = done(&site, &["rollback"]);
    assert!(before.contains("restored generation"), "{before}");
    assert!(done(&site, &["verify", "search"]).starts_with("sound"));
    let text = || done(&site, &["show", "search", "docs/threads.md"]);
    assert!(text().contains("first edition"));
    // Undoing the rollback restores the newer build.
    done(&site, &["rollback"]);
    assert!(text().contains("Nothing of what was here"));
    done(&site, &["rollback"]);
    // The next update writes the current content of the files.
    let said = done(&site, &["update"]);
    assert!(said.contains("rolled back"), "{said}");
    assert!(text().contains("Nothing of what was here"));
}

#[test]
fn internal_files_are_not_published() {
    let site = site();
    let names: Vec<String> = fs::read_dir(site.path("search"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let others: Vec<&String> = names.iter().filter(|name| !name.contains(".nf") && *name != "nearfind.json").collect();
    let left: &[&str] = if cfg!(unix) { &[] } else { &[".nearfind-lock"] };
    assert_eq!(others, left);
    assert_eq!(fs::read_dir(site.path("cache/builds")).unwrap().count(), 1);
}
