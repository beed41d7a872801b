//! Detects a page's encoding as browsers do: from its byte order mark, then from the declaration in its head, and then
//! from its letters.

use crate::text_encoding::{decoded, detected};
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use regex::bytes::Regex;
use std::borrow::Cow;
use std::cell::LazyCell;
use std::sync::LazyLock;

/// Number of bytes to search for a declaration. Browsers search the first kilobyte, and some browsers search more.
const DECLARED_WITHIN: usize = 4096;

/// A declaration in a `meta` element or in the first line of XML. Comments are removed before the search.
static DECLARATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?is-u)<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)|^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)"#,
    )
    .expect("the pattern is valid")
});
static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?s-u)<!--.*?-->").expect("the pattern is valid"));

/// Returns the text of a page, and a note if its bytes do not match the declared encoding.
pub(in super::super) fn decode(bytes: &[u8]) -> (Cow<'_, str>, Option<String>) {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return decoded(encoding, &bytes[mark..]);
    }
    let declared = LazyCell::new(|| declared(bytes));
    // Text in a different encoding is hardly ever valid UTF-8 by chance, and servers declare UTF-8 in a header even if
    // an old template declares something else.
    let is_readable = |text: &str| !text.is_ascii() || declared.is_none_or(Encoding::is_ascii_compatible);
    if let Ok(text) = str::from_utf8(bytes)
        && is_readable(text)
    {
        return (Cow::Borrowed(text), None);
    }
    if let Some(encoding) = *declared {
        return decoded(encoding, bytes);
    }
    let encoding = detected(bytes);
    let (text, note) = decoded(encoding, bytes);
    let name = encoding.name();
    (text, note.or_else(|| Some(format!("it declares no encoding and is not UTF-8, so it was read as {name}"))))
}

/// Returns the encoding that the head declares. A UTF-16 declaration is wrong if it can be read as ASCII.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = COMMENT.replace_all(&bytes[..bytes.len().min(DECLARED_WITHIN)], &b""[..]);
    let found = DECLARATION.captures(&head)?;
    let label = found.get(1).or_else(|| found.get(2))?.as_bytes();
    match Encoding::for_label(label)? {
        encoding if encoding == UTF_16LE || encoding == UTF_16BE => Some(UTF_8),
        encoding if encoding == X_USER_DEFINED => Some(WINDOWS_1252),
        encoding if encoding == REPLACEMENT => None,
        encoding => Some(encoding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::WINDOWS_1251;

    fn read(head: &str, encoding: &'static Encoding, text: &str) -> (String, Option<String>) {
        let mut bytes = head.as_bytes().to_vec();
        bytes.extend_from_slice(&encoding.encode(text).0);
        let (decoded, note) = decode(&bytes);
        (decoded.strip_prefix(head).unwrap_or(&decoded).to_owned(), note)
    }

    #[test]
    fn pages_are_read_as_they_declare() {
        for (head, label, text) in [
            (
                "<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1251\">",
                "windows-1251",
                "Привет",
            ),
            ("<META CHARSET=Shift_JIS >", "shift_jis", "設定ガイド"),
            ("<meta name=x content=y><meta charset = 'gb2312'>", "gbk", "安装"),
            ("<?xml version='1.0' encoding='iso-8859-2'?><html>", "iso-8859-2", "příliš"),
            ("<!-- <meta charset=utf-8> --><meta charset=\"euc-kr\"/>", "euc-kr", "검색"),
            ("<meta charset=iso-2022-jp>", "iso-2022-jp", "検索"),
        ] {
            assert_eq!(
                read(head, Encoding::for_label(label.as_bytes()).unwrap(), text),
                (text.to_owned(), None),
                "{head}"
            );
        }
        let utf_16: Vec<u8> = "\u{feff}größer".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&utf_16).0, "größer");
    }

    #[test]
    fn missing_and_wrong_declarations_are_reported() {
        assert_eq!(
            read("<meta charset=windows-1252>", UTF_8, "größer"),
            ("größer".to_owned(), None),
            "servers know better"
        );
        assert_eq!(read("<meta charset=utf-16>", UTF_8, "größer").0, "größer");
        assert_eq!(read("<meta charset=klingon>", UTF_8, "größer").0, "größer");
        let (text, note) = read("<html>", WINDOWS_1252, "größer – 5 €");
        assert_eq!((text.as_str(), note.unwrap().contains("windows-1252")), ("größer – 5 €", true));
        let cyrillic = "<html><p>Настройка поиска по документам</p>";
        let (text, note) = read("<!doctype html>", WINDOWS_1251, cyrillic);
        assert_eq!((text.as_str(), note.unwrap().contains("windows-1251")), (cyrillic, true));
        let (text, note) = read("<meta charset=utf-8>", WINDOWS_1252, "größer");
        assert!(text.contains('\u{fffd}') && note.unwrap().contains("not UTF-8"), "{text}");
    }
}
