use super::super::Server;
use super::super::arguments::Aliases;
use super::super::response::one_line;
use super::tool::{Call, Tool};
use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct ListProjects;

/// Values of a facet that are shown.
const MAX_VALUES: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// The projects, by name.
    projects: Vec<Project>,
    /// What search can filter by, name to values.
    filters: BTreeMap<String, BTreeSet<String>>,
    /// What is wrong with bundles, if anything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Project {
    /// Name, as other tools take it.
    name: String,
    /// Number of its documents.
    documents: u32,
    /// Bundles that it is in.
    bundles: Vec<String>,
}

impl Tool for ListProjects {
    const NAME: &'static str = "list_projects";
    const TITLE: &'static str = "List projects";
    const DESCRIPTION: &'static str = "Lists the projects whose documentation is here, with the number of their documents, \
        and what search can filter by. Use it to learn what a project is called.";
    const ALIASES: Aliases = &[];
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
            let projects = projects
                .map(|(name, counts)| Project { name, documents: counts.documents, bundles: counts.bundles })
                .collect();
            Ok(Outcome { projects, filters, notices: view.problems.clone() })
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = String::new();
        for project in &outcome.projects {
            text += &format!("- {}: {} documents\n", one_line(&project.name), project.documents);
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
