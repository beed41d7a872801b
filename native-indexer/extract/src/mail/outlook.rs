//! Messages as Outlook keeps them: compound files of properties (MS-OXMSG).

use super::compressed_rtf::decompressed;
use super::internet;
use super::limits::MAX_ATTACHMENTS;
use super::mapi::{File, Properties};
use super::message::{Attachment, Content, Message, person};
use crate::error::ExtractError;
use crate::html;
use cfb::CompoundFile;
use std::borrow::Cow;
use std::io::Cursor;

/// Bytes before the table of properties of a message, of one inside it, and of what else has some.
const HEADER_OF_FILE: usize = 32;
const HEADER_OF_INNER: usize = 24;
const HEADER_OF_OTHERS: usize = 8;
/// How the names of the storages of people and attachments begin.
const PERSON: &str = "__recip_version1.0_";
const ATTACHED: &str = "__attach_version1.0_";
/// People that are looked at.
const MAX_PEOPLE: usize = 1000;
/// Where an attached message is.
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

/// The message in `bytes`, in which messages may be `depth` deep.
pub(super) fn parse(bytes: &[u8], depth: usize) -> Result<Message<'static>, ExtractError> {
    let mut file = CompoundFile::open(Cursor::new(bytes))
        .map_err(|error| ExtractError::Damaged(format!("its parts cannot be told: {error}")))?;
    Ok(message(&mut file, "", HEADER_OF_FILE, depth))
}

fn message(file: &mut File<'_>, storage: &str, header: usize, depth: usize) -> Message<'static> {
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
    let rich = properties.bytes(file, RICH_BODY).and_then(|bytes| decompressed(&bytes)).unwrap_or_default();
    // What came by mail has the headers that it was sent with.
    let received = internet::parse(headers.as_bytes(), 0).unwrap_or_default();
    let sender = person(&sender, &internet_address(sender_address));
    let [mut to, mut copies] = people(file, storage);
    for (people, shown) in [(&mut to, &shown[0]), (&mut copies, &shown[1])] {
        if people.is_empty() {
            people.extend(shown.split(';').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
        }
    }
    let (attachments, further_attachments) = attachments(file, storage, depth);
    Message {
        subject: if subject.is_empty() { received.subject } else { subject },
        from: if sender.is_empty() { received.from } else { vec![sender] },
        to: if to.is_empty() { received.to } else { to },
        copies: if copies.is_empty() { received.copies } else { copies },
        sent: received.sent.or_else(|| [SUBMITTED, DELIVERED, CREATED].into_iter().find_map(|id| properties.time(id))),
        plain,
        html,
        rich,
        attachments,
        further_attachments,
        is_encrypted: class.contains("smime") && !class.contains("multipartsigned"),
    }
}

/// The first address of the internet: inside a company Exchange has names of its own.
fn internet_address(addresses: [String; 3]) -> String {
    addresses.into_iter().find(|address| address.contains('@')).unwrap_or_default()
}

/// Who a message is for, and who gets a copy.
fn people(file: &mut File<'_>, storage: &str) -> [Vec<String>; 2] {
    let mut people = [Vec::new(), Vec::new()];
    for storage in storages(file, storage, PERSON).into_iter().take(MAX_PEOPLE) {
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

fn attachments(file: &mut File<'_>, storage: &str, depth: usize) -> (Vec<Attachment<'static>>, usize) {
    let storages = storages(file, storage, ATTACHED);
    let further = storages.len().saturating_sub(MAX_ATTACHMENTS);
    let mut attachments = Vec::new();
    for storage in storages.into_iter().take(MAX_ATTACHMENTS) {
        let properties = Properties::of(file, &storage, HEADER_OF_OTHERS);
        let names = [FILE_NAME, SHORT_FILE_NAME, NAME].map(|id| properties.text(file, id));
        let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        let inner = format!("{storage}/{INNER_MESSAGE}");
        // A document that is embedded as an object has no table of properties in it.
        let is_message = file.is_stream(format!("{inner}/__properties_version1.0"));
        let content = if is_message && depth == 0 {
            Content::TooDeep
        } else if is_message {
            Content::Message(Box::new(message(file, &inner, HEADER_OF_INNER, depth - 1)))
        } else {
            Content::File(Cow::Owned(properties.bytes(file, DATA).unwrap_or_default()))
        };
        attachments.push(Attachment { name, content });
    }
    (attachments, further)
}

/// The storages in `storage` whose names begin with `begin`, by name.
fn storages(file: &File<'_>, storage: &str, begin: &str) -> Vec<String> {
    let root = if storage.is_empty() { "/" } else { storage };
    let Ok(entries) = file.read_storage(root) else { return Vec::new() };
    let inside = entries.filter(|entry| entry.is_storage() && entry.name().starts_with(begin));
    let mut found: Vec<String> = inside.map(|entry| format!("{storage}/{}", entry.name())).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::outlook_file;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn properties_are_a_message() {
        let bytes = outlook_file();
        let message = parse(&bytes, 1).unwrap();
        assert_eq!((message.subject.as_str(), message.plain.as_str()), ("Größe der Kessel", "Bitte entkalken."));
        assert_eq!(message.from, ["Jane Doe <jane@example.org>"]);
        assert_eq!((message.to, message.copies), (vec!["Bob <bob@example.org>".to_owned()], vec!["Chef".to_owned()]));
        assert_eq!(message.sent.unwrap().words(), "2024-02-29 10:30");
        assert_eq!(message.attachments[0].name, "plan.txt");
        let Content::Message(inner) = &message.attachments[1].content else { panic!() };
        assert_eq!(inner.subject, "Inside");
        assert!(matches!(parse(&bytes, 0).unwrap().attachments[1].content, Content::TooDeep));
        assert!(matches!(parse(b"no such file", 1), Err(ExtractError::Damaged(_))));
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
            let _ = parse(&bytes, 2);
        }
    }
}
