//! Reads messages in the internet format (RFC 5322, MIME).

use super::limits::MAX_ATTACHMENTS;
use super::message::{Attachment, Body, Content, Message, Sent, person};
use super::seal::Seal;
use crate::{html, text_encoding};
use encoding_rs::Encoding;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Address, Encoding as Transfer, MessageParser, MessagePart, MimeHeaders as _, PartType};
use memchr::memmem;
use regex::bytes::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Types of attachments that may have no name, with the extension for a generated name.
const ENDINGS: [(&str, &str, &str); 5] = [
    ("application", "pdf", "pdf"),
    ("application", "rtf", "rtf"),
    ("text", "rtf", "rtf"),
    ("text", "html", "html"),
    ("text", "plain", "txt"),
];

/// Matches the encoding of the text, which the headers declare.
static CHARSET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?i-u)charset\s*=\s*"?([\w.:-]+)"#).expect("the pattern is valid"));
/// Id of the part that contains all others.
const ROOT: u32 = 0;
/// Maximum number of text parts in a message.
const MAX_BODIES: usize = 1000;

/// Reads the message in `bytes`, with at most `depth` levels of nested messages. Returns `None` if it does not contain
/// any known header.
pub(super) fn parse(bytes: &[u8], depth: usize) -> Option<Message<'static>> {
    let message = parse_any(bytes, depth)?;
    // Without headers, all of them are missing.
    let has_headers = !message.subject.is_empty() || !message.from.is_empty() || message.sent.is_some();
    (has_headers || !message.to.is_empty() || !message.attachments.is_empty()).then_some(message)
}

/// Reads the message in `bytes`, even if it does not contain known headers.
pub(super) fn parse_any(bytes: &[u8], depth: usize) -> Option<Message<'static>> {
    let bytes = as_ascii(bytes);
    let bytes = with_readable_headers(without_length(&bytes));
    let parsed = MessageParser::default().parse(&*bytes)?;
    let message = of_parsed(&parsed, depth);
    dismantle(parsed);
    Some(message)
}

/// Converts a message with a byte order mark to UTF-8 without it. Some programs save messages as UTF-16, or with the
/// UTF-8 mark.
fn as_ascii(bytes: &[u8]) -> Cow<'_, [u8]> {
    match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => {
            let text = encoding.decode_without_bom_handling(bytes.get(mark..).unwrap_or_default()).0;
            Cow::Owned(text.into_owned().into_bytes())
        }
        None => Cow::Borrowed(bytes),
    }
}

/// Removes the line with the message's length, which Apple Mail writes before a message.
fn without_length(bytes: &[u8]) -> &[u8] {
    let digits = bytes.iter().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let rest = bytes.get(digits..).unwrap_or_default().trim_ascii_start();
    if digits > 0 && bytes.get(digits).is_some_and(u8::is_ascii_whitespace) { rest } else { bytes }
}

/// Decodes headers with letters in a legacy encoding, as old programs write them. Usually the text has the same
/// encoding.
fn with_readable_headers(bytes: &[u8]) -> Cow<'_, [u8]> {
    let end = [&b"\n\n"[..], b"\n\r\n"].iter().filter_map(|empty_line| memmem::find(bytes, empty_line)).min();
    let (headers, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
    if str::from_utf8(headers).is_ok() {
        return Cow::Borrowed(bytes);
    }
    let of_text = CHARSET.captures(headers).and_then(|found| Encoding::for_label(&found[1]));
    let read =
        of_text.map(|encoding| encoding.decode_without_bom_handling(headers)).filter(|(_, had_errors)| !had_errors);
    let headers = read.map_or_else(|| text_encoding::decode(headers).0, |(headers, _)| headers);
    Cow::Owned([headers.as_bytes(), rest].concat())
}

/// Drops a message level by level, so that thousands of nested messages do not overflow the stack.
fn dismantle(message: mail_parser::Message<'_>) {
    let mut left = vec![message];
    while let Some(message) = left.pop() {
        for part in message.parts {
            if let PartType::Message(inner) = part.body {
                left.push(inner);
            }
        }
    }
}

