//! A message, however it is kept.

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
    /// Its text, as it is written: mailing lists add parts of their own.
    pub plain: Vec<Body>,
    /// The same with its looks, and as Rich Text.
    pub styled: Vec<Body>,
    pub rich: Vec<u8>,
    pub attachments: Vec<Attachment<'a>>,
    /// Attachments that were too many to look at.
    pub further_attachments: usize,
    /// Why its text cannot be read.
    pub seal: Option<Seal>,
}

/// A part of the text of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    Plain(String),
    /// HTML.
    Page(String),
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
    /// One that is not read.
    NamedAlone,
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
