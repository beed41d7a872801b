//! The languages of documents, as declared or as detected in their text, and the word rules for each language.

use super::formats::is_commit;
use nearfind_core::bundle::BundleDocument;
use nearfind_core::format::Language;
use nearfind_core::search::LANGUAGE;
use nearfind_languages::{detect_language, first_subtag, language_with_rules, rules};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A detected language counts if at least one in this many documents has it. Rarer languages are likely mistakes.
const ONE_IN: usize = 20;
/// The language that generators declare if the author has not chosen one.
const DEFAULT: &str = "en";

/// Sets the language of each document. Returns the word rules for these languages, the most frequent language first, or
/// none if no language except English has rules. `declared` contains the documents' language tags in lower case. A tag
/// is empty if a document declares none.
pub(super) fn mark_languages(documents: &mut [BundleDocument], declared: &[String]) -> Vec<Arc<Language>> {
    let seen: Vec<Option<&str>> =
        documents.par_iter().zip(declared).map(|(document, tag)| seen(document, tag)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for subtag in seen.iter().flatten() {
        *counts.entry(subtag).or_default() += 1;
    }
    let text_documents = documents.iter().filter(|document| is_text(document)).count();
    let is_often = |subtag: &str| counts.get(subtag).is_some_and(|count| count * ONE_IN >= text_documents);
    let tags: Vec<String> = seen
        .iter()
        .zip(declared)
        .map(|(seen, tag)| match seen {
            Some(subtag) if first_subtag(tag) != **subtag && is_often(subtag) => (*subtag).to_owned(),
            _ => tag.clone(),
        })
        .collect();
    mark_facet(documents, &tags);
    rules_of(documents, &tags)
}

/// Whether the document is a text for people. The language of names and lines of code cannot be detected.
fn is_text(document: &BundleDocument) -> bool {
    document.code.is_none() && !is_commit(document)
}

/// Returns the language detected in the text of a document. Returns `None` for code and commits, and if the document
/// declares a language other than English in the same kind of script.
fn seen(document: &BundleDocument, tag: &str) -> Option<&'static str> {
    let is_told = !tag.is_empty() && first_subtag(tag) != DEFAULT;
    if is_text(document) {
        detect_language(&document.text).filter(|seen| !is_told || is_other_script(tag, seen))
    } else {
        None
    }
}

/// Whether one of the two languages is written in Latin letters and the other is not. In that case, the text cannot be
/// in the language that it declares.
fn is_other_script(tag: &str, seen: &str) -> bool {
    let is_beyond_latin = |subtag: &str| {
        matches!(
            subtag,
            "ar" | "el" | "fa" | "he" | "hi" | "hy" | "ja" | "ko" | "ne" | "ru" | "ta" | "th" | "uk" | "yi" | "zh"
        )
    };
    is_beyond_latin(&first_subtag(tag)) != is_beyond_latin(seen)
}

fn rules_of(documents: &mut [BundleDocument], tags: &[String]) -> Vec<Arc<Language>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (document, tag) in documents.iter_mut().zip(tags) {
        document.language = if document.code.is_some() { DEFAULT.to_owned() } else { language_with_rules(tag) };
        if document.code.is_none() && !tag.is_empty() {
            *counts.entry(document.language.clone()).or_default() += 1;
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let languages: Vec<_> = counts.into_iter().map(|(subtag, _)| Arc::new(rules(&subtag))).collect();
    if languages.iter().all(|language| language.stemmer.is_empty()) { Vec::new() } else { languages }
}

/// Adds the language of each document as a facet, if there are several languages. The facet includes the region if
/// there are several regions and no document declares the language without a region: readers of `en-us` and `en` need
/// no choice, but readers of `pt-br` and `pt-pt` do.
fn mark_facet(documents: &mut [BundleDocument], languages: &[String]) {
    let mut tags: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for tag in languages.iter().filter(|tag| !tag.is_empty()) {
        tags.entry(first_subtag(tag)).or_default().insert(tag);
    }
    let name = |tag: &str| {
        let language = first_subtag(tag);
        let same = &tags[&language];
        let is_region = same.len() > 1 && !same.contains(language.as_str());
        if is_region { tag.to_owned() } else { language }
    };
    let names: Vec<Option<String>> =
        languages.iter().map(|tag| if tag.is_empty() { None } else { Some(name(tag)) }).collect();
    if names.iter().flatten().collect::<BTreeSet<_>>().len() < 2 {
        return;
    }
    for (document, name) in documents.iter_mut().zip(names) {
        document.facets.extend(name.map(|name| (LANGUAGE.to_owned(), BTreeSet::from([name]))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GERMAN: &str =
        "Installieren Sie zuerst das Programm und öffnen Sie danach die Einstellungen, um die Sprache zu wählen.";
    const ENGLISH: &str =
        "First install the program, and then open the settings to choose the language that you want to read.";
    const RUSSIAN: &str =
        "Сначала установите программу, а затем откройте настройки, чтобы выбрать язык, на котором вы хотите читать.";

    fn documents(texts: &[&str]) -> Vec<BundleDocument> {
        texts.iter().map(|text| BundleDocument { text: (*text).to_owned(), ..BundleDocument::default() }).collect()
    }

    fn facets(documents: &[BundleDocument]) -> Vec<String> {
        let of = |document: &BundleDocument| {
            document.facets.get(LANGUAGE).and_then(|values| values.first().cloned()).unwrap_or_default()
        };
        documents.iter().map(of).collect()
    }

    fn marked(texts: &[&str], tags: &[&str]) -> (Vec<String>, Vec<String>) {
        let mut documents = documents(texts);
        let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let rules = mark_languages(&mut documents, &tags);
        (facets(&documents), rules.iter().map(|language| language.tag.clone()).collect())
    }

    #[test]
    fn one_language_is_none_to_choose_from() {
        assert_eq!(marked(&[""; 3], &["en", "en-us", ""]), (vec![String::new(); 3], Vec::new()));
    }

    #[test]
    fn regions_count_where_there_are_several() {
        assert_eq!(marked(&[""; 4], &["en", "en-us", "fr-fr", ""]).0, ["en", "en", "fr", ""]);
        assert_eq!(marked(&[""; 3], &["zh-hans", "zh-hant", "en"]).0, ["zh-hans", "zh-hant", "en"]);
    }

    #[test]
    fn texts_that_say_nothing_or_what_generators_say_are_looked_at() {
        assert_eq!(
            marked(&[GERMAN, GERMAN, ENGLISH], &["", "en", "en"]),
            (vec!["de".into(), "de".into(), "en".into()], vec!["de".into(), "en".into()])
        );
        // A text that is too short does not show its language.
        assert_eq!(marked(&["Docker", GERMAN], &["", ""]), (vec![String::new(); 2], vec!["de".into()]));
    }

    #[test]
    fn what_a_text_says_counts_unless_its_letters_say_otherwise() {
        assert_eq!(marked(&[GERMAN], &["nl"]).1, ["nl"]);
        assert_eq!(marked(&[RUSSIAN], &["fr"]).1, ["ru"]);
    }

    #[test]
    fn a_language_of_one_page_among_many_is_left_out_unless_the_page_says_it() {
        let mut texts = vec![ENGLISH; 40];
        texts.push(GERMAN);
        assert_eq!(marked(&texts, &[""; 41]).1, Vec::<String>::new());
        let mut tags = vec!["en"; 40];
        tags.push("de");
        assert_eq!(marked(&texts, &tags).1, ["en", "de"]);
    }
}
