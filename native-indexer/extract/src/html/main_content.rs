//! Where the content of a page is, and what inside it is not content. A table, not a guess: documentation themes mark
//! their content, and a heuristic that usually works drops a page without a word.

use super::metadata::ignores;
use scraper::{ElementRef, Html, Selector};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Tried in order; the first that matches anything decides.
const ROOTS: &[&str] = &["[data-nearfind-body], [data-pagefind-body]", "main", "[role=main]", "article", "body"];

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

/// How the ids of parts of rustdoc's pages begin that are the same for nearly every type, or that another page has.
const REPEATED_BY_RUSTDOC: [&str; 3] = ["blanket-implementations", "synthetic-implementations", "deref-methods-"];

/// [`ROOTS`], parsed once.
static SELECTORS: LazyLock<Vec<Selector>> = LazyLock::new(|| {
    ROOTS.iter().map(|root| Selector::parse(root).expect("the table holds valid selectors")).collect()
});

/// The elements that hold the content, none inside another, and whether the page marks them for search engines.
pub(super) fn roots(page: &Html) -> (Vec<ElementRef<'_>>, bool) {
    for (number, selector) in SELECTORS.iter().enumerate() {
        let mut ids = HashSet::new();
        // In the order of the page: what is around an element comes before it.
        let outer = page.select(selector).filter(|element| {
            ids.insert(element.id());
            !element.ancestors().any(|ancestor| ids.contains(&ancestor.id()))
        });
        let outer: Vec<_> = outer.collect();
        if !outer.is_empty() {
            return (outer, number == 0);
        }
    }
    (Vec::new(), false)
}

/// Whether `element` and all in it is left out.
pub(super) fn is_left_out(element: ElementRef<'_>) -> bool {
    let value = element.value();
    NOT_CONTENT.contains(&value.name())
        || is_hidden(element)
        || ignores(element).is_some()
        || is_source_listing(element)
        || is_permalink(element)
        || value.id().is_some_and(|id| REPEATED_BY_RUSTDOC.iter().any(|start| id.starts_with(start)))
        || matches!(value.attr("role"), Some("navigation" | "banner" | "contentinfo" | "search"))
        || value.classes().any(|class| DECORATION.contains(&class))
        || (value.name() == "header" && !holds_heading(element))
}

/// Whether no reader ever sees `element`. The panel of a tab that is not chosen, and what opens when it is found, are seen.
fn is_hidden(element: ElementRef<'_>) -> bool {
    let value = element.value();
    let is_panel = value.attr("role") == Some("tabpanel");
    let hidden = value.attr("hidden").is_some_and(|how| !how.trim().eq_ignore_ascii_case("until-found"));
    !is_panel && (hidden || value.attr("aria-hidden") == Some("true"))
}

/// Whether `element` folds the source code of what is documented, as mkdocstrings and pdoc write it.
fn is_source_listing(element: ElementRef<'_>) -> bool {
    let value = element.value();
    let has_class = |name: &str| value.classes().any(|class| class == name);
    let begins = |start: &str| {
        let text = element.text().take(8).flat_map(str::chars).skip_while(|c| c.is_whitespace());
        text.take(start.len()).eq(start.chars())
    };
    match value.name() {
        "details" => has_class("mkdocstrings-source") || (has_class("quote") && begins("Source code in")),
        "div" => has_class("pdoc-code"),
        _ => false,
    }
}

/// Whether `element` is a sign that links to the place where it is, or leads from documentation to source code, as rustdoc has them.
fn is_permalink(element: ElementRef<'_>) -> bool {
    let value = element.value();
    if value.name() != "a" {
        return false;
    }
    let is_sign = || {
        let mut signs = element.text().take(4).flat_map(str::chars).filter(|c| !c.is_whitespace());
        matches!(signs.next(), Some('#' | '¶' | '§')) && signs.next().is_none()
    };
    value.classes().any(|class| class == "src")
        || (value.attr("href").is_some_and(|to| to.starts_with('#')) && is_sign())
}

/// A `header` inside an article may hold its title.
fn holds_heading(element: ElementRef<'_>) -> bool {
    let headings = ["h1", "h2", "h3"];
    element.descendants().filter_map(ElementRef::wrap).any(|inner| headings.contains(&inner.value().name()))
}
