//! Reads EPUB books. Chapters are read as HTML, in reading order.

use super::chapter_pictures;
use super::package::{Package, resolve};
use super::pictures::PictureTexts;
use super::properties::Properties;
use super::xml::{self, attribute, below, child};
use crate::document_writer::DocumentWriter;
use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::html;
use crate::ocr::PictureReader;
use crate::words::one_line;
use percent_encoding::percent_decode_str;
use std::collections::{BTreeMap, BTreeSet};

/// Reads a book, and has `pictures` read its pictures.
pub(crate) fn extract(bytes: &[u8], pictures: Option<&dyn PictureReader>) -> Result<Extracted, ExtractError> {
    let mut package = Package::open(bytes)?;
    let damaged = |what: &str| ExtractError::Damaged(what.to_owned());
    let container =
        package.text("META-INF/container.xml")?.ok_or_else(|| damaged("META-INF/container.xml is missing"))?;
    let container = xml::parse("META-INF/container.xml", &container)?;
    let main = below(container.root_element(), "rootfile").find_map(|file| attribute(file, "full-path"));
    let main = main.ok_or_else(|| damaged("it has no list of its parts"))?.to_owned();
    let text = package.text(&main)?.ok_or_else(|| ExtractError::Damaged(format!("{main} is missing")))?;
    let book = xml::parse(&main, &text)?;
    let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut files = BTreeMap::new();
    for item in below(book.root_element(), "item") {
        let is_contents = attribute(item, "properties").is_some_and(|properties| properties.contains("nav"));
        if let (Some(id), Some(place)) = (attribute(item, "id"), attribute(item, "href")) {
            files.insert(id, (name_of(folder, place), is_contents, attribute(item, "media-type").unwrap_or_default()));
        }
    }
    let titles = titles(&mut package, &files)?;
    if package.text("META-INF/encryption.xml")?.is_some_and(|encrypted| {
        files.values().any(|(name, _, kind)| kind.contains("html") && encrypted.contains(name.as_str()))
    }) {
        return Err(ExtractError::Encrypted);
    }
    let mut writer = DocumentWriter::default();
    let mut notes = Vec::new();
    let spine = below(book.root_element(), "itemref").filter(|item| attribute(*item, "linear") != Some("no"));
    let mut seen = BTreeSet::new();
    let mut unread = PictureTexts::default();
    let mut seen_pictures = BTreeSet::new();
    for (name, is_contents, _) in spine.filter_map(|item| files.get(attribute(item, "idref")?)) {
        // Skip the table of contents and repeated chapters.
        if *is_contents || !seen.insert(name) {
            continue;
        }
        let chapter = match package.text(name)? {
            Some(text) => match pictures {
                None => html::part(&text),
                Some(reader) => {
                    // A picture that decorates every chapter is read in the first one only.
                    let wanted = chapter_pictures::places(&text).into_iter().map(|place| {
                        let part = beside(name, &place);
                        (place, part)
                    });
                    let wanted: Vec<_> = wanted.filter(|(_, part)| seen_pictures.insert(part.clone())).collect();
                    let mut texts = PictureTexts::read(&mut package, wanted, reader);
                    unread.join_unread(&texts);
                    html::part(&chapter_pictures::with_texts(&text, &mut texts))
                }
            },
            None => Err(ExtractError::Damaged("it is missing".to_owned())),
        };
        match chapter {
            Ok(chapter) if chapter.text.trim().is_empty() => {}
            Ok(chapter) => {
                if let Some(title) = titles.get(name).filter(|_| chapter.headings.is_empty()) {
                    writer.heading(1, title);
                }
                writer.embed(&chapter);
            }
            Err(error) => notes.push(format!("the chapter {name} was left out: {error}")),
        }
    }
    notes.extend(unread.note());
    let mut extracted = writer.finish(notes);
    // Anchors would lead to files inside the book.
    extracted.headings.iter_mut().for_each(|heading| heading.anchor.clear());
    Properties::read(&mut package, &main)?.give(&mut extracted);
    if extracted.title.is_empty() {
        extracted.title = extracted.first_heading();
    }
    Ok(extracted)
}

fn name_of(folder: &str, place: &str) -> String {
    resolve(folder, &percent_decode_str(place).decode_utf8_lossy())
}

/// Returns the name of the file that the chapter `name` refers to as `place`.
fn beside(name: &str, place: &str) -> String {
    name_of(name.rsplit_once('/').map_or("", |(folder, _)| folder), place)
}

/// Returns the titles of files in the table of contents.
fn titles(
    package: &mut Package<'_>,
    files: &BTreeMap<&str, (String, bool, &str)>,
) -> Result<BTreeMap<String, String>, ExtractError> {
    let mut titles = BTreeMap::new();
    let mut insert = |folder: &str, place: &str, title: String| {
        if !title.is_empty() {
            titles.entry(name_of(folder, place)).or_insert(title);
        }
    };
    for (name, is_contents, kind) in files.values() {
        if !is_contents && !kind.contains("ncx") {
            continue;
        }
        let Some(text) = package.text(name)? else { continue };
        // A damaged table of contents does not prevent reading the book.
        let Ok(contents) = xml::parse(name, &text) else { continue };
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let all_text = |node: roxmltree::Node<'_, '_>| {
            one_line(
                &node.descendants().filter_map(|inner| inner.text().filter(|_| inner.is_text())).collect::<String>(),
            )
        };
        for link in below(contents.root_element(), "a") {
            insert(folder, attribute(link, "href").unwrap_or_default(), all_text(link));
        }
        for point in below(contents.root_element(), "navPoint") {
            let place = child(point, "content").and_then(|content| attribute(content, "src")).unwrap_or_default();
            insert(folder, place, child(point, "navLabel").map(all_text).unwrap_or_default());
        }
    }
    Ok(titles)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::archive;
    use super::*;

    #[test]
    fn chapters_follow_the_spine() {
        let container = r#"<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"#;
        let book = r#"<package xmlns:dc="dc"><metadata><dc:title>The Book</dc:title><dc:language>en</dc:language></metadata>
            <manifest><item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>
            <item id="b" href="b%20two.xhtml" media-type="application/xhtml+xml"/><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
            <spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/><itemref idref="a"/></spine></package>"#;
        let nav = r#"<html xmlns="h"><body><nav><a href="b%20two.xhtml#x">Chapter Two</a></nav></body></html>"#;
        let first = r#"<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body><h1>One</h1><p>First text.</p></body></html>"#;
        let second = r#"<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Second text.</p></body></html>"#;
        let bytes = archive(&[
            ("mimetype", "application/epub+zip"),
            ("META-INF/container.xml", container),
            ("OEBPS/book.opf", book),
            ("OEBPS/nav.xhtml", nav),
            ("OEBPS/a.xhtml", first),
            ("OEBPS/b two.xhtml", second),
        ]);
        let extracted = extract(&bytes, None).unwrap();
        assert_eq!(extracted.title, "The Book");
        assert_eq!(extracted.text, "# One\n\nFirst text.\n\n# Chapter Two\n\nSecond text.\n");
    }
}
