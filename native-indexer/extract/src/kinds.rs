//! The kinds of files that can be read, recognized by their names.

use std::path::Path;

/// The kinds of files that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// CommonMark with tables, footnotes, heading attributes and directives.
    Markdown,
    /// Markdown with components.
    Mdx,
    /// An HTML page.
    Html,
    /// A Jupyter notebook.
    Notebook,
    /// A reStructuredText page, as in Sphinx.
    RestructuredText,
    /// An AsciiDoc page, as in Antora.
    AsciiDoc,
    /// An Org outline from Emacs.
    Org,
    /// A page in MediaWiki's wiki text.
    MediaWiki,
    /// A page in Textile, as in Redmine and older sites.
    Textile,
    /// A Unix manual page.
    Manual,
    /// Subtitles for a film or a talk.
    Subtitles,
    /// A FictionBook, a book in a single file.
    FictionBook,
    /// Plain text.
    Text,
    /// Rows of values separated by commas, semicolons, tabs or bars.
    #[cfg(feature = "formats")]
    Delimited,
    /// A document with pages, slides, sheets or chapters.
    #[cfg(feature = "formats")]
    Document(DocumentFormat),
}

/// The formats of documents in binary files.
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
    /// A LibreOffice text or presentation.
    OpenDocument,
    /// A workbook from Excel since 2007.
    Xlsx,
    /// A binary workbook from Excel since 2007.
    Xlsb,
    /// A workbook from Excel before 2007.
    Xls,
    /// A LibreOffice workbook.
    Ods,
    /// An EPUB book.
    Epub,
    /// Rich Text Format.
    RichText,
    /// A message in the internet format.
    InternetMessage,
    /// An Outlook message.
    OutlookMessage,
    /// A mailbox with several messages.
    Mailbox,
    /// A page that a browser saved together with its resources.
    WebArchive,
    /// A photograph or a scan, which OCR reads.
    Picture,
}

/// Suffixes of manual page sections. Accepting any suffix would match extensions such as `.7z` and `.3ds`.
const SUBSECTIONS: [&str; 16] = [
    "", "bsd", "const", "curses", "head", "m", "ncurses", "p", "pcap", "perl", "pm", "posix", "ssl", "tcl", "type", "x",
];
/// Maximum size of a page or a text in bytes. No documentation page is longer.
const MAX_TEXT_BYTES: u64 = 16 << 20;
/// Maximum size in bytes of a document, a file of values or a FictionBook.
#[cfg(feature = "formats")]
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Returns the kind of the file at `path` according to its extension, or `None` if it cannot be read.
///
/// ```
/// use nearfind_extract::{FileKind, kind_of};
///
/// let kind = |name: &str| kind_of(name.as_ref());
/// assert!(kind("guide/undo.html").is_some_and(FileKind::is_page));
/// assert!(kind("photo.raw").is_none());
/// ```
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

/// Whether `extension` is a manual page section, possibly with a package name, as in `7ssl`.
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

/// Returns the kind of the file at `path` according to its extension, or `None` if it cannot be read without OCR.
pub fn kind_with_text(path: &Path) -> Option<FileKind> {
    kind_of(path).filter(|kind| !kind.is_picture())
}

impl FileKind {
    /// Whether such a file is a page of a site, or the source of a page that a generator publishes under a different
    /// name.
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

    /// Whether such a file usually contains data rather than text. Data files are read only on request.
    pub const fn is_data(self) -> bool {
        #[cfg(feature = "formats")]
        return matches!(self, Self::Delimited);
        #[cfg(not(feature = "formats"))]
        return false;
    }

    /// Whether such a file is a binary document. Its reader may panic, run for too long or exhaust memory.
    pub const fn is_binary(self) -> bool {
        #[cfg(feature = "formats")]
        return matches!(self, Self::Document(_));
        #[cfg(not(feature = "formats"))]
        return false;
    }

    /// Whether such a file contains only text that OCR can find.
    pub const fn is_picture(self) -> bool {
        #[cfg(feature = "formats")]
        return matches!(self, Self::Document(DocumentFormat::Picture));
        #[cfg(not(feature = "formats"))]
        return false;
    }

    /// Returns the maximum size of such a file in bytes. Larger files are left out.
    pub const fn max_bytes(self) -> u64 {
        #[cfg(feature = "formats")]
        if matches!(self, Self::Document(_) | Self::Delimited | Self::FictionBook) {
            return MAX_DOCUMENT_BYTES;
        }
        MAX_TEXT_BYTES
    }

    /// Returns the kind's name in filters, which is a value of the facet `format`.
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
