//! A page in the results of tools that look up pages.

use super::super::resources;
use super::super::response::{Budget, capped, counted, fenced_as, one_line};
use super::narrowing::language_of;
use super::search_result::shortened;
use anyhow::Result;
use nearfind_bundles::library::{FoundPath, PlaceNames};
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum length of a preview in characters.
const PREVIEW_CHARS: usize = 200;

#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct Page {
    /// Its path, preceded by its project if there are several projects.
    #[serde(skip)]
    pub(super) place: String,
    /// Its programming language; markdown for a document.
    #[serde(skip)]
    pub(super) language: String,
    /// Title.
    pub(super) title: String,
    /// Address of the page; absent if it is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
    /// URL to view its file; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source_url: Option<String>,
    /// Its project, as other tools expect it.
    pub(super) project: String,
    /// Its project, as this tool expects it.
    pub(super) package: String,
    /// Path inside its project, for get_document.
    pub(super) path: String,
    /// Its other paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) aliases: Vec<String>,
    /// Whether it is a reference page.
    pub(super) is_reference: bool,
    /// A one-line description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) description: String,
    /// The beginning of its text; absent if there is content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content_preview: Option<String>,
    /// Confidence that it answers the query, from 0 to 1; 1 for a page that was requested by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) relevance_score: Option<f32>,
    /// The resource with its full text.
    pub(super) uri: String,
    /// Its text, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<String>,
    /// The offset where get_document continues a text that does not fit; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content_next_offset: Option<usize>,
}

impl Page {
    /// Reads the page at `path`. The text is cut off after `most_chars`.
    pub(super) fn read(path: &FoundPath, names: &PlaceNames, with_content: bool, most_chars: usize) -> Result<Self> {
        let document = path.read()?;
        let text = document.text();
        let content_preview = (!with_content).then(|| capped(&text, PREVIEW_CHARS));
        let (content, content_next_offset) = if with_content {
            let (content, next_offset) = shortened(text, &document.project, &document.path, most_chars);
            (Some(content), next_offset)
        } else {
            (None, None)
        };
        Ok(Self {
            place: path.shown(names),
            language: language_of(path),
            uri: resources::document_uri(&document.project, &document.path),
            title: document.title,
            url: document.url,
            aliases: path.listed.aliases.clone(),
            is_reference: document.is_reference,
            description: document.description,
            source_url: document.source_url,
            content_preview,
            relevance_score: None,
            content,
            content_next_offset,
            package: document.project.clone(),
            project: document.project,
            path: document.path,
        })
    }

    /// Reads pages that were requested by name, as many as fit into `budget`.
    pub(super) fn read_all(
        paths: Vec<FoundPath>,
        names: &PlaceNames,
        with_content: bool,
        budget: Budget,
    ) -> Result<Vec<Self>> {
        let mut pages = Vec::new();
        for path in paths {
            let page = Self::read(&path, names, with_content, budget.chars() * 4 / 5)?;
            pages.push(Self { relevance_score: Some(1.0), ..page });
            if budget.fitting(&pages) < pages.len() {
                pages.pop();
                break;
            }
        }
        Ok(pages)
    }
}

/// Returns pages as text. A page without content takes one line.
pub(super) fn as_text(pages: &[Page], total: usize, next_offset: Option<usize>) -> String {
    let mut text = format!("{} of {}\n", pages.len(), counted(total, "page"));
    for page in pages {
        let (place, title) = (one_line(&page.place), one_line(&page.title));
        let url = page.url.as_deref().map(one_line);
        let Some(content) = &page.content else {
            let url = url.map(|url| format!(" {url}")).unwrap_or_default();
            // The title of source code is its file name, which the answer already contains.
            let title = if place.ends_with(&title) { String::new() } else { format!(": {title}") };
            text += &format!("- {place}{title}{url}\n");
            continue;
        };
        text += &format!("\n## {title}\ndocument: {place}\n");
        text += &url.map(|url| format!("url: {url}\n")).unwrap_or_default();
        if !page.description.is_empty() {
            text += &format!("about: {}\n", one_line(&page.description));
        }
        text += &fenced_as(&page.language, content);
    }
    text + &next_offset.map(|next| format!("there are more: next_offset = {next}\n")).unwrap_or_default()
}
