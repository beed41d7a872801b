//! Entries of `llms.txt` (<https://llmstxt.org>).

use nearfind_bundles::library::Document;
use nearfind_extract::one_line;
use url::Url;

/// Returns the address of a document, or its path if it has no address.
pub(super) fn address(document: &Document, at: Option<&Url>) -> String {
    let Some(url) = &document.url else { return document.path.clone() };
    at.and_then(|at| at.join(url).ok()).map_or_else(|| url.clone(), String::from)
}

/// Returns a line of `llms.txt`.
pub(super) fn entry(document: &Document, url: &str) -> String {
    let title = one_line(&document.title).replace('[', "\\[").replace(']', "\\]");
    let url = url.replace(' ', "%20").replace('(', "%28").replace(')', "%29");
    let description = one_line(&document.description);
    if description.is_empty() { format!("- [{title}]({url})") } else { format!("- [{title}]({url}): {description}") }
}
