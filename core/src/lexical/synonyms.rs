//! Words with the same meaning, defined by the site owner. If a text contains one of them, the others are indexed as
//! well, so that queries cost nothing extra.

use crate::analysis::Analyzer;
use std::collections::BTreeMap;

/// Groups of words or phrases with the same meaning.
///
/// ```
/// use nearfind_core::analysis::Analyzer;
/// use nearfind_core::format::Part;
/// use nearfind_core::format::blocks::BlockId;
/// use nearfind_core::lexical::{ChunkFields, InvertedIndex, Synonyms, term_dictionary};
///
/// let mut index = InvertedIndex::new(Synonyms::new(&[vec!["k8s".into(), "kubernetes".into()]]));
/// index.set_language(&Analyzer::ENGLISH);
/// let fields = ChunkFields { body: "Deploy to k8s.", headings: "", written: "", document: None, is_code: false };
/// index.add(0, &fields);
///
/// // The chunk is found by the other word too.
/// let terms = index.finish().terms.finish(Part::Terms, 0).decode(BlockId { part: Part::Terms, block: 0 })?;
/// assert!(term_dictionary::find(&terms, "kubernet")?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Synonyms {
    /// For each first term of a member, the number of the group and the member's number in the group.
    first: BTreeMap<String, Vec<(usize, usize)>>,
    /// The terms of each member of each group.
    groups: Vec<Vec<Vec<String>>>,
    /// The groups as they were defined.
    written: Vec<Vec<String>>,
}

impl Synonyms {
    /// Creates synonyms from `groups` of words or phrases in English.
    pub fn new(groups: &[Vec<String>]) -> Self {
        Self::analyzed(groups, &Analyzer::ENGLISH)
    }

    /// Returns the same groups in a different language.
    pub(super) fn by(&self, analyzer: &Analyzer) -> Self {
        Self::analyzed(&self.written, analyzer)
    }

    fn analyzed(groups: &[Vec<String>], analyzer: &Analyzer) -> Self {
        let written = groups.to_vec();
        let terms = |member: &String| -> Vec<String> {
            analyzer.tokens(member).into_iter().filter(|token| token.parts == 0).map(|token| token.term).collect()
        };
        let groups: Vec<Vec<Vec<String>>> = groups.iter().map(|group| group.iter().map(terms).collect()).collect();
        let mut first: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        for (group, members) in groups.iter().enumerate() {
            for (member, terms) in members.iter().enumerate() {
                if let Some(term) = terms.first() {
                    first.entry(term.clone()).or_default().push((group, member));
                }
            }
        }
        Self { first, groups, written }
    }

    /// Adds the synonyms of the terms and phrases in `found` to it, at the same positions. The positions in `found`
    /// must be ascending.
    pub(super) fn extend(&self, found: &mut Vec<(String, u32)>) {
        if self.groups.is_empty() {
            return;
        }
        let mut added = Vec::new();
        for (at, (term, start)) in found.iter().enumerate() {
            for &(group, member) in self.first.get(term).into_iter().flatten() {
                let behind = &found[at..];
                let stands = |(distance, term): (u32, &String)| {
                    let near = behind.iter().take_while(|(_, position)| *position <= start + distance);
                    near.clone().any(|(other, position)| other == term && *position == start + distance)
                };
                let members = &self.groups[group];
                if !(0..).zip(&members[member]).all(stands) {
                    continue;
                }
                for terms in members.iter().enumerate().filter(|(other, _)| *other != member).map(|(_, terms)| terms) {
                    added.extend((0..).zip(terms).map(|(distance, term): (u32, _)| (term.clone(), start + distance)));
                }
            }
        }
        if !added.is_empty() {
            found.append(&mut added);
            found.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
            found.dedup();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_member_stands_for_the_others() {
        let group = ["ci", "continuous integration"].map(str::to_owned).to_vec();
        let synonyms = Synonyms::new(&[group]);
        let extended = |words: &[&str]| {
            let mut found: Vec<_> = words.iter().zip(0..).map(|(word, at)| ((*word).to_owned(), at)).collect();
            synonyms.extend(&mut found);
            found.into_iter().map(|(word, at)| format!("{word}@{at}")).collect::<Vec<_>>()
        };
        assert_eq!(extended(&["run", "ci", "now"]), ["run@0", "ci@1", "continu@1", "integr@2", "now@2"]);
        assert_eq!(extended(&["continu", "integr"]), ["ci@0", "continu@0", "integr@1"]);
        assert_eq!(extended(&["continu", "other", "integr"]), ["continu@0", "other@1", "integr@2"]);
    }
}
