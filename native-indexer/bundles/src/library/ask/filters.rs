//! The filters that questions can use, in all bundles of a view.

use crate::library::open::open_bundle::OpenBundle;
use crate::library::open::view::View;
use anyhow::{Result, bail};
use nearfind_core::search::{CATALOG_FILTERS, Filter, filter_values};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of values that an error lists.
const MAX_NAMED: usize = 50;

impl View {
    /// Returns the values that documents of any bundle have in the facet `name`.
    pub fn values_of(&self, name: &str) -> BTreeSet<String> {
        let mut values = BTreeSet::new();
        for bundle in &self.bundles {
            let reader = bundle.reader();
            values.extend(filter_values(reader.root(), name).into_iter().flatten().map(str::to_owned));
        }
        values
    }

    /// Checks the names and values in `filters`. If one of them does not exist, returns an error that lists the
    /// available ones.
    pub fn check_filters(&self, filters: &[Filter]) -> Result<()> {
        for Filter { name, values } in filters {
            if CATALOG_FILTERS.contains(&name.as_str()) {
                continue;
            }
            let mut known: Option<BTreeSet<String>> = None;
            for bundle in &self.bundles {
                if let Some(values) = filter_values(bundle.reader().root(), name) {
                    known.get_or_insert_default().extend(values.into_iter().map(str::to_owned));
                }
            }
            let Some(known) = known else {
                let facets: BTreeSet<String> = self
                    .bundles
                    .iter()
                    .flat_map(|bundle| {
                        let reader = bundle.reader();
                        reader.root().facets.iter().map(|facet| facet.name.clone()).collect::<Vec<_>>()
                    })
                    .collect();
                let own = if facets.is_empty() { String::new() } else { format!(", {}", listed(facets.iter())) };
                bail!(
                    "there is no filter `{name}`: filter by project, area, sub_area, path, path_regex, since, until{own}"
                );
            };
            if let Some(value) = values.iter().find(|value| !known.contains(*value)) {
                bail!("no document has {name} `{value}`: use one of {}", listed(known.iter()));
            }
        }
        Ok(())
    }
}

/// Joins the first of `names`.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a String>) -> String {
    let more = names.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ") + &more
}

/// Returns the filters for one group of bundles, without values that only other groups have, or `None` if no value of a
/// filter is left.
pub(crate) fn filters_for(
    group: &[Arc<OpenBundle>],
    all: &[Arc<OpenBundle>],
    filters: &[Filter],
) -> Option<Vec<Filter>> {
    let has = |bundles: &[Arc<OpenBundle>], name: &str, value: &str| {
        bundles
            .iter()
            .any(|bundle| filter_values(bundle.reader().root(), name).is_some_and(|values| values.contains(&value)))
    };
    let mut filters = filters.to_vec();
    for Filter { name, values } in &mut filters {
        let was_wanted = !values.is_empty();
        // A value that no bundle has is kept, so that the error shows it.
        values.retain(|value| has(group, name, value) || !has(all, name, value));
        if was_wanted && values.is_empty() {
            return None;
        }
    }
    Some(filters)
}
