//! Collects the terms of all chunks and writes dictionary and postings.

use super::postings::{self, Posting};
use super::term_dictionary::{TermDictionaryWriter, TermEntry};
use crate::analysis::Analyzer;
use crate::format::blocks::PartWriter;
use std::collections::BTreeMap;

/// Raw size of a block of postings: most lists lie in one, and a rare word costs no more than this.
const POSTINGS_BLOCK_BYTES: usize = 32 << 10;

/// Terms in memory, by chunk number.
#[derive(Debug, Default)]
pub struct InvertedIndex {
    terms: BTreeMap<String, Vec<Posting>>,
    tokens: u64,
}

/// The two parts and what the root keeps of them.
#[derive(Debug)]
pub struct LexicalParts {
    /// The dictionary.
    pub terms: PartWriter,
    /// First term of each of its blocks.
    pub first_terms: Vec<String>,
    /// The posting lists.
    pub postings: PartWriter,
    /// Tokens of all chunks.
    pub tokens: u64,
    /// Number of different terms.
    pub term_count: u64,
}

impl InvertedIndex {
    /// Adds the words of chunk number `chunk`, which is higher than those before, and returns their number.
    pub fn add(&mut self, chunk: u32, text: &str) -> u32 {
        let mut length = 0;
        for token in Analyzer.tokens(text) {
            length = length.max(token.position + 1);
            let list = self.terms.entry(token.term).or_default();
            match list.last_mut() {
                Some(posting) if posting.chunk == chunk => posting.positions.push(token.position),
                _ => list.push(Posting { chunk, positions: vec![token.position] }),
            }
        }
        self.tokens += u64::from(length);
        length
    }

    /// Writes both parts.
    pub fn finish(self) -> LexicalParts {
        let mut dictionary = TermDictionaryWriter::default();
        let mut stream = Vec::new();
        let term_count = self.terms.len() as u64;
        for (term, list) in &self.terms {
            let start = stream.len() as u64;
            postings::encode(list, &mut stream);
            let length = (stream.len() as u64 - start) as u32;
            dictionary.push(term, TermEntry { chunks: list.len() as u32, start, length });
        }
        let mut postings = PartWriter::default();
        postings.push_stream(&stream, POSTINGS_BLOCK_BYTES);
        let (terms, first_terms) = dictionary.finish();
        LexicalParts { terms, first_terms, postings, tokens: self.tokens, term_count }
    }
}
