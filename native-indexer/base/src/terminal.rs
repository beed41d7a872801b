//! Text for a terminal. Documents, file names and server responses are foreign text, which must not control the
//! terminal. Characters that change the direction of text are made visible.

use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{Error, ErrorKind, Result, Write};

/// Prints a line for people to standard output, without characters that control the terminal.
#[macro_export]
macro_rules! say {
    ($($text:tt)*) => { $crate::terminal::print_line(format_args!($($text)*)) };
}

/// Does the same as [`say!`](crate::say) on standard error, for warnings, errors and progress.
#[macro_export]
macro_rules! remark {
    ($($text:tt)*) => { $crate::terminal::remark_line(format_args!($($text)*)) };
}

/// Whether a character changes the direction of the text after it: embeddings, overrides and isolates (Unicode Standard
/// Annex 9).
const fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character controls the terminal or the direction of text.
pub fn steers(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || reorders(c)
}

/// Returns `text` without control characters other than line feeds and tabs, and with characters that change its
/// direction shown in the form `<U+202E>`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if reorders(c) => shown.push_str(&format!("<U+{:04X}>", u32::from(c))),
            c if steers(c) => {}
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Prints a line to standard output: see [`say!`](crate::say).
pub fn print_line(text: Arguments<'_>) {
    write_line(std::io::stdout(), text);
}

/// Prints a line to standard error: see [`remark!`](crate::remark).
pub fn remark_line(text: Arguments<'_>) {
    write_line(std::io::stderr(), text);
}

/// Writes a line. If the reader has gone, the work may still continue.
fn write_line(mut to: impl Write, text: Arguments<'_>) {
    let _ = writeln!(to, "{}", visible(&text.to_string()));
}

/// Whether an error means that the program at the other end of a pipe, such as `head` or `more`, has stopped reading.
/// On a platform with signals, a signal ends this program earlier.
pub fn is_unread(error: &anyhow::Error) -> bool {
    const PIPE_NOT_CONNECTED: i32 = 233;
    let is_of_windows = |error: &Error| cfg!(windows) && error.raw_os_error() == Some(PIPE_NOT_CONNECTED);
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<Error>());
    causes.any(|error| error.kind() == ErrorKind::BrokenPipe || is_of_windows(error))
}

/// Prints `value` as one line of JSON. Characters that control a terminal are escaped, so that programs read them
/// unchanged.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    writeln!(std::io::stdout(), "{}", escaped(&serde_json::to_string(value)?))
}

/// Does the same as [`print_json`] on several lines, which people can read as well.
pub fn print_pretty_json(value: &impl Serialize) -> Result<()> {
    writeln!(std::io::stdout(), "{}", escaped(&serde_json::to_string_pretty(value)?))
}

/// Escapes the characters of JSON that control a terminal. They occur only in strings, and each is a single UTF-16
/// unit.
fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(steers) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if steers(c) {
            escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_of_others_steers_no_terminal() {
        assert_eq!(visible("a\u{1b}[2Jb\u{7}\u{9b}2J\r\tc\nd"), "a[2Jb2J\tc\nd");
        assert_eq!(visible("if admin\u{202e} {\u{2066}"), "if admin<U+202E> {<U+2066>");
        assert!(matches!(visible("plain שלום"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_reader_that_left_is_no_error_to_tell() {
        let left = Error::from(ErrorKind::BrokenPipe);
        assert!(is_unread(&anyhow::Error::new(left).context("printing")));
        assert!(!is_unread(&anyhow::Error::new(Error::from(ErrorKind::NotFound))) && !is_unread(&anyhow::anyhow!("x")));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        write_line(writer, format_args!("text"));
    }

    proptest! {
        #[test]
        fn json_says_the_same(text: String, steering in prop::sample::select(vec!['\u{1b}', '\u{9b}', '\u{7f}', '\u{202e}', '\u{2069}'])) {
            let text = format!("{text}{steering}\"{steering}");
            let json = serde_json::to_string(&text).unwrap();
            let escaped = escaped(&json);
            prop_assert!(!escaped.contains(steers));
            prop_assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
        }
    }
}
