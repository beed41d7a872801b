//! Writes messages as sections of a document.

use super::limits::{MAX_DEPTH, MAX_READ_BYTES};
use super::message::{Attachment, Body, Content, Message, Sent};
use super::{internet, outlook};
use crate::attached::{PartReader, attached_document, literal, nested};
use crate::date::Date;
use crate::document_writer::{DocumentWriter, clean};
use crate::extracted::Extracted;
use crate::extraction::Extraction;
use crate::kinds::{DocumentFormat, FileKind, kind_of};
use crate::ocr::may_have_text;
use crate::words::one_line;
use crate::{html, plain_text, rtf};
use std::path::Path;

/// Maximum number of attachments to read per file. Each may be a book, which takes time.
const MAX_READ: usize = 200;
/// Maximum number of people or attachments that a line lists. The others are counted.
const MAX_LISTED: usize = 50;
/// Maximum number of notes about a file. The others are counted.
const MAX_NOTES: usize = 20;
/// If a message's HTML contains more than this many times the words in its plain text, the plain text is only a hint to
/// read the HTML.
const STUB_SHARE: usize = 4;

pub(super) struct MailWriter<'r> {
    writer: DocumentWriter,
    read: PartReader<'r>,
    notes: Vec<String>,
    further_notes: usize,
    latest: Option<Date>,
    read_files: usize,
    read_bytes: usize,
    unread_files: usize,
}

impl<'r> MailWriter<'r> {
    pub(super) fn new(read: PartReader<'r>) -> Self {
        Self {
            writer: DocumentWriter::default(),
            read,
            notes: Vec::new(),
            further_notes: 0,
            latest: None,
            read_files: 0,
            read_bytes: 0,
            unread_files: 0,
        }
    }

    /// Whether the document is full, so that further text is dropped.
    pub(super) const fn is_full(&self) -> bool {
        self.writer.is_full()
    }

