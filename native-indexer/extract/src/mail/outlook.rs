//! Reads messages of Outlook: compound files of properties (MS-OXMSG).

use super::compressed_rtf::decompressed;
use super::internet;
use super::limits::{MAX_ATTACHMENTS, MAX_READ_BYTES};
use super::mapi::Properties;
use super::message::{Attachment, Body, Content, Message, person};
use super::seal::Seal;
use crate::compound_file::CompoundFile;
use crate::error::ExtractError;
use crate::html;
use crate::kinds::kind_of;
use std::borrow::Cow;
use std::path::Path;

/// Number of bytes before the table of properties of a message, of a nested message, and of other objects.
const HEADER_OF_FILE: usize = 32;
const HEADER_OF_INNER: usize = 24;
const HEADER_OF_OTHERS: usize = 8;
/// Prefixes of the names of the storages of recipients and attachments.
const PERSON: &str = "__recip_version1.0_";
const ATTACHED: &str = "__attach_version1.0_";
/// Maximum number of recipients.
const MAX_PEOPLE: usize = 1000;
/// Name of the storage of an attached message.
const INNER_MESSAGE: &str = "__substg1.0_3701000D";

const MESSAGE_CLASS: u16 = 0x001a;
const SUBJECT: u16 = 0x0037;
const SUBMITTED: u16 = 0x0039;
const SENT_FOR: u16 = 0x0042;
const SENT_FOR_ADDRESS: u16 = 0x0065;
const INTERNET_HEADERS: u16 = 0x007d;
const KIND_OF_PERSON: u16 = 0x0c15;
const SENDER: u16 = 0x0c1a;
const SENDER_ADDRESS: u16 = 0x0c1f;
const DELIVERED: u16 = 0x0e06;
const SHOWN_COPIES: u16 = 0x0e03;
const SHOWN_TO: u16 = 0x0e04;
const BODY: u16 = 0x1000;
const RICH_BODY: u16 = 0x1009;
const HTML_BODY: u16 = 0x1013;
const CREATED: u16 = 0x3007;
const NAME: u16 = 0x3001;
const ADDRESS: u16 = 0x3003;
const INTERNET_ADDRESS: u16 = 0x39fe;
const SENDER_INTERNET_ADDRESS: u16 = 0x5d01;
const DATA: u16 = 0x3701;
const SHORT_FILE_NAME: u16 = 0x3704;
const FILE_NAME: u16 = 0x3707;

/// Reads the message in `bytes`, with at most `depth` levels of nested messages, and with pictures if `pictures` is set.
pub(super) fn parse(bytes: &[u8], depth: usize, pictures: bool) -> Result<Message<'static>, ExtractError> {
    parse_within(bytes, depth, pictures, MAX_READ_BYTES)
}

/// Reads the message in `bytes` like [`parse`], and keeps at most `most` bytes of its properties.
fn parse_within(bytes: &[u8], depth: usize, pictures: bool, most: usize) -> Result<Message<'static>, ExtractError> {
    let mut file = CompoundFile::open(bytes, most)
        .map_err(|error| ExtractError::Damaged(format!("its parts cannot be read: {error}")))?;
    Ok(message(&mut file, "", HEADER_OF_FILE, depth, pictures))
}

