//! A message, however it is kept.

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
    /// Its text, as it is written.
    pub plain: String,
    /// The same as HTML, and as Rich Text.
    pub html: String,
    pub rich: Vec<u8>,
    pub attachments: Vec<Attachment<'a>>,
    /// Attachments that were too many to look at.
    pub further_attachments: usize,
    /// Whether its text is for readers with a key alone.
    pub is_encrypted: bool,
}

/// When a message was sent, where its sender was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub year: u16,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
}

impl Sent {
    /// The day.
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

/// What a message has with it.
#[derive(Debug)]
pub(super) struct Attachment<'a> {
    /// Empty if it has no name.
    pub name: String,
    pub content: Content<'a>,
}

/// The content of an attachment.
#[derive(Debug)]
pub(super) enum Content<'a> {
    File(Cow<'a, [u8]>),
    Message(Box<Message<'a>>),
    /// A message inside too many others.
    TooDeep,
}

/// A person as a message names them: `Jane Doe <jane@example.org>`.
pub(super) fn person(name: &str, address: &str) -> String {
    match (name.trim(), address.trim()) {
        ("", address) => address.to_owned(),
        (name, "") => name.to_owned(),
        (name, address) if name.eq_ignore_ascii_case(address) => address.to_owned(),
        (name, address) => format!("{name} <{address}>"),
    }
}
