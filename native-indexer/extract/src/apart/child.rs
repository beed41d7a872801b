//! The reader process.

use super::messages::{CODE, DOCUMENT_WITH_DESCRIPTIONS, DOCUMENT_WITH_OCR, FromReader, receive};
use crate::error::ExtractError;
use crate::extraction::Extraction;
use crate::memory_limit::limit_memory;
use crate::ocr::{Picture, PictureReader, Recognized};
use crate::read::{extract, extract_code, extract_with_ocr};
use anyhow::{Context as _, Result};
use std::cell::RefCell;
use std::io::{self, Read, Write};

/// The outcome for a file, as it is sent.
pub(super) type Answer = Result<Extraction, ExtractError>;

/// Reads files from standard input until it ends, and writes the answers to standard output. Limits the memory of the
/// process to `memory` bytes.
pub fn serve(memory: u64) -> Result<()> {
    limit_memory(memory).context("memory cannot be limited")?;
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    while let Some(kind) = receive(&mut input)? {
        let name = receive(&mut input)?.context("a file without its name")?;
        let bytes = receive(&mut input)?.context("a name without its file")?;
        let name = String::from_utf8(name)?;
        let answer: Answer = match kind.as_slice() {
            CODE => Ok(extract_code(&name, &bytes)),
            DOCUMENT_WITH_OCR | DOCUMENT_WITH_DESCRIPTIONS => {
                let streams = RefCell::new((&mut input, &mut output));
                let asker = Asker { streams, describes: kind == DOCUMENT_WITH_DESCRIPTIONS };
                extract_with_ocr(&name, &bytes, Some(&asker))
            }
            _ => extract(&name, &bytes),
        };
        FromReader::Answer(serde_json::to_vec(&answer)?).send(&mut output)?;
    }
    Ok(())
}

/// Asks the parent process to read pictures.
struct Asker<'a, I, O> {
    streams: RefCell<(&'a mut I, &'a mut O)>,
    describes: bool,
}

impl<I: Read, O: Write> PictureReader for Asker<'_, I, O> {
    fn read(&self, pictures: Vec<Picture>) -> Vec<Recognized> {
        let ask = || -> io::Result<Vec<Recognized>> {
            let (input, output) = &mut *self.streams.borrow_mut();
            FromReader::Pictures(pictures).send(*output)?;
            Ok(serde_json::from_slice(&receive(*input)?.unwrap_or_default())?)
        };
        // If the parent process is gone, the answer does not matter.
        ask().unwrap_or_default()
    }

    fn describes(&self) -> bool {
        self.describes
    }
}