fn of_parsed(parsed: &mail_parser::Message<'_>, depth: usize) -> Message<'static> {
    let people = |address: Option<&Address<'_>>| address.map(people).unwrap_or_default();
    let mut message = Message {
        subject: parsed.subject().unwrap_or_default().to_owned(),
        from: people(parsed.from()),
        to: people(parsed.to()),
        copies: people(parsed.cc()),
        sent: parsed.date().filter(|date| date.is_valid()).map(|date| Sent {
            year: date.year,
            month: date.month,
            day: date.day,
            hour: date.hour,
            minute: date.minute,
        }),
        seal: parsed.parts.first().and_then(seal),
        ..Message::default()
    };
    (message.plain, message.styled) = (bodies(parsed, &parsed.text_body), bodies(parsed, &parsed.html_body));
    if parsed.text_body == parsed.html_body {
        // Both lists contain the same parts, so only one of them is kept.
        let has_pages = message.styled.iter().any(|body| matches!(body, Body::Page(_)));
        if has_pages { message.plain.clear() } else { message.styled.clear() }
    }
    let has_text = !message.plain.is_empty() || !message.styled.is_empty();
    if !has_text && message.seal.is_none() && parsed.attachments.iter().all(|id| *id == ROOT) {
        message.plain = text_of_root(parsed).into_iter().map(Body::Plain).collect();
    }
    let is_read = !message.plain.is_empty();
    let attached = parsed.attachments.iter().filter(|id| **id != ROOT || !is_read).filter_map(|id| parsed.part(*id));
    message.attachments = attached.take(MAX_ATTACHMENTS).map(|part| attachment(part, depth)).collect();
    message.further_attachments = parsed.attachments.len().saturating_sub(MAX_ATTACHMENTS);
    message
}

/// Returns the text of a message without a part that is declared as text: a reply to an invitation, a message with a
/// misspelled type, or parts without their boundary.
fn text_of_root(parsed: &mail_parser::Message<'_>) -> Option<String> {
    let root = parsed.part(ROOT)?;
    let bytes = match &root.body {
        PartType::Multipart(_) => {
            parsed.raw_message().get(root.raw_body_offset() as usize..root.raw_end_offset() as usize)?
        }
        PartType::Message(_) => return None,
        _ => root.contents(),
    };
    let is_text = !text_encoding::is_binary(bytes) && !bytes.trim_ascii().is_empty();
    is_text.then(|| text_encoding::decode(bytes).0.into_owned())
}

/// Returns the reason why the text in `root`, the part that contains all others, cannot be read.
fn seal(root: &MessagePart<'_>) -> Option<Seal> {
    if root.is_content_type("multipart", "encrypted") {
        return Some(Seal::Encrypted);
    }
    let is_envelope = ["pkcs7-mime", "x-pkcs7-mime"].iter().any(|subtype| root.is_content_type("application", subtype));
    let kind = root.content_type().and_then(|kind| kind.attribute("smime-type")).unwrap_or_default();
    is_envelope.then(|| {
        if kind.eq_ignore_ascii_case("signed-data") { Seal::Signed } else { Seal::of_envelope(root.contents()) }
    })
}

/// Returns the texts among the parts `ids`. Both plain texts and pages may occur, because a part may exist in only one
/// form, such as the note that a mailing list adds to a page.
fn bodies(parsed: &mail_parser::Message<'_>, ids: &[u32]) -> Vec<Body> {
    let texts = ids.iter().filter_map(|id| parsed.part(*id)).filter_map(|part| match &part.body {
        PartType::Text(text) => Some(Body::Plain(text_of(parsed, part, text).into_owned())),
        PartType::Html(text) => Some(Body::Page(text_of(parsed, part, text).into_owned())),
        _ => None,
    });
    texts.take(MAX_BODIES).collect()
}

/// Returns the text of a part. If the part does not declare an encoding and is not UTF-8, the encoding is detected from
/// its letters, or read from a page's head.
fn text_of<'a>(parsed: &mail_parser::Message<'_>, part: &MessagePart<'_>, text: &'a str) -> Cow<'a, str> {
    let says_charset = part.content_type().is_some_and(|kind| kind.has_attribute("charset"));
    if says_charset || !text.contains('\u{fffd}') {
        return Cow::Borrowed(text);
    }
    let raw = parsed.raw_message().get(part.raw_body_offset() as usize..part.raw_end_offset() as usize);
    let bytes = raw.and_then(|raw| match part.encoding {
        Transfer::None => Some(raw.to_vec()),
        Transfer::QuotedPrintable => quoted_printable_decode(raw),
        Transfer::Base64 => base64_decode(raw),
    });
    let Some(bytes) = bytes else { return Cow::Borrowed(text) };
    let is_page = matches!(part.body, PartType::Html(_));
    let read = if is_page { html::decode(&bytes) } else { text_encoding::decode(&bytes) };
    Cow::Owned(read.0.into_owned())
}

