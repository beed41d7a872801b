//! Finds the elements with a page's content, and the parts of them that are not content. Fixed tables decide, because
//! documentation themes mark their content, and a heuristic that usually works would silently drop some pages.

use super::metadata::ignores;
use super::scripts::is_footnote_mark;
use scraper::{ElementRef, Html, Selector};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Selectors for the content, in order of preference. The first selector that matches anything decides.
const ROOTS: &[&str] = &["[data-nearfind-body], [data-pagefind-body]", "main", "[role=main]", "article", "body"];

/// Elements that are never content.
const NOT_CONTENT: &[&str] = &[
    "script", "style", "noscript", "svg", "canvas", "iframe", "object", "nav", "footer", "input", "select", "textarea",
    "dialog", "search", "head",
];

/// Classes of decoration inside content, such as links to a heading, breadcrumbs, or hidden lines in code samples.
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
    // Images of formulas that the page also contains as text.
    "mwe-math-fallback-image-inline",
    "mwe-math-fallback-image-display",
    "MathJax_Preview",
    // Links from documentation to source code.
    "viewcode-link",
    // Line numbers in code from Pygments, Rouge, Chroma, VitePress, Prism and highlight.js.
    "linenos",
    "linenodiv",
    "lineno",
    "rouge-gutter",
    "lnt",
    "line-numbers-wrapper",
    "line-numbers-rows",
    "hljs-ln-numbers",
    // Javadoc's summaries, which repeat the first sentence of each member.
    "constructor-summary",
    "enum-constant-summary",
    "field-summary",
    "method-summary",
    // Doxygen's breadcrumbs, and YARD's links that collapse the content below them.
    "navpath",
    "inheritanceTree",
    "summary_toggle",
    // The button beside a method in RDoc, and the method's source code.
    "method-click-advice",
    "method-source-code",
    // The source code of diagrams, which pages show as drawings.
    "mermaid",
    "language-mermaid",
];

/// Prefixes of section ids in rustdoc's pages. These sections are nearly the same for every type, or repeat another
/// page.
const REPEATED_BY_RUSTDOC: [&str; 3] = ["blanket-implementations", "synthetic-implementations", "deref-methods-"];

/// [`ROOTS`], parsed once.
static SELECTORS: LazyLock<Vec<Selector>> = LazyLock::new(|| {
    ROOTS.iter().map(|root| Selector::parse(root).expect("the table holds valid selectors")).collect()
});

/// Returns the elements that contain the content, none of them inside another, and whether the page marks them for
/// search engines.
pub(super) fn roots(page: &Html) -> (Vec<ElementRef<'_>>, bool) {
    for (number, selector) in SELECTORS.iter().enumerate() {
        let mut ids = HashSet::new();
        // Elements come in the order of the page, so an element comes after its ancestors.
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

/// Whether `element` is left out, with everything in it.
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

/// Whether `element` is never visible. Tab panels that are not selected are visible at times, and so is content that
/// browsers reveal when it is found.
fn is_hidden(element: ElementRef<'_>) -> bool {
    let value = element.value();
    let is_panel = value.attr("role") == Some("tabpanel");
    let hidden = value.attr("hidden").is_some_and(|how| !how.trim().eq_ignore_ascii_case("until-found"));
    // A formula's drawing is hidden from screen readers, because the formula is also beside it as text. If the drawing
    // has no siblings, it is the only source of the text.
    let is_lone_formula = || value.classes().any(|class| class == "katex-html") && element.prev_sibling().is_none();
    !is_panel && (hidden || (value.attr("aria-hidden") == Some("true") && !is_lone_formula()))
}

/// Whether `element` is a template that is not shown. A template that declares a shadow root is shown.
fn is_unseen_template(element: ElementRef<'_>) -> bool {
    element.value().name() == "template" && element.attr("shadowrootmode").is_none()
}

/// Whether `element` is a control rather than text. A button is text if it is a heading, or opens the answer to the
/// question on it.
fn is_control(element: ElementRef<'_>) -> bool {
    match element.value().name() {
        "button" => !(is_all_of_heading(element) || opens_what_follows(element) || holds_heading(element)),
        "form" => element.attr("action").is_some_and(|action| action.to_ascii_lowercase().contains("search")),
        _ => false,
    }
}

/// Maximum number of nodes to inspect in a heading.
const MAX_NODES_OF_HEADING: usize = 200;
/// Maximum number of levels between a button and its heading.
const MAX_LEVELS_TO_HEADING: usize = 3;

/// Whether the button `element` contains all the text of a heading or a defined term.
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

/// Whether the button `element` expands a part of the page, which it names.
fn opens_what_follows(element: ElementRef<'_>) -> bool {
    element.attr("aria-expanded").is_some() && element.attr("aria-controls").is_some()
}

/// Whether `element` is a collapsed listing of source code, as in mkdocstrings and pdoc.
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

/// Whether `element` is a symbol that links to its own heading, or a link from documentation to source code, as in rustdoc.
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

/// Whether `element` contains a heading. A `header` inside an article may contain its title.
fn holds_heading(element: ElementRef<'_>) -> bool {
    let headings = ["h1", "h2", "h3"];
    element.descendants().filter_map(ElementRef::wrap).any(|inner| headings.contains(&inner.value().name()))
}
