//! Looks up names that source code defines in a bundle.

use crate::library::open::open_bundle::OpenBundle;
use anyhow::Result;
use nearfind_core::reader::BundleReader;
use nearfind_core::search::CLASS;
use nearfind_core::symbols::{DefinitionPlace, NameEntry, Symbols, definitions_of, has_definitions, look_up_symbol};
use std::ops::Range;

/// The class of code without a special purpose.
pub(super) const SOURCE: &str = "source";
/// Classes of pieces that occur in files of any class.
const PARTS: [&str; 2] = ["preamble", "reexport"];

impl OpenBundle {
    /// Returns the definitions of documents in a range.
    pub(crate) fn definitions(&self, documents: Range<u32>) -> Result<Vec<DefinitionPlace>> {
        self.ask(|reader| definitions_of(reader, documents.clone()))
    }

    /// Whether the bundle contains any definition. A bundle that was made without grammars has none.
    pub fn has_definitions(&self) -> Result<bool> {
        self.ask(has_definitions)
    }

    /// Returns the most frequent spelling of `word` where source code defines it.
    pub(crate) fn name_in_case(&self, word: &str) -> Option<String> {
        if !self.reader().root().has_code() {
            return None;
        }
        // If the names cannot be read, the question is asked as it is.
        let variants = self.name(word).ok()??.variants;
        let defined = variants.into_iter().filter(|variant| !variant.definitions.is_empty());
        defined.max_by_key(|variant| (variant.definitions.len(), variant.name.clone())).map(|variant| variant.name)
    }

    pub(crate) fn name(&self, name: &str) -> Result<Option<NameEntry>> {
        self.ask(|reader| look_up_symbol(reader, name))
    }

    pub(crate) fn ask<T>(
        &self,
        ask: impl Fn(&BundleReader) -> Result<Symbols<T>, nearfind_core::format::FormatError>,
    ) -> Result<T> {
        self.bring_map()?;
        loop {
            let answer = ask(&self.reader())?;
            match answer {
                Symbols::Found(found) => return Ok(found),
                Symbols::Need(blocks) => self.bring(blocks)?,
            }
        }
    }

    /// Returns the purpose of a file, whatever its first lines are.
    pub(crate) fn class_of_file(&self, documents: Range<u32>) -> Result<String> {
        for document in documents {
            let class = self.class_of(document)?;
            if !class.is_empty() && !PARTS.contains(&class.as_str()) {
                return Ok(class);
            }
        }
        Ok(SOURCE.to_owned())
    }

    pub(crate) fn class_of(&self, document: u32) -> Result<String> {
        Ok(self.reader().facet_of(CLASS, document)?.unwrap_or_default().to_owned())
    }
}

/// Splits a name at the signs that join names in programming languages: the scope, and the name itself.
pub(crate) fn parts(name: &str) -> Vec<String> {
    if let Some(at) = place_of_operator(name) {
        return parts(&name[..at]).into_iter().chain([name[at..].trim_end().to_owned()]).collect();
    }
    let name = name.trim().trim_end_matches("()").trim_start_matches(['#', '@', '&', '*']);
    let name = name.split(['(', '<', ' ']).find(|part| !part.is_empty()).unwrap_or_default();
    name.replace("::", ".")
        .replace("->", ".")
        .split(['.', '#', '/', '\\', ':'])
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns where the name of an operator begins. Signs or a type follow it: `operator()`, `Order::operator bool`.
fn place_of_operator(name: &str) -> Option<usize> {
    let at = name.find("operator")?;
    let signs = &name[at + "operator".len()..];
    let is_whole = !name[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_operator = signs.starts_with("()")
        || signs.starts_with(|c: char| !c.is_alphanumeric() && !"_.:/\\#(".contains(c)) && !signs.trim().is_empty();
    (is_whole && is_operator).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_as_languages_join_them() {
        for name in ["Session.send", "Session::send", "Session#send()", "Session->send(a, b)", " Session.send() "] {
            assert_eq!(parts(name), ["Session", "send"], "{name}");
        }
        assert_eq!(parts("std::vec::Vec<T>"), ["std", "vec", "Vec"]);
        assert_eq!(parts("Order::operator bool"), ["Order", "operator bool"]);
        assert_eq!(parts("operator()"), ["operator()"]);
        assert_eq!(parts("operator.itemgetter"), ["operator", "itemgetter"]);
        assert_eq!(parts("fn"), ["fn"]);
        assert!(parts(" ()").is_empty());
    }
}
