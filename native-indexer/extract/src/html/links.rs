//! The links on a page, and the anchors on it that links can point to.

use super::parse::parse;
use crate::error::ExtractError;
use scraper::Selector;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The links and anchors of a page.
///
/// ```
/// let page = nearfind_extract::links(r#"<a href="undo.html#revert">Undo</a><h2 id="tags">Tags</h2>"#)?;
/// assert!(page.addresses.contains("undo.html#revert"));
/// assert!(page.places.contains("tags"));
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// The addresses in the page's links as written, each once.
    pub addresses: BTreeSet<String>,
    /// The ids of the page's elements, and the names of its anchors.
    pub places: BTreeSet<String>,
    /// The address that links are relative to, if the page declares one.
    pub base: Option<String>,
}

static PLACES: LazyLock<Selector> = LazyLock::new(|| selector("[id], a[name]"));
static LINKS: LazyLock<Selector> = LazyLock::new(|| selector("a[href]"));
static BASE: LazyLock<Selector> = LazyLock::new(|| selector("base[href]"));

fn selector(css: &str) -> Selector {
    Selector::parse(css).expect("a selector")
}

/// Returns the links and anchors of an HTML page.
///
/// # Errors
///
/// Returns an error if elements are nested too deeply, or if too many are left open.
pub fn links(source: &str) -> Result<Links, ExtractError> {
    let page = parse(source)?;
    let attribute = |selector, name| {
        let elements = page.select(selector);
        elements.filter_map(move |element| element.value().attr(name)).map(|value| value.trim().to_owned())
    };
    let places = attribute(&PLACES, "id").chain(attribute(&PLACES, "name")).filter(|place| !place.is_empty()).collect();
    Ok(Links { addresses: attribute(&LINKS, "href").collect(), places, base: attribute(&BASE, "href").next() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_places_are_found_in_the_whole_page() {
        let found =
            links("<base href='/docs/'><nav><a href=' a.html#b '>x</a></nav><h2 id=b>y</h2><a name=c></a><p id>z</p>")
                .unwrap();
        assert_eq!(found.base.as_deref(), Some("/docs/"));
        assert_eq!(found.addresses.into_iter().collect::<Vec<_>>(), ["a.html#b"]);
        assert_eq!(found.places.into_iter().collect::<Vec<_>>(), ["b", "c"]);
    }
}
