//! A matching line as readers see it: its number in its file, the definition around it, and the lines before and after
//! it.

use super::lines::FoundLine;
use crate::content::{file, file_blocks};
use crate::format::FormatError;
use crate::format::blocks::BlockId;
use crate::reader::BundleReader;
use crate::records::{ChunkRecord, SectionStart};
use crate::symbols::{SymbolKind, Symbols, definitions_of, enclosing};
use serde::Serialize;

/// The number of bytes of a line to show around its match.
const SHOWN_BYTES: usize = 400;

/// A matching line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownLine {
    /// Project and path of the document.
    pub document: String,
    /// Name of the document's project.
    pub project: String,
    /// The document's path inside its source.
    pub path: String,
    /// Title of the document, or the name of a source file.
    pub title: String,
    /// Address of the section or the line for readers, if there is one.
    pub url: Option<String>,
    /// Headings above the line, joined by ` > `. In source code, the definition around the line, such as
    /// `Session.send`.
    pub section: String,
    /// In source code, the kind of that definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<SymbolKind>,
    /// The line's number in the document's text, starting at 1.
    pub line: usize,
    /// The line, or the part of it around the match.
    pub text: String,
    /// The lines before this line.
    pub before: Vec<String>,
    /// The lines after this line.
    pub after: Vec<String>,
}

/// Lines as they are shown, or the blocks that they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Blocks to provide before the next call.
    Need(Vec<BlockId>),
    /// The lines.
    Lines(Vec<ShownLine>),
}

/// Returns lines of one file, with `context` lines before and after each. `place_in` returns the byte offset of the
/// match in a line.
pub fn show_lines(
    reader: &BundleReader,
    lines: &[FoundLine],
    context: usize,
    place_in: &mut dyn FnMut(&str) -> usize,
) -> Result<Shown, FormatError> {
    let Some(first) = lines.first() else { return Ok(Shown::Lines(Vec::new())) };
    let documents = reader.file_of_document(reader.document_of(first.chunk)?)?;
    let mut missing = file_blocks(reader, documents.clone())?;
    missing.retain(|&id| !reader.has(id));
    if !missing.is_empty() {
        return Ok(Shown::Need(missing));
    }
    let first_chunk = reader.chunks_of(documents.start)?.start;
    let parts = file(reader, documents.clone())?;
    let Some((record, _)) = parts.first() else { return Ok(Shown::Lines(Vec::new())) };
    let chunks: Vec<&ChunkRecord> = parts.iter().flat_map(|(_, chunks)| chunks).collect();
    let is_source = chunks.iter().any(|chunk| chunk.is_source);
    let definitions = if is_source {
        match definitions_of(reader, documents)? {
            Symbols::Need(blocks) => return Ok(Shown::Need(blocks)),
            Symbols::Found(definitions) => definitions,
        }
    } else {
        Vec::new()
    };
    let text: String = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
    let all: Vec<&str> = text.lines().collect();
    let sections = sections(&chunks);
    let project = reader.root().projects.get(record.project as usize).map_or("", |project| project.name.as_str());
    let mut shown = Vec::with_capacity(lines.len());
    for found in lines {
        let before = chunks.iter().take(found.chunk.saturating_sub(first_chunk) as usize);
        let number = before.map(|chunk| chunk.text.matches('\n').count()).sum::<usize>() + found.line as usize;
        let Some(&line) = all.get(number) else { continue };
        let at = line.as_ptr() as usize - text.as_ptr() as usize;
        let section = sections.iter().rev().find(|(start, _)| *start <= at).map(|(_, section)| *section);
        let symbol = enclosing(&definitions, number as u32 + 1);
        let (title, section, anchor) = if is_source {
            let name = record.path.rsplit('/').next().unwrap_or_default();
            (name, symbol.map(|place| place.definition.qualified()), format!("L{}", number + 1))
        } else {
            let anchor = section.map(|section| section.anchor.clone()).unwrap_or_default();
            (record.title.as_str(), section.map(|section| section.title.clone()), anchor)
        };
        let url = Some(&record.url).filter(|url| !url.is_empty());
        let around = |lines: &[&str]| lines.iter().map(|line| shortened(line, 0)).collect();
        shown.push(ShownLine {
            document: if is_source { format!("{project}/{}", record.path) } else { record.id.clone() },
            project: project.to_owned(),
            path: record.path.clone(),
            title: title.to_owned(),
            url: url.map(|url| if anchor.is_empty() { url.clone() } else { format!("{url}#{anchor}") }),
            section: section.unwrap_or_default(),
            kind: symbol.map(|place| place.definition.kind),
            line: number + 1,
            text: shortened(line, place_in(line)),
            before: around(&all[number.saturating_sub(context)..number]),
            after: around(&all[number + 1..(number + 1).saturating_add(context).min(all.len())]),
        });
    }
    Ok(Shown::Lines(shown))
}

/// Returns the sections of a file, each with the byte offset in the text where it begins.
fn sections<'a>(chunks: &[&'a ChunkRecord]) -> Vec<(usize, &'a SectionStart)> {
    let mut start = 0;
    let mut sections = Vec::new();
    for chunk in chunks {
        sections.extend(chunk.sections.iter().map(|section| (start + section.at as usize, section)));
        start += chunk.text.len();
    }
    sections
}

/// Returns a line, or the part of a long line around byte `at`.
pub fn shortened(line: &str, at: usize) -> String {
    if line.len() <= SHOWN_BYTES {
        return line.to_owned();
    }
    let start = line.floor_char_boundary(at.saturating_sub(SHOWN_BYTES / 4));
    let end = line.floor_char_boundary((start + SHOWN_BYTES).min(line.len()));
    let mark = |cut: bool| if cut { "…" } else { "" };
    format!("{}{}{}", mark(start > 0), &line[start..end], mark(end < line.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_its_match() {
        let line = format!("{}needle{}", "é".repeat(4000), "x".repeat(4000));
        let shown = shortened(&line, line.find("needle").unwrap());
        assert!(shown.contains("needle") && shown.starts_with('…') && shown.ends_with('…') && shown.len() < 420);
    }
}