fn message(
    file: &mut CompoundFile<'_>,
    storage: &str,
    header: usize,
    depth: usize,
    pictures: bool,
) -> Message<'static> {
    let properties = Properties::of(file, storage, header);
    let mut text = |id| properties.text(file, id);
    let class = text(MESSAGE_CLASS).to_lowercase();
    let (subject, plain) = (text(SUBJECT), text(BODY));
    let headers = text(INTERNET_HEADERS);
    let sender_address = [SENDER_INTERNET_ADDRESS, SENDER_ADDRESS, SENT_FOR_ADDRESS].map(&mut text);
    let sender = [SENDER, SENT_FOR].map(&mut text).into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    let shown = [SHOWN_TO, SHOWN_COPIES].map(&mut text);
    let mut html = text(HTML_BODY);
    if html.is_empty() {
        html = properties.bytes(file, HTML_BODY).map(|bytes| html::decode(&bytes).0.into_owned()).unwrap_or_default();
    }
    let rich = properties.bytes(file, RICH_BODY).and_then(|bytes| decompressed(&bytes));
    let rich = rich.filter(|rich| file.spend(rich.len())).unwrap_or_default();
    // A received message contains its original headers.
    let received = internet::parse(headers.as_bytes(), 0).unwrap_or_default();
    let sender = person(&sender, &internet_address(sender_address));
    let [mut to, mut copies] = people(file, storage);
    for (people, shown) in [(&mut to, &shown[0]), (&mut copies, &shown[1])] {
        if people.is_empty() {
            people.extend(shown.split(';').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
        }
    }
    let is_sealed = class.contains("smime") && !class.contains("multipartsigned");
    let seal = is_sealed.then(|| Seal::of_envelope(&envelope(file, storage)));
    let (attachments, too_many) = attachments(file, storage, depth, pictures);
    let body = |text: String, kind: fn(String) -> Body| {
        if text.trim().is_empty() { Vec::new() } else { vec![kind(text)] }
    };
    Message {
        subject: if subject.is_empty() { received.subject } else { subject },
        from: if sender.is_empty() { received.from } else { vec![sender] },
        to: if to.is_empty() { received.to } else { to },
        copies: if copies.is_empty() { received.copies } else { copies },
        sent: received.sent.or_else(|| [SUBMITTED, DELIVERED, CREATED].into_iter().find_map(|id| properties.time(id))),
        plain: body(plain, Body::Plain),
        styled: body(html, Body::Page),
        rich,
        attachments,
        further_attachments: too_many + file.take_refused(),
        seal,
    }
}

/// Returns the content of a message that is encrypted or inside a signature.
fn envelope(file: &mut CompoundFile<'_>, storage: &str) -> Vec<u8> {
    let attached = file.storages(storage, ATTACHED).into_iter().next();
    attached.and_then(|storage| Properties::of(file, &storage, HEADER_OF_OTHERS).bytes(file, DATA)).unwrap_or_default()
}

/// Returns the first internet address. Within an organization, Exchange uses other addresses.
fn internet_address(addresses: [String; 3]) -> String {
    addresses.into_iter().find(|address| address.contains('@')).unwrap_or_default()
}

/// Returns the recipients of a message, and the recipients of copies.
fn people(file: &mut CompoundFile<'_>, storage: &str) -> [Vec<String>; 2] {
    let mut people = [Vec::new(), Vec::new()];
    for storage in file.storages(storage, PERSON).into_iter().take(MAX_PEOPLE) {
        let properties = Properties::of(file, &storage, HEADER_OF_OTHERS);
        let addresses = [INTERNET_ADDRESS, ADDRESS].map(|id| properties.text(file, id));
        let [internet, other] = addresses;
        let name = properties.text(file, NAME);
        let one = person(&name, &internet_address([internet, other, String::new()]));
        let list = match properties.number(KIND_OF_PERSON) {
            Some(1) | None => people.first_mut(),
            Some(2) => people.get_mut(1),
            _ => None,
        };
        if let Some(list) = list.filter(|_| !one.is_empty()) {
            list.push(one);
        }
    }
    people
}

