//! The rules for the words of a language. A bundle contains the rules of its documents' languages.

use super::FormatError;
use super::bytes::Cursor;
use std::sync::Arc;

const NAME: &str = "languages";
const BEYOND_LATIN: u8 = 1;
const COMPOUNDS: u8 = 2;

/// The rules that turn the words of a language into terms. Without a stemmer, the English rules apply.
///
/// ```
/// use nearfind_core::analysis::Analyzer;
/// use nearfind_core::format::Language;
/// use std::sync::Arc;
///
/// // The crate `nearfind-languages` has the stemmers. Without one, words are stemmed as in English.
/// let german = Arc::new(Language { tag: "de".into(), stop_words: "der die das".into(), ..Language::default() });
/// let stored = Language::write_all(&[Arc::clone(&german)]);
/// assert_eq!(Language::read_all(&stored)?, [german]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Language {
    /// The language's BCP 47 tag, in lower case.
    pub tag: String,
    /// The program that stems the language's words: see [`crate::analysis::snowball`].
    pub stemmer: Vec<u8>,
    /// Words that are too frequent to help ranking, in lower case, separated by spaces.
    pub stop_words: String,
    /// Whether the language is written in a script other than Latin, so that words in Latin letters are treated as
    /// English.
    pub is_beyond_latin: bool,
    /// Whether the language writes several words as one, which can then be split.
    pub has_compounds: bool,
}

impl Language {
    /// Reads the languages that are stored in [`Root::languages`](super::Root::languages).
    pub fn read_all(stored: &[u8]) -> Result<Vec<Arc<Self>>, FormatError> {
        let mut cursor = Cursor::new(NAME, stored);
        let mut languages = Vec::new();
        while cursor.remaining() > 0 {
            let mut language = Self::default();
            cursor.string_into(&mut language.tag, "tag of a language")?;
            let kind = cursor.u8("kind of a language")?;
            (language.is_beyond_latin, language.has_compounds) = (kind & BEYOND_LATIN != 0, kind & COMPOUNDS != 0);
            language.stemmer = cursor.bytes("stemmer")?.to_vec();
            cursor.string_into(&mut language.stop_words, "stop words")?;
            languages.push(Arc::new(language));
        }
        Ok(languages)
    }

    /// Returns `languages` in the form that [`Language::read_all`] reads.
    #[cfg(feature = "write")]
    pub fn write_all(languages: &[Arc<Self>]) -> Vec<u8> {
        use super::bytes::{put_string, put_varint};
        let mut out = Vec::new();
        for language in languages {
            put_string(&mut out, &language.tag);
            out.push(
                (u8::from(language.is_beyond_latin) * BEYOND_LATIN) | (u8::from(language.has_compounds) * COMPOUNDS),
            );
            put_varint(&mut out, language.stemmer.len() as u64);
            out.extend(&language.stemmer);
            put_string(&mut out, &language.stop_words);
        }
        out
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn languages_are_read_as_they_were_written(
            tags in prop::collection::vec("[a-z]{2}", 0..4), stemmer: Vec<u8>, stop_words in "[a-zа-я ]{0,40}", kind in 0u8..4,
        ) {
            let language = |tag: &String| Arc::new(Language {
                tag: tag.clone(),
                stemmer: stemmer.clone(),
                stop_words: stop_words.clone(),
                is_beyond_latin: kind & BEYOND_LATIN != 0,
                has_compounds: kind & COMPOUNDS != 0,
            });
            let languages: Vec<_> = tags.iter().map(language).collect();
            let stored = Language::write_all(&languages);
            prop_assert_eq!(Language::read_all(&stored).unwrap(), languages);
            // The data ends inside an entry.
            prop_assert!(stored.is_empty() || Language::read_all(&stored[..stored.len() - 1]).is_err());
        }
    }
}
