//! Indexes a folder of typical documents. Hits name the place in the document, unreadable documents are reported, and
//! no document prevents others from being indexed.
#![cfg(feature = "full")]

use crate::support::{nearfind, stderr};
use serde_json::Value;
use std::io::{Cursor, Write as _};
use std::path::Path;

/// Returns a PDF with these pages, each with a line of text.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 10 + 2 * page)).collect();
    let mut objects = vec![
        (1, "<< /Type /Catalog /Pages 2 0 R /PageLabels << /Nums [0 << /S /r >> 1 << /S /D >>] >> >>".to_owned()),
        (2, format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" "))),
        (3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned()),
    ];
    for (number, text) in pages.iter().enumerate() {
        let id = 10 + 2 * number;
        let content = format!("BT /F 12 Tf 72 700 Td ({text}) Tj ET");
        let resources = "/Resources << /Font << /F 3 0 R >> >>";
        let page =
            format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R {resources} >>", id + 1);
        objects.push((id, page));
        objects.push((id + 1, format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len())));
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

/// Returns a Word document with this body.
fn docx(body: &str) -> Vec<u8> {
    let relationship =
        r#"<Relationships><Relationship Id="a" Type="x/officeDocument" Target="word/document.xml"/></Relationships>"#;
    let document = format!(r#"<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>"#);
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in [("_rels/.rels", relationship), ("word/document.xml", &document)] {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn index(folder: &Path, arguments: &[&str]) -> String {
    let bundle = folder.join("bundle");
    let docs = format!("docs={}", folder.join("docs").display());
    let mut all =
        vec!["index", &docs, "-o", bundle.to_str().unwrap(), "--model", "tiny", "--no-query-encoder", "--no-box"];
    all.extend(arguments);
    let output = nearfind(&all);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    said + &String::from_utf8_lossy(&output.stdout)
}

fn search(folder: &Path, question: &str, arguments: &[&str]) -> Value {
    let bundle = folder.join("bundle");
    let mut all = vec!["search", bundle.to_str().unwrap(), question, "--mode", "words", "--json"];
    all.extend(arguments);
    serde_json::from_slice(&nearfind(&all).stdout).unwrap()
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("docs")).unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.path().join("docs").join(name), bytes).unwrap();
    }
    folder
}

#[test]
fn documents_are_found_with_their_places() {
    let manual = pdf(&["Preface of the manual", "Descale the kettle twice", "The warranty ends"]);
    let report = docx(&paragraph("The annual report on penguins"));
    let folder = folder(&[
        ("manual.pdf", &manual),
        ("report.docx", &report),
        ("report.pdf", &pdf(&["The annual report on penguins, printed"])),
        ("values.csv", b"name,size\nzebra,1\n"),
        ("page.md", b"# Page\n\nA word on walruses.\n"),
    ]);
    let said = index(folder.path(), &[]);
    assert!(said.contains("data, read if `include` names it (.csv, .tsv) (1)"), "{said}");
    let hit = search(folder.path(), "descale kettle", &[])["hits"][0].clone();
    assert_eq!((hit["url"].as_str(), hit["anchor"].as_str()), (Some("/manual.pdf"), Some("page=2")));
    assert_eq!(hit["section"], "p. 1 (page 2)");
    assert_eq!(
        (hit["meta"]["format"].as_str(), hit["meta"]["size"].as_str()),
        (Some("pdf"), Some(&*manual.len().to_string()))
    );
    // The same report in two formats is a single hit, and the name of the other file leads to it.
    let found = search(folder.path(), "penguins", &[]);
    assert_eq!((found["hits"].as_array().unwrap().len(), found["hits"][0]["path"].as_str()), (1, Some("report.pdf")));
    let of_format =
        |format: &str| search(folder.path(), "walruses", &["--filter", &format!("format={format}")])["hits"].clone();
    assert_eq!(of_format("page").as_array().unwrap().len(), 1);
    assert_eq!(of_format("pdf").as_array().unwrap().len(), 0);
    let bundle = folder.path().join("bundle");
    let show = |arguments: &[&str]| nearfind(&[&["show", bundle.to_str().unwrap()], arguments].concat());
    let shown = String::from_utf8(show(&["report.docx"]).stdout).unwrap();
    assert!(shown.contains("printed"), "{shown}");
    let shown = String::from_utf8(show(&["manual.pdf", "--at", "page 3"]).stdout).unwrap();
    assert!(shown.contains("warranty") && !shown.contains("kettle"), "{shown}");
    let missing = stderr(&show(&["manual.pdf", "--at", "page 9"]));
    assert!(missing.contains("it has p. i (page 1); p. 1 (page 2)"), "{missing}");

    let said = index(folder.path(), &["--include", "**"]);
    assert!(!said.contains("(.csv"), "{said}");
    assert_eq!(search(folder.path(), "zebra", &[])["hits"][0]["section"], "rows 1–2");
}

#[test]
fn unreadable_documents_are_reported_and_do_not_affect_others() {
    let bomb = docx(&paragraph(&"x".repeat(65 << 20)));
    let deep = docx(&["<w:tbl>".repeat(100_000), "</w:tbl>".repeat(100_000)].concat());
    let encrypted: Vec<u8> = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        .iter()
        .copied()
        .chain("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let cut = &docx(&paragraph("Cut"))[..200];
    let folder = folder(&[
        ("good.docx", &docx(&paragraph("A sentence about otters"))),
        ("bomb.docx", &bomb),
        ("deep.docx", &deep),
        ("locked.xlsx", &encrypted),
        ("old.docx", &encrypted[..8]),
        ("older.doc", &encrypted[..8]),
        ("pointer.pdf", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"),
        ("cut.docx", cut),
        ("cut.pdf", b"%PDF-1.7\nnothing more"),
        ("empty.pdf", b""),
        ("requirements.txt", b"otters==1.0\n"),
        ("scan.docx", &docx("<w:p/>")),
    ]);
    let said = index(folder.path(), &[]);
    for line in [
        "scan.docx: left out, it contains no text; if its pages are pictures, --ocr reads them",
        "without text in their content (1)",
        "bomb.docx: left out, it is larger than 64 MB when unpacked",
        "deep.docx: left out, its elements are nested more than 256 levels deep",
        "locked.xlsx: left out, it is encrypted: save it without a password",
        "old.docx: left out, it is an Office 97–2003 file: save it as .docx",
        "pointer.pdf: left out, it is a Git LFS pointer",
        "cut.docx: left out, it is damaged",
        "cut.pdf: left out, it is damaged",
        "empty.pdf: left out, it is damaged: it is empty",
        "older.doc: left out, it is an Office 97–2003 file: save it as .docx",
        "text files for programs, such as requirements.txt (1)",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let found = search(folder.path(), "otters", &[]);
    assert_eq!((found["hits"].as_array().unwrap().len(), found["hits"][0]["path"].as_str()), (1, Some("good.docx")));
}
