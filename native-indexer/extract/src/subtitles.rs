//! Reads subtitles for films and talks: SubRip and WebVTT. A cue consists of a few words. Consecutive cues are joined
//! into a paragraph, which is marked with its time.

use crate::document_writer::DocumentWriter;
use crate::extracted::Extracted;

/// Pause in seconds that ends a paragraph.
const PAUSE: u64 = 4;
/// After this length in bytes, a paragraph ends with its sentence.
const LONG: usize = 500;
/// After this length in bytes, a paragraph ends with its cue. Automatic transcripts do not mark sentences.
const LONGEST: usize = 1000;

/// Reads subtitles.
pub(super) fn extract(text: &str) -> Extracted {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut writer = DocumentWriter::default();
    let mut paragraph = Paragraph::default();
    let mut last_line = String::new();
    let mut is_in_cue = false;
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if let Some((start, end)) = times(line) {
            if !paragraph.text.is_empty() && (start > paragraph.end.saturating_add(PAUSE) || paragraph.is_done()) {
                paragraph.write(&mut writer);
            }
            if paragraph.text.is_empty() {
                paragraph.start = start;
            }
            paragraph.end = end;
            is_in_cue = true;
            continue;
        }
        // The header, notes, styles and cue names precede a time, or have no time.
        is_in_cue &= !line.is_empty();
        // A cue may follow another cue without an empty line. Its number does not belong to the previous cue.
        let is_number = || line.bytes().all(|byte| byte.is_ascii_digit());
        if !is_in_cue || (is_number() && lines.peek().is_some_and(|next| times(next).is_some())) {
            continue;
        }
        let line = plain(line);
        // Rolling captions repeat the previous line.
        if !line.is_empty() && line != last_line {
            if !paragraph.text.is_empty() {
                paragraph.text.push(' ');
            }
            paragraph.text.push_str(&line);
            last_line = line;
        }
    }
    paragraph.write(&mut writer);
    writer.finish(Vec::new())
}

#[derive(Debug, Default)]
struct Paragraph {
    text: String,
    /// Times in seconds.
    start: u64,
    end: u64,
}

impl Paragraph {
    fn is_done(&self) -> bool {
        let ends_sentence = self.text.ends_with(['.', '!', '?', '…', '。', '！', '？', '"', '”']);
        self.text.len() > LONGEST || (self.text.len() > LONG && ends_sentence)
    }

    fn write(&mut self, writer: &mut DocumentWriter) {
        if !self.text.is_empty() {
            writer.mark("", &clock(self.start), "");
            writer.paragraph(&self.text);
            self.text.clear();
        }
    }
}

/// Formats seconds as a player does: `1:02:03`, `2:03`.
fn clock(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// Parses the start and end times of a cue, in seconds.
fn times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once("-->")?;
    let end = rest.split_whitespace().next()?;
    Some((seconds(start.trim())?, seconds(end)?))
}

/// Converts `01:02:03,400` or `02:03.400` to seconds.
fn seconds(time: &str) -> Option<u64> {
    let whole = time.split([',', '.']).next()?;
    let mut sum = 0u64;
    let mut parts = 0;
    for part in whole.split(':') {
        sum = sum.checked_mul(60)?.checked_add(part.parse().ok()?)?;
        parts += 1;
    }
    (2..=3).contains(&parts).then_some(sum)
}

