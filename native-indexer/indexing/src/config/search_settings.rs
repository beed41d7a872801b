//! How the owner wants a site to be searched: synonyms, pinned pages, and rules for pages by path.

use super::Config;
use crate::source::{PathRule, SourceSpec};
use anyhow::{Context as _, Result, bail, ensure};
use nearfind_core::analysis::pin_key;
use nearfind_core::bundle::BundleDocument;
use nearfind_core::format::root::Pin;
use schemars::JsonSchema;
use serde::Deserialize;

/// Synonyms, pins and rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchSettings {
    /// Words with the same meaning.
    pub synonyms: Vec<SynonymGroup>,
    /// Pages that come first for certain questions.
    pub pins: Vec<PinnedPages>,
    /// Rules for pages by path: a weight, a kind, or exclusion from the index.
    pub rules: Vec<PathRule>,
}

/// A `[[synonyms]]` table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SynonymGroup {
    /// Words or phrases. A search for one of them finds the others too.
    pub words: Vec<String>,
}

/// A `[[pin]]` table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinnedPages {
    /// Questions. Word order, word endings and stop words do not matter.
    pub queries: Vec<String>,
    /// Pages, by id, by path, or by the end of a path that no other page shares.
    pub pages: Vec<String>,
}

impl SearchSettings {
    /// Returns the settings in `config`, or an error if they are invalid.
    pub(super) fn of(config: &Config) -> Result<Self> {
        for group in &config.synonyms {
            ensure!(group.words.len() > 1, "synonyms {:?}: list at least two words", group.words);
        }
        for pin in &config.pins {
            for query in &pin.queries {
                ensure!(!pin_key(query).is_empty(), "pin {query:?}: it contains no word");
            }
        }
        for rule in &config.rules {
            rule.check().context("[[rule]]")?;
        }
        Ok(Self { synonyms: config.synonyms.clone(), pins: config.pins.clone(), rules: config.rules.clone() })
    }

    /// Gives each source the rules that apply to it.
    pub fn apply_rules(&self, sources: &mut [SourceSpec]) {
        for source in sources {
            let is_for = |rule: &&PathRule| rule.project.as_ref().is_none_or(|project| *project == source.name);
            source.rules = self.rules.iter().filter(is_for).cloned().collect();
        }
    }

    /// Returns the words of each group of synonyms.
    pub fn synonym_groups(&self) -> Vec<Vec<String>> {
        self.synonyms.iter().map(|group| group.words.clone()).collect()
    }

    /// Returns the pins, with pages as numbers in `documents`. Returns an error if a page is missing or not the only
    /// one of that name.
    pub fn pins(&self, documents: &[BundleDocument]) -> Result<Vec<Pin>> {
        let mut pins = Vec::new();
        for pin in &self.pins {
            let pages: Vec<u32> = pin.pages.iter().map(|page| find_page(documents, page)).collect::<Result<_>>()?;
            pins.extend(pin.queries.iter().map(|query| Pin { key: pin_key(query), documents: pages.clone() }));
        }
        Ok(pins)
    }
}

fn find_page(documents: &[BundleDocument], page: &str) -> Result<u32> {
    let ends = |id: &str| id == page || id.strip_suffix(page).is_some_and(|before| before.ends_with('/'));
    let whole = |document: &BundleDocument| document.record.id == page || document.record.path == page;
    let is_alias = |document: &BundleDocument| document.record.aliases.iter().any(|alias| alias == page);
    let found = |wanted: &dyn Fn(&BundleDocument) -> bool| -> Vec<u32> {
        (0..).zip(documents).filter(|(_, document)| wanted(document)).map(|(number, _)| number).collect()
    };
    let mut numbers = found(&whole);
    if numbers.is_empty() {
        numbers = found(&|document| ends(&document.record.id));
    }
    if numbers.is_empty() {
        numbers = found(&is_alias);
    }
    match numbers[..] {
        [number] => Ok(number),
        [] => bail!("pinned page {page:?}: there is no such page; write its path"),
        [first, second, ..] => {
            let id = |number: u32| &documents[number as usize].record.id;
            bail!("pinned page {page:?}: it could be {} or {}; write more of its path", id(first), id(second))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearfind_core::records::DocumentRecord;

    fn documents() -> Vec<BundleDocument> {
        let named = |id: &str| BundleDocument {
            record: DocumentRecord { id: id.into(), ..DocumentRecord::default() },
            ..BundleDocument::default()
        };
        ["a/install.md", "b/install.md", "b/use.md"].map(named).to_vec()
    }

    #[test]
    fn pins_name_pages_by_an_end_of_their_path() {
        let config: Config =
            toml::from_str("[[pin]]\nqueries = [\"how to start\"]\npages = [\"use.md\", \"a/install.md\"]\n").unwrap();
        let pins = SearchSettings::of(&config).unwrap().pins(&documents()).unwrap();
        assert_eq!(pins, [Pin { key: "start".into(), documents: vec![2, 0] }]);
    }

    #[test]
    fn mistakes_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            let path = folder.path().join("nearfind.toml");
            std::fs::write(&path, text).unwrap();
            format!("{:#}", Config::read(&path, true).unwrap_err())
        };
        assert!(read("[[pins]]\n").contains("unknown field `pins`"), "{}", read("[[pins]]\n"));
        assert!(
            read("\n[[synonyms]]\nword = [\"a\"]\n").contains("line 3"),
            "{}",
            read("\n[[synonyms]]\nword = [\"a\"]\n")
        );
        assert!(read("[[synonyms]]\nwords = [\"a\"]\n").contains("at least two"));
        assert!(read("[[pin]]\nqueries = [\"?\"]\npages = []\n").contains("no word"));
        let pinned = |page: &str| SearchSettings {
            pins: vec![PinnedPages { queries: vec!["x".into()], pages: vec![page.into()] }],
            ..SearchSettings::default()
        };
        let refused = |page: &str| pinned(page).pins(&documents()).unwrap_err().to_string();
        assert!(refused("install.md").contains("write more of its path"), "{}", refused("install.md"));
        assert!(refused("none.md").contains("there is no such page"));
    }
}
