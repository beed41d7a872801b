//! The filters that a reader can choose, and how many documents each would leave.

use crate::format::FormatError;
use crate::reader::BundleReader;
use crate::records::ChunkMap;
use crate::search::query::query_settings::PROJECT;
use crate::search::query::scope::Scope;
use serde::Serialize;

/// A property of documents, with its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FilterCounts {
    /// The name of a [`Filter`](crate::search::Filter): [`PROJECT`] or a facet of the bundle.
    pub name: String,
    /// The values, in the bundle's order.
    pub values: Vec<ValueCount>,
}

/// A value of a property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueCount {
    /// The value, as used in a filter.
    pub value: String,
    /// The number of documents that have the value.
    pub documents: u32,
}

/// Returns all filters of the bundles with the number of documents for each value. The maps must be loaded.
///
/// ```
/// use nearfind_core::reader::BundleReader;
/// use nearfind_core::search::filter_counts;
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/small_bundle.rs")); }
/// # use example::*;
///
/// let bundle = small_bundle();
/// let mut reader = open(&bundle);
/// bring(&bundle, &mut reader, [BundleReader::MAP]);
/// let filters = filter_counts(&[&reader])?;
/// assert_eq!(filters[0].name, "project");
/// assert_eq!((filters[0].values[0].value.as_str(), filters[0].values[0].documents), ("docs", 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn filter_counts(readers: &[&BundleReader]) -> Result<Vec<FilterCounts>, FormatError> {
    let mut counts = Vec::new();
    for reader in readers {
        add(&mut counts, &counted(reader, reader.map()?, |_, _| true));
    }
    Ok(counts)
}

/// The scopes that documents are counted in for one answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountedScopes {
    /// The scope of the answer.
    pub scope: Scope,
    /// For each filter of the query that has counts, the scope without that filter, because a reader may choose a
    /// different value of the property instead.
    pub without: Vec<(String, Scope)>,
}

impl CountedScopes {
    /// Counts the documents where `matches` is true, by the value of each property.
    pub(crate) fn count(&self, reader: &BundleReader, map: &ChunkMap, matches: &[bool]) -> Vec<FilterCounts> {
        counted(reader, map, |name, document| {
            let without = self.without.iter().find(|(filter, _)| filter == name);
            matches.get(document as usize) == Some(&true)
                && without.map_or(&self.scope, |(_, scope)| scope).admits(document)
        })
    }
}

/// Adds the counts of another bundle.
pub(crate) fn add(sums: &mut Vec<FilterCounts>, more: &[FilterCounts]) {
    for filter in more {
        let Some(sum) = sums.iter_mut().find(|sum| sum.name == filter.name) else {
            sums.push(filter.clone());
            continue;
        };
        for value in &filter.values {
            match sum.values.iter_mut().find(|known| known.value == value.value) {
                Some(known) => known.documents = known.documents.saturating_add(value.documents),
                None => sum.values.push(value.clone()),
            }
        }
    }
}

/// Counts the documents where `counts` is true, given the name of a property and the document.
fn counted(reader: &BundleReader, map: &ChunkMap, counts: impl Fn(&str, u32) -> bool) -> Vec<FilterCounts> {
    let root = reader.root();
    let mut all = Vec::with_capacity(root.facets.len() + 1);
    let mut first = 0;
    let of_project = |project: &crate::format::root::ProjectSummary| {
        let documents = first..first + project.documents;
        first = documents.end;
        let documents = documents.filter(|&document| counts(PROJECT, document)).count() as u32;
        ValueCount { value: project.name.clone(), documents }
    };
    all.push(FilterCounts { name: PROJECT.to_owned(), values: root.projects.iter().map(of_project).collect() });
    for (number, facet) in root.facets.iter().enumerate() {
        let named = |value: &String| ValueCount { value: value.clone(), documents: 0 };
        let mut values: Vec<ValueCount> = facet.values.iter().map(named).collect();
        for document in (0..root.documents).filter(|&document| counts(&facet.name, document)) {
            for &value in map.facet_of(number, document) {
                if let Some(value) = values.get_mut(value as usize) {
                    value.documents += 1;
                }
            }
        }
        all.push(FilterCounts { name: facet.name.clone(), values });
    }
    all
}
