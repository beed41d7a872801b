//! A result of `search`: its information about a document, and the text that it shows.

use super::super::resources;
use super::super::response::{beginning, fenced_as, one_line};
use anyhow::Result;
use nearfind_bundles::library::{About, AboutCode, FoundHit, Piece, PlaceNames};
use nearfind_core::content::ContentMode;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum length of a document's passage in characters. The passage is the content if the call does not ask for more.
const PASSAGE_CHARS: usize = 700;
/// Maximum number of lines to show from the first piece of source code. For the other pieces, only their key lines are
/// shown.
const PIECE_LINES: usize = 60;
/// Maximum length of the first piece of source code in bytes.
const PIECE_CHARS: usize = 3000;
/// Number of lines to show from each further piece of source code.
const KEY_LINES: usize = 4;
/// Maximum length of a key line in characters.
const KEY_LINE_CHARS: usize = 200;

/// A document that was found.
#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct Found {
    /// Its path, preceded by the project if there are several. For source code, followed by what the piece defines.
    document: String,
    /// The same of its file.
    #[serde(skip)]
    place: String,
    /// Name of its project.
    project: String,
    /// Path inside its project, for get_document.
    path: String,
    /// Title of the document.
    title: String,
    /// A one-line description.
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// True for a reference page.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_reference: bool,
    /// When it was written or last changed, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Address of the page, at the section that answers the question; absent if the page is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// URL to view its file; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_url: Option<String>,
    /// Headings above the best passage; for a piece of source code, the signatures in it.
    #[serde(skip_serializing_if = "String::is_empty")]
    section: String,
    /// The line of the document where the best passage begins, for get_document.
    line: usize,
    /// Lines of a piece of source code, such as 120-148.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// Programming language of source code; absent for other documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// The class of source code.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    /// True if the file has changed since it was indexed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    /// The current lines of a file that has changed; absent if the file no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<String>,
    /// Confidence that it answers the question, from 0 to 1, comparable across questions; .5 for a document that only
    /// just fits.
    relevance_score: f32,
    /// The versions of the page, the latest first; absent if there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    versions: Vec<String>,
    /// The index that contains it; absent if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<String>,
    /// The resource with its full text.
    uri: String,
    /// A short passage; absent if there is content.
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
    /// As much of its text as was requested, in Markdown; or key lines of source code, with their numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// The offset where get_document continues a document that does not fit; absent if this is all that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_next_offset: Option<usize>,
    /// The lines in the content.
    #[serde(skip)]
    text_lines: Lines,
}

/// The facts that the names of results depend on.
pub(super) struct Shown {
    /// Whether there are several bundles.
    pub(super) several: bool,
    pub(super) names: PlaceNames,
}

/// How much text to return with a hit.
#[derive(Clone, Copy, Debug)]
pub(super) enum TextOf {
    /// An excerpt.
    Nothing,
    /// For the first hit, if the call requests nothing: the best passage of a document, or a whole piece of source
    /// code.
    First,
    /// For the other hits, if the call requests nothing: the best passage of a document, or the key lines of source
    /// code.
    Further,
    /// As requested, with at most this many characters.
    Mode(ContentMode, usize),
}

/// The text of a result.
#[derive(Default)]
struct ResultText {
    content: Option<String>,
    next_offset: Option<usize>,
    lines: Lines,
}

/// The lines of source code in a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Lines {
    /// The requested lines.
    #[default]
    Requested,
    /// All lines from the first to the last.
    Range(usize, usize),
    /// Single lines, with their numbers.
    Key,
}

/// Converts a hit to a result with its text.
pub(super) fn found(found: FoundHit, names: &Shown, text: TextOf) -> Result<Found> {
    let line = found.line()?;
    let code = found.code()?;
    let About { description, source_url, is_reference, date } = found.about()?;
    let ResultText { content, next_offset, lines } = text_of(&found, text, line, code.as_ref())?;
    let most_of_current = if let TextOf::Mode(_, most_chars) = text { most_chars } else { PIECE_CHARS };
    let FoundHit { hit, bundle, .. } = found;
    let anchored = |url: String| match hit.anchor.as_str() {
        "" => url,
        anchor => format!("{url}#{anchor}"),
    };
    Ok(Found {
        relevance_score: hit.score,
        uri: resources::document_uri(&hit.project, &hit.path),
        url: hit.url.map(anchored),
        source_url,
        excerpt: content.is_none().then_some(hit.excerpt.text),
        document: names.names.short(&hit.document).to_owned(),
        place: names.names.join(&hit.project, &hit.path),
        project: hit.project,
        path: hit.path,
        title: hit.title,
        description,
        is_reference,
        date: date.map(|date| date.to_string()),
        section: hit.section,
        line,
        lines: code.as_ref().map(|code| format!("{}-{}", code.lines.0, code.lines.1)),
        stale: code.as_ref().is_some_and(|code| code.is_stale),
        current: code
            .as_ref()
            .and_then(|code| code.current.as_deref())
            .map(|now| beginning(now, most_of_current).0.to_owned()),
        language: code.as_ref().map(|code| code.language.clone()),
        class: code.map(|code| code.class),
        versions: hit.versions.into_iter().map(|version| version.version).collect(),
        bundle: names.several.then(|| bundle.label.clone()),
        content_next_offset: next_offset,
        content,
        text_lines: lines,
    })
}

