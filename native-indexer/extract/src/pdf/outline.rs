//! Reads a document's outline, and its page labels.

use super::objects::text;
use crate::office::roman;
use crate::words::one_line;
use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, MaybeRef, Name, Number, Object, ObjectIdentifier, String as PdfString};
use std::collections::{HashMap, HashSet};

/// Maximum number of entries.
const MAX_ENTRIES: usize = 20_000;
/// Maximum depth of a name tree or a number tree.
const MAX_DEPTH: usize = 32;

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OutlineEntry {
    pub title: String,
    /// Level, starting at 1.
    pub level: usize,
    /// Page number, starting at 0.
    pub page: usize,
    /// Height of the target above the bottom of the page, in points.
    pub top: Option<f32>,
}

/// Returns the outline of `pdf` in order.
pub(super) fn read(pdf: &Pdf, catalog: &Dict<'_>) -> Vec<OutlineEntry> {
    let pages = page_numbers(pdf);
    let destinations = Destinations::new(catalog);
    let mut entries = Vec::new();
    let mut seen = HashSet::new();
    let first = catalog.get::<Dict<'_>>("Outlines").and_then(|outline| outline.get::<Dict<'_>>("First"));
    let mut open: Vec<(Dict<'_>, usize)> = first.map(|first| (first, 1)).into_iter().collect();
    while let Some((item, level)) = open.pop() {
        let is_new = item.obj_id().is_none_or(|id| seen.insert(id));
        if !is_new || entries.len() == MAX_ENTRIES || seen.len() > MAX_ENTRIES {
            continue;
        }
        let title =
            item.get::<PdfString<'_>>("Title").map(|title| one_line(&text(title.as_bytes()))).unwrap_or_default();
        let destination = item.get::<Object<'_>>("Dest").or_else(|| {
            let action = item.get::<Dict<'_>>("A")?;
            let goes_to = action.get::<Name<'_>>("S").is_some_and(|kind| kind.as_str() == "GoTo");
            action.get::<Object<'_>>("D").filter(|_| goes_to)
        });
        let place = destination.and_then(|destination| destinations.place(destination, &pages));
        if let Some((page, top)) = place.filter(|_| !title.is_empty()) {
            entries.push(OutlineEntry { title, level, page, top });
        }
        open.extend(item.get::<Dict<'_>>("Next").map(|next| (next, level)));
        open.extend(item.get::<Dict<'_>>("First").map(|first| (first, level + 1)));
    }
    entries
}

/// Returns the number of each page by its object.
pub(super) fn page_numbers(pdf: &Pdf) -> HashMap<ObjectIdentifier, usize> {
    pdf.pages().iter().enumerate().filter_map(|(number, page)| Some((page.raw().obj_id()?, number))).collect()
}

/// Destinations by name.
struct Destinations<'a> {
    old: Dict<'a>,
    named: HashMap<Vec<u8>, Object<'a>>,
}

impl<'a> Destinations<'a> {
    fn new(catalog: &Dict<'a>) -> Self {
        let mut named = HashMap::new();
        if let Some(tree) = catalog.get::<Dict<'_>>("Names").and_then(|names| names.get::<Dict<'_>>("Dests")) {
            collect_names(&tree, &mut named, 0);
        }
        Self { old: catalog.get::<Dict<'_>>("Dests").unwrap_or_default(), named }
    }

    /// Returns the page and the height of `destination`.
    fn place(&self, destination: Object<'a>, pages: &HashMap<ObjectIdentifier, usize>) -> Option<(usize, Option<f32>)> {
        let found = match destination {
            Object::String(name) => self.named.get(name.as_bytes()).cloned()?,
            Object::Name(name) => {
                self.old.get::<Object<'_>>(&*name).or_else(|| self.named.get(name.as_ref()).cloned())?
            }
            other => other,
        };
        let array = match found {
            Object::Dict(dict) => dict.get::<Array<'_>>("D")?,
            Object::Array(array) => array,
            _ => return None,
        };
        let mut items = array.raw_iter();
        let page = match items.next()? {
            MaybeRef::Ref(page) => *pages.get(&page.into())?,
            MaybeRef::NotRef(number) => usize::try_from(number.into_i32()?).ok()?,
        };
        let kind = match items.next() {
            Some(MaybeRef::NotRef(kind)) => kind.into_name(),
            _ => None,
        };
        let mut number = |at: usize| match items.nth(at) {
            Some(MaybeRef::NotRef(number)) => number.into_f32(),
            _ => None,
        };
        let top = match kind.as_ref().map(Name::as_str) {
            Some("XYZ") => number(1),
            Some("FitH" | "FitBH") => number(0),
            Some("FitR") => number(3),
            _ => None,
        };
        Some((page, top))
    }
}

