//! Titles of pages that share their first heading, such as the parts of a tutorial. The title of such a page comes from
//! its HTML head.

use nearfind_extract::Extracted;
use std::collections::{BTreeMap, BTreeSet};

/// A heading that at least this many pages share is not an accident.
const MANY: usize = 3;
/// Separators between the name of a page and the name of its site.
const SEPARATORS: [&str; 8] = [" | ", " - ", " – ", " — ", " · ", " • ", " :: ", " » "];

/// If pages have the same title and version, replaces their titles with the titles in their heads, without the ending
/// that these heads share. Nothing changes unless the new titles are all different. `pages` contains each page with its
/// version.
pub(super) fn tell_apart(pages: &mut [(Option<String>, &mut Extracted)]) {
    let mut groups: BTreeMap<(Option<String>, String), Vec<usize>> = BTreeMap::new();
    for (number, (version, page)) in pages.iter().enumerate() {
        if !page.head_title.is_empty() {
            groups.entry((version.clone(), page.title.clone())).or_default().push(number);
        }
    }
    for group in groups.into_values().filter(|group| group.len() >= MANY) {
        let heads: Vec<&str> = group.iter().map(|&number| pages[number].1.head_title.as_str()).collect();
        let site = SEPARATORS
            .iter()
            .filter_map(|separator| common_ending(&heads, separator))
            .max_by_key(|ending| ending.len());
        let site = site.unwrap_or_default().to_owned();
        let names: Vec<String> =
            heads.iter().map(|head| head.strip_suffix(&site).unwrap_or(head).trim().to_owned()).collect();
        if names.iter().all(|name| !name.is_empty()) && names.iter().collect::<BTreeSet<_>>().len() == names.len() {
            for (&number, name) in group.iter().zip(names) {
                pages[number].1.title = name;
            }
        }
    }
}

/// Returns the longest ending that begins with `separator` and that all `heads` share.
fn common_ending<'a>(heads: &[&'a str], separator: &str) -> Option<&'a str> {
    let (first, others) = heads.split_first()?;
    let endings = first.match_indices(separator).map(|(at, _)| &first[at..]);
    endings.into_iter().find(|ending| others.iter().all(|head| head.ends_with(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(pages: &[(&str, &str)]) -> Vec<String> {
        let page = |(title, head): &(&str, &str)| Extracted {
            title: (*title).into(),
            head_title: (*head).into(),
            ..Extracted::default()
        };
        let mut pages: Vec<_> = pages.iter().map(page).collect();
        // If the heads of pages differ only in a version, the pages are versions of one page and not parts of a
        // tutorial.
        let version = |head: &str| head.strip_prefix("Install ").map(str::to_owned);
        tell_apart(&mut pages.iter_mut().map(|page| (version(&page.head_title), page)).collect::<Vec<_>>());
        pages.into_iter().map(|page| page.title).collect()
    }

    #[test]
    fn parts_of_a_tutorial_are_called_as_their_heads_say() {
        let site = "| Jekyll • Simple - static";
        let pages = ["Liquid", "Front Matter", "Layouts | Includes"].map(|name| format!("{name} {site}"));
        let pages: Vec<_> =
            pages.iter().map(|head| ("Step by Step", head.as_str())).chain([("Home", "Jekyll")]).collect();
        assert_eq!(titles(&pages), ["Liquid", "Front Matter", "Layouts | Includes", "Home"]);
    }

    #[test]
    fn heads_that_do_not_tell_pages_apart_change_nothing() {
        for heads in [["Docs", "Docs", "Other"], ["A | x", "B | y", ""], ["Install 1", "Install 2", "Install 3"]] {
            let pages: Vec<_> = heads.iter().map(|head| ("Options", *head)).collect();
            assert_eq!(titles(&pages), ["Options"; 3]);
        }
    }
}
