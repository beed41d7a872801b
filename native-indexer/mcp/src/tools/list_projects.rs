use super::super::Server;
use super::super::arguments::Aliases;
use super::super::offer::Needs;
use super::super::response::{counted, one_line};
use super::tool::{Call, Tool};
use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct ListProjects;

/// Maximum number of values to list per facet.
const MAX_VALUES: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// The projects, by name.
    projects: Vec<Project>,
    /// Filters for search: their names and values.
    filters: BTreeMap<String, BTreeSet<String>>,
    /// Problems with indexes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Project {
    /// Its name, as other tools expect it.
    name: String,
    /// Number of documents in it.
    documents: u32,
    /// Folder of its files on this machine; absent if they are elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    /// Indexes that contain it.
    bundles: Vec<String>,
}

impl Tool for ListProjects {
    const NAME: &'static str = "list_projects";
    const TITLE: &'static str = "List projects";
    const DESCRIPTION: &'static str = "Lists the projects with their folders, and the filters for search. Use it to \
    learn a project's name.";
    const ALIASES: Aliases = &[];
    const NEEDS: Needs = Needs::Choices;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, _: Arguments, _: &Call) -> Result<Outcome> {
        server.0.library.read(|view| {
            let mut filters: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for bundle in &view.bundles {
                for facet in &bundle.reader().root().facets {
                    let values = facet.values.iter().take(MAX_VALUES).cloned();
                    filters.entry(facet.name.clone()).or_default().extend(values);
                }
            }
            let projects = view.projects().into_iter();
            let roots = if server.0.options.shows_roots { view.roots() } else { BTreeMap::new() };
            let root = |name: &String| roots.get(name).map(|root| root.display().to_string());
            let projects = projects
                .map(|(name, counts)| Project {
                    root: root(&name),
                    name,
                    documents: counts.documents,
                    bundles: counts.bundles,
                })
                .collect();
            Ok(Outcome { projects, filters, notices: view.problems.clone() })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = String::new();
        for project in &outcome.projects {
            let root = project.root.as_deref().map(|root| format!(", in {}", one_line(root))).unwrap_or_default();
            text +=
                &format!("- {}: {}{root}\n", one_line(&project.name), counted(project.documents as usize, "document"));
        }
        for (name, values) in &outcome.filters {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            text += &format!("filter {}: {}\n", one_line(name), one_line(&values.join(", ")));
        }
        for notice in &outcome.notices {
            text += &format!("note: {}\n", one_line(notice));
        }
        text
    }
}
