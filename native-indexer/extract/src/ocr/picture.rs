//! Pictures, and the interface of their readers.

/// First bytes of the formats of picture files that OCR reads, and their media types.
const FORMATS: [(&[u8], &str); 4] =
    [(b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"II*\0", TIFF), (b"MM\0*", TIFF)];
const TIFF: &str = "image/tiff";

/// Returns the media type of a picture file in PNG, JPEG or TIFF format.
pub(crate) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    FORMATS.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, media_type)| *media_type)
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subject {
    /// A page of text, such as a scan.
    Page,
    /// A figure, a photograph or a screenshot, possibly without text.
    #[default]
    Figure,
}

/// A picture to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The picture as a file in PNM, PNG, JPEG or TIFF format.
    pub bytes: Vec<u8>,
    /// Pixels per inch of paper, or 0 if this is not known.
    pub dpi: u32,
    /// What it shows, as far as its place in the file tells.
    pub subject: Subject,
}

impl Picture {
    /// Creates a picture from a file inside a document.
    pub fn figure(bytes: Vec<u8>) -> Self {
        Self { bytes, dpi: 0, subject: Subject::Figure }
    }

    /// Whether the file is a TIFF.
    pub fn is_tiff(&self) -> bool {
        media_type(&self.bytes) == Some(TIFF)
    }
}

/// The text of a picture with form feeds between pages, or the reason why there is none, as a clause for a report.
pub type Recognized = Result<String, String>;

/// Reads the pictures of one file.
///
/// ```
/// use nearfind_extract::ocr::{Picture, PictureReader, Recognized, Subject};
/// use nearfind_extract::{Extraction, extract_with_ocr};
///
/// /// Sees the same text in every picture.
/// struct Fixed;
///
/// impl PictureReader for Fixed {
///     fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized> {
///         pictures.iter().map(|_| Ok("Run git revert to undo a commit.".to_owned())).collect()
///     }
/// }
///
/// let scan = Picture { bytes: b"P1 1 1 0".to_vec(), dpi: 300, subject: Subject::Page };
/// assert_eq!(Fixed.read(vec![scan])[0].as_deref(), Ok("Run git revert to undo a commit."));
///
/// // A text has no pictures to read.
/// let read = extract_with_ocr("undo.txt", b"Undo a commit.", Some(&Fixed))?;
/// let Extraction::Document(document) = read else { panic!("a text is a document") };
/// assert_eq!(document.text.trim(), "Undo a commit.");
/// # Ok::<(), anyhow::Error>(())
/// ```
pub trait PictureReader {
    /// Returns the text of each of `pictures` in order. The result is shorter than `pictures` if the limit on the pages
    /// of the file is reached.
    fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized>;

    /// Whether a model describes figures, rather than a program that only reads their text.
    fn describes(&self) -> bool {
        false
    }
}