    pub(super) fn note(&mut self, note: &str) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(note.to_owned());
        } else {
            self.further_notes += 1;
        }
    }

    /// Returns the document of a single message.
    pub(super) fn single(mut self, message: Message<'_>) -> Extracted {
        let title = one_line(&clean(&message.subject));
        self.message(message);
        let mut extracted = self.finish();
        extracted.title = title;
        extracted
    }

    /// Adds a message of a mailbox.
    pub(super) fn message(&mut self, message: Message<'_>) {
        self.latest = self.latest.max(message.sent.and_then(Sent::date));
        self.section(message, 1, MAX_DEPTH);
    }

    /// Returns the document.
    pub(super) fn finish(mut self) -> Extracted {
        if self.unread_files > 0 {
            self.notes.push(format!(
                "only its first attachments were read, {MAX_READ} of them or {} MB; {} more were not",
                MAX_READ_BYTES >> 20,
                self.unread_files
            ));
        }
        if self.further_notes > 0 {
            self.notes.push(format!("{} more of its parts could not be read", self.further_notes));
        }
        let mut extracted = self.writer.finish(self.notes);
        extracted.date = self.latest;
        extracted
    }

    /// Writes a message as a section of `level`, with at most `depth` levels of nested messages.
    fn section(&mut self, message: Message<'_>, level: u8, depth: usize) {
        let sender = message.from.first().map(|from| from.split(" <").next().unwrap_or(from).to_owned());
        let place: Vec<String> = message.sent.map(Sent::day).into_iter().chain(sender).collect();
        let place = place.join(", ");
        self.writer.mark("", &place, "");
        self.writer.heading(
            usize::from(level),
            if message.subject.trim().is_empty() { "(no subject)" } else { &message.subject },
        );
        self.line("From", &message.from);
        self.line("To", &message.to);
        self.line("Cc", &message.copies);
        self.line("Date", &message.sent.map(Sent::words).into_iter().collect::<Vec<_>>());
        let names = message.attachments.iter().map(|attached| one_line(&attached.name));
        self.line("Attachments", &names.filter(|name| !name.is_empty()).collect::<Vec<_>>());
        match message.seal {
            Some(seal) => self.note(seal.note()),
            None => self.body(&message, level, &place),
        }
        self.unread_files += message.further_attachments;
        for attached in message.attachments {
            self.attachment(attached, level.saturating_add(1), depth);
        }
    }

    fn line(&mut self, name: &str, values: &[String]) {
        let further = values.len().saturating_sub(MAX_LISTED);
        let mut listed = values.iter().take(MAX_LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        if further > 0 {
            listed.push_str(&format!(" and {further} more"));
        }
        if !listed.is_empty() {
            self.writer.item(0, &format!("{name}: {listed}"));
        }
    }

    /// Writes the text of a message: the plain text, unless only the HTML or the Rich Text contains the message.
    fn body(&mut self, message: &Message<'_>, level: u8, place: &str) {
        let (plain, styled) = (self.texts(&message.plain), self.texts(&message.styled));
        let words =
            |texts: &[Extracted]| -> usize { texts.iter().map(|text| text.text.split_whitespace().count()).sum() };
        let chosen = if words(&styled) > words(&plain) * STUB_SHARE {
            styled
        } else if plain.is_empty() && !message.rich.is_empty() {
            rtf::extract(&message.rich).into_iter().collect()
        } else {
            plain
        };
        for text in chosen.iter().filter(|text| !text.text.trim().is_empty()) {
            self.writer.embed(&nested(text, level, place));
        }
    }

    /// Reads `bodies`, and returns those with text.
    fn texts(&mut self, bodies: &[Body]) -> Vec<Extracted> {
        let mut texts = Vec::new();
        for body in bodies {
            let text = match body {
                Body::Plain(text) => match plain_text::extract(text) {
                    Extraction::Document(text) => Some(literal(&text)),
                    _ => None,
                },
                Body::Page(page) if page.trim().is_empty() => None,
                Body::Page(page) => html::part(page)
                    .inspect_err(|error| self.note(&format!("the HTML of a message was left out: {error}")))
                    .ok(),
            };
            texts.extend(text.filter(|text| !text.text.trim().is_empty()));
        }
        texts
    }

    fn attachment(&mut self, attached: Attachment<'_>, level: u8, depth: usize) {
        let name = one_line(&clean(&attached.name));
        let file = match attached.content {
            Content::Message(message) if depth > 0 => return self.section(*message, level, depth - 1),
            Content::Message(_) | Content::TooDeep => {
                return self.note("a message nested in too many others was left out");
            }
            Content::NamedAlone => return,
            Content::File(file) => file,
        };
        let Some(kind) = kind_of(Path::new(&name)) else { return };
        if kind.is_picture() {
            return self.picture(&name, &file, level);
        }
        if self.read_files >= MAX_READ || self.read_bytes.saturating_add(file.len()) > MAX_READ_BYTES || self.is_full()
        {
            self.unread_files += 1;
            return;
        }
        self.read_files += 1;
        self.read_bytes = self.read_bytes.saturating_add(file.len());
        let inner = match kind {
            FileKind::Document(DocumentFormat::InternetMessage) => internet::parse(&file, depth),
            FileKind::Document(DocumentFormat::OutlookMessage) => {
                outlook::parse(&file, depth, self.read.reads_pictures).ok()
            }
            FileKind::Document(DocumentFormat::Mailbox) => {
                return self.note(&format!("its attachment {name} is a mailbox: save it as a separate file"));
            }
            _ if file.len() as u64 > kind.max_bytes() => {
                let most = kind.max_bytes() >> 20;
                return self.note(&format!("its attachment {name} was left out: it is larger than {most} MB"));
            }
            _ => {
                return match attached_document(kind, &name, &file, self.read.read) {
                    Ok(document) => self.document(&name, &document, level),
                    Err(reason) => self.note(&format!("its attachment {name} was left out: {reason}")),
                };
            }
        };
        match inner {
            Some(message) if depth > 0 => self.section(message, level, depth - 1),
            Some(_) => self.note("a message nested in too many others was left out"),
            None => self.note(&format!("its attachment {name} is not a message")),
        }
    }

    /// Writes the text of a picture, if OCR finds any.
    fn picture(&mut self, name: &str, file: &[u8], level: u8) {
        if !may_have_text(file)
            || self.read_files >= MAX_READ
            || self.read_bytes.saturating_add(file.len()) > MAX_READ_BYTES
        {
            return;
        }
        self.read_files += 1;
        self.read_bytes = self.read_bytes.saturating_add(file.len());
        match (self.read.read)(name, file) {
            Ok(Extraction::Document(document)) if !document.text.trim().is_empty() => {
                self.document(name, &document, level);
            }
            Ok(_) => {}
            Err(reason) => self.note(&format!("its attachment {name} was left out: {reason}")),
        }
    }

    fn document(&mut self, name: &str, document: &Extracted, level: u8) {
        self.writer.mark("", name, "");
        self.writer.heading(usize::from(level), name);
        self.writer.embed(&nested(document, level, name));
        for note in &document.notes {
            self.note(&format!("its attachment {name}: {note}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extracted::Mark;
    use crate::mail::fixtures::{mail, outlook_file};
    use crate::ocr::{Picture, PictureReader, Recognized};
    use crate::read::{extract, extract_with_ocr};
    use proptest::prelude::*;

    /// Reads `source` as a document.
    fn read(name: &str, source: &[u8]) -> Extracted {
        match extract(name, source).unwrap() {
            Extraction::Document(extracted) => *extracted,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn attachments_are_sections_below_the_message() {
        let source = mail(&[
            ("Content-Type: text/plain", "See what is attached.\n> Which one?"),
            (
                "Content-Type: text/csv\nContent-Disposition: attachment; filename=\"parts.csv\"",
                "name,size\nkettle,3\nlid,1",
            ),
            (
                "Content-Type: text/markdown\nContent-Disposition: attachment; filename=\"notes.md\"",
                "# Notes\n\nOn kettles.",
            ),
            ("Content-Type: image/png\nContent-Disposition: attachment; filename=\"logo.png\"", "x"),
            ("Content-Type: message/rfc822", "Subject: Inside\nFrom: Eve <eve@x.org>\n\nThe text inside."),
        ]);
        let extracted = read("plan.eml", source.as_bytes());
        assert_eq!(
            extracted.text,
            "# The plan\n\n- From: Jane Doe <jane@x.org>\n- To: bob@x.org, Eve <eve@x.org>\n- Cc: chef@x.org\n- Date: 2024-05-02 10:00\n\
             - Attachments: parts.csv, notes.md, logo.png\n\nSee what is attached.\n> Which one?\n\n\
             ## parts.csv\n\n| name | size |\n| --- | --- |\n| kettle | 3 |\n| lid | 1 |\n\n## notes.md\n\n### Notes\n\nOn kettles.\n\n\
             ## Inside\n\n- From: Eve <eve@x.org>\n\nThe text inside.\n"
        );
        assert_eq!(
            (extracted.title.as_str(), extracted.date.unwrap().to_string().as_str()),
            ("The plan", "2024-05-02")
        );
        assert_eq!(extracted.metadata.shown["format"], "mail");
        let place = |mark: &Mark| (mark.label.clone(), mark.context.clone());
        let places: Vec<_> = extracted.marks.iter().map(place).collect();
        assert!(places.contains(&("parts.csv, rows 1–3".to_owned(), "name, size".to_owned())), "{places:?}");
        assert_eq!(places.last().unwrap().0, "Eve");
    }

    /// Reads each picture as the same text.
    struct Says;

    impl PictureReader for Says {
        fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized> {
            pictures.iter().map(|_| Ok("Receipt for a kettle".to_owned())).collect()
        }
    }

    #[test]
    fn attached_pictures_are_read_unless_they_are_small() {
        // PNG files that end after their size: 640 × 480 and 90 × 90 pixels.
        let of_size =
            [("receipt.png", "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHg"), ("logo.png", "iVBORw0KGgoAAAANSUhEUgAAAFoAAABa")];
        let head = |name: &str| {
            format!(
                "Content-Type: image/png\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename={name}"
            )
        };
        let heads = of_size.map(|(name, _)| head(name));
        let parts = [("Content-Type: text/plain", "See it."), (&heads[0], of_size[0].1), (&heads[1], of_size[1].1)];
        let source = mail(&parts);
        let read = |pictures: Option<&dyn PictureReader>| match extract_with_ocr("a.eml", source.as_bytes(), pictures) {
            Ok(Extraction::Document(extracted)) => *extracted,
            other => panic!("{other:?}"),
        };
        let extracted = read(Some(&Says));
        assert!(extracted.text.ends_with("See it.\n\n## receipt.png\n\nReceipt for a kettle\n"), "{}", extracted.text);
        assert!(extracted.marks.iter().any(|mark| mark.label == "receipt.png, read by OCR"), "{:?}", extracted.marks);
        let without = read(None);
        assert!(without.text.ends_with("See it.\n") && without.notes.is_empty(), "{without:?}");
    }

    #[test]
    fn what_is_attached_and_cannot_be_read_is_named() {
        let attached =
            |name: &str| (format!("Content-Disposition: attachment; filename=\"{name}\""), "%PDF-1.7".to_owned());
        let (pdf, body) = attached("broken.pdf");
        let extracted = read("a.eml", mail(&[("Content-Type: text/plain", "Text"), (&pdf, &body)]).as_bytes());
        assert!(
            extracted.notes.len() == 1 && extracted.notes[0].starts_with("its attachment broken.pdf was left out"),
            "{:?}",
            extracted.notes
        );
        let encrypted = "Subject: Secret\nContent-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b--\n";
        let extracted = read("b.eml", encrypted.as_bytes());
        assert!(extracted.notes[0].contains("encrypted"), "{:?}", extracted.notes);
    }

    #[test]
    fn thousands_of_attachments_are_read_in_part() {
        let head = "Content-Type: text/plain\nContent-Disposition: attachment; filename=\"a.txt\"";
        let parts: Vec<(&str, &str)> = std::iter::repeat_n((head, "text"), 12_000).collect();
        let extracted = read("a.eml", mail(&parts).as_bytes());
        assert_eq!(extracted.headings.len(), 1 + MAX_READ);
        assert!(extracted.notes[0].contains("11800 more were not"), "{:?}", extracted.notes);
        assert!(extracted.text.contains("and 9950 more"));
    }

    #[test]
    fn html_is_read_where_the_plain_text_only_leads_to_it() {
        let page = format!("<html><body><h1>News</h1><p>{}</p></body></html>", "Kettles are in. ".repeat(20));
        let source = |plain: &str| {
            format!(
                "Subject: News\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n{plain}\n--b\nContent-Type: text/html\n\n{page}\n--b--\n"
            )
        };
        assert!(
            read("a.eml", source("Your program shows no HTML.").as_bytes()).text.contains("## News\n\nKettles are in.")
        );
        assert!(read("a.eml", source(&"Kettles are in. ".repeat(20)).as_bytes()).text.starts_with("# News\n\nKettles"));
    }

    #[test]
    fn all_parts_of_the_text_of_a_message_are_kept() {
        let footer = "kettles mailing list\nLeave it any time";
        let page = "<html><body><main><p>The page & its words.</p></main></body></html>";
        let text = |parts: &[(&str, &str)]| read("a.eml", mail(parts).as_bytes()).text;
        let both = text(&[("Content-Type: text/html", page), ("Content-Type: text/plain", footer)]);
        assert!(both.ends_with("\n\nThe page & its words.\n\nkettles mailing list\nLeave it any time\n"), "{both}");
        let both = text(&[("Content-Type: text/plain", footer), ("Content-Type: text/html", page)]);
        assert!(both.ends_with("Leave it any time\n\nThe page & its words.\n"), "{both}");
        let alternative = format!(
            "--=c\nContent-Type: text/plain\n\nThe page and its words.\n--=c\nContent-Type: text/html\n\n{page}\n--=c--"
        );
        let both = text(&[
            ("Content-Type: multipart/alternative; boundary=\"=c\"", &alternative),
            ("Content-Type: text/html", "<html><body><p>A footer</p></body></html>"),
        ]);
        assert!(both.ends_with("\n\nThe page and its words.\n\nA footer\n"), "{both}");
    }

    #[test]
    fn text_of_messages_is_no_markup() {
        let source = mail(&[
            ("Content-Type: text/plain", "Open:\n```\n# Pay now"),
            ("Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt", "~~~\n## b"),
            ("Content-Type: message/rfc822", "Subject: =?utf-8?Q?=1B[31mred?=\n\nInside"),
        ]);
        let extracted = read("a.eml", source.as_bytes());
        let text = "Open:\n\\```\n\\# Pay now\n\n## a.txt\n\n\\~~~\n\\## b\n\n## [31mred\n\nInside\n";
        assert!(extracted.text.ends_with(text), "{}", extracted.text);
        let titles: Vec<_> = extracted.headings.iter().map(|heading| heading.title.as_str()).collect();
        assert_eq!(titles, ["The plan", "a.txt", "[31mred"]);
        assert_eq!(read("a.eml", b"Subject: =?utf-8?Q?=1B[31mred?=\n\nText").title, "[31mred");
    }

    #[test]
    fn messages_of_outlook_are_read_alike() {
        let extracted = read("a.msg", &outlook_file());
        assert!(
            extracted.text.contains("## plan.txt\n\nThe plan of the plant.\n\n## Inside\n\nThe text inside.\n"),
            "{}",
            extracted.text
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_mail_is_read_or_refused(
            lines in prop::collection::vec(prop::sample::select(vec![
                "--=b", "--=b--", "", "Content-Type: message/rfc822", "Content-Type: multipart/mixed; boundary=\"=c\"", "--=c", "--=c--", "Subject: =?x?Q?=?=",
                "Content-Transfer-Encoding: base64", "Content-Transfer-Encoding: quoted-printable", "From x 1:1", "Content-Type: text/html", "<p>a",
                "Content-Disposition: attachment; filename=a.eml", "Content-Type: multipart/digest; boundary=\"=b\"", "U3ViamVjdDogYQ==", "# a", "Date: 1 Jan 99999",
            ]), 0..40),
            bytes in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let source = [mail(&[]).as_bytes(), lines.join("\n").as_bytes(), &bytes].concat();
            for name in ["a.eml", "a.mht"] {
                let _ = extract(name, &source);
            }
            let source = [b"From x 1:1\n".as_slice(), &source].concat();
            if let Ok(Extraction::Document(extracted)) = extract("a.mbox", &source) {
                prop_assert!(extracted.marks.is_sorted_by_key(|mark| mark.at));
                prop_assert!(extracted.headings.iter().all(|heading| extracted.text.is_char_boundary(heading.at)));
            }
        }
    }
}