/// Collects the values of a name tree.
pub(super) fn collect_names<'a>(node: &Dict<'a>, named: &mut HashMap<Vec<u8>, Object<'a>>, depth: usize) {
    if depth > MAX_DEPTH || named.len() > MAX_ENTRIES {
        return;
    }
    if let Some(names) = node.get::<Array<'_>>("Names") {
        let mut items = names.iter::<Object<'_>>();
        while let (Some(Object::String(name)), Some(place)) = (items.next(), items.next()) {
            named.insert(name.as_bytes().to_vec(), place);
        }
    }
    for kid in node.get::<Array<'_>>("Kids").iter().flat_map(Array::iter::<Dict<'_>>) {
        collect_names(&kid, named, depth + 1);
    }
}

/// Returns the labels of the first `count` pages, which are printed as page numbers. A label is empty if it equals the
/// page's number.
pub(super) fn page_labels(catalog: &Dict<'_>, count: usize) -> Vec<String> {
    let mut ranges = Vec::new();
    if let Some(tree) = catalog.get::<Dict<'_>>("PageLabels") {
        collect_ranges(&tree, &mut ranges, 0);
    }
    ranges.sort_by_key(|range| range.first);
    (0..count)
        .map(|page| {
            let range = ranges.iter().rfind(|range| range.first <= page);
            let label = range.map(|range| range.label(page)).unwrap_or_default();
            if label == (page + 1).to_string() { String::new() } else { label }
        })
        .collect()
}

/// Pages with a common numbering scheme.
struct LabelRange {
    first: usize,
    style: String,
    prefix: String,
    start: u32,
}

impl LabelRange {
    fn label(&self, page: usize) -> String {
        let number = self.start.saturating_add((page - self.first) as u32);
        let number = match self.style.as_str() {
            "D" => number.to_string(),
            "r" => roman(number).to_lowercase(),
            "R" => roman(number),
            "a" | "A" => {
                let first = if self.style == "a" { b'a' } else { b'A' };
                let letter = char::from(first + ((number.max(1) - 1) % 26) as u8);
                letter.to_string().repeat(((number.max(1) - 1) / 26 + 1).min(8) as usize)
            }
            _ => String::new(),
        };
        format!("{}{number}", self.prefix)
    }
}

fn collect_ranges(node: &Dict<'_>, ranges: &mut Vec<LabelRange>, depth: usize) {
    if depth > MAX_DEPTH || ranges.len() > MAX_ENTRIES {
        return;
    }
    if let Some(numbers) = node.get::<Array<'_>>("Nums") {
        let mut items = numbers.iter::<Object<'_>>();
        while let (Some(first), Some(Object::Dict(range))) = (items.next(), items.next()) {
            let Some(first) = first.into_i32().and_then(|first| usize::try_from(first).ok()) else { continue };
            ranges.push(LabelRange {
                first,
                style: range.get::<Name<'_>>("S").map(|style| style.as_str().to_owned()).unwrap_or_default(),
                prefix: range.get::<PdfString<'_>>("P").map(|prefix| text(prefix.as_bytes())).unwrap_or_default(),
                start: range.get::<Number>("St").and_then(|start| u32::try_from(start.as_i64()).ok()).unwrap_or(1),
            });
        }
    }
    for kid in node.get::<Array<'_>>("Kids").iter().flat_map(Array::iter::<Dict<'_>>) {
        collect_ranges(&kid, ranges, depth + 1);
    }
}
