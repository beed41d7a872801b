//! Traces of other searches in a site, and their replacements.

/// A trace of a search, or of a part of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// The name of the search.
    pub of: &'static str,
    /// Suffixes of file names. Only files with these suffixes may contain the trace.
    pub files: &'static [&'static str],
    /// The regular expression that matches the trace in a line.
    pub pattern: &'static str,
    /// The next step. `$1` is replaced by the first group of the expression.
    pub advice: &'static str,
    /// Whether only the first match in a site is reported.
    pub once: bool,
}

const PAGEFIND: &str = "Pagefind";
const DOCSEARCH: &str = "DocSearch";
const EASYOPS: &str = "docusaurus-search-local";

/// Scripts and settings.
const SETTINGS: &[&str] =
    &[".json", ".js", ".mjs", ".cjs", ".ts", ".mts", ".yml", ".yaml", ".toml", ".sh", "Makefile", "justfile"];
/// Pages and their sources.
const PAGES: &[&str] = &[
    ".html", ".htm", ".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx", ".vue", ".astro", ".svelte", ".njk",
    ".liquid", ".hbs", ".ejs", ".j2", ".jinja", ".pug", ".erb", ".md", ".mdx",
];
const DOCUSAURUS: &[&str] =
    &["docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "docusaurus.config.cjs"];
const VITEPRESS: &[&str] =
    &[".vitepress/config.js", ".vitepress/config.ts", ".vitepress/config.mts", ".vitepress/config.mjs"];
const PAGEFIND_SETTINGS: &[&str] = &["pagefind.yml", "pagefind.yaml", "pagefind.toml", "pagefind.json"];
const CRAWLER: &[&str] = &["docsearch.json", "docsearch.config.json", "config.json", ".docsearch.json"];

const fn rule(of: &'static str, files: &'static [&'static str], pattern: &'static str, advice: &'static str) -> Rule {
    Rule { of, files, pattern, advice, once: false }
}

const fn once(of: &'static str, files: &'static [&'static str], pattern: &'static str, advice: &'static str) -> Rule {
    Rule { of, files, pattern, advice, once: true }
}

pub(super) const RULES: &[Rule] = &[
    // Pagefind
    rule(
        PAGEFIND,
        SETTINGS,
        r#"pagefind\b[^"'&;|]*--(?:site|source)[ =]\\?["']?([^\s"'&;|\\]+)"#,
        "Run `nearfind index $1 -o $1/nearfind` after the build.",
    ),
    once(PAGEFIND, &["package.json"], r#""pagefind"\s*:"#, "Replace the dependency `pagefind` with `nearfind`."),
    once(
        PAGEFIND,
        PAGES,
        r"/?pagefind/pagefind-(?:ui|modular-ui|component-ui)\.js",
        "Load `/nearfind/box/box.js` with `type=\"module\"`, or keep Pagefind's interface and give it `bundlePath: \"/nearfind/box/\"`.",
    ),
    once(
        PAGEFIND,
        PAGES,
        r"/?pagefind/pagefind-(?:ui|modular-ui|component-ui)\.css",
        "Remove the style sheet: the box brings its own. Custom properties such as `--nearfind-accent` change it.",
    ),
    once(
        PAGEFIND,
        PAGES,
        r"/?pagefind/pagefind\.js",
        "Import `/nearfind/box/pagefind.js` instead: it answers the same calls.",
    ),
    once(
        PAGEFIND,
        PAGES,
        r"pagefind-highlight\.js|PagefindHighlight",
        "Remove it: links lead to the words with text fragments.",
    ),
    rule(
        PAGEFIND,
        PAGES,
        r"new PagefindUI\(|new PagefindModularUI|<pagefind-(?:modal|searchbox|component)",
        "Put `<nearfind-search></nearfind-search>` where this element is.",
    ),
    once(PAGEFIND, PAGES, r"\bshowSubResults\s*:", "`showSubResults` is not needed: the box shows sections of pages."),
    once(PAGEFIND, PAGES, r"\bpageSize\s*:\s*(\d+)", "`pageSize` becomes the attribute `limit=\"$1\"`."),
    once(PAGEFIND, PAGES, r"\bprocessResult\s*:", "`processResult` becomes the property `transform` of the element."),
    once(
        PAGEFIND,
        PAGES,
        r"\bmergeIndex\s*:",
        "`mergeIndex` becomes the attribute `bundle` with several addresses, if the indexes were made with the same model.",
    ),
    once(
        PAGEFIND,
        PAGES,
        r"\btranslations\s*:\s*\{",
        "`translations` becomes the property `strings`; the box comes in nineteen languages.",
    ),
    once(
        PAGEFIND,
        PAGEFIND_SETTINGS,
        r"root_selector|rootSelector",
        "nearfind has no selector for the content: if it is not in `main` or `article`, put `data-nearfind-body` on its element.",
    ),
    once(
        PAGEFIND,
        PAGEFIND_SETTINGS,
        r"exclude_selectors|excludeSelectors",
        "nearfind has no selectors: put `data-nearfind-ignore` on these elements.",
    ),
    once(
        PAGEFIND,
        PAGEFIND_SETTINGS,
        r#"\bglob\b["']?\s*[:=]\s*["']?([^"'\s]+)"#,
        "`glob` becomes the option `--include '$1'`.",
    ),
    once(
        PAGEFIND,
        PAGEFIND_SETTINGS,
        r"force_language|forceLanguage",
        "Remove it: each page is read in its own language.",
    ),
    once(
        PAGEFIND,
        PAGES,
        r"data-pagefind-(body|ignore|meta|filter|sort|index-attrs)\b",
        "Keep `data-pagefind-…`: `body`, `ignore`, `meta`, `filter`, `sort` and `index-attrs` are read as Pagefind reads them.",
    ),
    once(
        PAGEFIND,
        PAGES,
        r"<(?:h[1-6]|p|div|section|li|span|td|dt|dd)\b[^>]*data-pagefind-weight",
        "Weights count only for whole pages; weights for parts of pages have no effect.",
    ),
    once(
        PAGEFIND,
        &["astro.config.mjs", "astro.config.ts", "astro.config.js"],
        r"\bstarlight\(",
        "Add `nearfind()` from `nearfind/astro` to `integrations`, and to Starlight `pagefind: false` and `components: { Search: \"nearfind/astro/Search.astro\" }`.",
    ),
    // DocSearch
    once(
        DOCSEARCH,
        DOCUSAURUS,
        r"\balgolia\s*:\s*\{",
        "Remove `algolia` from `themeConfig`, and add `themes: [\"nearfind/docusaurus\"]`. nearfind recognizes versions and languages by itself.",
    ),
    once(
        DOCSEARCH,
        VITEPRESS,
        r#"provider\s*:\s*["'](?:algolia|local)["']"#,
        "Remove `search` from `themeConfig`, and add `vite: { plugins: [nearfind()] }` with `nearfind` from `nearfind/vite`.",
    ),
    once(
        DOCSEARCH,
        &["package.json"],
        r#""(@docsearch/[a-z-]+|docsearch\.js|@astrojs/starlight-docsearch)"\s*:"#,
        "Replace the dependency `$1` with `nearfind`.",
    ),
    once(
        DOCSEARCH,
        PAGES,
        r"\bdocsearch\(\s*\{|<DocSearch\b",
        "Put `<nearfind-search></nearfind-search>` where this element is. Ctrl-K and `/` open it as before.",
    ),
    once(
        DOCSEARCH,
        PAGES,
        r"cdn\.jsdelivr\.net/npm/@?docsearch|unpkg\.com/@?docsearch",
        "Load `/nearfind/box/box.js` with `type=\"module\"`; it needs no style sheet and no other host.",
    ),
    once(
        DOCSEARCH,
        PAGES,
        r"docsearch:(?:version|language)",
        "Keep `docsearch:version` in pages: readers get results for the version that they are reading.",
    ),
    once(
        DOCSEARCH,
        PAGES,
        r"\bfacetFilters\s*:|facetFilters",
        "`facetFilters` becomes the attribute `filters`, as in `filters=\"version=2.1\"`.",
    ),
    once(
        DOCSEARCH,
        PAGES,
        r"\btransformItems\b",
        "`transformItems` becomes the property `transform`, for one result at a time.",
    ),
    once(
        DOCSEARCH,
        CRAWLER,
        r#""start_urls"|"startUrls"|"index_name""#,
        "The crawler is not needed: `nearfind index SITE -o SITE/nearfind` reads the built site.",
    ),
    once(
        DOCSEARCH,
        CRAWLER,
        r#""lvl0"|"selectors"\s*:"#,
        "Headings need no selectors: every heading with an id is found, with its section.",
    ),
    once(
        DOCSEARCH,
        CRAWLER,
        r#""stop_urls"|"exclusionPatterns""#,
        "Use `--exclude GLOB` to leave out pages that were not crawled.",
    ),
    once(
        DOCSEARCH,
        CRAWLER,
        r#""selectors_exclude"|"selectorsExclude""#,
        "Put `data-nearfind-ignore` on the elements of `selectors_exclude`.",
    ),
    once(
        DOCSEARCH,
        PAGES,
        r"\balgoliasearch\(|algoliasearch/lite",
        "If you built your own search on Algolia, use the library: `import { open } from \"nearfind\"`, and call `query` on the search that it opens.",
    ),
    once(DOCSEARCH, SETTINGS, r"sphinx_docsearch", "Replace the extension with `nearfind.sphinx`."),
    // easyops' local search, and others like it
    once(
        EASYOPS,
        &["package.json"],
        r#""(@easyops-cn/docusaurus-search-local|@cmfcmf/docusaurus-search-local|docusaurus-lunr-search)"\s*:"#,
        "Replace the dependency `$1` with `nearfind`.",
    ),
    once(
        EASYOPS,
        DOCUSAURUS,
        r"@easyops-cn/docusaurus-search-local|@cmfcmf/docusaurus-search-local|docusaurus-lunr-search",
        "Replace the theme or plugin with `\"nearfind/docusaurus\"` in `themes`.",
    ),
    once(
        EASYOPS,
        DOCUSAURUS,
        r"\bhashed\s*:",
        "`hashed` is not needed: the names of the index's files contain their hash.",
    ),
    once(
        EASYOPS,
        DOCUSAURUS,
        r"\blanguage\s*:\s*\[",
        "`language` is not needed: nearfind chooses among the rules of 34 languages page by page.",
    ),
    once(
        EASYOPS,
        DOCUSAURUS,
        r"\bindex(Docs|Blog|Pages)\s*:\s*false",
        "Replace `index$1: false` with an option: `options: [\"--exclude\", \"blog/**\"]`, with the folder to leave out.",
    ),
    once(EASYOPS, DOCUSAURUS, r"\bignoreFiles\s*:", "`ignoreFiles` becomes `options: [\"--exclude\", GLOB]`."),
    once(
        EASYOPS,
        DOCUSAURUS,
        r"\bignoreCssSelectors\s*:",
        "Put `data-nearfind-ignore` on the elements of `ignoreCssSelectors`.",
    ),
    once(
        EASYOPS,
        DOCUSAURUS,
        r"\bsearchResultLimits\s*:\s*(\d+)",
        "`searchResultLimits` becomes `attributes: { limit: \"$1\" }`.",
    ),
    once(
        EASYOPS,
        DOCUSAURUS,
        r"\bsearchBarShortcut\s*:\s*false",
        "`searchBarShortcut: false` becomes `attributes: { shortcuts: \"none\" }`.",
    ),
    once(
        EASYOPS,
        DOCUSAURUS,
        r"\bhighlightSearchTermsOnTargetPage\s*:",
        "Links highlight the passage by themselves; `attributes: { highlight: \"none\" }` turns that off.",
    ),
    once(
        EASYOPS,
        DOCUSAURUS,
        r"\bsearchContextByPaths\s*:",
        "`searchContextByPaths` becomes the attribute `filters`, as in `filters=\"area=guide\"`.",
    ),
];
