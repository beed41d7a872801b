//! Reads the metadata in the head of a page.

use crate::date::Date;
use crate::extracted::Heading;
use crate::words::{language_tag, one_line};
use scraper::{Html, Selector};
use std::sync::LazyLock;
use url::Url;

/// A literal selector, parsed once.
macro_rules! selector {
    ($css:literal) => {{
        static SELECTOR: LazyLock<Selector> = LazyLock::new(|| Selector::parse($css).expect("a literal selector"));
        &*SELECTOR
    }};
}

fn attribute<'a>(page: &'a Html, selector: &Selector, name: &str) -> Option<&'a str> {
    let found = page.select(selector).find_map(|element| element.value().attr(name));
    found.map(str::trim).filter(|value| !value.is_empty())
}

/// Whether Javadoc generated the page.
fn is_of_javadoc(page: &Html) -> bool {
    attribute(page, selector!("meta[name=generator i]"), "content").is_some_and(|name| name.starts_with("javadoc/"))
}

/// Maximum length in bytes of a `noscript` element to search for a redirect.
const MAX_NOSCRIPT: usize = 1_000;

/// Returns the target of `<meta http-equiv="refresh" content="0; url=…">`. On Javadoc's first page, it is also read
/// from `noscript`. On other pages, a redirect in `noscript` may lead to a request to turn scripts on.
pub(super) fn redirect_target(page: &Html) -> Option<String> {
    let refresh = selector!("meta[http-equiv=refresh i]");
    let unscripted = || {
        let text: String = page.select(selector!("noscript")).next()?.text().collect();
        let is_meant = is_of_javadoc(page) && text.len() <= MAX_NOSCRIPT;
        is_meant.then(|| attribute(&Html::parse_fragment(&text), refresh, "content").map(str::to_owned)).flatten()
    };
    let content = attribute(page, refresh, "content").map(str::to_owned).or_else(unscripted)?;
    let (_, target) = content.split_once([';', ','])?;
    let target = target.trim();
    let target = target.get(..3).filter(|start| start.eq_ignore_ascii_case("url")).map_or(target, |_| &target[3..]);
    let target = target.trim().trim_start_matches('=').trim().trim_matches(['"', '\'']);
    (!target.is_empty()).then(|| target.to_owned())
}

/// Whether the page asks search engines not to index it, as print pages and error pages do.
pub(super) fn asks_not_to_be_found(page: &Html) -> bool {
    attribute(page, selector!("meta[name=robots i]"), "content")
        .is_some_and(|content| content.to_lowercase().contains("noindex"))
}

/// Sphinx's title for a page without a heading.
const NO_TITLE: &str = "<no title>";

/// Returns the page's title and a second title. Either may be empty. The title is the first level 1 heading, and the
/// second title is the head's title if it differs. Without such a heading, the title is the head's title. If that title
/// begins with the page's first heading, the heading replaces it, which removes the site's name.
pub(super) fn titles(page: &Html, headings: &[Heading]) -> (String, String) {
    let of_head = || page.select(selector!("head > title")).map(|title| title.text().collect::<String>()).next();
    match headings.iter().find(|heading| heading.level == 1) {
        Some(heading) => {
            let of_head = one_line(&of_head().unwrap_or_default());
            (heading.title.clone(), Some(of_head).filter(|title| *title != heading.title).unwrap_or_default())
        }
        None => (title_of_head(page, headings, of_head), String::new()),
    }
}

fn title_of_head(page: &Html, headings: &[Heading], of_head: impl Fn() -> Option<String>) -> String {
    let title = attribute(page, selector!("meta[property='og:title']"), "content").map(str::to_owned).or_else(of_head);
    let title = one_line(&title.unwrap_or_default());
    match headings.first() {
        Some(first) if title.is_empty() || begins_with(&title, NO_TITLE) || begins_with(&title, &first.title) => {
            first.title.clone()
        }
        _ if begins_with(&title, NO_TITLE) => String::new(),
        _ => title,
    }
}

/// Whether `title` begins with `heading`, ignoring case.
fn begins_with(title: &str, heading: &str) -> bool {
    title.to_lowercase().starts_with(&heading.to_lowercase())
}

/// Returns the description in the head.
pub(super) fn description(page: &Html) -> String {
    if is_of_javadoc(page) {
        // Javadoc's description only repeats the package and name of a class.
        return String::new();
    }
    let found = attribute(page, selector!("meta[name=description i]"), "content");
    one_line(
        found.or_else(|| attribute(page, selector!("meta[property='og:description']"), "content")).unwrap_or_default(),
    )
}

/// Returns the date of the last change or of publication in the head.
pub(super) fn date(page: &Html) -> Option<Date> {
    let given = [
        selector!("meta[property='article:modified_time']"),
        selector!("meta[property='article:published_time']"),
        selector!("meta[name=date i]"),
    ];
    given.into_iter().find_map(|selector| Date::parse(attribute(page, selector, "content")?.trim()))
}

/// Returns the language that the page declares, in lower case, or an empty text.
pub(super) fn language(page: &Html) -> String {
    language_tag(page.root_element().value().attr("lang").unwrap_or_default())
}

/// Whether the page is a generated list of names and links.
pub(super) fn is_listing(name: &str, source: &str) -> bool {
    let is_sphinx = || source.contains("documentation_options.js") || source.contains("DOCUMENTATION_OPTIONS");
    let of_sphinx = name.starts_with("genindex") || matches!(name, "search.html" | "py-modindex.html");
    (of_sphinx && is_sphinx()) || (name == "toc.html" && source.contains("generated using mdBook"))
}

/// Whether the page shows source code, as Sphinx and rustdoc generate it.
pub(super) fn is_source_code(page: &Html) -> bool {
    page.select(selector!(".viewcode-back, body.rustdoc.src")).next().is_some()
}

/// Whether `source` is a whole page rather than a fragment, such as a template.
pub(super) fn is_whole(source: &str) -> bool {
    let bytes = source.as_bytes();
    let holds = |tag: &[u8]| bytes.windows(tag.len()).any(|at| at.eq_ignore_ascii_case(tag));
    [&b"<html"[..], b"<!doctype", b"<body", b"<head>"].into_iter().any(holds)
}

/// Returns the canonical link if it is a plain web address that is safe to follow.
pub(super) fn canonical_url(page: &Html) -> Option<String> {
    let url = attribute(page, selector!("link[rel=canonical i]"), "href")?;
    let parsed = Url::parse(url).ok()?;
    let leads_to_a_page = matches!(parsed.scheme(), "https" | "http") && parsed.host_str().is_some();
    // A user name before the host would disguise the address.
    let has_name = !parsed.username().is_empty() || parsed.password().is_some();
    let is_plain = !url.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\');
    (leads_to_a_page && !has_name && is_plain).then(|| url.to_owned())
}
