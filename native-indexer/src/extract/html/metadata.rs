//! What a page's authors say to search engines, in attributes: those of nearfind, and those of Pagefind as they mean.
//!
//! | attribute | |
//! |---|---|
//! | `data-nearfind-body` | the content of the page; once on a site, pages without it are left out |
//! | `data-nearfind-ignore` | not content; `all`: nor are attributes inside it read |
//! | `data-nearfind-meta` | shown with results: `name`, `name[attribute]`, `name:value`, with commas between |
//! | `data-nearfind-filter` | filters, in the same form; a page may have several values of one |
//! | `data-nearfind-sort` | what results can be sorted by, in the same form |
//! | `data-nearfind-weight` | how much the page counts, on `html`, `body` or around its content |
//! | `data-nearfind-index-attrs` | attributes whose text belongs to the content |

use crate::extract::{MAX_WEIGHT, MIN_WEIGHT, Metadata, one_line};
use scraper::{ElementRef, Html};

/// The attribute `name` of nearfind, else of Pagefind.
pub(super) fn marked<'a>(element: ElementRef<'a>, name: &str) -> Option<&'a str> {
    let find = |prefix: &str| {
        let is_it = |attribute: &str| attribute.strip_prefix(prefix) == Some(name);
        element.value().attrs().find_map(|(attribute, value)| is_it(attribute).then_some(value))
    };
    find("data-nearfind-").or_else(|| find("data-pagefind-"))
}

/// Whether a value says that a part is left out of content, and whether of everything else too.
pub(super) fn ignores(element: ElementRef<'_>) -> Option<bool> {
    marked(element, "ignore").map(|value| value == "all")
}

/// Reads the attributes of the whole page; the content is `roots`.
pub(super) fn read(page: &Html, roots: &[ElementRef<'_>]) -> Metadata {
    let mut metadata = Metadata::default();
    // The innermost element around all content decides.
    let mut around = roots
        .first()
        .into_iter()
        .flat_map(|root| std::iter::once(*root).chain(root.ancestors().filter_map(ElementRef::wrap)));
    let weight = around.find_map(|element| marked(element, "weight")?.trim().parse::<f32>().ok());
    metadata.weight = weight.filter(|weight| weight.is_finite()).map(|weight| weight.clamp(MIN_WEIGHT, MAX_WEIGHT));
    let ignored = |element: ElementRef<'_>| {
        let mut around = element.ancestors().filter_map(ElementRef::wrap);
        ignores(element) == Some(true) || around.any(|element| ignores(element) == Some(true))
    };
    for element in page.root_element().descendants().filter_map(ElementRef::wrap) {
        let values = ["meta", "filter", "sort"].map(|name| marked(element, name));
        if values.iter().all(Option::is_none) || ignored(element) {
            continue;
        }
        let [meta, filter, sort] = values.map(|value| value.map(|value| pairs(element, value)).unwrap_or_default());
        metadata.shown.extend(meta);
        metadata.sort.extend(sort);
        for (name, value) in filter {
            metadata.filters.entry(name).or_default().insert(value);
        }
    }
    metadata
}

/// The names and values that `value` on `element` gives. A value that stands in it goes on to its end, commas included.
fn pairs(element: ElementRef<'_>, value: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = value.trim();
    while !rest.is_empty() {
        let colon = rest.find(':').filter(|&at| !rest[..at].contains(','));
        let (name, value) = if let Some(at) = colon {
            let pair = (rest[..at].trim().to_owned(), one_line(&rest[at + 1..]));
            rest = "";
            pair
        } else {
            let (item, after) = rest.split_once(',').unwrap_or((rest, ""));
            rest = after.trim_start();
            match item.trim().strip_suffix(']').and_then(|item| item.split_once('[')) {
                Some((name, attribute)) => {
                    (name.trim().to_owned(), one_line(element.value().attr(attribute.trim()).unwrap_or_default()))
                }
                None => (item.trim().to_owned(), one_line(&element.text().collect::<String>())),
            }
        };
        if !name.is_empty() && !value.is_empty() {
            found.push((name, value));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use scraper::Selector;

    fn read(source: &str) -> Metadata {
        let page = Html::parse_document(source);
        let main = Selector::parse("main").unwrap();
        let roots: Vec<_> = page.select(&main).collect();
        super::read(&page, &roots)
    }

    #[test]
    fn text_attributes_and_values_are_read() {
        let metadata = read(
            "<html><body data-pagefind-weight='2'><main data-nearfind-weight='0.5'>
            <h1 data-section=Docs data-pagefind-meta='heading, part[data-section], by:Ann, and Ben'>A <b>title</b></h1>
            <img src='a.png' data-pagefind-meta='image[src]'>
            <p data-pagefind-filter='tag:one'></p><p data-nearfind-filter='tag'>two</p>
            <time data-pagefind-sort='date[datetime]' datetime='2024-01-02'></time>
            <p data-pagefind-ignore=all><i data-pagefind-meta='secret:x'></i></p></main></body></html>",
        );
        let shown: Vec<_> = metadata.shown.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(shown, ["by=Ann, and Ben", "heading=A title", "image=a.png", "part=Docs"]);
        assert_eq!(metadata.filters["tag"].iter().collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(metadata.sort["date"], "2024-01-02");
        assert_eq!(metadata.weight, Some(0.5));
    }

    #[test]
    fn what_is_no_number_or_empty_is_left_alone() {
        let metadata = read("<main data-pagefind-weight=many data-pagefind-meta='a[missing],:x,b:'>x</main>");
        assert_eq!(metadata, Metadata::default());
    }
}
