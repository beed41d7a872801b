use super::super::Server;
use super::super::arguments::{Aliases, Flag, Whole};
use super::super::offer::Needs;
use super::page::{Page, as_text};
use super::tool::{Call, Reach, Tool};
use anyhow::{Result, bail, ensure};
use nearfind_base::file_names::file_stem;
use nearfind_bundles::library::{FoundPath, likeness, near_names};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

pub(super) struct GetReferenceGuide;

/// The minimum similarity, from 0 to 1, of a suggested name to the missing one.
const MIN_LIKENESS: f64 = 0.6;
const OFFSETS: RangeInclusive<usize> = 0..=100_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Its name: Button, Scatter, date_range
    component: String,
    /// Only this project
    #[serde(default)]
    project: Option<String>,
    /// Whether to include its text (default)
    #[serde(default)]
    #[schemars(with = "Option<bool>")]
    content: Option<Flag>,
    /// next_offset of the previous response
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    offset: Option<Whole>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// The guides, by project and path.
    guides: Vec<Page>,
    /// Total number of guides.
    total: usize,
    /// The offset of the next guides; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

impl Tool for GetReferenceGuide {
    const NAME: &'static str = "get_reference_guide";
    const TITLE: &'static str = "Get a component's reference guide";
    const DESCRIPTION: &'static str = "Returns the reference page of one component, such as a widget, an element or a \
    function, by its exact name. Use it if you know the name; otherwise use search.";
    const ALIASES: Aliases = &[
        ("name", "component"),
        ("component_name", "component"),
        ("class", "component"),
        ("class_name", "component"),
        ("widget", "component"),
        ("element", "component"),
        ("function", "component"),
        ("query", "component"),
        ("package", "project"),
        ("library", "project"),
        ("project_name", "project"),
        ("include_content", "content"),
    ];
    const REACH: Reach = Reach::Questions;
    const NEEDS: Needs = Needs::References;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let component = arguments.component.trim();
        ensure!(!component.is_empty(), "argument `component` is empty: name a component");
        let with_content = arguments.content.is_none_or(|Flag(content)| content);
        let offset = Whole::within(arguments.offset, "offset", &OFFSETS, 0)?;
        server.0.library.read(|view| {
            let project = arguments.project.as_deref().map(|project| view.project(project)).transpose()?;
            let names = view.place_names();
            let mut references = view.paths(project.as_deref())?;
            references.retain(|path| path.listed.is_reference);
            // The class name may include its module.
            let short = component.rsplit('.').next().unwrap_or(component);
            let named = |path: &FoundPath, name: &str, exact: bool| {
                let stem = file_stem(&path.listed.path);
                if exact { stem == name } else { stem.eq_ignore_ascii_case(name) }
            };
            for (name, exact) in [(component, true), (short, true), (component, false), (short, false)] {
                let guides: Vec<FoundPath> =
                    references.iter().filter(|path| named(path, name, exact)).cloned().collect();
                if !guides.is_empty() {
                    let total = guides.len();
                    let guides = guides.into_iter().skip(offset).collect();
                    let guides = Page::read_all(guides, &names, with_content, server.0.options.budget)?;
                    let next = offset + guides.len();
                    let next_offset = (next < total && !guides.is_empty()).then_some(next);
                    return Ok(Outcome { guides, total, next_offset });
                }
            }
            let near =
                references.iter().map(|path| (likeness(short, file_stem(&path.listed.path)), path.shown(&names)));
            let near = near_names(near, MIN_LIKENESS);
            let hint = if near.is_empty() { "use search".to_owned() } else { format!("near are {}", near.join(", ")) };
            bail!("there is no reference guide {component:?}: {hint}")
        })
    }

    fn text(outcome: &Outcome) -> String {
        as_text(&outcome.guides, outcome.total, outcome.next_offset)
    }
}
