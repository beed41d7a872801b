//! The rules for each language that has a stemmer: the Snowball stemmer, and stop words.

use crate::snowball::compile;
use nearfind_core::format::Language;

/// The language subtag, the source of the stemmer, and whether the language is written in letters other than Latin.
type Stemmer = (&'static str, &'static str, bool);

macro_rules! stemmers {
    ($($tag:literal $name:literal $is_beyond_latin:literal)*) => {
        &[$(($tag, include_str!(concat!("../stemmers/", $name, ".sbl")), $is_beyond_latin)),*]
    };
}

/// Ascending, for binary search. Serbian stems are in Latin letters, even if the word is in Cyrillic.
const STEMMERS: &[Stemmer] = stemmers! {
    "ar" "arabic" true
    "ca" "catalan" false
    "cs" "czech" false
    "da" "danish" false
    "de" "german" false
    "el" "greek" true
    "eo" "esperanto" false
    "es" "spanish" false
    "et" "estonian" false
    "eu" "basque" false
    "fa" "persian" true
    "fi" "finnish" false
    "fr" "french" false
    "ga" "irish" false
    "hi" "hindi" true
    "hu" "hungarian" false
    "hy" "armenian" true
    "id" "indonesian" false
    "it" "italian" false
    "lt" "lithuanian" false
    "ne" "nepali" true
    "nl" "dutch" false
    "no" "norwegian" false
    "pl" "polish" false
    "pt" "portuguese" false
    "ro" "romanian" false
    "ru" "russian" true
    "sr" "serbian" false
    "sv" "swedish" false
    "ta" "tamil" true
    "tr" "turkish" false
    "yi" "yiddish" true
};

/// Source of the English stemmer. Every reader of bundles contains its compiled program.
pub const ENGLISH: &str = include_str!("../stemmers/english.sbl");

/// Languages that join several words into one.
const COMPOUNDS: &[&str] = &["da", "de", "fi", "nl", "no", "sv"];

/// Subtags that are aliases of other subtags.
const SAME: &[(&str, &str)] = &[("nb", "no"), ("nn", "no")];

/// Returns the rules for the language of a BCP 47 tag. They contain no stemmer if the language is English or has no
/// stemmer.
///
/// ```
/// assert!(!nearfind_languages::rules("de-AT").stemmer.is_empty());
/// assert!(nearfind_languages::rules("ja").stemmer.is_empty());
/// ```
pub fn rules(tag: &str) -> Language {
    let tag = language_with_rules(tag);
    let stemmer = STEMMERS.binary_search_by_key(&tag.as_str(), |stemmer| stemmer.0);
    let Ok(at) = stemmer else { return Language { tag, ..Language::default() } };
    let (_, source, is_beyond_latin) = STEMMERS[at];
    let mut stop_words: Vec<String> =
        stop_words::lookup(&tag).unwrap_or_default().iter().map(|word| word.to_lowercase()).collect();
    stop_words.sort_unstable();
    stop_words.dedup();
    let stop_words = stop_words.join(" ");
    // A test compiles every stemmer.
    let (stemmer, has_compounds) = (compile(source).unwrap_or_default(), COMPOUNDS.contains(&tag.as_str()));
    Language { tag, stemmer, stop_words, is_beyond_latin, has_compounds }
}

/// Returns the subtag that lists the rules for a BCP 47 tag. Both subtags of Norwegian share one set of rules.
pub fn language_with_rules(tag: &str) -> String {
    let subtag = first_subtag(tag);
    let same = SAME.iter().find(|(other, _)| *other == subtag);
    same.map_or(subtag, |(_, known)| (*known).to_owned())
}

/// Returns the language subtag of a BCP 47 tag, in lower case.
pub fn first_subtag(tag: &str) -> String {
    tag.split(['-', '_']).next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearfind_core::analysis::snowball::stem;

    #[test]
    fn stemmers_are_in_order_and_all_compile() {
        assert!(STEMMERS.is_sorted_by(|a, b| a.0 < b.0));
        for (tag, source, _) in STEMMERS {
            let program = compile(source).unwrap_or_else(|error| panic!("{tag}: {error}"));
            assert!(!program.is_empty());
            assert!(!rules(tag).stop_words.is_empty() || matches!(*tag, "sr" | "yi"), "{tag}");
        }
    }

    #[test]
    fn readers_have_the_stemmer_of_english() {
        let program = compile(ENGLISH).unwrap();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../core/src/analysis/english.stem");
        assert!(program == std::fs::read(path).unwrap(), "core/src/analysis/english.stem is not what english.sbl says");
    }

    #[test]
    fn regions_and_other_names_have_the_rules_of_their_language() {
        assert_eq!(stem(&rules("de-CH").stemmer, "häuser"), "haus");
        assert_eq!(rules("nb"), rules("no"));
        assert_eq!(rules("pt_BR").tag, "pt");
    }
}
