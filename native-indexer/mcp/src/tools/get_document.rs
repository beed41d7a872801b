use super::super::Server;
use super::super::arguments::{self, Aliases, Texts, Whole};
use super::super::response::{beginning, fenced_as, notes, one_line};
use super::narrowing::language_of;
use super::tool::{Call, Tool};
use anyhow::{Result, bail, ensure};
use nearfind_bundles::library::{PlaceInFile, Span, line_range};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use std::ops::RangeInclusive;

pub(super) struct GetDocument;

const LINES: RangeInclusive<usize> = 1..=1_000_000;
const FROM_LINES: RangeInclusive<usize> = 0..=1_000_000;
const OFFSETS: RangeInclusive<usize> = 0..=100_000_000;
/// The note about a file that has changed since it was indexed.
pub(super) const CHANGED: &str = "the file has changed since it was indexed: this is its text at that time";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Path, end of a path, id or url; lines or a name may follow, as in src/a.py:12-40 or src/a.py#Session.send
    path: String,
    /// Its project
    #[serde(default)]
    project: Option<String>,
    /// A definition (Session.send), heading, page 34, slide 4, sheet, row 7 or L120
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    section: Option<Texts>,
    /// First line, 1-based; within section if set
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    from_line: Option<Whole>,
    #[serde(default)]
    #[schemars(skip)]
    to_line: Option<Whole>,
    /// Number or range of lines: 40, 100-140
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    lines: Option<Lines>,
    /// next_offset of the previous response
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    offset: Option<Whole>,
    /// Whether it is read in lines, as clients read files of their own.
    #[serde(default)]
    #[schemars(skip)]
    by_lines: Option<super::super::arguments::Flag>,
}

/// A number of lines, or a range of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    Count(Whole),
    Range(usize, usize),
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            // Some clients write ranges in this form.
            Value::Array(numbers) => numbers.iter().map(Value::to_string).collect::<Vec<_>>().join("-"),
            Value::String(text) => text.trim().trim_start_matches('[').trim_end_matches(']').replace(", ", "-"),
            other => other.to_string(),
        };
        // Some clients write -1 for the last line.
        let to_end = text.strip_suffix("-1").and_then(|front| front.strip_suffix(['-', ',', ':']));
        let text = match to_end {
            Some(first) => format!("{first}-"),
            None => text,
        };
        if text.trim().starts_with('-') || !text.contains(['-', '–', ',', ':']) {
            return Whole::deserialize(Value::String(text)).map(Self::Count).map_err(serde::de::Error::custom);
        }
        let (first, last) = line_range(&text.replace(':', "-")).ok_or_else(|| {
            serde::de::Error::custom(format!("{text:?} is neither a number of lines nor a range such as 100-140"))
        })?;
        Ok(Self::Range(first, last))
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// Its path, preceded by its project if there are several projects.
    document: String,
    /// Name of its project.
    project: String,
    /// Path inside its project.
    path: String,
    /// Title.
    title: String,
    /// A one-line description.
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// Address of the page; absent if it is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// URL to view its file; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_url: Option<String>,
    /// The address of its file; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_url: Option<String>,
    /// When it was written or last changed, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Whether it is a reference page.
    is_reference: bool,
    /// Its programming language; markdown for a document.
    language: String,
    /// The requested lines of its text, in Markdown or as written in the source file.
    content: String,
    /// The line where `content` begins.
    from_line: usize,
    /// The line where `content` ends.
    to_line: usize,
    /// Number of lines in the whole document.
    total_lines: usize,
    /// The offset of the next part, for a call with the same arguments; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// The line to continue from; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_line: Option<usize>,
    /// True if the file has changed since it was indexed; `content` is its text at that time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    /// Notes on the document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

impl Arguments {
    /// Returns a line number, starting at 1. Some clients count from 0, so 0 also means the first line.
    fn line(given: Option<Whole>, name: &str) -> Result<Option<usize>> {
        given.map(|line| Whole::within(Some(line), name, &FROM_LINES, 1).map(|line| line.max(1))).transpose()
    }

    /// Returns the first and the last line that the arguments select. Without a last line, the selection extends to the
    /// end. `place` contains the lines that `path` or `section` names.
    fn lines_of(&self, place: Option<&Span>, is_section: bool) -> Result<(usize, Option<usize>)> {
        let start = place.map_or(1, |span| span.first);
        let from = Self::line(self.from_line, "from_line")?;
        let is_to_end = self.to_line == Some(Whole::LAST);
        let to = if is_to_end { Some(usize::MAX) } else { Self::line(self.to_line, "to_line")? };
        // Answers contain the file's line numbers. A number below the section's first line is relative to that line.
        let in_file = |line: usize| if is_section && line < start { start + line - 1 } else { line };
        let (first, to) = (from.map_or(start, in_file), to.map(in_file));
        let (first, last) = match self.lines {
            Some(Lines::Range(first, last)) => (first, Some(last)),
            Some(Lines::Count(count)) => {
                (first, Some(first.saturating_add(Whole::within(Some(count), "lines", &LINES, 1)? - 1)))
            }
            None => (first, to.or_else(|| place.and_then(|span| span.last).filter(|last| *last >= first))),
        };
        match last {
            Some(last) if last < first => {
                bail!("line {last} is before line {first}: pass the first line, then the last one")
            }
            last => Ok((first, last.filter(|last| *last < usize::MAX))),
        }
    }
}