fn attachment(part: &MessagePart<'_>, depth: usize) -> Attachment<'static> {
    let name = part.attachment_name().unwrap_or_default().to_owned();
    let content = match &part.body {
        PartType::Message(_) if depth == 0 => Content::TooDeep,
        PartType::Message(inner) => Content::Message(Box::new(of_parsed(inner, depth - 1))),
        _ => Content::File(Cow::Owned(part.contents().to_vec())),
    };
    let ending = ENDINGS.iter().find(|(kind, subtype, _)| part.is_content_type(kind, subtype));
    let name = match ending {
        Some((_, _, ending)) if name.is_empty() => format!("attachment.{ending}"),
        _ => name,
    };
    Attachment { name, content }
}

fn people(address: &Address<'_>) -> Vec<String> {
    let one = |address: &mail_parser::Addr<'_>| {
        person(address.name.as_deref().unwrap_or_default(), address.address.as_deref().unwrap_or_default())
    };
    match address {
        Address::List(list) => list.iter().map(one).filter(|person| !person.is_empty()).collect(),
        Address::Group(groups) => groups.iter().flat_map(|group| group.addresses.iter().map(one)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_another_kind_is_text() {
        for head in [
            "Content-Type: text; charset=us-ascii",
            "Content-Type: text/calendar; charset=utf-8",
            "Content-Type: multipart/mixed",
            "Content-Type: multipart/mixed; boundary=\"elsewhere\"",
        ] {
            let message = parse(format!("Subject: Reply\r\n{head}\r\n\r\nAccepted by Jane\r\n").as_bytes(), 0).unwrap();
            let texts: Vec<_> = message.plain.iter().map(|body| format!("{body:?}")).collect();
            assert!(texts.concat().contains("Accepted by Jane"), "{head}: {texts:?}");
            assert!(message.attachments.is_empty(), "{head}");
        }
        let picture = parse(b"Subject: Scan\r\nContent-Type: image/png\r\n\r\n\x89PNG\0\0", 0).unwrap();
        assert!(picture.plain.is_empty() && picture.attachments.len() == 1);
    }

    #[test]
    fn a_text_says_its_encoding_or_tells_it() {
        let mail = |head: &str, body: &[u8]| {
            let bytes =
                [b"Subject: =?utf-8?B?0J7RgtGH0ZHRgg==?=\r\nFrom: Jane <j@x.org>\r\n", head.as_bytes(), b"\r\n", body]
                    .concat();
            let message = parse(&bytes, 0).unwrap();
            let [Body::Plain(text)] = message.plain.as_slice() else { panic!("{:?}", message.plain) };
            (message.subject, text.clone())
        };
        let (cyrillic, ..) = encoding_rs::WINDOWS_1251.encode("Отчёт о продажах за квартал");
        assert_eq!(
            mail("Content-Type: text/plain; charset=windows-1251\r\n", &cyrillic).1,
            "Отчёт о продажах за квартал"
        );
        assert_eq!(mail("", &cyrillic), ("Отчёт".to_owned(), "Отчёт о продажах за квартал".to_owned()));
        assert_eq!(
            mail(
                "Content-Transfer-Encoding: quoted-printable\r\nContent-Type: text/plain; charset=utf-8\r\n",
                b"gr=C3=B6=\r\n=C3=9Fer"
            )
            .1,
            "größer"
        );
    }

    #[test]
    fn headers_of_a_country_are_read() {
        let subject = |head: &str, encoding: &'static Encoding, subject: &str| {
            let (subject, ..) = encoding.encode(subject);
            let bytes =
                [b"Subject: ".as_slice(), &subject, b"\r\nFrom: j@x.org\r\n", head.as_bytes(), b"\r\nText"].concat();
            parse(&bytes, 0).unwrap().subject
        };
        let koi8 = "Content-Type: text/plain; charset=\"koi8-r\"\r\n";
        assert_eq!(subject(koi8, encoding_rs::KOI8_R, "Счёт за март"), "Счёт за март");
        assert_eq!(subject("", encoding_rs::WINDOWS_1252, "Größe der Tür"), "Größe der Tür");
        assert_eq!(subject("", encoding_rs::UTF_8, "Größe"), "Größe");
    }

    #[test]
    fn messages_inside_thousands_of_others_end() {
        let deep = "Content-Type: message/rfc822\r\nSubject: s\r\n\r\n".repeat(100_000);
        let message = parse(deep.as_bytes(), 2).unwrap();
        let Content::Message(inner) = &message.attachments[0].content else { panic!() };
        assert_eq!(inner.subject, "s");
    }

    #[test]
    fn signed_envelopes_are_not_taken_for_encrypted_ones() {
        let seal = |head: &str, body: &str| {
            parse(
                format!("Subject: a\nContent-Type: {head}\nContent-Transfer-Encoding: base64\n\n{body}\n").as_bytes(),
                0,
            )
            .unwrap()
            .seal
        };
        assert_eq!(seal("application/pkcs7-mime; smime-type=signed-data; name=smime.p7m", "MAA="), Some(Seal::Signed));
        assert_eq!(seal("application/x-pkcs7-mime", "MIAGCSqGSIb3DQEHAqCA"), Some(Seal::Signed));
        assert_eq!(
            seal("application/pkcs7-mime; smime-type=enveloped-data", "MIAGCSqGSIb3DQEHA6CA"),
            Some(Seal::Encrypted)
        );
        assert_eq!(seal("text/plain", "YQ=="), None);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        assert!(parse(b"", 1).is_none());
        assert!(parse(b"A text about nothing.\n\nMore of it.", 1).is_none());
        let utf_16: Vec<u8> = "\u{feff}Subject: Wide\n\nText".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(parse(&utf_16, 1).unwrap().subject, "Wide");
        assert_eq!(parse(b"57\nSubject: Apple\n\nText", 1).unwrap().subject, "Apple");
    }
}
