#![no_main]
//! Reads any bytes as a file of each format, with or without the first bytes of that format. OCR is on, so pages
//! without text are drawn, but it finds no text in them.
use libfuzzer_sys::fuzz_target;
use nearfind_extract::extract_with_ocr;
use nearfind_extract::ocr::{Picture, PictureReader, Recognized};

/// Finds no text in any picture.
struct NoText;

impl PictureReader for NoText {
    fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized> {
        pictures.iter().map(|_| Ok(String::new())).collect()
    }
}

const ENDINGS: [&str; 34] = [
    "md", "mdx", "html", "ipynb", "rst", "adoc", "txt", "csv", "pdf", "docx", "pptx", "odt", "xlsx", "xlsb", "xls", "ods",
    "epub", "tsv", "rtf", "doc", "ppt", "eml", "msg", "mbox", "mhtml", "emlx", "org", "1", "srt", "vtt",
    "fb2", "tif", "wiki", "textile",
];

fuzz_target!(|input: (u8, bool, Vec<u8>)| {
    let (kind, begins, bytes) = input;
    let ending = ENDINGS[usize::from(kind) % ENDINGS.len()];
    let start: &[u8] = match ending {
        _ if !begins => b"",
        "pdf" => b"%PDF-1.7\n",
        "tif" => b"II*\0",
        "xls" | "doc" | "ppt" | "msg" => b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "fb2" => b"<FictionBook>",
        "1" => b".TH a 1\n",
        "srt" | "vtt" => b"0:01 --> 0:02\n",
        "rtf" => b"{\\rtf1",
        "mbox" => b"From a 1:1\nSubject: b\n",
        "eml" | "emlx" | "mhtml" => b"Subject: a\nContent-Type: multipart/mixed; boundary=b\n",
        "docx" | "pptx" | "odt" | "xlsx" | "xlsb" | "ods" | "epub" => b"PK\x03\x04",
        _ => b"",
    };
    let _ = extract_with_ocr(&format!("file.{ending}"), &[start, &bytes].concat(), Some(&NoText));
});