fn attachments(
    file: &mut CompoundFile<'_>,
    storage: &str,
    depth: usize,
    pictures: bool,
) -> (Vec<Attachment<'static>>, usize) {
    let storages = file.storages(storage, ATTACHED);
    let further = storages.len().saturating_sub(MAX_ATTACHMENTS);
    let mut attachments = Vec::new();
    for storage in storages.into_iter().take(MAX_ATTACHMENTS) {
        let properties = Properties::of(file, &storage, HEADER_OF_OTHERS);
        let names = [FILE_NAME, SHORT_FILE_NAME, NAME].map(|id| properties.text(file, id));
        let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        let inner = format!("{storage}/{INNER_MESSAGE}");
        // An embedded document does not contain a table of properties.
        let is_message = file.is_stream(&format!("{inner}/__properties_version1.0"));
        let content = if is_message && depth == 0 {
            Content::TooDeep
        } else if is_message {
            Content::Message(Box::new(message(file, &inner, HEADER_OF_INNER, depth - 1, pictures)))
        } else if kind_of(Path::new(&name)).is_none_or(|kind| kind.is_picture() && !pictures) {
            // Files that are not read do not use the budget of bytes.
            Content::NamedAlone
        } else {
            let refused = file.refused();
            match properties.bytes(file, DATA) {
                // The message counts it among the attachments that exceeded the limits.
                None if file.refused() > refused => Content::NamedAlone,
                bytes => Content::File(Cow::Owned(bytes.unwrap_or_default())),
            }
        };
        attachments.push(Attachment { name, content });
    }
    (attachments, further)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::outlook_file;
    use super::*;
    use proptest::prelude::*;
    use std::io::{Cursor, Write as _};

    #[test]
    fn a_message_is_read_from_its_properties() {
        let bytes = outlook_file();
        let message = parse(&bytes, 1, false).unwrap();
        assert_eq!(message.subject, "Größe der Kessel");
        assert_eq!(message.plain, [Body::Plain("Bitte entkalken.".to_owned())]);
        assert_eq!(message.from, ["Jane Doe <jane@example.org>"]);
        assert_eq!((message.to, message.copies), (vec!["Bob <bob@example.org>".to_owned()], vec!["Chef".to_owned()]));
        assert_eq!(message.sent.unwrap().words(), "2024-02-29 10:30");
        assert_eq!(message.attachments[0].name, "plan.txt");
        let Content::Message(inner) = &message.attachments[1].content else { panic!() };
        assert_eq!(inner.subject, "Inside");
        assert!(matches!(parse(&bytes, 0, false).unwrap().attachments[1].content, Content::TooDeep));
        assert!(matches!(parse(b"no such file", 1, false), Err(ExtractError::Damaged(_))));
    }

    #[test]
    fn attachments_that_are_too_large_are_counted() {
        let message = parse_within(&outlook_file(), 1, false, 800).unwrap();
        let Content::File(plan) = &message.attachments[0].content else { panic!() };
        assert_eq!((plan.as_ref(), message.further_attachments), (&b"The plan of the plant."[..], 0));
        // For every limit, missing parts are counted.
        for most in 0..800 {
            let message = parse_within(&outlook_file(), 1, false, most).unwrap();
            let Content::Message(inner) = &message.attachments[1].content else { panic!() };
            let is_whole = matches!(message.attachments[0].content, Content::File(_)) && inner.plain.len() == 1;
            assert!(is_whole || message.further_attachments + inner.further_attachments > 0, "{most}");
        }
    }

    #[test]
    fn signed_and_encrypted_envelopes_are_distinguished() {
        let seal = |envelope: &[u8]| {
            let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
            file.create_storage("/__attach_version1.0_#00000000").unwrap();
            let class = ("/__substg1.0_001A001E", &b"IPM.Note.SMIME"[..]);
            for (path, bytes) in [class, ("/__attach_version1.0_#00000000/__substg1.0_37010102", envelope)] {
                file.create_stream(path).unwrap().write_all(bytes).unwrap();
            }
            parse(&file.into_inner().into_inner(), 1, false).unwrap().seal
        };
        assert_eq!(seal(b"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80"), Some(Seal::Signed));
        assert_eq!(seal(b"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03\xa0\x80"), Some(Seal::Encrypted));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn damaged_files_are_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
            let mut bytes = outlook_file();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let _ = parse(&bytes, 2, true);
        }
    }
}
