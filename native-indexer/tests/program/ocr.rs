//! OCR of pictures by the binary. A script acts as the OCR program: it answers, hangs, prints without end or
//! fails, and counts its calls. One test uses Tesseract itself.

use crate::support::{nearfind, stderr};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Returns a PDF of scans. Each page is a picture of one pixel, in one of these shades of gray.
pub(crate) fn scans(shades: &[u8]) -> Vec<u8> {
    let kids: Vec<String> = (0..shades.len()).map(|page| format!("{} 0 R", 10 + 3 * page)).collect();
    let mut objects = vec![
        (1, "<< /Type /Catalog /Pages 2 0 R >>".to_owned()),
        (2, format!("<< /Type /Pages /Count {} /Kids [{}] >>", shades.len(), kids.join(" "))),
    ];
    for (number, shade) in shades.iter().enumerate() {
        let id = 10 + 3 * number;
        let (content, picture) = (id + 1, id + 2);
        objects.push((id, format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 60 80] /Contents {content} 0 R /Resources << /XObject << /P {picture} 0 R >> >> >>")));
        objects.push((content, "<< /Length 27 >>\nstream\nq 60 0 0 80 0 0 cm /P Do Q \nendstream".to_owned()));
        objects.push((picture, format!("<< /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /ASCIIHexDecode /Length 3 >>\nstream\n{shade:02x}>\nendstream")));
    }
    let mut out = String::from("%PDF-1.7\n");
    let mut table = String::from("xref\n0 1\n0000000000 65535 f \n");
    for (id, object) in objects {
        table.push_str(&format!("{id} 1\n{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{id} 0 obj\n{object}\nendobj\n"));
    }
    let start = out.len();
    out.push_str(&format!("{table}trailer << /Size 99 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"));
    out.into_bytes()
}

/// Creates a folder with these documents, and a configuration with a script as its OCR program. The script runs
/// `answer`, and gives it the picture as hexadecimal digits in `$picture`.
fn folder(files: &[(&str, &[u8])], answer: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join("docs").join(name), bytes).unwrap();
    }
    let program = folder.path().join("ocr.sh");
    let asked = folder.path().join("asked");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo 'script 1'; exit; }}\n[ \"$1\" = --list-langs ] && exit\necho \"$*\" >> '{}'\npicture=$(od -An -v -tx1 | tr -d ' \\n')\n{answer}\n",
        asked.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    configure(folder.path(), "seconds = 60");
    folder
}

fn configure(folder: &Path, settings: &str) {
    let config = format!(
        "model = \"tiny\"\nquery_encoder = false\nbox = false\n\n[[project]]\npath = \"docs\"\n\n[ocr]\nprogram = \"./ocr.sh\"\n{settings}\n"
    );
    fs::write(folder.join("nearfind.toml"), config).unwrap();
}

fn update(folder: &Path) -> String {
    let (config, cache) = (folder.join("nearfind.toml"), folder.join("cache"));
    let output = nearfind(&[
        "update",
        "--allow-outside",
        "--config",
        config.to_str().unwrap(),
        "--cache",
        cache.to_str().unwrap(),
    ]);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    said + &String::from_utf8_lossy(&output.stdout)
}

