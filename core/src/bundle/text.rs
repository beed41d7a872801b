//! Builds the parts of a bundle that need only text: words, pages, catalog, symbols and trigrams. Each part is a
//! separate task, and so are the words of each section of the corpus. A host with several cores can run the tasks in
//! parallel, with the same result.

use super::code::{WrittenSymbols, write_symbols};
use super::input::{BundleDocument, BundleOptions};
use super::table_names::TableNames;
use crate::analysis::{name_terms, symbol_terms};
use crate::excerpt::Fences;
use crate::format::blocks::PartWriter;
use crate::format::root::ProjectSummary;
use crate::grep::{TrigramWriter, WrittenTrigrams};
use crate::lexical::{ChunkFields, DocumentFields, InvertedIndex, LexicalParts};
use crate::records::page::{self, PageWriter};
use crate::records::{Catalog, CatalogEntry, ChunkRecord};
use std::ops::Range;
use unicode_normalization_alignments::UnicodeNormalization as _;

/// The uncompressed size of blocks in `graph` and `catalog`, which are read whole.
pub(super) const WHOLE_BLOCK_BYTES: usize = 256 << 10;

/// How many times the definitions of a piece of source code count as its title.
const SYMBOL_TIMES: usize = 2;
/// How many times the name of a source file counts in addition to its occurrence in the path.
const FILE_NAME_TIMES: usize = 2;
/// The number of sections of the corpus whose words are indexed separately.
const WORD_TASKS: usize = 4;

/// Work that may run in parallel.
pub type Tasks<'t> = Vec<Box<dyn FnOnce() + Send + 't>>;

/// Runs all tasks, in any order and on any threads, and returns when they are done.
pub type Together<'a> = &'a dyn for<'t> Fn(Tasks<'t>);

/// Runs tasks one after the other.
pub fn one_by_one(tasks: Tasks<'_>) {
    tasks.into_iter().for_each(|task| task());
}

/// The parts of a bundle that need only text. They can be built while the vectors are still being computed.
///
/// [`crate::bundle`] has an example.
#[derive(Clone, Debug)]
pub struct BundleText {
    pub(super) projects: Vec<ProjectSummary>,
    /// The number of chunks in each document.
    pub(super) counts: Vec<u32>,
    pub(super) lexical: LexicalParts,
    pub(super) pages: PartWriter,
    pub(super) chunks_per_page: u32,
    pub(super) catalog: PartWriter,
    pub(super) symbols: WrittenSymbols,
    pub(super) trigrams: WrittenTrigrams,
}

/// Returns the words of a path that name the page, without the file extension.
fn path_words(path: &str) -> &str {
    let path = path.strip_suffix("index.html").or_else(|| path.strip_suffix("index.md")).unwrap_or(path);
    let name = path.rfind('/').map_or(0, |at| at + 1);
    path[name..].rfind('.').map_or(path, |dot| &path[..name + dot])
}

/// Returns the name of a file without its leading number. For an index page, returns the name of the folder, or `None`
/// if the folder has no name.
fn file_name(path: &str) -> Option<&str> {
    let (mut folders, mut name) = path.rsplit_once('/').unwrap_or(("", path));
    name = name.split_once('.').map_or(name, |(stem, _)| stem);
    if ["index", "_index", "readme"].iter().any(|leading| name.eq_ignore_ascii_case(leading)) {
        (_, name) = folders.rsplit_once('/').unwrap_or(("", std::mem::take(&mut folders)));
    }
    let unordered = name.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['-', '_', ' ']);
    Some(if unordered.is_empty() { name } else { unordered }).filter(|name| !name.is_empty())
}

fn catalog_entry(document: &BundleDocument) -> CatalogEntry {
    CatalogEntry {
        path: document.record.path.clone(),
        area_at: document.area_at,
        date: document.date,
        aliases: document.record.aliases.clone(),
    }
}

/// Builds the parts that need only text. `together` runs the tasks.
///
/// `documents` must be in canonical order, with the documents of each project together.
///
/// # Panics
/// Panics if the documents are in a different order.
pub fn write_text(
    projects: &[String],
    documents: &[BundleDocument],
    options: &BundleOptions,
    together: Together<'_>,
) -> BundleText {
    assert!(documents.is_sorted_by_key(|document| document.record.project), "the documents of a project are together");
    let mut summaries: Vec<ProjectSummary> =
        projects.iter().map(|name| ProjectSummary { name: name.clone(), documents: 0, chunks: 0 }).collect();
    for document in documents {
        let summary = &mut summaries[document.record.project as usize];
        summary.documents += 1;
        summary.chunks += document.chunks.len() as u32;
    }
    let mut words: Vec<(Range<usize>, Option<InvertedIndex>)> =
        parts_of_equal_size(documents).into_iter().map(|range| (range, None)).collect();
    let text = |document: &BundleDocument| {
        let is_source = document.code.is_some();
        document.chunks.iter().map(move |chunk| (chunk.range.len(), is_source)).collect::<Vec<_>>()
    };
    let chunks_per_page = page::chunks_per_block(&documents.iter().flat_map(text).collect::<Vec<_>>());
    let (mut pages, mut trigrams) = (None, WrittenTrigrams::default());
    let (mut catalog, mut symbols) = (PartWriter::default(), WrittenSymbols::default());
    {
        // The longest tasks come first, so that none of them is left to run alone at the end.
        let mut tasks: Tasks<'_> = vec![Box::new(|| pages = Some(write_pages(documents, chunks_per_page)))];
        for (range, words) in &mut words {
            let range = range.clone();
            tasks.push(Box::new(move || *words = Some(words_of(projects, documents, range, options))));
        }
        tasks.push(Box::new(|| {
            let entries: Vec<CatalogEntry> = documents.iter().map(catalog_entry).collect();
            let mut sources = options.sources.clone();
            sources.resize(projects.len(), String::new());
            catalog.push_stream(&Catalog::to_bytes(&sources, entries.iter()), WHOLE_BLOCK_BYTES);
        }));
        tasks.push(Box::new(|| symbols = write_symbols(documents)));
        together(tasks);
    }
    let mut index = InvertedIndex::new(options.synonyms.clone());
    words.into_iter().filter_map(|(_, words)| words).for_each(|part| index.append(part));
    let mut lexical = None;
    {
        let mut tasks: Tasks<'_> = vec![Box::new(|| lexical = Some(index.finish()))];
        if options.trigrams {
            tasks.push(Box::new(|| trigrams = write_trigrams(documents, chunks_per_page)));
        }
        together(tasks);
    }
    BundleText {
        projects: summaries,
        counts: documents.iter().map(|document| document.chunks.len() as u32).collect(),
        lexical: lexical.expect("its task was done"),
        pages: pages.expect("its task was done"),
        chunks_per_page,
        catalog,
        symbols,
        trigrams,
    }
}

