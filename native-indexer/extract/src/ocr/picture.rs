//! Pictures, and what reads them.

/// A picture with text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its pixels in a common format: PNM, PNG, JPEG, TIFF.
    pub bytes: Vec<u8>,
    /// Pixels of an inch of the paper; 0 if that is not known.
    pub dpi: u32,
}

/// The text of a picture, with form feeds between pages; else why there is none, as a half sentence.
pub type Recognized = Result<String, String>;

/// Reads the pictures of one file.
pub trait PictureReader {
    /// The text of each of `pictures`, in their order. Fewer than there are pictures say that no more of this file are read.
    fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized>;
}
