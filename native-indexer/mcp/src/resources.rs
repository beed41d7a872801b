//! Documents and projects as resources: `nearfind://projects`, `nearfind://projects/PROJECT` and
//! `nearfind://documents/PROJECT/PATH`. Names are looked up in the index, never in a file system.

use super::response::one_line;
use anyhow::Result;
use nearfind_bundles::library::{ProjectCounts, View};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{Resource, ResourceTemplate};

/// The type of every resource.
pub(super) const MIME_TYPE: &str = "text/markdown";
const PROJECTS: &str = "nearfind://projects";
const DOCUMENTS: &str = "nearfind://documents";
/// The characters to escape in a name, and in a path.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
const PATH: &AsciiSet = &NAME.remove(b'/');

/// The error that there is no resource at an address. The text explains why.
#[derive(Debug)]
pub(super) struct NoSuchResource(pub(super) String);

/// Returns the address of a document.
pub(super) fn document_uri(project: &str, path: &str) -> String {
    format!("{DOCUMENTS}/{}/{}", utf8_percent_encode(project, NAME), utf8_percent_encode(path, PATH))
}

/// Returns the listed resources: the list of projects, and each project.
pub(super) fn resources(view: &View) -> Vec<Resource> {
    let mut resources = vec![
        Resource::new(PROJECTS, "projects")
            .with_title("All projects")
            .with_description("The projects of the index")
            .with_mime_type(MIME_TYPE),
    ];
    for (name, counts) in view.projects() {
        let uri = format!("{PROJECTS}/{}", utf8_percent_encode(&name, NAME));
        let name = one_line(&name);
        resources.push(
            Resource::new(uri, &name)
                .with_title(format!("Documents of {name}"))
                .with_description(format!("The {} documents of the project, by path", counts.documents))
                .with_mime_type(MIME_TYPE),
        );
    }
    resources
}

/// Returns the address patterns.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{DOCUMENTS}/{{project}}/{{+path}}"), "document")
            .with_title("A document")
            .with_description("The whole text of a document, by its project and path from search or list_documents")
            .with_mime_type(MIME_TYPE),
        ResourceTemplate::new(format!("{PROJECTS}/{{project}}"), "project")
            .with_title("A project")
            .with_description("The documents of a project, by path")
            .with_mime_type(MIME_TYPE),
    ]
}

/// Returns the text at `uri`, or the reason why there is none. Fails if the index cannot be read.
pub(super) fn read(view: &View, uri: &str) -> Result<Result<String, NoSuchResource>> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().map(std::borrow::Cow::into_owned).ok();
    let none = |why: String| Ok(Err(NoSuchResource(why)));
    if uri == PROJECTS {
        let row = |(name, counts): (String, ProjectCounts)| {
            format!("- {}: {} documents\n", one_line(&name), counts.documents)
        };
        return Ok(Ok(view.projects().into_iter().map(row).collect()));
    }
    if let Some(name) = uri.strip_prefix(PROJECTS).and_then(|rest| decoded(rest.strip_prefix('/')?)) {
        let paths = view.paths(Some(&name))?;
        if paths.is_empty() {
            return none(format!("there is no project {name:?}: {PROJECTS} lists them"));
        }
        return Ok(Ok(paths.iter().map(|path| format!("- {}\n", one_line(&path.listed.path))).collect()));
    }
    let place = uri.strip_prefix(DOCUMENTS).and_then(|rest| rest.strip_prefix('/')?.split_once('/'));
    if let Some((Some(project), Some(name))) = place.map(|(project, path)| (decoded(project), decoded(path))) {
        let paths = view.paths(Some(&project))?;
        return match paths.iter().find(|path| path.names().any(|known| known == name)) {
            Some(path) => Ok(Ok(path.read()?.text())),
            None => none(format!("there is no document {name:?} in project {project:?}")),
        };
    }
    none(format!("there is no resource {uri}: {PROJECTS} lists them"))
}
