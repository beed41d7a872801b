//! Kinds of file that are read, known by their names.

use std::path::Path;

/// Kinds of file that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// CommonMark with tables, footnotes, heading attributes and directives.
    Markdown,
    /// Markdown with components.
    Mdx,
    /// A built page.
    Html,
    /// A Jupyter notebook.
    Notebook,
    /// A page of Sphinx.
    RestructuredText,
    /// A page of Antora or Asciidoctor.
    AsciiDoc,
    /// An outline of Emacs.
    Org,
    /// A page of MediaWiki.
    MediaWiki,
    /// A page of Redmine, or of an older site.
    Textile,
    /// A page of the manuals of Unix.
    Manual,
    /// What is spoken in a film.
    Subtitles,
    /// A book of one file.
    FictionBook,
    /// Text without marks.
    Text,
    /// Rows of values between commas, semicolons, tabs or bars.
    #[cfg(feature = "formats")]
    Delimited,
    /// A document of pages, slides, sheets or chapters.
    #[cfg(feature = "formats")]
    Document(DocumentFormat),
}

/// Formats of documents in binary files.
#[cfg(feature = "formats")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentFormat {
    /// Portable Document Format.
    Pdf,
    /// Word since 2007.
    Docx,
    /// PowerPoint since 2007.
    Pptx,
    /// Word before 2007.
    Doc,
    /// PowerPoint before 2007.
    Ppt,
    /// Text or slides of LibreOffice.
    OpenDocument,
    /// A workbook of Excel since 2007.
    Xlsx,
    /// A binary workbook of Excel since 2007.
    Xlsb,
    /// A workbook of Excel before 2007.
    Xls,
    /// A workbook of LibreOffice.
    Ods,
    /// A book.
    Epub,
    /// Rich Text Format.
    RichText,
    /// A message as it is sent.
    InternetMessage,
    /// A message of Outlook.
    OutlookMessage,
    /// Many messages.
    Mailbox,
    /// A page that a browser saved with what belongs to it.
    WebArchive,
    /// A photograph or a scan, which OCR reads.
    Picture,
}

/// Parts of sections of manuals. Any others could be those of `.7z` and `.3ds`.
const SUBSECTIONS: [&str; 16] = [
    "", "bsd", "const", "curses", "head", "m", "ncurses", "p", "pcap", "perl", "pm", "posix", "ssl", "tcl", "type", "x",
];
/// Larger pages and texts are left out: no page of documentation is that long.
const MAX_TEXT_BYTES: u64 = 16 << 20;
/// Larger documents are left out.
#[cfg(feature = "formats")]
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// What `path` is by its extension, if it is read at all.
pub fn kind_of(path: &Path) -> Option<FileKind> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "md" | "markdown" => Some(FileKind::Markdown),
        "mdx" => Some(FileKind::Mdx),
        "html" | "htm" => Some(FileKind::Html),
        "ipynb" => Some(FileKind::Notebook),
        "rst" => Some(FileKind::RestructuredText),
        "adoc" | "asciidoc" => Some(FileKind::AsciiDoc),
        "org" => Some(FileKind::Org),
        "wiki" | "mediawiki" => Some(FileKind::MediaWiki),
        "textile" => Some(FileKind::Textile),
        "man" | "mdoc" => Some(FileKind::Manual),
        numbered if is_section_of_manual(numbered) => Some(FileKind::Manual),
        "fb2" => Some(FileKind::FictionBook),
        "srt" | "vtt" => Some(FileKind::Subtitles),
        "txt" | "text" => Some(FileKind::Text),
        #[cfg(feature = "formats")]
        "csv" | "tsv" => Some(FileKind::Delimited),
        #[cfg(feature = "formats")]
        other => DocumentFormat::of_extension(other).map(FileKind::Document),
        #[cfg(not(feature = "formats"))]
        _ => None,
    }
}

/// Whether `extension` is that of a manual page: its section, perhaps with the name of what it belongs to, as in `7ssl`.
fn is_section_of_manual(extension: &str) -> bool {
    extension.strip_prefix(|c: char| ('1'..='9').contains(&c)).is_some_and(|rest| SUBSECTIONS.contains(&rest))
}

#[cfg(feature = "formats")]
impl DocumentFormat {
    fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "pdf" => Self::Pdf,
            "docx" | "docm" | "dotx" => Self::Docx,
            "pptx" | "pptm" | "ppsx" => Self::Pptx,
            "ppt" | "pps" | "pot" => Self::Ppt,
            "odt" | "odp" | "ott" => Self::OpenDocument,
            "xlsx" | "xlsm" => Self::Xlsx,
            "xlsb" => Self::Xlsb,
            "xls" => Self::Xls,
            "ods" => Self::Ods,
            "epub" => Self::Epub,
            "rtf" => Self::RichText,
            "doc" | "dot" => Self::Doc,
            "eml" | "emlx" => Self::InternetMessage,
            "msg" => Self::OutlookMessage,
            "mbox" => Self::Mailbox,
            "mht" | "mhtml" => Self::WebArchive,
            "png" | "jpg" | "jpeg" | "tif" | "tiff" => Self::Picture,
            _ => return None,
        })
    }
}

