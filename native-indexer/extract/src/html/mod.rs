//! Reads built HTML pages: their metadata, and their main content as Markdown.

mod encodings;
mod formulas;
mod headings;
mod links;
mod main_content;
mod metadata;
mod page;
mod parse;
mod scripts;
mod tables;
mod to_markdown;

pub(super) use encodings::decode;
pub use links::{Links, links};

use crate::error::ExtractError;
use crate::extracted::Extracted;
use crate::extraction::Extraction;
use crate::left_out::LeftOut;

/// Reads HTML that is part of another document, such as a book chapter or the output of a notebook cell.
pub(super) fn part(source: &str) -> Result<Extracted, ExtractError> {
    let page = parse::parse(source)?;
    let (roots, _) = main_content::roots(&page);
    Ok(to_markdown::convert(&roots))
}

/// Reads the page called `name`.
pub(super) fn extract(name: &str, source: &str) -> Result<Extraction, ExtractError> {
    // Recent mdBook versions mark this page `noindex`. Older versions do not.
    if name == "print.html" && source.contains("generated using mdBook") {
        return Ok(Extraction::LeftOut(LeftOut::PrintPage));
    }
    if page::is_listing(name, source) {
        return Ok(Extraction::LeftOut(LeftOut::Listing));
    }
    let page = parse::parse(source)?;
    if let Some(target) = page::redirect_target(&page) {
        return Ok(Extraction::Redirect(target));
    }
    if !page::is_whole(source) {
        return Ok(Extraction::LeftOut(LeftOut::Fragment));
    }
    if page::asks_not_to_be_found(&page) {
        return Ok(Extraction::LeftOut(LeftOut::Unlisted));
    }
    if page::is_source_code(&page) {
        return Ok(Extraction::LeftOut(LeftOut::SourceCode));
    }
    let (roots, is_marked) = main_content::roots(&page);
    let mut extracted = to_markdown::convert(&roots);
    if extracted.text.trim().is_empty() {
        return Ok(Extraction::LeftOut(LeftOut::Empty));
    }
    extracted.metadata = metadata::read(&page, &roots);
    if let Some(own_title) = extracted.metadata.shown.remove("title") {
        extracted.title = own_title;
    } else {
        (extracted.title, extracted.head_title) = page::titles(&page, &extracted.headings);
    }
    extracted.description = page::description(&page);
    extracted.date = page::date(&page);
    extracted.canonical_url = page::canonical_url(&page);
    extracted.language = page::language(&page);
    extracted.has_marked_body = is_marked;
    Ok(Extraction::Document(Box::new(extracted)))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(not(feature = "formats"))]
    use crate::extracted::Extracted;
    use proptest::prelude::*;

    fn extract(name: &str, source: &str) -> Result<Extraction, ExtractError> {
        super::extract(name, &format!("<!doctype html>{source}"))
    }

    fn document(source: &str) -> Extracted {
        match extract("page.html", source).unwrap() {
            Extraction::Document(extracted) => *extracted,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_the_content_of_a_book_page_is_kept() {
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
    fn a_table_is_one_block_with_its_head() {
        let extracted = document(
            "<main><h1>A</h1><table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n\
             <tfoot><tr><td>3</td><td>4</td></tr></tfoot></table></main>",
        );
        assert_eq!(extracted.text, "# A\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n");
    }

    #[test]
    fn class_references_are_read_without_summaries_and_permalinks() {
        let extracted = document(
            "<main><h1>Backoff</h1><div class=navpath>patience</div><section class='method-summary'><h2>Method Summary</h2>Waits.</section>
             <section class='method-details'><h2 id=memitem><a href='#memitem'>◆ </a>wait()</h2><p>Waits. Then goes on.</p></section>
             <p>More <a class=summary_toggle href='#'>collapse</a></p></main>",
        );
        assert_eq!(extracted.text, "# Backoff\n\n## wait()\n\nWaits. Then goes on.\n\nMore\n");
    }

    #[test]
    fn elements_with_classes_of_headings_are_headings() {
        let doxygen = document(
            "<div id=titlearea><table><tr><td>site</td></tr></table></div><div class=header><div class=headertitle><div class=title>Backoff Class Reference</div></div></div>
             <div class=contents><p>Waits.</p></div>",
        );
        assert_eq!(
            (doxygen.title.as_str(), doxygen.text.as_str()),
            ("Backoff Class Reference", "# Backoff Class Reference\n\nWaits.\n")
        );
        let rdoc = document(
            "<main><h1>class Backoff</h1><div id=method-i-reset class='method-detail '><div class=method-heading><span class=method-name>reset</span><span
             class=method-args>(now)</span><span class=method-click-advice>click</span></div><div class=method-description><p>Goes back.</p>
             <div class=method-source-code><pre>def reset</pre></div></div></div></main>",
        );
        assert_eq!(rdoc.text, "# class Backoff\n\n#### reset(now)\n\nGoes back.\n");
        let method = &rdoc.headings[1];
        assert_eq!((method.title.as_str(), method.anchor.as_str()), ("reset", "method-i-reset"));
    }

    #[test]
    fn the_first_page_of_javadoc_redirects() {
        let page = |generator: &str| {
            format!(
                "<html><head><meta name=generator content='{generator}'><noscript><meta http-equiv=Refresh content='0;a/b.html'></noscript></head><main><p>x</p></main></html>"
            )
        };
        assert!(
            matches!(extract("index.html", &page("javadoc/17")), Ok(Extraction::Redirect(target)) if target == "a/b.html")
        );
        assert!(matches!(extract("index.html", &page("Hugo")), Ok(Extraction::Document(_))));
    }

    #[test]
    fn a_marked_body_takes_precedence_and_ignored_parts_are_removed() {
        let extracted = document(
            "<main><p>outside</p><div data-pagefind-body><h1>A</h1><p data-pagefind-ignore>no</p><p hidden>no</p><p>yes</p></div></main>",
        );
        assert_eq!(extracted.text, "# A\n\nyes\n");
    }

    #[test]
    fn formulas_appear_once_as_written_by_their_authors() {
        for (formula, text) in [
            (
                "<span class='katex'><span class='katex-mathml'><math><semantics><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>\
                 <annotation encoding='application/x-tex'>a + b</annotation></semantics></math></span>\
                 <span class='katex-html' aria-hidden='true'>a+b</span></span>",
                "a + b",
            ),
            ("<math><mi>x</mi><mo>=</mo><mn>7</mn></math>", "x=7"),
            (
                "<math><msup><mn>2</mn><mn>8</mn></msup><mo>+</mo><mfrac><mn>1</mn><mn>2</mn></mfrac>\
                 <msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup></math>",
                "2^8+1/2x_1^2",
            ),
            ("<math alttext='{\\displaystyle y^2}'><mi>y</mi></math>", "y^2"),
            ("<script type='math/tex; mode=display'>w_1 = 10</script>", "w_1 = 10"),
            ("<math hidden><mi>q</mi></math><math><mi>z</mi></math>", "z"),
        ] {
            assert_eq!(
                document(&format!("<main><p>Before {formula} after.</p></main>")).text,
                format!("Before {text} after.\n")
            );
        }
    }

    #[test]
    fn headings_in_buttons_forms_and_shadow_roots_are_content() {
        for (part, text) in [
            (
                "<h3><button aria-expanded=false aria-controls=x>Refunds</button></h3><div id=x hidden=until-found>Parsnip</div>",
                "### Refunds\n\nParsnip\n",
            ),
            ("<button aria-expanded=false aria-controls=x>Delivery</button><p>Kale</p>", "Delivery\n\nKale\n"),
            ("<form action='/send'><h2>Order</h2><p>Celeriac <input value=no></p></form>", "## Order\n\nCeleriac\n"),
            (
                "<my-card><template shadowrootmode=open><h2>Card</h2><p>Salsify</p></template></my-card><p>After</p>",
                "## Card\n\nSalsify\n\nAfter\n",
            ),
            ("<template><p>Not shown</p></template><button>Copy</button><p>Seen</p>", "Seen\n"),
        ] {
            assert_eq!(document(&format!("<main>{part}</main>")).text, text, "{part}");
        }
    }

    #[test]
    fn headings_of_sphinx_have_the_id_of_their_section() {
        let extracted = document(
            "<div role='main'><section id='intro'><h1>Intro</h1><div class='highlight-python'><pre><span>x</span> = 1\n</pre></div></section></div>",
        );
        assert_eq!(extracted.headings[0].anchor, "intro");
        assert_eq!(extracted.text, "# Intro\n\n```python\nx = 1\n```\n");
    }

    #[test]
    fn functions_of_rustdoc_have_short_names_and_anchors() {
        let extracted = document(
            r##"<main><section id="main-content"><h1>Struct <span>Linear</span></h1><h2 id="implementations">Implementations<a href="#implementations" class="anchor">§</a></h2>
            <details open><summary><section id="method.new"><a class="src rightside" href="../src/linear.rs.html#22">Source</a><h4 class="code-header">pub fn <a href="#method.new" class="fn">new</a>(
                depth: usize) -&gt; Self</h4></section></summary><p>A layer.</p></details>
            <h2 id="blanket-implementations">Blanket<a href="#blanket-implementations" class="anchor">§</a></h2><div id="blanket-implementations-list"><h3>impl Any for T</h3></div><h2 id="deref-methods-str">Methods of str</h2></section></main>"##,
        );
        let headings: Vec<_> = extracted.headings.iter().map(|h| (h.anchor.as_str(), h.title.as_str())).collect();
        assert_eq!(
            headings,
            [("main-content", "Struct Linear"), ("implementations", "Implementations"), ("method.new", "pub fn new")]
        );
        assert_eq!(
            extracted.text,
            "# Struct Linear\n\n## Implementations\n\n#### pub fn new( depth: usize) -> Self\n\nA layer.\n"
        );
    }

    #[test]
    fn declarations_of_sphinx_are_headings_with_anchors() {
        let extracted = document(
            r##"<div role=main><section id="app"><h1>Application</h1>
            <dl class="py class"><dt class="sig sig-object py" id="ext.App"><em class="property"><span>class</span> </em><span class="sig-prename descclassname">ext.</span><span class="sig-name descname">App</span><span class="sig-paren">(</span><em class="sig-param">bot</em><span class="sig-paren">)</span><a class="reference internal" href="_modules/app.html#App"><span class="viewcode-link">[source]</span></a><a class="headerlink" href="#ext.App">¶</a></dt>
            <dd><p>Runs.</p><dl class="field-list"><dt class="field-odd">Parameters</dt><dd><p>bot – yours</p></dd></dl>
            <dl class="py method"><dt class="sig py" id="ext.App.run_polling"><em class="property">async </em><span class="sig-name descname"><span class="pre">run_polling</span></span>(<em>timeout=10</em>)</dt>
            <dt class="sig py">run_polling(None)</dt><dd><p>Polls.</p></dd></dl>
            <dl class="py method"><dt class="sig py" id="ext.App.stop"><span class="sig-name descname">stop</span>()</dt><dd></dd></dl></dd></dl>
            <p>After.</p>
            <dl class="std option"><dt class="sig std" id="cmdoption-o"><span class="sig-name descname">-o</span><span class="sig-prename descclassname"> FILE</span>, <span class="sig-name descname">--output</span><span class="sig-prename descclassname"> FILE</span></dt><dd><p>Where to.</p></dd></dl>
            <dl class="footnote"><dt class="label" id="id1">[1]</dt><dd>Note.</dd></dl></section></div>"##,
        );
        assert_eq!(
            extracted.text,
            "# Application\n\n## class ext.App(bot)\n\nRuns.\n\nParameters\n\nbot – yours\n\n### async run_polling(timeout=10)\n\n\
             run_polling(None)\n\nPolls.\n\n### stop()\n\nAfter.\n\n## -o FILE, --output FILE\n\nWhere to.\n\n[1]\n\nNote.\n"
        );
        let headings: Vec<_> = extracted
            .headings
            .iter()
            .map(|h| (h.level, h.anchor.as_str(), h.title.as_str(), extracted.text[h.at..].split(' ').next().unwrap()))
            .collect();
        assert_eq!(
            headings,
            [
                (1, "app", "Application", "#"),
                (2, "ext.App", "ext.App", "##"),
                (3, "ext.App.run_polling", "run_polling", "###"),
                (3, "ext.App.stop", "stop", "###"),
                // Text after a list of declarations is not part of the last declaration.
                (1, "app", "Application", "After.\n\n##"),
                (2, "cmdoption-o", "-o, --output", "##"),
                (1, "app", "Application", "[1]\n\nNote.\n"),
            ]
        );
    }

    #[test]
    fn lists_of_terms_are_read_at_any_nesting() {
        let read = |part: &str| {
            let extracted = document(&format!("<title>Glossary - Lib</title><main>{part}</main>"));
            let headings =
                extracted.headings.iter().map(|h| format!("{} {}", h.level, h.title)).collect::<Vec<_>>().join(", ");
            (extracted.title, headings)
        };
        // A term never becomes the title of the page.
        assert_eq!(read("<dl><dt id=a>ABI</dt><dd>x</dd></dl>"), ("Glossary - Lib".into(), "2 ABI".into()));
        let inner =
            "<h1>G</h1><dl><dt id=a>A<dl><dt id=x>x</dt></dl></dt><dd>about A</dd><dt id=b>B</dt><dd>b</dd></dl>";
        assert_eq!(read(inner).1, "1 G, 2 A x, 2 B");
        assert_eq!(read("<h2>x<dl><dt id=y>y</dt></dl>z</h2>").1, "2 x y z");
        assert_eq!(read("<h1>G</h1><dl><dt id=a><h3>A</h3></dt><dd>a</dd></dl>").1, "1 G, 2 A");
        let names = "<span class=descname>".repeat(400);
        let long = format!("<h1>G</h1><dl><dt id=a>{names}{}</dt><dd>a</dd></dl>", "name ".repeat(100_000));
        assert!(read(&long).1.len() < 600_000);
    }

    #[test]
    fn headings_have_the_anchor_beside_them() {
        for (part, anchor) in [
            ("<a id='before'></a>\n<h2>A</h2>", "before"),
            ("<a href='x' id='link'>Text</a><h2>A</h2>", ""),
            ("<h2><span class=permalink><a href='#sign'>#</a></span>A</h2>", "sign"),
            ("<section id='f/2'><div class=detail><div><h2 class=signature>A(b)</h2></div></div></section>", "f/2"),
            ("<section id=no><p>Text</p><div><h2>A</h2></div></section>", ""),
        ] {
            let extracted = document(&format!("<main>{part}</main>"));
            let heading = &extracted.headings[0];
            assert_eq!((heading.anchor.as_str(), heading.title.as_str()), (anchor, "A"), "{part}");
        }
    }

    #[test]
    fn line_numbers_badges_and_diagrams_are_not_content() {
        let extracted = document(
            "<main><h2>Collections<span class='version-badge'>3.7</span> <span class='VPBadge tip'>beta</span></h2>
            <div class=highlight><pre><span class=linenos>12</span><span>run</span>()</pre></div>
            <table><tr><td class='rouge-gutter gutter'><pre class=lineno>1</pre></td><td><pre>go()</pre></td></tr></table>
            <pre class=mermaid>A --&gt; B</pre><p>A <span class=badge>badge</span> of text.</p></main>",
        );
        assert_eq!(extracted.text, "## Collections\n\n```\nrun()\n```\n\n| `go()` |\n| --- |\n\nA badge of text.\n");
        assert_eq!(extracted.headings[0].title, "Collections");
    }

    #[test]
    fn pages_without_a_title_have_an_empty_one() {
        assert_eq!(document("<title>&lt;no title&gt; - lib v2</title><main><p>x</p></main>").title, "");
        assert_eq!(document("<title>&lt;no title&gt; - lib v2</title><main><h2>B</h2>x</main>").title, "B");
    }

    #[test]
    fn a_canonical_link_is_the_address_of_a_page() {
        let canonical = |url: &str| {
            document(&format!("<link rel=canonical href=\"{url}\"><main><h1>A</h1>Text</main>")).canonical_url
        };
        assert_eq!(canonical("https://x.org/a").as_deref(), Some("https://x.org/a"));
        for url in [
            "javascript:alert(1)",
            "data:text/html,x",
            "/a",
            "https://",
            "https://docs.org@evil.example/",
            "https://x.org/a\u{202e} b",
            "https:\\\\x.org",
        ] {
            assert_eq!(canonical(url), None, "{url}");
        }
    }

    #[test]
    fn redirects_are_followed() {
        let page = "<meta http-equiv=\"refresh\" content=\"0; URL='../new/#x'\"><p>Moved</p>";
        assert_eq!(extract("page.html", page), Ok(Extraction::Redirect("../new/#x".into())));
    }

    #[test]
    fn files_that_are_not_pages_are_left_out_with_the_reason() {
        let why = |name: &str, source: &str| match extract(name, source).unwrap() {
            Extraction::LeftOut(reason) => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(why("page.html", "<meta name=robots content='noindex, follow'><p>x</p>"), LeftOut::Unlisted);
        assert_eq!(why("page.html", "<main></main>"), LeftOut::Empty);
        let book = "<!-- Book generated using mdBook --><main><p>x</p></main>";
        assert_eq!(why("print.html", book), LeftOut::PrintPage);
        assert_eq!(why("toc.html", book), LeftOut::Listing);
        let sphinx = "<script src='_static/documentation_options.js'></script><div role=main><p>x</p></div>";
        assert_eq!(why("genindex.html", sphinx), LeftOut::Listing);
        assert_eq!(why("search.html", sphinx), LeftOut::Listing);
        let view = "<div role=main><pre><a class='viewcode-back' href='../api.html#f'>[docs]</a>def f()</pre></div>";
        assert_eq!(why("module.html", view), LeftOut::SourceCode);
        assert_eq!(why("lib.rs.html", "<body class='rustdoc src'><main>fn f()</main>"), LeftOut::SourceCode);
        // Material's template, which is in the output of some sites.
        let template = super::extract("main.html", "{% extends 'base.html' %}<main><p>x</p></main>");
        assert_eq!(template, Ok(Extraction::LeftOut(LeftOut::Fragment)));
    }

    #[test]
    fn collapsed_parts_are_content() {
        let extracted = document(
            "<main><h1>A</h1><div role=tabpanel hidden><p>yarn create astro</p></div>
            <details><summary>More</summary><p>folded</p></details><div hidden='until-found'><p>found</p></div>
            <div hidden><p>never</p></div><div aria-hidden=true>no</div>
            <details class='mkdocstrings-source'><summary>Source code in <code>a.py</code></summary><pre>def f()</pre></details>
            <details class='quote'><summary>Source code in <code>b.py</code></summary><pre>def g()</pre></details></main>",
        );
        assert_eq!(extracted.text, "# A\n\nyarn create astro\n\nMore\n\nfolded\n\nfound\n");
    }

    #[test]
    fn lines_of_code_that_are_blocks_stay_lines() {
        let extracted = document(
            "<main><pre><code class=language-js><div class=ec-line><div class=code>a();</div></div><div class=ec-line><div class=code>  b();</div></div></code></pre></main>",
        );
        assert_eq!(extracted.text, "```js\na();\n  b();\n```\n");
    }

    #[test]
    fn blocks_of_the_page_stay_apart() {
        let extracted = document(
            "<main><dl><dt>term</dt><dd>what it means</dd></dl><p>one<br>two</p>
            <ul><li><p>item</p><p>more</p><ul><li>inner</li><li>next</li></ul></li><li>last</li></ul>
            <table><tr><th>Name</th></tr><tr><td><p>a</p><ul><li>b</li><li>c</li></ul></td></tr></table></main>",
        );
        assert_eq!(
            extracted.text,
            "term\n\nwhat it means\n\none  \ntwo\n\n- item\n\n  more\n  - inner\n  - next\n- last\n\n| Name |\n| --- |\n| a\u{2028}b\u{2028}c |\n"
        );
    }

    #[test]
    fn the_language_and_named_attributes_are_read() {
        let extracted = document(
            "<html lang='pt-BR'><main data-pagefind-body><h1>A</h1><img title='A chart' data-pagefind-index-attrs='title'></main></html>",
        );
        assert_eq!((extracted.language.as_str(), extracted.text.as_str()), ("pt-br", "# A\n\nA chart\n"));
        assert!(extracted.has_marked_body);
    }

    #[test]
    fn hostile_nesting_is_refused_quickly() {
        let nested = "<div>".repeat(20_000);
        assert!(matches!(extract("page.html", &nested), Err(ExtractError::TooDeep(_))));
        let open_list = "<li>x".repeat(5_000);
        assert!(extract("page.html", &open_list).is_ok());
    }

    proptest! {
        #[test]
        fn any_markup_is_read_and_offsets_fit(source in "(<(p|h2|pre|ul|li|table|tr|td|code|main|dl|dt id=a|dt|dd|h3|/p|/ul|/pre|/dl|/dt|/dd|/h3|br)>|[a-cé `\n|&<]){0,60}") {
            if let Ok(Extraction::Document(extracted)) = extract("page.html", &source) {
                prop_assert!(extracted.blocks.is_sorted());
                prop_assert!(extracted.headings.is_sorted_by_key(|heading| heading.at));
                for at in extracted.blocks.iter().chain(extracted.headings.iter().map(|heading| &heading.at)) {
                    prop_assert!(extracted.text.is_char_boundary(*at));
                }
            }
        }
    }
}
