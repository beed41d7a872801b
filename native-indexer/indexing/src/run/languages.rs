//! Which languages documents are in, where there are several.

use nearfind_core::bundle::BundleDocument;
use nearfind_core::search::LANGUAGE;
use std::collections::{BTreeMap, BTreeSet};

/// Marks the language of each document; `languages` are their tags in lower case, empty where none is given. Regions tell
/// apart what is written for several of them: `en-us` beside `en` is the same to a reader, `pt-br` beside `pt-pt` is not.
pub(super) fn mark_languages(documents: &mut [BundleDocument], languages: &[String]) {
    let mut tags: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for tag in languages.iter().filter(|tag| !tag.is_empty()) {
        tags.entry(first_subtag(tag)).or_default().insert(tag);
    }
    let name = |tag: &str| {
        let language = first_subtag(tag);
        let same = &tags[language];
        let is_region = same.len() > 1 && !same.contains(language);
        if is_region { tag.to_owned() } else { language.to_owned() }
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

fn first_subtag(tag: &str) -> &str {
    tag.split('-').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(languages: &[&str]) -> Vec<String> {
        let mut documents = vec![BundleDocument::default(); languages.len()];
        mark_languages(&mut documents, &languages.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>());
        let of = |document: &BundleDocument| {
            document.facets.get(LANGUAGE).and_then(|values| values.first().cloned()).unwrap_or_default()
        };
        documents.iter().map(of).collect()
    }

    #[test]
    fn one_language_is_none_to_choose_from() {
        assert_eq!(marked(&["en", "en-us", ""]), ["", "", ""]);
    }

    #[test]
    fn regions_count_where_there_are_several() {
        assert_eq!(marked(&["en", "en-us", "fr-fr", ""]), ["en", "en", "fr", ""]);
        assert_eq!(marked(&["zh-hans", "zh-hant", "en"]), ["zh-hans", "zh-hant", "en"]);
    }
}