impl Tool for GetDocument {
    const NAME: &'static str = "get_document";
    const TITLE: &'static str = "Read a document";
    const DESCRIPTION: &'static str = "Returns a document in Markdown, or a source file: all of it, some lines, one \
    definition, or everything from a section on. Use it to read on from another tool's result, with the path and lines \
    in it. Long texts come in parts: use next_offset.";
    const ALIASES: Aliases = &[
        ("document", "path"),
        ("document_id", "path"),
        ("doc", "path"),
        ("id", "path"),
        ("file", "path"),
        ("file_path", "path"),
        ("target_file", "path"),
        ("filename", "path"),
        ("source_path", "path"),
        ("name", "path"),
        ("url", "path"),
        ("uri", "path"),
        ("project_name", "project"),
        ("package", "project"),
        ("library", "project"),
        ("repo", "project"),
        ("repository", "project"),
        ("page", "section"),
        ("slide", "section"),
        ("sheet", "section"),
        ("heading", "section"),
        ("anchor", "section"),
        ("place", "section"),
        ("symbol", "section"),
        ("line", "from_line"),
        ("from", "from_line"),
        ("start", "from_line"),
        ("start_line", "from_line"),
        ("start_line_one_indexed", "from_line"),
        ("line_start", "from_line"),
        ("first_line", "from_line"),
        ("to", "to_line"),
        ("end", "to_line"),
        ("end_line", "to_line"),
        ("end_line_one_indexed_inclusive", "to_line"),
        ("line_end", "to_line"),
        ("last_line", "to_line"),
        ("limit", "lines"),
        ("count", "lines"),
        ("line_count", "lines"),
        ("num_lines", "lines"),
        ("max_lines", "lines"),
        ("range", "lines"),
        ("line_range", "lines"),
        ("view_range", "lines"),
    ];
    const NAMES_FILES: bool = true;
    type Arguments = Arguments;
    type Outcome = Outcome;

