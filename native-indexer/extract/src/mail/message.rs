//! A message in any format.

use super::seal::Seal;
use crate::date::Date;
use std::borrow::Cow;

/// A message.
#[derive(Debug, Default)]
pub(super) struct Message<'a> {
    pub subject: String,
    pub from: Vec<String>,
    pub to: Vec<String>,
    pub copies: Vec<String>,
    pub sent: Option<Sent>,
    /// The plain text, in several parts if mailing lists added some.
    pub plain: Vec<Body>,
    /// The formatted text as HTML, and as Rich Text.
    pub styled: Vec<Body>,
    pub rich: Vec<u8>,
    pub attachments: Vec<Attachment<'a>>,
    /// Number of attachments that exceeded the limits.
    pub further_attachments: usize,
    /// The reason why the text cannot be read, if there is one.
    pub seal: Option<Seal>,
}

/// A part of a message's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    Plain(String),
    /// HTML.
    Page(String),
}

/// The local time at which a message was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub year: u16,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
}

impl Sent {
    /// Returns the date.
    pub(super) fn date(self) -> Option<Date> {
        Date::parse(&self.day())
    }

    pub(super) fn day(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    pub(super) fn words(self) -> String {
        format!("{} {:02}:{:02}", self.day(), self.hour, self.minute)
    }
}

/// An attachment of a message.
#[derive(Debug)]
pub(super) struct Attachment<'a> {
    /// The name, or an empty text.
    pub name: String,
    pub content: Content<'a>,
}

/// The content of an attachment.
#[derive(Debug)]
pub(super) enum Content<'a> {
    File(Cow<'a, [u8]>),
    Message(Box<Message<'a>>),
    /// A file that is not read.
    NamedAlone,
    /// A message that is nested too deeply.
    TooDeep,
}

/// Formats a person: `Jane Doe <jane@example.org>`.
pub(super) fn person(name: &str, address: &str) -> String {
    match (name.trim(), address.trim()) {
        ("", address) => address.to_owned(),
        (name, "") => name.to_owned(),
        (name, address) if name.eq_ignore_ascii_case(address) => address.to_owned(),
        (name, address) => format!("{name} <{address}>"),
    }
}
