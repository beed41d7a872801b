//! Turns the path of a file into the address of its page.

use nearfind_base::file_names::stem;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a site turns paths into addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UrlStyle {
    /// The path of the file. An `index.html` gets the address of its folder.
    #[default]
    File,
    /// The path with the extension `.html`.
    Html,
    /// A folder for each page: the path without its extension, and a slash.
    #[serde(alias = "plotly")]
    Directory,
    /// The path with the extension `.html`, and without a number that orders files, as in `3_Plotting.ipynb`.
    #[serde(alias = "datashader")]
    HtmlUnnumbered,
    /// A page of an Azure DevOps wiki.
    AzureDevopsWiki,
}

/// Returns the address of the page at `path` below `base`, which does not end with a slash.
pub(super) fn page_url(style: UrlStyle, base: &str, path: &str) -> String {
    match style {
        UrlStyle::File => format!("{base}/{}", encoded(without_index(path))),
        UrlStyle::Html => format!("{base}/{}.html", encoded(stem(path))),
        UrlStyle::Directory => {
            let stem = stem(path);
            let place = stem.strip_suffix("index").filter(|folder| folder.is_empty() || folder.ends_with('/'));
            match place {
                Some(folder) => format!("{base}/{}", encoded(folder)),
                None => format!("{base}/{}/", encoded(stem)),
            }
        }
        UrlStyle::HtmlUnnumbered => {
            let stem = stem(path);
            let (folder, name) = stem.rsplit_once('/').map_or(("", stem), |(folder, name)| (folder, name));
            let digits = name.trim_start_matches(|c: char| c.is_ascii_digit());
            let name = digits.strip_prefix(['_', '-']).filter(|_| digits.len() < name.len()).unwrap_or(name);
            let slash = if folder.is_empty() { "" } else { "/" };
            format!("{base}/{}{slash}{}.html", encoded(folder), encoded(name))
        }
        UrlStyle::AzureDevopsWiki => {
            // In such file names, a dash stands for a space, and `%2D` for a dash.
            let page = encoded(&format!("/{}", stem(path))).replace("%252D", "%2D").replace('-', "%20");
            let page = page.replace('/', "%2F").replace('&', "%26").replace('+', "%2B");
            format!("{base}?pagePath={page}")
        }
    }
}

fn without_index(path: &str) -> &str {
    match path.strip_suffix("index.html") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => folder,
        _ => path,
    }
}

/// Characters that would end the path, or that are not allowed in an address. Letters of all scripts stay as they are.
const RESERVED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'#')
    .add(b'?')
    .add(b'%')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'|');

fn encoded(path: &str) -> String {
    let encoded = |c: char| {
        if c.is_ascii() { utf8_percent_encode(c.encode_utf8(&mut [0; 4]), RESERVED).to_string() } else { c.to_string() }
    };
    path.chars().map(encoded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_style_makes_the_addresses_of_its_sites() {
        let cases = [
            (UrlStyle::File, "7.6/CimCmdlets/index.html", "B/7.6/CimCmdlets/"),
            (UrlStyle::File, "index.html", "B/"),
            (UrlStyle::File, "reindex.html", "B/reindex.html"),
            (UrlStyle::File, "a b/c#.md", "B/a%20b/c%23.md"),
            (UrlStyle::Html, "getting_started.md", "B/getting_started.html"),
            (UrlStyle::Html, "reference/widgets/Button.ipynb", "B/reference/widgets/Button.html"),
            (UrlStyle::Html, "v1.2/notes.rst", "B/v1.2/notes.html"),
            (UrlStyle::Directory, "python/line-charts.md", "B/python/line-charts/"),
            (UrlStyle::Directory, "python/index.md", "B/python/"),
            (UrlStyle::Directory, "index.md", "B/"),
            (UrlStyle::Directory, "reindex.md", "B/reindex/"),
            (UrlStyle::HtmlUnnumbered, "user_guide/3_Timeseries.ipynb", "B/user_guide/Timeseries.html"),
            (UrlStyle::HtmlUnnumbered, "12-Networks.ipynb", "B/Networks.html"),
            (UrlStyle::HtmlUnnumbered, "user_guide/index.rst", "B/user_guide/index.html"),
            (UrlStyle::HtmlUnnumbered, "2024.md", "B/2024.html"),
            (UrlStyle::AzureDevopsWiki, "Team/How-to-log%2Din.md", "B?pagePath=%2FTeam%2FHow%20to%20log%2Din"),
        ];
        for (style, path, expected) in cases {
            assert_eq!(page_url(style, "B", path), expected, "{style:?} {path}");
        }
    }
}
