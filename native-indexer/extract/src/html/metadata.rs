//! Metadata for search engines in a page's attributes: nearfind's attributes, and Pagefind's equivalents.
//!
//! | attribute | |
//! |---|---|
//! | `data-nearfind-body` | the content of the page; if a page of a site has it, pages without it are left out |
//! | `data-nearfind-ignore` | not content; with `all`, attributes inside the element are ignored too |
//! | `data-nearfind-meta` | shown with results: `name`, `name[attribute]`, `name:value`, separated by commas |
//! | `data-nearfind-filter` | filters, in the same form; a page may have several values for a filter |
//! | `data-nearfind-sort` | values to sort results by, in the same form |
//! | `data-nearfind-weight` | weight of the page, on `html`, `body` or an element around the content |
//! | `data-nearfind-index-attrs` | names of attributes with text that belongs to the content |
//!
//! For DocSearch, generators declare a page's version in `<meta name="docsearch:version">`. The version becomes a
//! filter too.

use crate::extracted::{MAX_WEIGHT, MIN_WEIGHT, Metadata};
use crate::words::one_line;
use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::{ElementRef, Html};
use std::cell::LazyCell;

/// Maximum length of all names and values on a page, because they are shown with every result. Further names and values
/// are left out.
const MAX_BYTES: usize = 64 << 10;
/// The filter for versions.
const VERSION: &str = "version";

/// Returns nearfind's attribute `name`, or Pagefind's if nearfind's is missing.
pub(super) fn marked<'a>(element: ElementRef<'a>, name: &str) -> Option<&'a str> {
    let find = |prefix: &str| {
        let is_it = |attribute: &str| attribute.strip_prefix(prefix) == Some(name);
        element.value().attrs().find_map(|(attribute, value)| is_it(attribute).then_some(value))
    };
    find("data-nearfind-").or_else(|| find("data-pagefind-"))
}

/// Returns `None` if `element` is not ignored. Otherwise, returns whether attributes inside it are ignored too.
pub(super) fn ignores(element: ElementRef<'_>) -> Option<bool> {
    marked(element, "ignore").map(|value| value == "all")
}

/// Reads the attributes of the whole page, with the content in `roots`.
pub(super) fn read(page: &Html, roots: &[ElementRef<'_>]) -> Metadata {
    let mut metadata = Metadata::default();
    // The innermost element around the content decides.
    let mut around = roots
        .first()
        .into_iter()
        .flat_map(|root| std::iter::once(*root).chain(root.ancestors().filter_map(ElementRef::wrap)));
    let weight = around.find_map(|element| marked(element, "weight")?.trim().parse::<f32>().ok());
    metadata.weight = weight.filter(|weight| weight.is_finite()).map(|weight| weight.clamp(MIN_WEIGHT, MAX_WEIGHT));
    let mut left = MAX_BYTES;
    // The element with `ignore=all` that contains the current element, if there is one. The attributes on it and inside
    // it are ignored.
    let mut ignored: Option<NodeId> = None;
    for edge in page.root_element().traverse() {
        let node = match edge {
            Edge::Open(node) => node,
            Edge::Close(node) => {
                ignored = ignored.filter(|&ignored| ignored != node.id());
                continue;
            }
        };
        let Some(element) = ElementRef::wrap(node).filter(|_| ignored.is_none()) else { continue };
        if element.attr("name") == Some("docsearch:version") {
            for version in element.attr("content").unwrap_or_default().split(',').map(one_line) {
                let now_left = left.checked_sub(VERSION.len() + version.len()).filter(|_| !version.is_empty());
                let Some(now_left) = now_left else { continue };
                left = now_left;
                metadata.filters.entry(VERSION.to_owned()).or_default().insert(version);
            }
        }
        if ignores(element) == Some(true) {
            ignored = Some(element.id());
            continue;
        }
        let values = ["meta", "filter", "sort"].map(|name| marked(element, name));
        if values.iter().all(Option::is_none) {
            continue;
        }
        let [meta, filter, sort] =
            values.map(|value| value.map(|value| pairs(element, value, &mut left)).unwrap_or_default());
        metadata.shown.extend(meta);
        metadata.sort.extend(sort);
        for (name, value) in filter {
            metadata.filters.entry(name).or_default().insert(value);
        }
    }
    metadata
}

/// Returns the names and values that `value` on `element` declares, and reduces `left`, which is the number of bytes
/// that may still be kept. A literal value extends to the end, and may contain commas.
fn pairs(element: ElementRef<'_>, value: &str, left: &mut usize) -> Vec<(String, String)> {
    let text = LazyCell::new(|| text(element));
    let mut found = Vec::new();
    let mut rest = value.trim();
    while !rest.is_empty() {
        let (item, after) = rest.split_once(',').unwrap_or((rest, ""));
        let (name, value) = if let Some(colon) = item.find(':') {
            let pair = (rest[..colon].trim(), one_line(&rest[colon + 1..]));
            rest = "";
            pair
        } else {
            rest = after.trim_start();
            match item.trim().strip_suffix(']').and_then(|item| item.split_once('[')) {
                Some((name, attribute)) => {
                    (name.trim(), one_line(element.value().attr(attribute.trim()).unwrap_or_default()))
                }
                None => (item.trim(), text.clone()),
            }
        };
        if name.is_empty() || value.is_empty() {
            continue;
        }
        let Some(now_left) = left.checked_sub(name.len() + value.len()) else { break };
        *left = now_left;
        found.push((name.to_owned(), value));
    }
    found
}

/// Returns the text of `element`, or an empty text if it exceeds the limit.
fn text(element: ElementRef<'_>) -> String {
    let mut text = String::new();
    for piece in element.text() {
        text.push_str(piece);
        if text.len() > MAX_BYTES {
            return String::new();
        }
    }
    one_line(&text)
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
    fn versions_for_docsearch_are_a_filter() {
        let metadata = read("<meta name='docsearch:version' content='2.1, latest,'><main>x</main>");
        assert_eq!(metadata.filters["version"].iter().collect::<Vec<_>>(), ["2.1", "latest"]);
        assert_eq!(read("<meta name='docsearch:version' content=''><main>x</main>"), Metadata::default());
        let many = (0..20_000).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
        let many = read(&format!("<meta name='docsearch:version' content='{many}'><main>x</main>"));
        assert!((1..10_000).contains(&many.filters["version"].len()), "no more is kept than is shown");
    }

    #[test]
    fn long_metadata_is_cut() {
        let names = (0..10_000).map(|number| format!("n{number}")).collect::<Vec<_>>().join(",");
        let many = read(&format!("<main><p data-nearfind-meta='{names}'>{}</p></main>", "word ".repeat(1000)));
        assert!((1..20).contains(&many.shown.len()), "{}", many.shown.len());
        let endless = format!("<main><p data-nearfind-meta='a'>{}</p></main>", "word ".repeat(100_000));
        assert_eq!(read(&endless), Metadata::default());
    }

    #[test]
    fn invalid_and_empty_values_are_ignored() {
        let metadata = read("<main data-pagefind-weight=many data-pagefind-meta='a[missing],:x,b:'>x</main>");
        assert_eq!(metadata, Metadata::default());
    }
}
