//! Reads headings from a document's tags.

use super::outline::page_numbers;
use hayro_syntax::Pdf;
use hayro_syntax::object::{Dict, Name, Object, ObjectIdentifier};
use std::collections::{HashMap, HashSet};

/// Maximum number of elements.
const MAX_ELEMENTS: usize = 200_000;

/// Levels of headings, by page number (counted from 0) and identifier of marked content.
pub(super) type TaggedHeadings = HashMap<(usize, i32), usize>;

/// An element to read: its object, its page, and the level of the heading that contains it.
struct Open<'a> {
    object: Object<'a>,
    page: Option<usize>,
    level: Option<usize>,
}

/// Returns the headings of `pdf`, if it is tagged.
pub(super) fn read(pdf: &Pdf, catalog: &Dict<'_>) -> TaggedHeadings {
    let mut headings = TaggedHeadings::new();
    let Some(root) = catalog.get::<Dict<'_>>("StructTreeRoot") else { return headings };
    let roles = root.get::<Dict<'_>>("RoleMap").unwrap_or_default();
    let pages = page_numbers(pdf);
    let mut seen: HashSet<ObjectIdentifier> = HashSet::new();
    let mut read = 0;
    let first = root.get::<Object<'_>>("K");
    let mut open: Vec<Open<'_>> = first.map(|object| Open { object, page: None, level: None }).into_iter().collect();
    while let Some(Open { object, page, level }) = open.pop() {
        read += 1;
        if read > MAX_ELEMENTS {
            break;
        }
        match object {
            Object::Array(items) => {
                open.extend(items.iter::<Object<'_>>().take(MAX_ELEMENTS).map(|object| Open { object, page, level }));
            }
            Object::Dict(element) => {
                if element.obj_id().is_some_and(|id| !seen.insert(id)) && element.contains_key("S") {
                    continue;
                }
                let page = element.get_ref("Pg").and_then(|page| pages.get(&page.into()).copied()).or(page);
                // This is a reference to marked content, which may be on another page.
                if let (Some(content), Some(page), Some(level)) = (element.get::<i32>("MCID"), page, level) {
                    headings.insert((page, content), level);
                    continue;
                }
                let level = level.or_else(|| level_of(&element.get::<Name<'_>>("S")?, &roles));
                if let Some(object) = element.get::<Object<'_>>("K") {
                    open.push(Open { object, page, level });
                }
            }
            number => {
                if let (Some(content), Some(page), Some(level)) = (number.into_i32(), page, level) {
                    headings.insert((page, content), level);
                }
            }
        }
    }
    headings
}

/// Returns the level of an element of this type. Custom types are resolved with the document's role map.
fn level_of(kind: &Name<'_>, roles: &Dict<'_>) -> Option<usize> {
    let mut kind = kind.as_str().to_owned();
    for _ in 0..4 {
        match kind.as_str() {
            "H" | "Title" => return Some(1),
            "H1" | "H2" | "H3" | "H4" | "H5" | "H6" => return kind[1..].parse().ok(),
            _ => kind = roles.get::<Name<'_>>(&*kind)?.as_str().to_owned(),
        }
    }
    None
}
