//! Documents for tests.

use std::io::{Cursor, Write as _};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Returns an archive with these parts.
pub(crate) fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let parts: Vec<_> = parts.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    archive_of(&parts)
}

/// Returns an archive with these parts, which need not be texts.
pub(crate) fn archive_of(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn relationships(of: &[(&str, &str, &str)]) -> String {
    let one = |(id, kind, target): &(&str, &str, &str)| {
        format!(r#"<Relationship Id="{id}" Type="http://x.org/relationships/{kind}" Target="{target}"/>"#)
    };
    format!("<Relationships>{}</Relationships>", of.iter().map(one).collect::<String>())
}

const STYLES: &str = r#"<w:styles xmlns:w="w">
    <w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
    <w:style w:styleId="Verz1"><w:name w:val="toc 1"/></w:style>
    <w:style w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
    <w:style w:type="character" w:styleId="Secret"><w:name w:val="Hidden"/><w:rPr><w:vanish/></w:rPr></w:style>
    <w:style w:type="character" w:styleId="SecretToo"><w:basedOn w:val="Secret"/><w:rPr><w:b/></w:rPr></w:style>
    <w:style w:type="character" w:styleId="Opened"><w:basedOn w:val="Secret"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:style>
    <w:style w:type="paragraph" w:styleId="SecretText"><w:rPr><w:vanish w:val="true"/></w:rPr></w:style>
    <w:style w:type="paragraph" w:styleId="SecretTextToo"><w:basedOn w:val="SecretText"/></w:style>
    <w:style w:type="paragraph" w:styleId="OpenedText"><w:basedOn w:val="SecretText"/><w:rPr><w:vanish w:val="off"/></w:rPr></w:style>
    <w:style w:type="table" w:styleId="SecretTable"><w:rPr><w:vanish/></w:rPr></w:style>
</w:styles>"#;
const NUMBERING: &str = r#"<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1"/></w:lvl></w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>"#;
const FOOTNOTES: &str = r#"<w:footnotes xmlns:w="w"><w:footnote w:id="2"><w:p><w:r><w:t>The note.</w:t></w:r></w:p></w:footnote></w:footnotes>"#;
const PROPERTIES: &str = r#"<p xmlns:dc="dc" xmlns:d="d"><dc:title>Microsoft Word - x.doc</dc:title><d:modified>2024-05-01T10:00:00Z</d:modified></p>"#;

/// Returns a Word document with `body`.
pub(crate) fn docx(body: &str) -> Vec<u8> {
    docx_with("word/document.xml", body, false)
}

/// Returns a Word document with the main part called `main`, in UTF-16 if `in_utf_16` is set.
pub(crate) fn docx_with(main: &str, body: &str, in_utf_16: bool) -> Vec<u8> {
    let document = format!(r#"<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>"#);
    let document = if in_utf_16 {
        format!("\u{feff}{document}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    } else {
        document.into_bytes()
    };
    let root = relationships(&[("a", "officeDocument", main), ("b", "core-properties", "docProps/core.xml")]);
    let own = relationships(&[
        ("s", "styles", "styles.xml"),
        ("n", "numbering", "numbering.xml"),
        ("f", "footnotes", "footnotes.xml"),
    ]);
    let own_name = format!("word/_rels/{}.rels", main.trim_start_matches("word/"));
    archive_of(&[
        ("_rels/.rels", root.as_bytes()),
        (main, &document),
        (&own_name, own.as_bytes()),
        ("word/styles.xml", STYLES.as_bytes()),
        ("word/numbering.xml", NUMBERING.as_bytes()),
        ("word/footnotes.xml", FOOTNOTES.as_bytes()),
        ("docProps/core.xml", PROPERTIES.as_bytes()),
    ])
}

/// Returns a Word paragraph.
pub(crate) fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// Returns a Word document with `body` and further parts, each with relationship id, relationship kind, file name and
/// content.
pub(crate) fn docx_of(body: &str, others: &[(&str, &str, &str, &str)]) -> Vec<u8> {
    let others: Vec<_> = others.iter().map(|(id, kind, name, text)| (*id, *kind, *name, text.as_bytes())).collect();
    docx_bytes(body, &others)
}

/// Returns a Word document like [`docx_of`], with parts that contain any bytes.
pub(crate) fn docx_bytes(body: &str, others: &[(&str, &str, &str, &[u8])]) -> Vec<u8> {
    let document = format!(r#"<w:document xmlns:w="w" xmlns:c="c"><w:body>{body}</w:body></w:document>"#);
    let root = relationships(&[("a", "officeDocument", "word/document.xml")]);
    let own: Vec<_> = others.iter().map(|(id, kind, name, _)| (*id, *kind, *name)).collect();
    let own = relationships(&own);
    let named: Vec<_> = others.iter().map(|(.., name, bytes)| (format!("word/{name}"), *bytes)).collect();
    let parts: [(&str, &[u8]); 3] = [
        ("_rels/.rels", root.as_bytes()),
        ("word/document.xml", document.as_bytes()),
        ("word/_rels/document.xml.rels", own.as_bytes()),
    ];
    let parts: Vec<_> = parts.into_iter().chain(named.iter().map(|(name, bytes)| (name.as_str(), *bytes))).collect();
    archive_of(&parts)
}

/// Returns a presentation whose slides have these shapes. `said` is the text of the first slide's notes.
pub(crate) fn pptx(slides: &[&str], said: Option<&str>) -> Vec<u8> {
    let ids: String =
        (0..slides.len()).map(|number| format!(r#"<p:sldId id="{}" r:id="r{number}"/>"#, 256 + number)).collect();
    let mut parts = vec![
        ("_rels/.rels".to_owned(), relationships(&[("a", "officeDocument", "ppt/presentation.xml")])),
        (
            "ppt/presentation.xml".to_owned(),
            format!(r#"<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"#),
        ),
    ];
    let targets: Vec<_> = (0..slides.len()).map(|n| (format!("r{n}"), format!("slides/s{n}.xml"))).collect();
    let targets: Vec<_> = targets.iter().map(|(id, target)| (id.as_str(), "slide", target.as_str())).collect();
    parts.push(("ppt/_rels/presentation.xml.rels".to_owned(), relationships(&targets)));
    for (number, shapes) in slides.iter().enumerate() {
        let slide = format!(r#"<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"#);
        parts.push((format!("ppt/slides/s{number}.xml"), slide));
    }
    if let Some(said) = said {
        parts
            .push(("ppt/slides/_rels/s0.xml.rels".to_owned(), relationships(&[("n", "notesSlide", "../notes/n.xml")])));
        parts.push((
            "ppt/notes/n.xml".to_owned(),
            format!(r#"<p:notes xmlns:p="p" xmlns:a="a"><p:sp><p:ph type="body"/><p:txBody><a:p><a:r><a:t>{said}</a:t></a:r></a:p></p:txBody></p:sp></p:notes>"#),
        ));
    }
    let parts: Vec<_> = parts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    archive(&parts)
}

/// Returns a presentation with one slide and further parts, each with relationship id, relationship kind, name in the
/// slides folder, and text.
pub(crate) fn pptx_with(shapes: &str, others: &[(&str, &str, &str, &str)]) -> Vec<u8> {
    let slide = format!(r#"<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"#);
    let own: Vec<_> = others.iter().map(|(id, kind, name, _)| (*id, *kind, *name)).collect();
    let mut parts = vec![
        ("_rels/.rels".to_owned(), relationships(&[("a", "officeDocument", "ppt/presentation.xml")])),
        (
            "ppt/presentation.xml".to_owned(),
            r#"<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="s"/></p:sldIdLst></p:presentation>"#
                .to_owned(),
        ),
        ("ppt/_rels/presentation.xml.rels".to_owned(), relationships(&[("s", "slide", "slides/s.xml")])),
        ("ppt/slides/s.xml".to_owned(), slide),
        ("ppt/slides/_rels/s.xml.rels".to_owned(), relationships(&own)),
    ];
    parts.extend(others.iter().map(|(.., name, text)| (format!("ppt/slides/{name}"), (*text).to_owned())));
    let parts: Vec<_> = parts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    archive(&parts)
}
