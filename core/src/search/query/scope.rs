//! The documents that may answer the query: they pass the filters, contain the phrases and lack the exclusions.

use super::query_settings::{
    AREA, CATALOG_FILTERS, Filter, LANGUAGE, PATH, PATH_REGEX, PROJECT, Query, QueryError, SINCE, SUB_AREA, UNTIL,
};
use crate::analysis::is_same_language;
use crate::format::FormatError;
use crate::format::root::Root;
use crate::reader::BundleReader;
use crate::records::{CatalogEntry, ChunkMap, Date};

/// The documents that may answer the query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Whether each document may answer the query, or `None` if all may.
    admitted: Option<Vec<bool>>,
}

impl Scope {
    /// The scope with every document.
    pub(crate) const EVERYTHING: Self = Self { admitted: None };

    /// Whether `document` may answer the query.
    pub(crate) fn admits(&self, document: u32) -> bool {
        self.admitted.as_ref().is_none_or(|admitted| admitted.get(document as usize).copied().unwrap_or(false))
    }

    /// Whether every document may answer the query.
    pub(crate) const fn is_everything(&self) -> bool {
        self.admitted.is_none()
    }

    /// Returns how many of `documents` documents may answer the query.
    pub(crate) fn len(&self, documents: u32) -> usize {
        (0..documents).filter(|&document| self.admits(document)).count()
    }

    /// Keeps the documents where `keep` returns true.
    pub(crate) fn narrow(&mut self, documents: u32, keep: impl Fn(u32) -> bool) {
        self.admitted = Some((0..documents).map(|document| self.admits(document) && keep(document)).collect());
    }

    /// Returns the documents that pass the filters of `query` except `except`. [`check`] must have accepted the
    /// filters, and the catalog must be loaded if they need it.
    pub(crate) fn of_filters(
        reader: &BundleReader,
        map: &ChunkMap,
        query: &Query,
        except: Option<&str>,
    ) -> Result<Self, FormatError> {
        let root = reader.root();
        let mut scope = Self::default();
        for filter in query.filters.iter().filter(|filter| except != Some(&filter.name)) {
            if is_by_catalog(filter) {
                let catalog = reader.catalog()?;
                let passes = |entry: &CatalogEntry| {
                    if filter.name == PATH_REGEX {
                        return query.path_pattern.as_ref().is_some_and(|pattern| pattern.is_match(&entry.path));
                    }
                    filter.values.iter().any(|value| passes(entry, &filter.name, value))
                };
                scope.narrow(root.documents, |document| catalog.entry(document).is_some_and(passes));
                continue;
            }
            if filter.name == PROJECT {
                let mut first = 0;
                let mut kept = Vec::new();
                for project in &root.projects {
                    let end = first + project.documents;
                    if filter.values.contains(&project.name) {
                        kept.push(first..end);
                    }
                    first = end;
                }
                scope.narrow(root.documents, |document| kept.iter().any(|range| range.contains(&document)));
            } else if let Some(facet) = root.facets.iter().position(|facet| facet.name == filter.name) {
                let values = &root.facets[facet].values;
                let is_wanted =
                    |value: &u32| values.get(*value as usize).is_some_and(|value| filter.values.contains(value));
                scope.narrow(root.documents, |document| map.facet_of(facet, document).iter().any(is_wanted));
            }
        }
        if let Some((facet, wanted)) = preferred_language(root, query).filter(|_| except != Some(LANGUAGE)) {
            scope.narrow(root.documents, |document| {
                let values = map.facet_of(facet, document);
                values.is_empty() || values.iter().any(|value| wanted.contains(value))
            });
        }
        Ok(scope)
    }

    /// Keeps the documents that have a chunk in each of `lists`, unless there are none. Returns whether there are any.
    pub(crate) fn require(&mut self, reader: &BundleReader, map: &ChunkMap, lists: &[Vec<u32>]) -> bool {
        let documents = reader.root().documents;
        let mut narrowed = self.clone();
        for chunks in lists {
            let holds = marked(map, chunks);
            narrowed.narrow(documents, |document| holds[document as usize]);
        }
        let some = narrowed.len(documents) > 0;
        if some {
            *self = narrowed;
        }
        some
    }

    /// Removes the documents that have a chunk in one of `lists`.
    pub(crate) fn exclude(&mut self, reader: &BundleReader, map: &ChunkMap, lists: &[Vec<u32>]) {
        for chunks in lists {
            let holds = marked(map, chunks);
            self.narrow(reader.root().documents, |document| !holds[document as usize]);
        }
    }
}

