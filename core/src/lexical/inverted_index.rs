//! Collects the terms of all chunks, and writes the dictionary, the positions, and the words for corrections.

use super::length_classes::{CLASSES, classes_of};
use super::list_head::{Heads, rest_of};
use super::postings::{MAX_IN_FIELD, Occurrences, POSITIONS_BLOCK_BYTES, Posting, PostingList};
use super::spelling::write_spelling;
use super::synonyms::Synonyms;
use super::term_dictionary::TermDictionaryWriter;
use crate::analysis::{Analyzer, KnownTerms, fold};
use crate::format::blocks::PartWriter;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use unicode_normalization_alignments::UnicodeNormalization as _;

/// The terms of all chunks in memory, with their posting lists.
///
/// ```
/// use nearfind_core::analysis::Analyzer;
/// use nearfind_core::format::Part;
/// use nearfind_core::format::blocks::BlockId;
/// use nearfind_core::lexical::{ChunkFields, InvertedIndex, Synonyms, term_dictionary};
///
/// let mut index = InvertedIndex::new(Synonyms::default());
/// index.set_language(&Analyzer::ENGLISH);
/// for (chunk, body) in ["Undoing commits.", "Undo a merge."].into_iter().enumerate() {
///     let fields = ChunkFields { body, headings: "", written: "", document: None, is_code: false };
///     index.add(chunk as u32, &fields);
/// }
/// let parts = index.finish();
///
/// let terms = parts.terms.finish(Part::Terms, 0).decode(BlockId { part: Part::Terms, block: 0 })?;
/// assert_eq!(term_dictionary::find(&terms, "undo")?.unwrap().chunks, 2);
/// assert_eq!(term_dictionary::find(&terms, "merg")?.unwrap().chunks, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct InvertedIndex {
    terms: HashMap<String, PostingList, RandomState>,
    synonyms: Synonyms,
    /// For each word as written, in lower case: the last chunk that contains it, and the number of chunks.
    words: HashMap<String, (u32, u32), RandomState>,
    /// The length of each chunk's body in tokens.
    lengths: Vec<u32>,
    known: KnownTerms,
}

/// The written parts, and the data about them that the root stores.
#[derive(Clone, Debug)]
pub struct LexicalParts {
    /// The dictionary with the posting lists.
    pub terms: PartWriter,
    /// A separator for each block of the dictionary.
    pub separators: Vec<String>,
    /// The positions.
    pub positions: PartWriter,
    /// The words that mistyped words are corrected to.
    pub spelling: PartWriter,
    /// A key for each block of `spelling`.
    pub spelling_keys: Vec<String>,
    /// The number of tokens in all chunks.
    pub tokens: u64,
    /// The lengths that chunk lengths are rounded to: see [`super::length_classes`].
    pub lengths: [u32; CLASSES],
}

/// The indexed fields of a chunk.
///
/// [`InvertedIndex`] has an example.
#[derive(Clone, Copy, Debug)]
pub struct ChunkFields<'a> {
    /// The chunk's text.
    pub body: &'a str,
    /// The headings of the chunk's sections.
    pub headings: &'a str,
    /// Text that was written for the chunk, such as questions that it answers. May be empty.
    pub written: &'a str,
    /// The document that begins with this chunk, if any.
    pub document: Option<DocumentFields<'a>>,
    /// Whether the chunk is source code.
    pub is_code: bool,
}

/// The indexed fields of a document in addition to its text.
///
/// [`InvertedIndex`] has an example of [`ChunkFields`].
#[derive(Clone, Copy, Debug, Default)]
pub struct DocumentFields<'a> {
    /// The document's title.
    pub title: &'a str,
    /// The words of the document's path.
    pub path: &'a str,
    /// The terms of the document's names, which find it if the question is nothing but a name: the names of its title
    /// (for source code, the names that it defines), and the names of its file.
    pub names: [&'a [String]; 2],
}

/// Groups the positions of terms in a chunk by term.
fn by_term(places: Vec<(String, u32)>) -> HashMap<String, Posting, RandomState> {
    let mut postings: HashMap<String, Posting, RandomState> =
        HashMap::with_capacity_and_hasher(places.len(), RandomState::default());
    for (term, position) in places {
        let positions = &mut postings.entry(term).or_default().positions;
        if positions.last() != Some(&position) {
            positions.push(position);
        }
    }
    postings
}