fn search(folder: &Path, question: &str) -> Value {
    let bundle = folder.join("search");
    let output = nearfind(&["search", bundle.to_str().unwrap(), question, "--mode", "words", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the arguments of each call of the script.
fn asked(folder: &Path) -> Vec<String> {
    fs::read_to_string(folder.join("asked")).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Prints a text that depends on the shade of gray of the picture.
const SAYS_SHADES: &str = "case $picture in *0a80808080*) echo 'Gray whales';; *0a00000000*) echo 'Black bears';; *) echo 'A receipt for otters';; esac";

#[test]
fn scans_and_pictures_are_read_once_and_found_at_their_page() {
    let png = b"\x89PNG\r\n\x1a\nnot looked at";
    let folder =
        folder(&[("scan.pdf", &scans(&[0x80, 0])), ("-l.png", png), ("notes.txt", b"Plain text.\n")], SAYS_SHADES);
    let place = folder.path();
    let said = update(place);
    assert!(!said.contains("warning") && !said.contains("pictures"), "{said}");
    let hit = search(place, "bears")["hits"][0].clone();
    assert_eq!(
        (hit["anchor"].as_str(), hit["section"].as_str()),
        (Some("page=2"), Some("p. 2 (read by OCR)")),
        "{hit}"
    );
    let hit = search(place, "otters")["hits"][0].clone();
    assert_eq!((hit["path"].as_str(), hit["section"].as_str()), (Some("-l.png"), Some("read by OCR")), "{hit}");
    assert_eq!(hit["meta"]["format"], "picture");
    let mut calls = asked(place);
    calls.sort();
    assert_eq!(
        calls,
        [
            "stdin stdout -l eng --psm 3",
            "stdin stdout -l eng --psm 3 --dpi 100",
            "stdin stdout -l eng --psm 3 --dpi 100"
        ]
    );

    // Only the picture on the new page is read. Known pictures are not read again, whatever file they are in.
    fs::write(place.join("docs/scan.pdf"), scans(&[0x80, 0, 0xff])).unwrap();
    update(place);
    assert_eq!(asked(place).len(), 4);
    fs::remove_dir_all(place.join("search")).unwrap();
    update(place);
    assert_eq!(asked(place).len(), 4);
    // Other languages may give other texts, so all pictures are read again.
    configure(place, "languages = [\"eng\", \"deu\"]");
    update(place);
    assert_eq!(asked(place).len(), 8);
    assert!(asked(place)[7].starts_with("stdin stdout -l eng+deu "));
}

#[test]
fn without_ocr_scans_are_named_with_what_to_do_and_pictures_are_counted() {
    let files: [(&str, &[u8]); 3] =
        [("scan.pdf", &scans(&[0])), ("a.jpeg", b"\xff\xd8\xff"), ("notes.txt", b"Plain text.\n")];
    let folder = folder(&files, "echo A page on zebras");
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (docs, bundle, cache) = (path("docs"), path("bundle"), path("cache"));
    let options = ["--model", "tiny", "--no-query-encoder", "--no-box", "--cache", &cache];
    let output = nearfind(&[&["index", &docs, "-o", &bundle], &options[..]].concat());
    let said = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
    for line in [
        "scan.pdf: 1 of 1 pages are pictures without text: to read them, install Tesseract",
        "index with --ocr, or with [ocr] in nearfind.toml",
        "pictures; --ocr reads the text of PNG, JPEG and TIFF (1)",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    // The cache keeps results with and without OCR apart.
    update(folder.path());
    let found = search(folder.path(), "zebras");
    let places: Vec<_> = found["hits"].as_array().unwrap().iter().map(|hit| hit["section"].as_str().unwrap()).collect();
    assert!(places.contains(&"p. 1 (read by OCR)") && places.contains(&"read by OCR"), "{places:?}");
}

/// Indexes a scan and a text with an OCR program that misbehaves. The text must be found, and the output must contain
/// `expected`.
fn costs_its_pages(answer: &str, settings: &str, shades: &[u8], expected: &str) {
    let folder = folder(&[("scan.pdf", &scans(shades)), ("notes.txt", b"Plain text about zebras.\n")], answer);
    configure(folder.path(), settings);
    let said = update(folder.path());
    assert!(said.contains(expected), "{expected}: {said}");
    assert_eq!(search(folder.path(), "zebras")["hits"].as_array().unwrap().len(), 1);
    // The failure is remembered, so the program is not called again.
    let calls = asked(folder.path()).len();
    update(folder.path());
    assert_eq!(asked(folder.path()).len(), calls);
}

#[test]
fn a_program_that_hangs_is_ended_with_what_it_started() {
    let started = Instant::now();
    // A child of the program keeps its output open.
    costs_its_pages(
        "sleep 600 & sleep 600",
        "seconds = 2",
        &[0],
        "page 1 could not be read by OCR: OCR takes longer than 2 s",
    );
    assert!(started.elapsed() < Duration::from_mins(5));
}

#[test]
fn a_program_that_prints_without_end_is_ended() {
    costs_its_pages("yes", "", &[0], "page 1 could not be read by OCR: OCR returns more than 4 MB of text");
}

#[test]
fn a_program_that_fails_is_quoted_without_its_signs_for_terminals() {
    let answer = "printf 'cannot read\\033[2J this\\n' >&2; exit 1";
    let expected = "page 1 could not be read by OCR: OCR failed: cannot read[2J this, and 1 more";
    costs_its_pages(answer, "", &[0, 1], expected);
}

#[test]
fn a_program_that_does_not_read_its_picture_is_none_to_wait_for() {
    costs_its_pages("exit 1", "", &[0], "OCR failed: it gives no details");
}

#[test]
fn pages_beyond_the_limit_are_named() {
    let folder = folder(&[("scan.pdf", &scans(&[0, 1, 2]))], "echo A line of text");
    configure(folder.path(), "pages = 2");
    let said = update(folder.path());
    assert!(said.contains("OCR read 2 of its 3 pages without text: raise `pages` in [ocr]"), "{said}");
    assert_eq!(asked(folder.path()).len(), 2);
}

/// Returns a TIFF of empty pages at these offsets. The last page names `last` as the offset of the next one; 0 is the
/// end.
fn tiff(pages: &[u32], last: u32) -> Vec<u8> {
    let mut bytes = [b"II*\0".as_slice(), &pages[0].to_le_bytes()].concat();
    for next in pages[1..].iter().chain([&last]) {
        bytes.extend([0, 0]);
        bytes.extend(next.to_le_bytes());
    }
    bytes
}

#[test]
fn pictures_with_more_pages_than_the_limit_are_not_read() {
    let (two, three, circle) = (tiff(&[8, 14], 0), tiff(&[8, 14, 20], 0), tiff(&[8, 14], 8));
    let files: [(&str, &[u8]); 4] =
        [("two.tif", &two), ("three.tif", &three), ("circle.tif", &circle), ("notes.txt", b"Plain text.\n")];
    let folder = folder(&files, "echo A page on zebras");
    configure(folder.path(), "pages = 2");
    let said = update(folder.path());
    for line in [
        "three.tif: left out, OCR cannot read it: it has more than 2 pages; raise `pages` in [ocr]",
        "circle.tif: left out, OCR cannot read it: its list of pages leads back to itself",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert_eq!(asked(folder.path()).len(), 1);
    assert_eq!(search(folder.path(), "zebras")["hits"][0]["path"], "two.tif");
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_has_a_limit_on_its_memory() {
    let folder = folder(&[("scan.pdf", &scans(&[0]))], "ulimit -v");
    update(folder.path());
    let limit = (3u64 << 20).to_string();
    assert_eq!(search(folder.path(), &limit)["hits"].as_array().unwrap().len(), 1);
}

#[test]
fn programs_and_languages_that_are_missing_are_named_at_once() {
    let folder = folder(&[("scan.pdf", &scans(&[0]))], "true");
    let config = folder.path().join("nearfind.toml");
    let error = |settings: &str, options: &[&str]| {
        configure(folder.path(), settings);
        let output = nearfind(&[&["update", "--config", config.to_str().unwrap()], options].concat());
        assert!(!output.status.success());
        stderr(&output)
    };
    let said = error("", &[]);
    assert!(said.contains("ocr.program runs a program") && said.contains("--allow-outside"), "{said}");
    let said = error("", &["--allow-outside", "--set", "ocr.program=no-such-ocr"]);
    assert!(said.contains("there is no OCR program no-such-ocr"), "{said}");
    let said = error("languages = \"--help\"", &["--allow-outside"]);
    assert!(said.contains("is not a Tesseract language"), "{said}");
}

#[test]
#[ignore = "needs Tesseract"]
fn tesseract_reads_a_page() {
    // The letters are drawn as they are, but the font maps them to wrong characters. OCR has to read what is shown.
    let text = "Everyone is permitted to copy and distribute verbatim copies of this license document";
    let shifted: String = text
        .chars()
        .map(|c| if c.is_ascii_lowercase() { (((c as u8 - b'a' + 3) % 26) + b'a') as char } else { c })
        .collect();
    let map: String =
        (b'a'..=b'z').map(|code| format!("<{code:02x}> <{:04x}>\n", (code - b'a' + 3) % 26 + b'a')).collect();
    let map = format!(
        "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange 26 beginbfchar\n{map}endbfchar endcmap end"
    );
    let lines: String = (0..6).map(|line| format!("BT /F 12 Tf 50 {} Td ({text}) Tj ET\n", 700 - 20 * line)).collect();
    let mut out = String::from("%PDF-1.7\n");
    let mut table = String::from("xref\n0 1\n0000000000 65535 f \n");
    for (id, object) in [
        (1, "<< /Type /Catalog /Pages 2 0 R >>".to_owned()),
        (2, "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned()),
        (3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>".to_owned()),
        (4, format!("<< /Length {} >>\nstream\n{lines}endstream", lines.len())),
        (5, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>".to_owned()),
        (6, format!("<< /Length {} >>\nstream\n{map}\nendstream", map.len())),
    ] {
        table.push_str(&format!("{id} 1\n{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{id} 0 obj\n{object}\nendobj\n"));
    }
    let start = out.len();
    out.push_str(&format!("{table}trailer << /Size 7 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"));
    let folder = folder(&[("shifted.pdf", out.as_bytes())], "true");
    let index = |options: &[&str]| {
        let (docs, bundle) = (folder.path().join("docs"), folder.path().join("search"));
        let all = [
            "index",
            docs.to_str().unwrap(),
            "-o",
            bundle.to_str().unwrap(),
            "--model",
            "tiny",
            "--no-query-encoder",
            "--no-box",
        ];
        let output = nearfind(&[&all, options].concat());
        stderr(&output) + &String::from_utf8_lossy(&output.stdout)
    };
    let said = index(&[]);
    assert!(said.contains("the text of 1 of 1 pages is not made of words"), "{said}");
    assert_eq!(search(folder.path(), shifted.split(' ').nth(2).unwrap())["hits"].as_array().unwrap().len(), 1);
    let said = index(&["--ocr"]);
    let hits = search(folder.path(), "\"permitted to copy and distribute\"")["hits"].clone();
    assert_eq!(hits[0]["section"], "p. 1 (read by OCR)", "{said}");
    let said = index(&["--ocr=eng+xxx"]);
    assert!(said.contains("Tesseract does not know the language \"xxx\""), "{said}");
}
