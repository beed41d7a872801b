//! Collects the terms of all chunks and writes dictionary and positions.

use super::postings::{self, Posting};
use super::term_dictionary::TermDictionaryWriter;
use crate::analysis::Analyzer;
use crate::format::blocks::PartWriter;
use std::collections::BTreeMap;

/// Raw size of a block of positions: a phrase reads one or two for each of its words.
const POSITIONS_BLOCK_BYTES: usize = 64 << 10;

/// Terms in memory, by chunk number.
#[derive(Debug, Default)]
pub struct InvertedIndex {
    terms: BTreeMap<String, Vec<Posting>>,
    tokens: u64,
}

/// The two parts and what the root keeps of them.
#[derive(Debug)]
pub struct LexicalParts {
    /// The dictionary with the posting lists.
    pub terms: PartWriter,
    /// A separator for each of its blocks.
    pub separators: Vec<String>,
    /// The positions.
    pub positions: PartWriter,
    /// Tokens of all chunks.
    pub tokens: u64,
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
        for (term, postings) in &self.terms {
            let start = stream.len();
            let mut list = Vec::new();
            postings::encode(postings, &mut list, &mut stream);
            dictionary.push(term, postings.len() as u32, &list, (stream.len() - start) as u32);
        }
        let mut positions = PartWriter::default();
        positions.push_stream(&stream, POSITIONS_BLOCK_BYTES);
        let (terms, separators) = dictionary.finish();
        LexicalParts { terms, separators, positions, tokens: self.tokens }
    }
}
