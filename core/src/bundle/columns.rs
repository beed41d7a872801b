//! Builds the columns of the map: filters, orders and weights of documents.

use super::input::BundleDocument;
use crate::format::blocks::BlockTable;
use crate::format::root::{Facet, Root};
use crate::records::ChunkMap;
use crate::records::map::{MapColumns, WEIGHT_STEPS};
use std::collections::{BTreeMap, BTreeSet};

/// Returns all facets of the documents, with their values.
pub(super) fn facets_of(documents: &[BundleDocument]) -> Vec<Facet> {
    let mut facets: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
    for (name, values) in documents.iter().flat_map(|document| &document.facets) {
        facets.entry(name).or_default().extend(values);
    }
    let facet = |(name, values): (&String, BTreeSet<&String>)| Facet {
        name: name.clone(),
        values: values.into_iter().cloned().collect(),
    };
    facets.into_iter().map(facet).collect()
}

/// Returns the orders of documents, each with the place of every document.
pub(super) fn orders_of(documents: &[BundleDocument]) -> BTreeMap<String, Vec<u32>> {
    let names: BTreeSet<&String> = documents.iter().flat_map(|document| document.sort.keys()).collect();
    let places = |name: &String| {
        let values: BTreeSet<String> =
            documents.iter().filter_map(|document| document.sort.get(name).cloned()).collect();
        let mut values: Vec<(Option<f64>, String)> =
            values.into_iter().map(|value| (value.trim().parse::<f64>().ok(), value)).collect();
        if values.iter().all(|(number, _)| number.is_some()) {
            values.sort_by(|(a, _), (b, _)| a.unwrap_or_default().total_cmp(&b.unwrap_or_default()));
        }
        let place_of: BTreeMap<String, u32> = values.into_iter().map(|(_, value)| value).zip(1..).collect();
        let place = |document: &BundleDocument| place_of.get(document.sort.get(name)?).copied();
        documents.iter().map(|document| place(document).unwrap_or(0)).collect()
    };
    names.into_iter().map(|name| (name.clone(), places(name))).collect()
}

/// Converts a weight to the form that the map stores: its logarithm to base 2, in eighths.
fn weight_steps(weight: f32) -> i8 {
    if weight > 0.0 { (libm::log2f(weight) * WEIGHT_STEPS).round() as i8 } else { 0 }
}

/// Returns the blocks of the map: the number of chunks in each document, the columns, and the tables of the parts that
/// are read document by document.
pub(super) fn map_blocks(
    documents: &[BundleDocument],
    root: &Root,
    counts: &[u32],
    places: &[Vec<u32>],
    pages: &BlockTable,
    codes: &BlockTable,
) -> Vec<Vec<u8>> {
    let value = |facet: &Facet, document: &BundleDocument| {
        let values = document.facets.get(&facet.name).into_iter().flatten();
        values.filter_map(|value| facet.values.binary_search(value).ok()).map(|value| value as u32).collect()
    };
    let values_of = |facet| documents.iter().map(|document| value(facet, document)).collect();
    let values: Vec<Vec<Vec<u32>>> = root.facets.iter().map(values_of).collect();
    let weights: Vec<i8> = documents.iter().map(|document| weight_steps(document.weight)).collect();
    let latest: Vec<u32> = (0..).zip(documents).map(|(number, document)| document.latest.unwrap_or(number)).collect();
    let continues = |document: &BundleDocument| document.code.as_ref().is_some_and(|code| code.continues_file);
    let continues: Vec<bool> = documents.iter().map(continues).collect();
    ChunkMap::to_blocks(&MapColumns {
        chunks_of_documents: counts,
        facets: &values,
        weights: &weights,
        orders: places,
        latest: &latest,
        continues_file: if root.has_code() { &continues } else { &[] },
        pages,
        codes,
    })
}
