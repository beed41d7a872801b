//! Pictures that a service reads, or that a language model describes.

use super::embedding::succeeds;
use super::server::{Fault, KEY, Server, picture_of};
use crate::support::{Workplace, command_in, stderr, stdout};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::fs;
use std::io::{Cursor, Write as _};
use std::process::Output;
use std::time::{Duration, Instant};

/// Returns the beginning of a PNG of 640 × 480 pixels. `mark` makes it different from others.
fn picture(mark: u8) -> Vec<u8> {
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &640u32.to_be_bytes(), &480u32.to_be_bytes(), &[mark]].concat()
}

fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Returns the relationships of a part: id, kind and target.
fn relationships(of: &[(&str, &str, &str)]) -> Vec<u8> {
    let one = |(id, kind, target): &(&str, &str, &str)| {
        format!(r#"<Relationship Id="{id}" Type="http://x.org/relationships/{kind}" Target="{target}"/>"#)
    };
    format!("<Relationships>{}</Relationships>", of.iter().map(one).collect::<String>()).into_bytes()
}

/// Returns a document of each kind that contains pictures, with one picture each.
fn documents() -> Vec<(&'static str, Vec<u8>)> {
    let body = r#"<w:document xmlns:w="w" xmlns:a="a" xmlns:r="r"><w:body><w:p><w:r><w:t>Word text.</w:t></w:r><w:r><w:drawing><a:blip r:embed="p"/></w:drawing></w:r></w:p></w:body></w:document>"#;
    let docx = archive(&[
        ("_rels/.rels", &relationships(&[("a", "officeDocument", "word/document.xml")])),
        ("word/document.xml", body.as_bytes()),
        ("word/_rels/document.xml.rels", &relationships(&[("p", "image", "media/a.png")])),
        ("word/media/a.png", &picture(1)),
    ]);
    let content = r#"<office:document-content xmlns:office="o" xmlns:text="t" xmlns:draw="d" xmlns:xlink="x"><office:body><office:text><text:p>Writer text.<draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame></text:p></office:text></office:body></office:document-content>"#;
    let odt = archive(&[("content.xml", content.as_bytes()), ("Pictures/a.png", &picture(2))]);
    let opf = r#"<package xmlns:dc="dc"><metadata><dc:title>Book</dc:title></metadata><manifest><item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>"#;
    let chapter = r#"<html xmlns="h"><body><h1>One</h1><p>Book text. <img alt="" src="../images/a%20b.png"/> More.</p></body></html>"#;
    let epub = archive(&[
        (
            "META-INF/container.xml",
            br#"<container><rootfiles><rootfile full-path="O/book.opf"/></rootfiles></container>"#,
        ),
        ("O/book.opf", opf.as_bytes()),
        ("O/text/a.xhtml", chapter.as_bytes()),
        ("O/images/a b.png", &picture(3)),
    ]);
    let sheet = r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="r"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Cell text</t></is></c></row></sheetData><drawing r:id="d"/></worksheet>"#;
    let workbook = r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="s"/></sheets></workbook>"#;
    let xlsx = archive(&[
        ("_rels/.rels", &relationships(&[("a", "officeDocument", "xl/workbook.xml")])),
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", &relationships(&[("s", "worksheet", "worksheets/sheet1.xml")])),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/worksheets/_rels/sheet1.xml.rels", &relationships(&[("d", "drawing", "../drawings/d.xml")])),
        ("xl/drawings/d.xml", br#"<wsDr xmlns:a="a" xmlns:r="r"><pic><a:blip r:embed="p"/></pic></wsDr>"#),
        ("xl/drawings/_rels/d.xml.rels", &relationships(&[("p", "image", "../media/a.png")])),
        ("xl/media/a.png", &picture(4)),
    ]);
    vec![("a.docx", docx), ("b.odt", odt), ("c.epub", epub), ("d.xlsx", xlsx), ("e.png", picture(5))]
}

fn folder_of_documents() -> Workplace {
    let place = Workplace::new();
    fs::create_dir(place.path("docs")).unwrap();
    for (name, bytes) in documents() {
        fs::write(place.path("docs").join(name), bytes).unwrap();
    }
    place
}

/// Writes a configuration with `tables` and runs `update`.
fn update(place: &Workplace, tables: &str, options: &[&str]) -> Output {
    let head = "model = \"tiny\"\nquery_encoder = false\nbox = false\n\n[[project]]\npath = \"docs\"\n\n";
    place.write("nearfind.toml", &format!("{head}{tables}"));
    let mut command = command_in(place.folder(), &["update", "--cache", "cache"]);
    command.args(options).env("PICTURE_KEY", KEY).output().expect("it starts")
}

/// Returns the paths of the documents that contain `word`.
fn found(place: &Workplace, word: &str) -> Vec<String> {
    let output = place.run(&["search", "search", word, "--mode", "words", "--limit", "10", "--json"]);
    let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let mut paths: Vec<String> =
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect();
    paths.sort();
    paths
}

#[test]
fn a_language_model_describes_the_pictures_of_documents_over_each_protocol() {
    for (kind, path) in [("openai", "/v1/chat/completions"), ("ollama", "/api/chat"), ("anthropic", "/v1/messages")] {
        let place = folder_of_documents();
        let server = Server::start(&place);
        let below = if kind == "openai" { "/v1" } else { "" };
        let table = format!(
            "[language_model]\nprovider = \"{kind}\"\nmodel = \"eyes\"\nbase_url = \"http://{}{below}\"\nkey_variable = \"PICTURE_KEY\"\npictures = true\n",
            server.address
        );
        let refused = update(&place, &table, &[]);
        assert!(!refused.status.success() && stderr(&refused).contains("--allow-outside"), "{}", stderr(&refused));
        let updated = update(&place, &table, &["--allow-outside"]);
        succeeds(&updated);
        assert!(!stderr(&updated).contains("warning") && !stderr(&updated).contains(KEY), "{}", stderr(&updated));
        assert_eq!(found(&place, "kangaroos"), ["a.docx", "b.odt", "c.epub", "d.xlsx", "e.png"], "{kind}");
        let requests = server.requests();
        assert!(requests.iter().all(|request| request.path == path && request.authorization.is_some()), "{kind}");
        let mut pictures: Vec<Vec<u8>> = requests
            .iter()
            .map(|request| {
                let (media_type, data) = picture_of(&request.body).expect("a picture");
                assert!(media_type.is_empty() || media_type == "image/png", "{media_type}");
                STANDARD.decode(data).unwrap()
            })
            .collect();
        pictures.sort();
        assert_eq!(pictures, [1, 2, 3, 4, 5].map(picture), "{kind}");
        let shown = stdout(&place.run(&["show", "search", "a.docx"]));
        assert!(shown.contains("Picture (described by a model):"), "{shown}");
        // Known pictures are not sent again, whatever file they are in.
        fs::copy(place.path("docs/b.odt"), place.path("docs/f.odt")).unwrap();
        succeeds(&update(&place, &table, &["--allow-outside"]));
        assert_eq!(server.requests().len(), 5);
    }
}

#[test]
fn a_service_reads_pictures_and_rendered_pages() {
    let place = folder_of_documents();
    fs::write(place.path("docs/scan.pdf"), crate::ocr::scans(&[0x80])).unwrap();
    let server = Server::start(&place);
    for path in ["ocr", "ocr-json"] {
        server.forget();
        let table = format!("[ocr]\nurl = \"http://{}/{path}\"\nkey_variable = \"PICTURE_KEY\"\n", server.address);
        let refused = stderr(&update(&place, &table, &[]));
        assert!(refused.contains("ocr.url sends pictures") && refused.contains("--allow-outside"), "{refused}");
        let updated = update(&place, &table, &["--allow-outside"]);
        succeeds(&updated);
        assert!(!stderr(&updated).contains("warning"), "{}", stderr(&updated));
        assert_eq!(found(&place, "otters"), ["a.docx", "b.odt", "c.epub", "d.xlsx", "e.png", "scan.pdf"]);
        let requests = server.requests();
        assert_eq!(requests.len(), 6);
        let bearer = format!("Bearer {KEY}");
        for request in &requests {
            assert_eq!((request.media_type.as_str(), request.authorization.as_ref()), ("image/png", Some(&bearer)));
            assert!(request.bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
        }
    }
    let both = update(&place, "[ocr]\nurl = \"http://127.0.0.1/\"\nprogram = \"x\"\n", &["--allow-outside"]);
    assert!(stderr(&both).contains("set either `program` or `url`"), "{}", stderr(&both));
    let elsewhere = update(&place, "[ocr]\nurl = \"ftp://x\"\n", &["--allow-outside"]);
    assert!(stderr(&elsewhere).contains("an address that begins with http://"), "{}", stderr(&elsewhere));
}

#[test]
fn with_ocr_too_the_model_describes_figures_and_the_service_reads_pages() {
    let place = folder_of_documents();
    fs::write(place.path("docs/scan.pdf"), crate::ocr::scans(&[0x80])).unwrap();
    let server = Server::start(&place);
    let model = format!(
        "[language_model]\nprovider = \"ollama\"\nmodel = \"eyes\"\nbase_url = \"http://{}\"\npictures = true\n",
        server.address
    );
    let both = format!("{model}[ocr]\nurl = \"http://{}/ocr\"\n", server.address);
    succeeds(&update(&place, &both, &["--allow-outside"]));
    assert_eq!(found(&place, "otters"), ["scan.pdf"]);
    assert_eq!(found(&place, "kangaroos").len(), 5);
    // Without OCR, the model reads pages as well.
    succeeds(&update(&place, &model, &["--allow-outside"]));
    assert_eq!(found(&place, "wombats"), ["scan.pdf"]);
}

#[test]
fn a_service_that_fails_stops_the_run_and_one_that_refuses_a_picture_does_not() {
    let place = folder_of_documents();
    let server = Server::start(&place);
    let table = format!("[ocr]\nurl = \"http://{}/ocr\"\n", server.address);
    // An index without the text of pictures would look complete.
    server.always(Some(Fault::Status(401, "no", "")));
    let failed = update(&place, &table, &["--allow-outside"]);
    assert!(!failed.status.success());
    assert!(
        stderr(&failed).contains("pictures cannot be read") && stderr(&failed).contains("401"),
        "{}",
        stderr(&failed)
    );
    assert!(!place.path("search/nearfind.json").exists());
    // A wrong path or an unknown model concerns all pictures, not this one.
    server.always(Some(Fault::Status(404, "model not found", "")));
    assert!(!update(&place, &table, &["--allow-outside"]).status.success());
    server.always(Some(Fault::Status(400, "it is too dark", "")));
    let refused = update(&place, &table, &["--allow-outside"]);
    succeeds(&refused);
    assert!(stderr(&refused).contains("1 pictures in it could not be read: "), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("it is too dark"), "{}", stderr(&refused));
    assert_eq!(found(&place, "Word"), ["a.docx"]);
}

#[test]
fn descriptions_stay_within_the_budget_of_tokens() {
    let place = folder_of_documents();
    let server = Server::start(&place);
    let table = |budget: usize| {
        format!(
            "[language_model]\nprovider = \"ollama\"\nmodel = \"eyes\"\nbase_url = \"http://{}\"\npictures = true\nbudget_tokens = {budget}\n",
            server.address
        )
    };
    let stopped = update(&place, &table(7_000), &["--allow-outside"]);
    assert!(!stopped.status.success() && stderr(&stopped).contains("budget_tokens = 7000"), "{}", stderr(&stopped));
    assert_eq!(server.requests().len(), 3);
    // The next run goes on where the last one stopped.
    succeeds(&update(&place, &table(7_000), &["--allow-outside"]));
    assert_eq!(server.requests().len(), 5);
}

#[test]
fn a_dry_run_sends_no_pictures_and_counts_them() {
    let place = folder_of_documents();
    let server = Server::start(&place);
    let table = format!(
        "[language_model]\nprovider = \"ollama\"\nmodel = \"eyes\"\nbase_url = \"http://{}\"\npictures = true\n",
        server.address
    );
    let planned = update(&place, &table, &["--allow-outside", "--dry-run"]);
    succeeds(&planned);
    assert!(stderr(&planned).contains("about 5 pictures would be sent"), "{}", stderr(&planned));
    assert!(server.requests().is_empty());
    // The dry run leaves nothing behind that lacks the text of the pictures.
    succeeds(&update(&place, &table, &["--allow-outside"]));
    assert_eq!(found(&place, "kangaroos").len(), 5);
}

#[test]
fn a_run_after_a_failure_of_the_service_works_in_the_same_process() {
    let place = folder_of_documents();
    let server = Server::start(&place);
    let table = format!(
        "[language_model]\nprovider = \"ollama\"\nmodel = \"eyes\"\nbase_url = \"http://{}\"\nretries = 0\npictures = true\n",
        server.address
    );
    let head = "model = \"tiny\"\nquery_encoder = false\nbox = false\n\n[[project]]\npath = \"docs\"\n\n";
    place.write("nearfind.toml", &format!("{head}{table}"));
    let mut command = command_in(place.folder(), &["update", "--cache", "cache", "--allow-outside", "--watch"]);
    let errors = fs::File::create(place.path("errors")).unwrap();
    let mut watching = command.stderr(errors).spawn().expect("it starts");
    let comes = |is_there: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_mins(1) && !is_there() {
            std::thread::sleep(Duration::from_millis(200));
        }
        is_there()
    };
    let is_indexed = comes(&|| place.path("search/nearfind.json").exists() && found(&place, "kangaroos").len() == 5);
    server.forget();
    server.always(Some(Fault::Status(404, "model not found", "")));
    fs::write(place.path("docs/g.png"), picture(9)).unwrap();
    let has_failed = comes(&|| !server.requests().is_empty());
    server.always(None);
    place.write("docs/new.md", "# New\n\nText.\n");
    let is_found = comes(&|| found(&place, "kangaroos").len() == 6);
    watching.kill().expect("it runs");
    let _ = watching.wait();
    let said = fs::read_to_string(place.path("errors")).unwrap_or_default();
    assert!(is_indexed && has_failed && is_found, "{is_indexed} {has_failed} {is_found}: {said}");
}
