//! Pictures, and the interface of their readers.

/// A picture with text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The picture as a file in PNM, PNG, JPEG or TIFF format.
    pub bytes: Vec<u8>,
    /// Pixels per inch of paper, or 0 if this is not known.
    pub dpi: u32,
}

/// The text of a picture with form feeds between pages, or the reason why there is none, as a clause for a report.
pub type Recognized = Result<String, String>;

/// Reads the pictures of one file.
pub trait PictureReader {
    /// Returns the text of each of `pictures` in order. The result is shorter than `pictures` if the limit on the pages
    /// of the file is reached.
    fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized>;
}
