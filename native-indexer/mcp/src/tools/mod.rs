//! The tools, with one file per tool.

mod connector;
mod get_document;
mod get_reference_guide;
mod grep;
mod index_status;
mod list_documents;
mod list_projects;
mod narrowing;
mod outline;
mod page;
mod pages;
mod related;
mod research;
mod research_report;
mod schema;
mod search;
mod search_result;
mod symbol;
mod tool;
mod update_index;

use super::offer::{Offer, ToolSet};
use serde_json::Value;
use std::sync::Arc;
use tool::offer;
pub(super) use tool::{Call, Offered};

/// The tools in [`ToolSet::Lean`].
const LEAN: [&str; 4] = ["search", "get_document", "grep", "symbol"];
/// Arguments that a lean list does not describe. They are still accepted.
const NOT_LEAN: [&str; 6] = ["blame", "class", "filters", "max_content_chars", "multi_hop", "path_regex"];

/// Returns the tools that the server's options allow, in the order in which they are listed.
pub(super) fn offered(how: Offer) -> Vec<Offered> {
    if how.tools == ToolSet::Connector {
        return vec![offer::<connector::ConnectorSearch>(how), offer::<connector::Fetch>(how)];
    }
    let mut tools = vec![
        offer::<search::Search>(how),
        offer::<get_document::GetDocument>(how),
        offer::<get_reference_guide::GetReferenceGuide>(how),
        offer::<grep::Grep>(how),
        offer::<symbol::Symbol>(how),
        offer::<outline::Outline>(how),
        offer::<related::Related>(how),
        offer::<research::Research>(how),
        offer::<pages::Pages>(how),
        offer::<list_documents::ListDocuments>(how),
        offer::<list_projects::ListProjects>(how),
        offer::<index_status::IndexStatus>(how),
    ];
    if how.may_write {
        tools.push(offer::<research_report::ResearchReport>(how));
    }
    if how.may_update {
        tools.push(offer::<update_index::UpdateIndex>(how));
    }
    if how.tools == ToolSet::Lean {
        for tool in &mut tools {
            tool.is_listed &= LEAN.contains(&&*tool.described.name);
            let input = Arc::make_mut(&mut tool.described.input_schema);
            if let Some(Value::Object(properties)) = input.get_mut("properties") {
                properties.retain(|name, _| !NOT_LEAN.contains(&name.as_str()));
            }
        }
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::super::offer::Has;
    use super::*;

    const fn everything(sends_questions: bool) -> Offer {
        Offer {
            may_update: true,
            may_write: true,
            sends_questions,
            structured: false,
            tools: ToolSet::All,
            has_others: false,
            has: Has::ALL,
        }
    }

    #[test]
    fn the_list_costs_a_client_little() {
        let described =
            |how| -> Vec<rmcp::model::Tool> { offered(how).into_iter().map(|tool| tool.described).collect() };
        let all = described(everything(true));
        let list = serde_json::to_string(&all).unwrap_or_default();
        let longest = all
            .iter()
            .map(|tool| (serde_json::to_string(tool).unwrap_or_default().chars().count(), tool.name.to_string()));
        let mut longest: Vec<_> = longest.collect();
        longest.sort_unstable();
        assert!(list.chars().count() <= 12_000, "{} characters: {longest:?}", list.chars().count());
        assert!(all.iter().all(|tool| tool.output_schema.is_none()));
        let with_schemas = described(Offer { structured: true, ..everything(true) });
        assert!(with_schemas.iter().all(|tool| tool.output_schema.is_some()));
    }

    #[test]
    fn tools_that_an_index_has_nothing_for_are_not_listed() {
        let unlisted = |has: Has| -> Vec<String> {
            let tools = offered(Offer { has, ..everything(false) });
            tools.iter().filter(|tool| !tool.is_listed).map(|tool| tool.described.name.to_string()).collect()
        };
        let code = Has { documents: false, references: false, choices: false, ..Has::ALL };
        assert_eq!(unlisted(code), ["get_reference_guide", "list_documents", "list_projects"]);
        let docs = Has { code: false, definitions: false, references: false, ..Has::ALL };
        assert_eq!(unlisted(docs), ["get_reference_guide", "symbol"]);
        assert_eq!(unlisted(Has { definitions: false, ..Has::ALL }), ["symbol"]);
        assert_eq!(unlisted(Has { vectors: false, ..Has::ALL }), [""; 0], "related has calls in code");
        assert_eq!(unlisted(Has { definitions: false, vectors: false, ..Has::ALL }), ["symbol", "related"]);
        assert!(unlisted(Has::ALL).is_empty());
    }

    #[test]
    fn a_lean_list_costs_a_client_less_than_half() {
        let lean: Vec<Offered> = offered(Offer { tools: ToolSet::Lean, has_others: true, ..everything(true) });
        let listed: Vec<_> = lean.iter().filter(|tool| tool.is_listed).map(|tool| &tool.described).collect();
        let list = serde_json::to_string(&listed).unwrap_or_default();
        assert!(list.chars().count() <= 5_000, "{} characters", list.chars().count());
        assert_eq!(listed.len(), LEAN.len());
        assert!(lean.len() > LEAN.len(), "the others can be called");
    }

    fn names(of: impl Fn(&Offered) -> bool, sends_questions: bool) -> Vec<String> {
        let tools = offered(everything(sends_questions));
        tools.iter().filter(|tool| of(tool)).map(|tool| tool.described.name.to_string()).collect()
    }

    #[test]
    fn tools_say_what_they_take_and_whom_they_talk_to() {
        let says = |tool: &Offered, of: fn(&rmcp::model::ToolAnnotations) -> Option<bool>, answer| {
            tool.described.annotations.as_ref().and_then(of) == Some(answer)
        };
        let is_open = |tool: &Offered| says(tool, |annotations| annotations.open_world_hint, true);
        assert_eq!(names(|tool| tool.takes_long, false), ["research_report", "update_index"]);
        assert_eq!(names(|tool| says(tool, |annotations| annotations.read_only_hint, false), false), ["update_index"]);
        assert_eq!(
            names(|tool| says(tool, |annotations| annotations.idempotent_hint, false), false),
            ["research_report"]
        );
        assert_eq!(names(|tool| tool.described.title.is_none(), false), [""; 0]);
        assert_eq!(names(is_open, false), ["research_report", "update_index"]);
        let with_questions = ["search", "get_reference_guide", "research", "pages", "research_report", "update_index"];
        assert_eq!(names(is_open, true), with_questions);
    }
}