/// Returns the terms that find `word` in addition to `term`.
fn other_forms(analyzer: &Analyzer, word: &str, term: &str) -> Vec<String> {
    let mut forms: Vec<String> = dotted_beginnings(term).collect();
    forms.extend(spelled_out(word).map(|spelled| analyzer.term_of(&spelled)).filter(|spelled| spelled != term));
    forms
}

/// Returns `word` in letters that every keyboard has, if it contains others, such as ligatures, full-width letters or
/// `ß`. The word is also found as written.
fn spelled_out(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let mut spelled = String::new();
    for (c, _) in word.nfkc() {
        match c {
            'ß' | 'ẞ' => spelled.push_str("ss"),
            'æ' | 'Æ' => spelled.push_str("ae"),
            'œ' | 'Œ' => spelled.push_str("oe"),
            'þ' | 'Þ' => spelled.push_str("th"),
            c => spelled.push(c),
        }
    }
    (spelled != word).then_some(spelled)
}

/// Returns the beginnings of a dotted number, such as a version, a section of a standard or an address: `2.1` for
/// `2.1.10`, and for `v2.1`. Dotted numbers match from the left. Their single parts are separate words.
fn dotted_beginnings(term: &str) -> impl Iterator<Item = String> + '_ {
    let number = term.strip_prefix('v').unwrap_or(term);
    let is_dotted = number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let dots = number.match_indices('.').map(|(at, _)| at);
    let ends = dots.skip(1).chain((number.len() < term.len() && number.contains('.')).then_some(number.len()));
    ends.filter(move |_| is_dotted).map(|end| number[..end].to_owned())
}

/// Selects the count of a field.
type Count = fn(&mut Occurrences) -> &mut u8;

impl InvertedIndex {
    /// Creates an index without chunks.
    pub fn new(synonyms: Synonyms) -> Self {
        Self { synonyms, ..Self::default() }
    }

    /// Sets the language of the chunks that are added next.
    pub fn set_language(&mut self, analyzer: &Analyzer) {
        if self.known.analyzer != *analyzer {
            self.synonyms = self.synonyms.by(analyzer);
            self.known = KnownTerms::by(analyzer.clone());
        }
    }

    /// Adds the words of the next chunk, whose number is `chunk`.
    pub fn add(&mut self, chunk: u32, fields: &ChunkFields<'_>) {
        let mut length = 0;
        let mut places = Vec::new();
        let analyzer = self.known.analyzer.clone();
        let known = &mut self.known;
        let mut tokens = |text| known.tokens(text, fields.is_code);
        for token in tokens(fields.body) {
            length = length.max(token.position + 1);
            if token.parts == 0 && !token.term.is_empty() {
                let (last, chunks) = self.words.entry(fold(&fields.body[token.range.clone()])).or_insert((chunk, 1));
                *chunks += u32::from(*last != chunk);
                *last = chunk;
            }
            let word = &fields.body[token.range];
            places.extend(other_forms(&analyzer, word, &token.term).into_iter().map(|form| (form, token.position)));
            places.push((token.term, token.position));
        }
        self.synonyms.extend(&mut places);
        let mut postings = by_term(places);
        let DocumentFields { title, path, names } = fields.document.unwrap_or_default();
        let counts: [(&str, Count); 3] = [
            (fields.headings, |found| &mut found.headings),
            (title, |found| &mut found.title),
            (path, |found| &mut found.path),
        ];
        for (text, count) in counts {
            let mut places = Vec::new();
            for token in tokens(text) {
                let forms = other_forms(&analyzer, &text[token.range], &token.term);
                places.extend(forms.into_iter().map(|form| (form, token.position)));
                places.push((token.term, token.position));
            }
            self.synonyms.extend(&mut places);
            for (term, _) in places {
                let count = count(&mut postings.entry(term).or_default().occurrences);
                *count = (*count + 1).min(MAX_IN_FIELD);
            }
        }
        for token in tokens(fields.written) {
            postings.entry(token.term).or_default().occurrences.written = true;
        }
        let counts: [Count; 2] = [|found| &mut found.title, |found| &mut found.path];
        for (names, count) in names.into_iter().zip(counts) {
            for name in names {
                *count(&mut postings.entry(name.clone()).or_default().occurrences) = 1;
            }
        }
        // A word that consists only of marks, such as a lone accent, has no letters left.
        postings.remove("");
        // Each term has its own list, so the order of terms does not matter.
        postings.into_iter().for_each(|(term, posting)| {
            self.terms.entry(term).or_default().push(&Posting { chunk, ..posting });
        });
        self.lengths.push(length);
    }

