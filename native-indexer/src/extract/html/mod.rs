//! A built page: what it says of itself, its main content, and that content as Markdown.

mod depth;
mod main_content;
mod page;
mod to_markdown;

use super::{ExtractError, Outcome};
use scraper::Html;

/// Whether this is the page of an mdBook that holds the whole book or its table of contents. Recent versions mark both
/// `noindex`; older ones do not.
pub(super) fn repeats_a_book(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "print.html" | "toc.html") && text.contains("generated using mdBook")
}

pub(super) fn extract(source: &str) -> Result<Outcome, ExtractError> {
    depth::check(source)?;
    let page = Html::parse_document(source);
    if let Some(target) = page::redirect_target(&page) {
        return Ok(Outcome::Redirect(target));
    }
    if page::asks_not_to_be_found(&page) {
        return Ok(Outcome::NotContent);
    }
    let mut extracted = to_markdown::convert(&main_content::roots(&page));
    if extracted.text.trim().is_empty() {
        return Ok(Outcome::NotContent);
    }
    extracted.title = page::title(&page, &extracted.headings);
    extracted.description = page::description(&page);
    extracted.date = page::date(&page);
    extracted.canonical_url = page::canonical_url(&page);
    Ok(Outcome::Document(extracted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Extracted;
    use proptest::prelude::*;

    fn document(source: &str) -> Extracted {
        match extract(source).unwrap() {
            Outcome::Document(extracted) => extracted,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_book_page_keeps_its_content_and_nothing_else() {
        let extracted = document(
            r##"<html><head><title>What is Ownership? - The Book</title><meta name="description" content="">
            <link rel="canonical" href="https://x.org/own.html"></head><body><nav>Menu</nav><div id="help"><h2>Keys</h2></div>
            <main><h1 id="what"><a class="header" href="#what">What Is Ownership?</a></h1>
            <p><em>Ownership</em> is a set of
               <a href="x.html">rules</a>.</p>
            <pre><code class="language-rust"><span class="boring">fn main() {
</span>let s = "a &lt; b";
# still code
</code></pre>
            <h2 id="scope">Scope<a class="headerlink" href="#scope">¶</a></h2>
            <ul><li>one <code>x`y</code></li><li><p>two</p><ol><li>deep</li></ol></li></ul>
            <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2 | 3</td></tr></table>
            <script>evil()</script><footer>Made by</footer></main></body></html>"##,
        );
        assert_eq!(
            extracted.text,
            "# What Is Ownership?\n\nOwnership is a set of rules.\n\n```rust\nlet s = \"a < b\";\n# still code\n```\n\n\
             ## Scope\n\n- one ``x`y``\n- two\n  1. deep\n\n| a | b |\n| --- | --- |\n| 1 | 2 \\| 3 |\n"
        );
        assert_eq!((extracted.title.as_str(), extracted.description.as_str()), ("What Is Ownership?", ""));
        assert_eq!(extracted.canonical_url.as_deref(), Some("https://x.org/own.html"));
        let anchors: Vec<_> =
            extracted.headings.iter().map(|h| (h.anchor.as_str(), &extracted.text[h.at..h.at + 4])).collect();
        assert_eq!(anchors, [("what", "# Wh"), ("scope", "## S")]);
    }

    #[test]
    fn a_marked_body_wins_and_ignored_parts_go() {
        let extracted = document(
            "<main><p>outside</p><div data-pagefind-body><h1>A</h1><p data-pagefind-ignore>no</p><p hidden>no</p><p>yes</p></div></main>",
        );
        assert_eq!(extracted.text, "# A\n\nyes\n");
    }

    #[test]
    fn sphinx_sections_give_their_id_to_the_heading() {
        let extracted = document(
            "<div role='main'><section id='intro'><h1>Intro</h1><div class='highlight-python'><pre><span>x</span> = 1\n</pre></div></section></div>",
        );
        assert_eq!(extracted.headings[0].anchor, "intro");
        assert_eq!(extracted.text, "# Intro\n\n```python\nx = 1\n```\n");
    }

    #[test]
    fn redirects_and_print_pages_are_no_documents() {
        let redirect = extract("<meta http-equiv=\"refresh\" content=\"0; URL='../new/#x'\"><p>Moved</p>").unwrap();
        assert_eq!(redirect, Outcome::Redirect("../new/#x".into()));
        assert_eq!(extract("<meta name=robots content='noindex, follow'><p>print</p>").unwrap(), Outcome::NotContent);
        assert_eq!(extract("<main></main>").unwrap(), Outcome::NotContent);
    }

    #[test]
    fn hostile_nesting_is_refused_quickly() {
        let nested = "<div>".repeat(20_000);
        assert!(matches!(extract(&nested), Err(ExtractError::TooDeep(_))));
        let open_list = "<li>x".repeat(5_000);
        assert!(extract(&open_list).is_ok());
    }

    proptest! {
        #[test]
        fn any_markup_is_read_and_offsets_fit(source in "(<(p|h2|pre|ul|li|table|tr|td|code|main|/p|/ul|/pre|br)>|[a-cé `\n|&<]){0,60}") {
            if let Ok(Outcome::Document(extracted)) = extract(&source) {
                prop_assert!(extracted.blocks.is_sorted());
                for at in extracted.blocks.iter().chain(extracted.headings.iter().map(|heading| &heading.at)) {
                    prop_assert!(extracted.text.is_char_boundary(*at));
                }
            }
        }
    }
}