/// Returns the number of the language facet, and the values that match the reader's language: the same language, or
/// else those with the same first subtag. Returns `None` if the query filters by language, or if the bundle has no text
/// in the reader's language.
pub(crate) fn preferred_language(root: &Root, query: &Query) -> Option<(usize, Vec<u32>)> {
    let asked = query.language.as_ref()?;
    let facet = root.facets.iter().position(|facet| facet.name == LANGUAGE)?;
    let is_filtered = query.filters.iter().any(|filter| filter.name == LANGUAGE);
    let numbers = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<u32> {
        (0..).zip(&root.facets[facet].values).filter(|(_, value)| is_wanted(value)).map(|(number, _)| number).collect()
    };
    let mut found = numbers(&|value| value.eq_ignore_ascii_case(asked));
    if found.is_empty() {
        found = numbers(&|value| is_same_language(value, asked));
    }
    (!is_filtered && !found.is_empty()).then_some((facet, found))
}

/// Returns which documents have one of `chunks`.
fn marked(map: &ChunkMap, chunks: &[u32]) -> Vec<bool> {
    let mut marked = vec![false; map.documents()];
    chunks.iter().for_each(|&chunk| marked[map.document_of(chunk) as usize] = true);
    marked
}

/// Whether a filter needs the catalog.
pub(crate) fn is_by_catalog(filter: &Filter) -> bool {
    CATALOG_FILTERS.contains(&filter.name.as_str())
}

/// Whether a document passes a filter by the catalog.
fn passes(entry: &CatalogEntry, name: &str, value: &str) -> bool {
    match name {
        AREA => entry.area(0) == Some(value),
        SUB_AREA => entry.area(1) == Some(value),
        // `src_utils/` is not below `src`.
        PATH => {
            let folder = value.strip_suffix('/').unwrap_or(value);
            entry.path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }
        // A document with only a year as its date passes `since` and `until` in that year.
        SINCE => entry.date.zip(Date::parse(value)).is_some_and(|(date, since)| date.end() >= since),
        UNTIL => entry.date.zip(Date::parse(value)).is_some_and(|(date, until)| date <= until.end()),
        _ => false,
    }
}

/// Refuses filters if the bundle does not have the property, or has none of the values.
pub(crate) fn check(root: &Root, filters: &[Filter]) -> Result<(), QueryError> {
    for filter in filters {
        let Filter { name, values } = filter;
        if is_by_catalog(filter) {
            let is_date = name == SINCE || name == UNTIL;
            if let Some(value) = values.iter().find(|value| is_date && Date::parse(value).is_none()) {
                return Err(QueryError::Date(value.clone()));
            }
            continue;
        }
        if name != PROJECT && !root.facets.iter().any(|facet| facet.name == *name) {
            return Err(QueryError::UnknownFilter(name.clone()));
        }
        if let Some(value) = values.first()
            && !values.iter().any(|value| is_known(root, name, value))
        {
            return Err(QueryError::UnknownValue { name: name.clone(), value: value.clone() });
        }
    }
    Ok(())
}

/// Refuses a filter if none of the bundles has its values.
pub(crate) fn check_values(readers: &[&BundleReader], filters: &[Filter]) -> Result<(), QueryError> {
    for Filter { name, values } in filters.iter().filter(|filter| !is_by_catalog(filter)) {
        let is_known = |value: &&String| readers.iter().any(|reader| is_known(reader.root(), name, value));
        if let Some(value) = values.iter().find(|value| !is_known(value)) {
            return Err(QueryError::UnknownValue { name: name.clone(), value: value.clone() });
        }
    }
    Ok(())
}

/// Whether a document has the value of the property.
fn is_known(root: &Root, name: &str, value: &String) -> bool {
    if name == PROJECT {
        return root.projects.iter().any(|project| project.name == *value);
    }
    root.facets.iter().any(|facet| facet.name == name && facet.values.contains(value))
}

/// Returns the values of the property `name`, which is [`PROJECT`] or a facet, or `None` if there is no such property.
pub fn filter_values<'a>(root: &'a Root, name: &str) -> Option<Vec<&'a str>> {
    if name == PROJECT {
        return Some(root.projects.iter().map(|project| project.name.as_str()).collect());
    }
    let facet = root.facets.iter().find(|facet| facet.name == name)?;
    Some(facet.values.iter().map(String::as_str).collect())
}