    /// Appends an index of the chunks that follow.
    pub fn append(&mut self, later: Self) {
        later.terms.into_iter().for_each(|(term, list)| match self.terms.entry(term) {
            Entry::Occupied(mut known) => known.get_mut().append(&list),
            Entry::Vacant(new) => drop(new.insert(list)),
        });
        later.words.into_iter().for_each(|(word, (last, chunks))| {
            let known = self.words.entry(word).or_insert((last, 0));
            *known = (last, known.1 + chunks);
        });
        self.lengths.extend(later.lengths);
    }

    /// Writes the parts.
    pub fn finish(self) -> LexicalParts {
        let mut dictionary = TermDictionaryWriter::default();
        let mut stream = Vec::new();
        let mut terms: Vec<(&String, &PostingList)> = self.terms.iter().collect();
        terms.sort_unstable_by_key(|(term, _)| *term);
        let (lengths, classes) = classes_of(&self.lengths);
        let tokens = self.lengths.iter().map(|&length| u64::from(length)).sum();
        let heads = Heads::new(self.lengths.len(), tokens, lengths);
        let cut: Vec<_> = terms.iter().map(|(_, list)| heads.cut(list.with_lengths(&classes))).collect();
        for ((term, _), (_, rest)) in terms.iter().zip(&cut) {
            if let Some(rest) = rest {
                dictionary.push(&rest_of(term), rest.chunks, &rest.bytes, 0);
            }
        }
        for ((term, list), (head, _)) in terms.into_iter().zip(&cut) {
            stream.extend_from_slice(&list.positions);
            dictionary.push(term, list.chunks, head, list.positions.len() as u32);
        }
        let mut positions = PartWriter::default();
        positions.push_stream(&stream, POSITIONS_BLOCK_BYTES);
        let (terms, separators) = dictionary.finish();
        let words = self.words.iter().map(|(word, &(_, chunks))| (word.as_str(), chunks));
        let (spelling, spelling_keys) = write_spelling(words);
        LexicalParts { terms, separators, positions, spelling, spelling_keys, tokens, lengths }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_the_forms_that_keyboards_have() {
        let forms = |word: &str| other_forms(&Analyzer::ENGLISH, word, &Analyzer::ENGLISH.term_of(word));
        for (word, form) in [
            ("oﬃce", "offic"),
            ("ＡＰＩ", "api"),
            ("１２３", "123"),
            ("Straße", "strass"),
            ("Ærø", "aero"),
            ("m²", "m2"),
        ] {
            assert_eq!(forms(word), [form], "{word}");
        }
        for word in ["office", "schöner", "настройки", "한글", "検索"] {
            assert!(forms(word).is_empty(), "{word}");
        }
    }

    #[test]
    fn marks_without_a_letter_are_no_terms() {
        let mut index = InvertedIndex::new(Synonyms::default());
        index.set_language(&Analyzer::ENGLISH);
        index.add(
            0,
            &ChunkFields {
                body: "The signs \u{64b} and \u{650} are marks.",
                headings: "\u{301}",
                written: "",
                document: None,
                is_code: false,
            },
        );
        assert!(index.terms.contains_key("sign") && !index.terms.contains_key(""), "{:?}", index.terms.keys());
        assert!(!index.words.contains_key(""));
    }

    #[test]
    fn numbers_with_dots_have_beginnings() {
        let beginnings = |term| dotted_beginnings(term).collect::<Vec<_>>();
        assert_eq!(beginnings("2.1.10"), ["2.1"]);
        assert_eq!(beginnings("192.168.0.1"), ["192.168", "192.168.0"]);
        assert_eq!(beginnings("v2.1.0"), ["2.1", "2.1.0"]);
        for term in ["2", "2.1", "v2", "a.b.c", "1.2.x", "vim.o.x", "1,000.5.5"] {
            assert!(beginnings(term).is_empty(), "{term}");
        }
    }
}
