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
pub(super) fn offered(may_update: bool, may_write: bool) -> Vec<Offered> {
    let mut tools = vec![
        offer::<search::Search>(),
        offer::<get_document::GetDocument>(),
        offer::<get_reference_guide::GetReferenceGuide>(),
        offer::<grep::Grep>(),
        offer::<symbol::Symbol>(),
        offer::<outline::Outline>(),
        offer::<related::Related>(),
        offer::<research::Research>(),
        offer::<pages::Pages>(),
        offer::<list_documents::ListDocuments>(),
        offer::<list_projects::ListProjects>(),
        offer::<index_status::IndexStatus>(),
    ];
    if may_write {
        tools.push(offer::<research_report::ResearchReport>());
    }
    if may_update {
        tools.push(offer::<update_index::UpdateIndex>());
    }
    tools
}