/// Returns the text of a hit whose passage begins on `line`.
fn text_of(found: &FoundHit, text: TextOf, line: usize, code: Option<&AboutCode>) -> Result<ResultText> {
    let cut = |most_chars| found.content.as_deref().map(|content| beginning(content, most_chars).0.to_owned());
    Ok(match (text, code) {
        (TextOf::Nothing, _) => ResultText::default(),
        // The current lines replace the text.
        (TextOf::First | TextOf::Further, Some(code)) if code.is_stale => ResultText::default(),
        (TextOf::First, Some(code)) => first_piece(&found.piece(code.lines.0)?, line),
        (TextOf::Further, Some(code)) => further_piece(&found.piece(code.lines.0)?),
        (TextOf::First | TextOf::Further, None) => ResultText { content: cut(PASSAGE_CHARS), ..ResultText::default() },
        (TextOf::Mode(ContentMode::Full, most_chars), _) => {
            let Some(content) = found.content.clone() else { return Ok(ResultText::default()) };
            let (content, next_offset) = shortened(content, &found.hit.project, &found.hit.path, most_chars);
            ResultText { content: Some(content), next_offset, ..ResultText::default() }
        }
        // Passages are not the beginning of the document, so there is no offset to continue from.
        (TextOf::Mode(_, most_chars), _) => ResultText { content: cut(most_chars), ..ResultText::default() },
    })
}

/// Returns a whole piece of source code, or its part from `line` on if it is too long.
fn first_piece(piece: &Piece, line: usize) -> ResultText {
    let whole = part_from(piece, 0);
    let skipped = line.saturating_sub(piece.first).min(piece.lines.len().saturating_sub(PIECE_LINES));
    let (count, text) = if whole.0 == piece.lines.len() { whole } else { part_from(piece, skipped) };
    let first = piece.first + if count == piece.lines.len() { 0 } else { skipped };
    let lines = Lines::Range(first, (first + count).saturating_sub(1));
    ResultText { content: (count > 0).then_some(text), lines, ..ResultText::default() }
}

/// Returns as many lines of a piece as fit, after `skipped` lines, and their number. Only the first line may be
/// truncated.
fn part_from(piece: &Piece, skipped: usize) -> (usize, String) {
    let (mut text, mut count) = (String::new(), 0);
    for line in piece.lines.iter().skip(skipped).take(PIECE_LINES) {
        if count > 0 && text.len() + line.len() > PIECE_CHARS {
            break;
        }
        text += &shown_line(line, PIECE_CHARS);
        text.push('\n');
        count += 1;
    }
    (count, text)
}

/// Returns the key lines of a piece of source code, or all lines if it is short.
fn further_piece(piece: &Piece) -> ResultText {
    if piece.lines.len() <= KEY_LINES {
        return first_piece(piece, piece.first);
    }
    let lines = piece.key_lines(KEY_LINES).into_iter();
    let lines: String =
        lines.map(|(number, line)| format!("{number}: {}\n", shown_line(line, KEY_LINE_CHARS))).collect();
    ResultText { content: (!lines.is_empty()).then_some(lines), lines: Lines::Key, ..ResultText::default() }
}

/// Returns a line as it is, up to `most` characters, and marks a truncated line.
fn shown_line(line: &str, most: usize) -> String {
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Returns the part of a document that fits, and the offset where `get_document` continues if there is more text.
pub(super) fn shortened(text: String, project: &str, path: &str, most_chars: usize) -> (String, Option<usize>) {
    let (start, is_all) = beginning(&text, most_chars);
    if is_all {
        return (text, None);
    }
    let next = start.chars().count();
    let more = format!("[... there is more: get_document(path={path:?}, project={project:?}, offset={next})]");
    (format!("{start}\n\n{more}"), Some(next))
}

/// Returns a document as text.
pub(super) fn entry(number: usize, found: &Found) -> String {
    let mut text = format!("\n## {number}. {}\n", one_line(&found.title));
    let reference = if found.is_reference { ", reference" } else { "" };
    text += &match &found.lines {
        Some(lines) => format!("code: {}:{lines}{}\n", one_line(&found.place), shown_lines(found, lines)),
        None => format!("document: {} (line {}{reference})\n", one_line(&found.document), found.line),
    };
    let language = found.language.as_deref().unwrap_or("markdown");
    if found.stale {
        text += "the file has changed since it was indexed; these lines are as they are now:\n";
        text += &found.current.as_deref().map_or_else(|| "it is gone\n".to_owned(), |now| fenced_as(language, now));
        return text;
    }
    // The title of a piece of source code contains the names that it defines, and the passage begins with its
    // signature.
    let has_section = found.lines.is_none() && !found.section.is_empty();
    for (name, value) in [
        ("section", has_section.then_some(&found.section)),
        ("about", (!found.description.is_empty()).then_some(&found.description)),
        ("url", found.url.as_ref()),
        ("source", found.source_url.as_ref()),
        ("date", found.date.as_ref()),
        ("bundle", found.bundle.as_ref()),
    ] {
        text += &value.map(|value| format!("{name}: {}\n", one_line(value))).unwrap_or_default();
    }
    if !found.versions.is_empty() {
        text += &format!("versions: {}\n", one_line(&found.versions.join(", ")));
    }
    if let Some(content) = found.content.as_ref().or(found.excerpt.as_ref()) {
        text += &fenced_as(if found.text_lines == Lines::Key { "" } else { language }, content);
    }
    text
}

/// Describes which lines of a piece of source code are shown, if they are not all of its `lines`.
fn shown_lines(found: &Found, lines: &str) -> String {
    match found.text_lines {
        Lines::Requested => String::new(),
        Lines::Range(first, last) => {
            let shown = Some(format!("{first}-{last}")).filter(|shown| shown != lines);
            shown.map(|shown| format!(", here {shown}")).unwrap_or_default()
        }
        Lines::Key => ", key lines".to_owned(),
    }
}