    /// Some clients read files by `offset` and `limit`, both in lines.
    fn adapt(given: &mut JsonObject) {
        arguments::take(given, "should_read_entire_file");
        // Such clients use the argument `file_path`, and may leave out the limit. Parts then also continue by lines.
        if !arguments::is_given(given, "limit") && !arguments::is_given(given, "file_path") {
            return;
        }
        given.insert("by_lines".to_owned(), json!(true));
        if let Some(offset) = arguments::take(given, "offset") {
            let is_start = matches!(&offset, Value::Number(number) if number.as_f64() == Some(0.0)) || offset == "0";
            given.insert("from_line".to_owned(), if is_start { json!(1) } else { offset });
        }
    }

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        ensure!(!arguments.path.trim().is_empty(), "argument `path` is empty: name a document");
        let offset = Whole::within(arguments.offset, "offset", &OFFSETS, 0)?;
        server.0.library.read(|view| {
            let (found, place) = view.find_place(&arguments.path, arguments.project.as_deref())?;
            let document = found.read()?;
            let raw_url = document.raw_url();
            let text = document.text();
            let section =
                arguments.section.iter().flat_map(|section| &section.0).find(|section| !section.trim().is_empty());
            let place = section.map(|section| PlaceInFile::Called(section.clone())).or(place);
            let span = place.as_ref().map(|place| found.span(&document, place)).transpose()?;
            let is_section = matches!(place, Some(PlaceInFile::Called(_) | PlaceInFile::Anchor(_)));
            let (from_line, last) = arguments.lines_of(span.as_ref(), is_section)?;
            let total_lines = text.split_inclusive('\n').count();
            let document_name = view.place_names().join(&document.project, &document.path);
            ensure!(from_line <= total_lines.max(1), "{document_name} has {total_lines} lines: ask for one of them");
            let lines = last.map_or(usize::MAX, |last| last - from_line + 1);
            let asked: String = text.split_inclusive('\n').skip(from_line - 1).take(lines).collect();
            // Blank lines at the start replace text that was left out there, such as front matter.
            let start = if offset == 0 && from_line == 1 {
                asked.len() - asked.trim_start_matches('\n').len()
            } else {
                asked.char_indices().nth(offset).map_or(asked.len(), |(at, _)| at)
            };
            ensure!(offset == 0 || start < asked.len(), "offset {offset} is past the end of the text");
            let (content, is_all) = beginning(&asked[start..], server.0.options.budget.chars());
            let from_line = from_line + asked[..start].matches('\n').count();
            let to_line = from_line + content.lines().count().saturating_sub(1);
            let mut notices = Vec::new();
            let stale = found.is_stale();
            notices.extend(stale.then(|| CHANGED.to_owned()));
            if let Some(Span { others, notice, .. }) = span {
                notices.extend(notice);
                notices.extend((!others.is_empty()).then(|| format!("others have this name: {}", others.join(", "))));
            }
            let by_lines = arguments.by_lines.is_some();
            let mut next_line = (!is_all).then(|| if content.ends_with('\n') { to_line + 1 } else { to_line });
            if by_lines && next_line == Some(from_line) {
                notices.push(format!("line {from_line} is cut: it is longer than a response may be"));
                next_line = Some(from_line + 1);
            }
            Ok(Outcome {
                document: document_name,
                project: document.project,
                path: document.path,
                title: document.title,
                description: document.description,
                url: document.url,
                source_url: document.source_url,
                raw_url,
                date: document.date.map(|date| date.to_string()),
                is_reference: document.is_reference,
                language: language_of(&found),
                from_line,
                to_line,
                total_lines,
                next_offset: (!is_all && !by_lines).then(|| asked[..start].chars().count() + content.chars().count()),
                next_line: next_line.filter(|line| *line <= total_lines),
                content: content.to_owned(),
                stale,
                notices,
            })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = format!("# {}\ndocument: {}\n", one_line(&outcome.title), one_line(&outcome.document));
        for (name, value) in [("url", &outcome.url), ("source", &outcome.source_url), ("date", &outcome.date)] {
            text += &value.as_ref().map(|value| format!("{name}: {}\n", one_line(value))).unwrap_or_default();
        }
        text += &format!("lines {}-{} of {}\n", outcome.from_line, outcome.to_line, outcome.total_lines);
        text += &notes(&outcome.notices);
        text += &fenced_as(&outcome.language, &outcome.content);
        match (outcome.next_offset, outcome.next_line) {
            (Some(next), _) => text += &format!("there is more: next_offset = {next}\n"),
            (None, Some(line)) => text += &format!("there is more: continue from line {line}\n"),
            (None, None) => {}
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(given: Value) -> Arguments {
        let Value::Object(mut given) = given else { unreachable!() };
        GetDocument::adapt(&mut given);
        arguments::read(given, GetDocument::ALIASES).unwrap_or_else(|error| panic!("{error:#}"))
    }

    fn lines(given: Value) -> (usize, Option<usize>) {
        read(given).lines_of(None, false).unwrap_or_else(|error| panic!("{error:#}"))
    }

    #[test]
    fn lines_are_asked_for_in_many_ways() {
        for given in [
            json!({ "path": "a", "from_line": 100, "lines": 11 }),
            json!({ "path": "a", "lines": "100-110" }),
            json!({ "path": "a", "start_line": 100, "end_line": "110" }),
            json!({ "path": "a", "view_range": [100, 110] }),
            json!({ "path": "a", "range": "[100, 110]" }),
            json!({ "file_path": "a", "offset": 100, "limit": 11 }),
        ] {
            assert_eq!(lines(given.clone()), (100, Some(110)), "{given}");
        }
        assert_eq!(lines(json!({ "file_path": "a", "offset": 0, "limit": 2 })), (1, Some(2)));
        assert_eq!(lines(json!({ "path": "a", "offset": 4000 })), (1, None), "without a limit it is that of a part");
        assert_eq!(lines(json!({ "file_path": "a", "offset": 100 })), (100, None));
        assert_eq!(lines(json!({ "path": "a" })), (1, None));
        for given in [
            json!({ "path": "a", "view_range": [500, -1] }),
            json!({ "path": "a", "view_range": "[500, -1]" }),
            json!({ "path": "a", "lines": "500-" }),
            json!({ "path": "a", "start_line": 500, "end_line": -1 }),
        ] {
            assert_eq!(lines(given.clone()), (500, None), "{given}");
        }
        assert_eq!(lines(json!({ "path": "a", "start_line": 0, "end_line": 9 })), (1, Some(9)));
        assert_eq!(lines(json!({ "path": "a", "view_range": [0, 9] })), (1, Some(9)));
        assert!(read(json!({ "path": "a", "from_line": 9, "to_line": 3 })).lines_of(None, false).is_err());
    }

    #[test]
    fn a_section_ends_where_its_definition_does() {
        let span = Span { first: 40, last: Some(60), ..Span::default() };
        let of = |given: Value| read(given).lines_of(Some(&span), true).unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(of(json!({ "path": "a" })), (40, Some(60)));
        assert_eq!(of(json!({ "path": "a", "from_line": 3 })), (42, Some(60)));
        assert_eq!(of(json!({ "path": "a", "lines": 5 })), (40, Some(44)));
        assert_eq!(of(json!({ "path": "a", "lines": "50-52" })), (50, Some(52)));
        assert_eq!(of(json!({ "path": "a", "from_line": 30 })), (69, None), "after it the document goes on");
    }
}
