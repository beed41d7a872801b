//! Where the content of a page is, and what inside it is not content. A table, not a guess: documentation themes mark
//! their content, and a heuristic that usually works drops a page without a word.

use scraper::{ElementRef, Html, Selector};

/// Tried in order; the first that matches anything decides.
const ROOTS: &[&str] = &["[data-pagefind-body]", "main", "[role=main]", "article", "body"];

/// Elements that are never content.
const NOT_CONTENT: &[&str] = &[
    "script", "style", "template", "noscript", "svg", "canvas", "iframe", "object", "nav", "footer", "button", "form",
    "input", "select", "textarea", "dialog", "head",
];

/// Classes of decoration inside content: links to a heading, breadcrumbs, hidden lines of code samples.
const DECORATION: &[&str] = &[
    "headerlink",
    "hash-link",
    "header-anchor",
    "anchorjs-link",
    "heading-anchor",
    "breadcrumb",
    "breadcrumbs",
    "boring",
    "sr-only",
    "visually-hidden",
    "toc",
    "table-of-contents",
    "pagination-nav",
    "prev-next-footer",
];

/// The elements that hold the content, none inside another.
pub(super) fn roots(page: &Html) -> Vec<ElementRef<'_>> {
    for root in ROOTS {
        let selector = Selector::parse(root).expect("the table holds valid selectors");
        let found: Vec<_> = page.select(&selector).collect();
        let is_inner = |element: &ElementRef<'_>| {
            element.ancestors().filter_map(ElementRef::wrap).any(|ancestor| found.contains(&ancestor))
        };
        let outer: Vec<_> = found.iter().filter(|element| !is_inner(element)).copied().collect();
        if !outer.is_empty() {
            return outer;
        }
    }
    Vec::new()
}

/// Whether `element` and all in it is left out.
pub(super) fn is_left_out(element: ElementRef<'_>) -> bool {
    let value = element.value();
    let has = |attribute| value.attr(attribute).is_some();
    NOT_CONTENT.contains(&value.name())
        || has("hidden")
        || has("data-pagefind-ignore")
        || value.attr("aria-hidden") == Some("true")
        || matches!(value.attr("role"), Some("navigation" | "banner" | "contentinfo" | "search"))
        || value.classes().any(|class| DECORATION.contains(&class))
        || (value.name() == "header" && !holds_heading(element))
}

/// A `header` inside an article may hold its title.
fn holds_heading(element: ElementRef<'_>) -> bool {
    let headings = ["h1", "h2", "h3"];
    element.descendants().filter_map(ElementRef::wrap).any(|inner| headings.contains(&inner.value().name()))
}