/// Returns what the file at `path` is by its name, if it has text without OCR.
pub fn kind_with_text(path: &Path) -> Option<FileKind> {
    kind_of(path).filter(|kind| !kind.is_picture())
}

impl FileKind {
    /// Whether it is a page of a site, or the source of one, which generators publish under another name.
    pub const fn is_page(self) -> bool {
        matches!(
            self,
            Self::Markdown
                | Self::Mdx
                | Self::Html
                | Self::Notebook
                | Self::RestructuredText
                | Self::AsciiDoc
                | Self::Org
                | Self::MediaWiki
                | Self::Textile
        )
    }

    /// Whether it is data more often than text: read where somebody asks for it.
    pub const fn is_data(self) -> bool {
        #[cfg(feature = "formats")]
        return matches!(self, Self::Delimited);
        #[cfg(not(feature = "formats"))]
        return false;
    }

    /// Whether only a reader for foreign formats understands it, which may fail in any way.
    pub const fn is_binary(self) -> bool {
        #[cfg(feature = "formats")]
        return matches!(self, Self::Document(_));
        #[cfg(not(feature = "formats"))]
        return false;
    }

    /// Whether it has no text but what OCR finds in it.
    pub const fn is_picture(self) -> bool {
        #[cfg(feature = "formats")]
        return matches!(self, Self::Document(DocumentFormat::Picture));
        #[cfg(not(feature = "formats"))]
        return false;
    }

    /// Larger files of it are left out.
    pub const fn max_bytes(self) -> u64 {
        #[cfg(feature = "formats")]
        if matches!(self, Self::Document(_) | Self::Delimited | Self::FictionBook) {
            return MAX_DOCUMENT_BYTES;
        }
        MAX_TEXT_BYTES
    }

    /// What people call files of it, as filters know it: a value of the facet `format`.
    pub const fn format_name(self) -> &'static str {
        match self {
            Self::FictionBook => "book",
            Self::Text | Self::Subtitles => "text",
            #[cfg(feature = "formats")]
            Self::Delimited => "sheet",
            #[cfg(feature = "formats")]
            Self::Document(format) => match format {
                DocumentFormat::Pdf => "pdf",
                DocumentFormat::Docx
                | DocumentFormat::Doc
                | DocumentFormat::OpenDocument
                | DocumentFormat::RichText => "word",
                DocumentFormat::Pptx | DocumentFormat::Ppt => "slides",
                DocumentFormat::Xlsx | DocumentFormat::Xlsb | DocumentFormat::Xls | DocumentFormat::Ods => "sheet",
                DocumentFormat::Epub => "book",
                DocumentFormat::InternetMessage | DocumentFormat::OutlookMessage | DocumentFormat::Mailbox => "mail",
                DocumentFormat::WebArchive => "page",
                DocumentFormat::Picture => "picture",
            },
            _ => "page",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_kinds_in_any_case() {
        let kind = |name: &str| kind_of(Path::new(name));
        assert_eq!(kind("a/Guide.MD"), Some(FileKind::Markdown));
        assert_eq!(kind("guide.mdx"), Some(FileKind::Mdx));
        assert_eq!(kind("notes.txt"), Some(FileKind::Text));
        assert_eq!(kind("Makefile"), None);
        assert_eq!(["ls.1", "DBI.3pm", "ssl.7SSL"].map(kind), [Some(FileKind::Manual); 3]);
        assert_eq!((kind("a.7z"), kind("README.1st")), (None, None));
        assert_eq!(kind("old.wpd"), None);
    }

    #[cfg(feature = "formats")]
    #[test]
    fn documents_are_larger_than_pages_and_named_as_people_do() {
        let kind = |name: &str| kind_of(Path::new(name)).unwrap();
        assert!(kind("a.pdf").is_binary() && !kind("a.csv").is_binary() && kind("a.csv").is_data());
        assert!(kind("a.pdf").max_bytes() > kind("a.md").max_bytes());
        let names =
            ["a.md", "a.pdf", "a.docm", "a.odt", "a.ppsx", "a.xlsb", "a.epub", "a.tsv", "a.rtf", "a.msg", "a.TIF"];
        assert_eq!(
            names.map(|name| kind(name).format_name()),
            ["page", "pdf", "word", "word", "slides", "sheet", "book", "sheet", "word", "mail", "picture"]
        );
    }
}