/// Returns ranges of documents with about the same amount of text.
fn parts_of_equal_size(documents: &[BundleDocument]) -> Vec<Range<usize>> {
    let all: usize = documents.iter().map(|document| document.text.len()).sum();
    let (mut ranges, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (number, document) in documents.iter().enumerate() {
        bytes += document.text.len();
        if bytes * WORD_TASKS >= all * (ranges.len() + 1) && ranges.len() + 1 < WORD_TASKS {
            ranges.push(start..number + 1);
            start = number + 1;
        }
    }
    ranges.push(start..documents.len());
    ranges
}

/// Indexes the words of a range of documents.
fn words_of(
    projects: &[String],
    documents: &[BundleDocument],
    range: Range<usize>,
    options: &BundleOptions,
) -> InvertedIndex {
    let mut index = InvertedIndex::new(options.synonyms.clone());
    let mut chunk_number = documents[..range.start].iter().map(|document| document.chunks.len() as u32).sum::<u32>();
    for document in &documents[range] {
        let analyzer = options.analyzer_of(&document.language);
        index.set_language(&analyzer);
        let project = &projects[document.record.project as usize];
        // Some file systems decompose letters with accents.
        let path: String = document.record.path.nfc().map(|(c, _)| c).collect();
        let file = file_name(&path).unwrap_or(project);
        let mut path = format!("{project} {}", path_words(&path));
        let code = document.code.as_ref();
        if code.is_some() {
            // The name of a source file describes the whole file.
            path.push_str(&format!(" {file}").repeat(FILE_NAME_TIMES));
        }
        let names = match code {
            Some(code) => {
                let defined = code.symbols.iter().chain(&code.details);
                [defined.flat_map(|symbol| symbol_terms(symbol)).collect(), Vec::new()]
            }
            None => [document.record.title.as_str(), file].map(|name| name_terms(&analyzer, name)),
        };
        let names = [names[0].as_slice(), names[1].as_slice()];
        // Definitions describe a piece of code better than any mention.
        let symbols = code.map(|code| vec![code.symbols.join("\n"); SYMBOL_TIMES].join("\n"));
        let title = symbols.as_ref().unwrap_or(&document.record.title);
        let mut of_document = Some(DocumentFields { title, path: &path, names });
        for chunk in &document.chunks {
            let mut headings: Vec<&str> = chunk.sections.iter().map(|section| section.title.as_str()).collect();
            headings.extend((!chunk.context.is_empty()).then_some(chunk.context.as_str()));
            let fields = ChunkFields {
                body: &document.text[chunk.range.clone()],
                headings: &headings.join("\n"),
                written: &chunk.written,
                document: of_document.take(),
                is_code: code.is_some(),
            };
            index.add(chunk_number, &fields);
            chunk_number += 1;
        }
    }
    index
}

/// Returns the blocks of the part `pages`, with `chunks_per_page` chunks each.
fn write_pages(documents: &[BundleDocument], chunks_per_page: u32) -> PartWriter {
    let mut pages = PageWriter::new(chunks_per_page);
    for document in documents {
        let is_source = document.code.is_some();
        let (mut fences, mut table) = (Fences::default(), TableNames::default());
        let mut records = Vec::new();
        for chunk in &document.chunks {
            let body = &document.text[chunk.range.clone()];
            let starts_in_code = !is_source && fences.in_code();
            let names = if is_source || starts_in_code { String::new() } else { table.before(body) };
            for line in body.lines() {
                if fences.take(line) || fences.in_code() { table.forget() } else { table.take(line) }
            }
            records.push(ChunkRecord {
                sections: chunk.sections.clone(),
                starts_in_code,
                is_source,
                names,
                text: body.to_owned(),
            });
        }
        pages.push(&document.record, &records);
    }
    pages.finish()
}

/// Returns the trigrams of `documents`. Each block of pages has `chunks_per_page` chunks.
fn write_trigrams(documents: &[BundleDocument], chunks_per_page: u32) -> WrittenTrigrams {
    let mut writer = TrigramWriter::default();
    let mut written = 0;
    for document in documents {
        let continues = document.code.as_ref().is_some_and(|code| code.continues_file);
        for (number, chunk) in document.chunks.iter().enumerate() {
            writer.push(written / chunks_per_page, &document.text[chunk.range.clone()], number == 0 && !continues);
            written += 1;
        }
    }
    writer.finish(written.div_ceil(chunks_per_page))
}
