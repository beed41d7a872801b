use super::super::Server;
use super::super::arguments::Aliases;
use super::super::response::{fenced, one_line};
use super::research::{Arguments, Research};
use super::tool::{Call, Reach, Tool};
use anyhow::{Result, ensure};
use nearfind_bundles::research::Report;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) struct ResearchReport;

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// The answer, with numbers of citations in square brackets; empty if nothing was found, or if the language model
    /// could not be asked.
    answer: String,
    /// A summary of each cluster of passages with regard to the questions.
    sections: Vec<ReportSection>,
    /// The passages that the numbers cite.
    citations: Vec<ReportCitation>,
    /// Number of statements that were left out because they cited nothing that exists.
    left_out: usize,
    /// Number of statements marked (?) because the cited passages share hardly any words with them.
    doubtful: usize,
    /// The questions, with those that the language model added.
    questions: Vec<String>,
    /// Notes on how this was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

/// A cluster and its summary.
#[derive(Serialize, JsonSchema)]
struct ReportSection {
    /// Its number, for research(cluster=N) with the same questions.
    cluster: usize,
    /// Its name.
    name: String,
    /// Its summary with regard to the questions.
    text: String,
}

/// A passage that is cited.
#[derive(Serialize, JsonSchema)]
struct ReportCitation {
    /// Its number.
    number: usize,
    /// File and lines.
    passage: String,
    /// Address for readers; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

impl Tool for ResearchReport {
    const NAME: &'static str = "research_report";
    const TITLE: &'static str = "Write a report on a question";
    const DESCRIPTION: &'static str = "Explores a question as research does, and has this server's language model \
    write a report, with checked citations. Use it for a written answer to a large question; it takes a minute or \
    more.";
    const ALIASES: Aliases = Research::ALIASES;
    const IDEMPOTENT: bool = false;
    const REACH: Reach = Reach::Others;
    const TAKES_LONG: bool = true;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, call: &Call) -> Result<Outcome> {
        let library = &server.0.library;
        let model = library.language_model()?;
        let cancelled = || {
            ensure!(!call.cancelled.is_cancelled(), "the call was canceled");
            Ok(())
        };
        let progress = |said: &str| call.report(said);
        let Report { answer, sections, citations, left_out, doubtful, map } =
            library.read(|view| library.report(view, &arguments.question(view)?, &model, &cancelled, &progress))?;
        let section = |section: nearfind_bundles::research::Section| ReportSection {
            cluster: section.cluster,
            name: section.name,
            text: section.text,
        };
        let citation = |citation: nearfind_bundles::research::Citation| ReportCitation {
            number: citation.number,
            passage: citation.passage,
            url: citation.url,
        };
        let mut sections: Vec<ReportSection> = sections.into_iter().map(section).collect();
        sections.truncate(server.0.options.budget.fitting(&sections));
        Ok(Outcome {
            answer,
            sections,
            citations: citations.into_iter().map(citation).collect(),
            left_out,
            doubtful,
            questions: map.questions,
            notices: map.notices,
        })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = String::new();
        for notice in &outcome.notices {
            text += &format!("note: {}\n", one_line(notice));
        }
        if outcome.answer.is_empty() {
            text += "there is no report: call research for the passages\n";
            return text;
        }
        text += &fenced(&outcome.answer);
        for section in &outcome.sections {
            text += &format!("\n## {}. {}\n{}", section.cluster, one_line(&section.name), fenced(&section.text));
        }
        text += "\n";
        for citation in &outcome.citations {
            text += &format!("[{}] {}\n", citation.number, one_line(&citation.passage));
        }
        text
    }
}
