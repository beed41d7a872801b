//! The tools, one file each.

mod get_document;
mod get_reference_guide;
mod grep;
mod index_status;
mod list_documents;
mod list_projects;
mod outline;
mod page;
mod pages;
mod related;
mod research;
mod research_report;
mod schema;
mod search;
mod symbol;
mod tool;
mod update_index;

use tool::offer;
pub(super) use tool::{Call, Offered};

/// Every tool whose needs are met, in the order in which they are listed: one waits for sources, another for a language model.
pub(super) fn offered(may_update: bool, may_write: bool, sends_questions: bool) -> Vec<Offered> {
    let mut tools = vec![
        offer::<search::Search>(sends_questions),
        offer::<get_document::GetDocument>(sends_questions),
        offer::<get_reference_guide::GetReferenceGuide>(sends_questions),
        offer::<grep::Grep>(sends_questions),
        offer::<symbol::Symbol>(sends_questions),
        offer::<outline::Outline>(sends_questions),
        offer::<related::Related>(sends_questions),
        offer::<research::Research>(sends_questions),
        offer::<pages::Pages>(sends_questions),
        offer::<list_documents::ListDocuments>(sends_questions),
        offer::<list_projects::ListProjects>(sends_questions),
        offer::<index_status::IndexStatus>(sends_questions),
    ];
    if may_write {
        tools.push(offer::<research_report::ResearchReport>(sends_questions));
    }
    if may_update {
        tools.push(offer::<update_index::UpdateIndex>(sends_questions));
    }
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: impl Fn(&Offered) -> bool, sends_questions: bool) -> Vec<String> {
        let tools = offered(true, true, sends_questions);
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
        assert_eq!(names(is_open, false), ["research_report", "update_index"]);
        let with_questions = ["search", "get_reference_guide", "research", "pages", "research_report", "update_index"];
        assert_eq!(names(is_open, true), with_questions);
    }
}
