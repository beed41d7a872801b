//! Where the content of a page is, and what inside it is not content. A table, not a guess: documentation themes mark
//! their content, and a heuristic that usually works drops a page without a word.

use super::metadata::ignores;
use super::scripts::is_footnote_mark;
use scraper::{ElementRef, Html, Selector};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Tried in order; the first that matches anything decides.
const ROOTS: &[&str] = &["[data-nearfind-body], [data-pagefind-body]", "main", "[role=main]", "article", "body"];

/// Elements that are never content.
const NOT_CONTENT: &[&str] = &[
    "script", "style", "noscript", "svg", "canvas", "iframe", "object", "nav", "footer", "input", "select", "textarea",
    "dialog", "search", "head",
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
    // Pictures of formulas that are there as text too.
    "mwe-math-fallback-image-inline",
    "mwe-math-fallback-image-display",
    "MathJax_Preview",
    // Links from documentation to source code.
    "viewcode-link",
    // Numbers of lines of code: Pygments, Rouge, Chroma, VitePress, Prism, highlight.js.
    "linenos",
    "linenodiv",
    "lineno",
    "rouge-gutter",
    "lnt",
    "line-numbers-wrapper",
    "line-numbers-rows",
    "hljs-ln-numbers",
    // Javadoc repeats the first sentence of each member above them all.
    "constructor-summary",
    "enum-constant-summary",
    "field-summary",
    "method-summary",
    // Doxygen's breadcrumbs, and YARD's links that fold what is below them.
    "navpath",
    "inheritanceTree",
    "summary_toggle",
    // The button beside a method of rdoc, and its source.
    "method-click-advice",
    "method-source-code",
    // Diagrams as they are written: readers see a drawing.
    "mermaid",
    "language-mermaid",
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
        || is_unseen_template(element)
        || is_control(element)
        || is_hidden(element)
        || ignores(element).is_some()
        || is_source_listing(element)
        || is_permalink(element)
        || is_footnote_mark(element)
        || value.id().is_some_and(|id| REPEATED_BY_RUSTDOC.iter().any(|start| id.starts_with(start)))
        || value.id() == Some("titlearea")
        || matches!(value.attr("role"), Some("navigation" | "banner" | "contentinfo" | "search"))
        || value.classes().any(|class| DECORATION.contains(&class))
        || (value.name() == "header" && !holds_heading(element))
}

/// Whether no reader ever sees `element`. The panel of a tab that is not chosen, and what opens when it is found, are seen.
fn is_hidden(element: ElementRef<'_>) -> bool {
    let value = element.value();
    let is_panel = value.attr("role") == Some("tabpanel");
    let hidden = value.attr("hidden").is_some_and(|how| !how.trim().eq_ignore_ascii_case("until-found"));
    // Screen readers skip the drawing of a formula, which is beside it as text. A drawing that stands alone is all there is.
    let is_lone_formula = || value.classes().any(|class| class == "katex-html") && element.prev_sibling().is_none();
    !is_panel && (hidden || (value.attr("aria-hidden") == Some("true") && !is_lone_formula()))
}

/// Whether `element` is a template that is not shown: one with the shadow root of the element around it is.
fn is_unseen_template(element: ElementRef<'_>) -> bool {
    element.value().name() == "template" && element.attr("shadowrootmode").is_none()
}

/// Whether `element` is something to be pressed or searched with, not read. A button may be a heading, or open the answer
/// to the question on it.
fn is_control(element: ElementRef<'_>) -> bool {
    match element.value().name() {
        "button" => !(is_all_of_heading(element) || opens_what_follows(element) || holds_heading(element)),
        "form" => element.attr("action").is_some_and(|action| action.to_ascii_lowercase().contains("search")),
        _ => false,
    }
}

/// Nodes of a heading that are looked at.
const MAX_NODES_OF_HEADING: usize = 200;
/// How far above a button its heading is, at most.
const MAX_LEVELS_TO_HEADING: usize = 3;

/// Whether a heading, or a term that is explained, has no other text than the button `element`.
fn is_all_of_heading(element: ElementRef<'_>) -> bool {
    let mut around = element.ancestors().filter_map(ElementRef::wrap).take(MAX_LEVELS_TO_HEADING);
    let is_heading = |around: &ElementRef<'_>| {
        let name = around.value().name();
        matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt") || around.attr("role") == Some("heading")
    };
    let letters = |element: ElementRef<'_>| {
        let texts = element.descendants().take(MAX_NODES_OF_HEADING).filter_map(|node| node.value().as_text());
        texts.flat_map(|text| text.chars()).filter(|c| c.is_alphanumeric()).count()
    };
    around.find(is_heading).is_some_and(|heading| letters(heading) == letters(element))
}

/// Whether the button `element` opens a part of the page that it names.
fn opens_what_follows(element: ElementRef<'_>) -> bool {
    element.attr("aria-expanded").is_some() && element.attr("aria-controls").is_some()
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
        matches!(signs.next(), Some('#' | '¶' | '§' | '◆')) && signs.next().is_none()
    };
    value.classes().any(|class| class == "src")
        || (value.attr("href").is_some_and(|to| to.starts_with('#')) && is_sign())
}

/// A `header` inside an article may hold its title.
fn holds_heading(element: ElementRef<'_>) -> bool {
    let headings = ["h1", "h2", "h3"];
    element.descendants().filter_map(ElementRef::wrap).any(|inner| headings.contains(&inner.value().name()))
}