/// Removes the tags of a line. A voice tag becomes the name of the speaker.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    // Avoids searching repeatedly for the end of unclosed tags.
    let (last_tag, last_brace) = (line.rfind('>'), line.rfind('}'));
    while let Some(at) = rest.find(['<', '{', '&']) {
        let (before, mark) = rest.split_at(at);
        out.push_str(before);
        let at = line.len() - mark.len();
        let end = match mark.as_bytes().first() {
            Some(b'<') if last_tag.is_none_or(|last| last < at) => None,
            Some(b'{') if last_brace.is_none_or(|last| last < at) => None,
            // In text, a less-than sign is followed by a space or an equals sign.
            Some(b'<') if mark[1..].starts_with(|c: char| c.is_alphanumeric() || c == '/') => mark.find('>'),
            // Commands of SubStation are in braces and begin with a backslash.
            Some(b'{') if mark.starts_with("{\\") => mark.find('}'),
            _ => None,
        };
        if let Some(end) = end {
            let voice =
                mark.get(1..end).and_then(|tag| tag.strip_prefix('v')).filter(|tag| tag.starts_with(['.', ' ']));
            if let Some(speaker) = voice.and_then(|tag| tag.split_once(' ')).map(|(_, speaker)| speaker.trim()) {
                out.push_str(&format!("{speaker}: "));
            }
            rest = mark.get(end + 1..).unwrap_or_default();
            continue;
        }
        let entities = [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&lrm;", ""), ("&rlm;", "")];
        let entity = entities.iter().find(|(name, _)| mark.starts_with(name));
        let (text, length) =
            entity.map_or_else(|| (mark.get(..1).unwrap_or_default(), 1), |(name, sign)| (*sign, name.len()));
        out.push_str(text);
        rest = mark.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cues_become_paragraphs_with_times() {
        let source = "WEBVTT - Talk\n\nNOTE not shown\n\nSTYLE\n::cue { color: red }\n\n1\n00:01.000 --> 00:03.500 align:start\n<v Jane Doe>Welcome &amp; <i>thanks</i></v>\n\n\
                      00:04.000 --> 00:06.000\nfor coming.\n\n01:02:10,000 --> 01:02:12,000\n{\\an8}On kettles {2}\nOn kettles {2}\n";
        let extracted = extract(source);
        assert_eq!(extracted.text, "Jane Doe: Welcome & thanks for coming.\n\nOn kettles {2}\n");
        let marks: Vec<_> = extracted.marks.iter().map(|mark| mark.label.as_str()).collect();
        assert_eq!(marks, ["0:01", "1:02:10"]);
    }

    #[test]
    fn cues_are_detected_by_their_times() {
        let spaced = "1\n00:00:01,0 --> 00:00:02,0\nOne\n \n2\n00:00:03,0 --> 00:00:04,0\nTwo\n\t\nNOTE no\n\n3\n00:00:20,0 --> 00:00:21,0\nThree\n4\n00:00:40,0 --> 00:00:41,0\n4\nFour";
        let extracted = extract(spaced);
        assert_eq!(extracted.text, "One Two\n\nThree\n\n4 Four\n");
        let marks: Vec<_> = extracted.marks.iter().map(|mark| mark.label.as_str()).collect();
        assert_eq!(marks, ["0:01", "0:20", "0:40"]);
    }

    #[test]
    fn unclosed_tags_are_text_and_are_read_fast() {
        assert_eq!(plain("a < b {\\x > c"), "a < b {\\x > c");
        assert_eq!(plain("5 < 6 and 7 > 3, <b>x</b>"), "5 < 6 and 7 > 3, x");
        assert_eq!(plain("a > b < c {\\x"), "a > b < c {\\x");
        for mark in ["<", "{\\"] {
            let many = mark.repeat(2_000_000);
            assert_eq!(plain(&many), many);
        }
    }

    #[test]
    fn long_speech_is_cut_at_sentences() {
        let cues: String = (0..100)
            .map(|at| {
                format!(
                    "{at}\r\n00:{:02}:{:02},0 --> 00:{:02}:{:02},9\r\nThis is sentence {at}.\r\n\r\n",
                    at / 60,
                    at % 60,
                    at / 60,
                    at % 60
                )
            })
            .collect();
        let extracted = extract(&cues);
        assert!(extracted.blocks.len() > 3 && extracted.text.split("\n\n").all(|block| block.len() < LONGEST));
        assert!(extracted.text.starts_with("This is sentence 0. This is sentence 1."));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[0-9:,.<>{}&a\\\\v \n-]{0,200}") {
            let extracted = extract(&text);
            prop_assert!(extracted.marks.iter().all(|mark| extracted.text.is_char_boundary(mark.at)));
        }
    }
}
