use super::super::Server;
use super::super::arguments::Aliases;
use super::super::background_index::BackgroundIndex;
use super::super::response::{counted, one_line};
use super::super::update::UpdateCommand;
use super::tool::{Call, Tool};
use anyhow::Result;
use nearfind_base::location::Location;
use nearfind_bundles::library::{LocationStatus, hours};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(super) struct IndexStatus;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// Version of the server.
    version: &'static str,
    /// Number of documents in all indexes.
    documents: u64,
    /// Number of passages that are searched.
    chunks: u64,
    /// Whether the update_index tool is available.
    can_update: bool,
    /// Whether the index matches the files on disk; absent if nothing keeps it up to date.
    #[serde(skip_serializing_if = "Option::is_none")]
    freshness: Option<String>,
    /// Whether an update is under way.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_updating: bool,
    /// Result of the last update that continued after its call had returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_update: Option<String>,
    /// Maximum number of tokens in a response.
    response_tokens: usize,
    /// The indexes, in the given order.
    bundles: Vec<Bundle>,
}

#[derive(Serialize, JsonSchema)]
struct Bundle {
    /// Its name.
    name: String,
    /// Address of the published index; absent if it is in a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The build that is open; absent if none could be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<String>,
    /// Name of its model.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The basis of search by meaning: model, or words until the model has read everything; absent if nothing could be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<&'static str>,
    /// Number of documents.
    documents: u32,
    /// Number of passages.
    chunks: u32,
    /// Hours since it was written; absent if it is published elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_hours: Option<f64>,
    /// Names of its projects.
    projects: Vec<String>,
    /// Hours since the source of each project was checked, by project name, if known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    project_age_hours: BTreeMap<String, f64>,
    /// Number of source files that are not indexed, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    not_indexed: BTreeMap<String, usize>,
    /// Number of bytes that were fetched; absent if it is in a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    fetched_bytes: Option<u64>,
    /// Number of requests that were made; absent if it is in a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    requests: Option<u64>,
    /// The problem with it, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl Tool for IndexStatus {
    const NAME: &'static str = "index_status";
    const TITLE: &'static str = "Show the state of the index";
    const DESCRIPTION: &'static str = "Shows how old and how large the index is, and any problems with it. Use it when \
    answers look stale or something fails.";
    const ALIASES: Aliases = &[];
    const ASKS_INDEX: bool = false;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, _: Arguments, _: &Call) -> Result<Outcome> {
        let row_of = |status: LocationStatus| {
            let mut row = Bundle {
                name: status.label,
                url: match status.location {
                    Location::Published(url) => Some(url.to_string()),
                    Location::Folder(_) => None,
                },
                generation: None,
                model: None,
                meaning: None,
                documents: 0,
                chunks: 0,
                age_hours: status.age.map(hours),
                project_age_hours: status.project_ages.into_iter().map(|(name, age)| (name, hours(age))).collect(),
                projects: Vec::new(),
                not_indexed: BTreeMap::new(),
                fetched_bytes: status.traffic.map(|traffic| traffic.bytes),
                requests: status.traffic.map(|traffic| traffic.requests),
                problem: status.problem,
            };
            if let Some(bundle) = status.bundle {
                row.problem = row.problem.or_else(|| bundle.damage());
                let reader = bundle.reader();
                let root = reader.root();
                row.generation = Some(bundle.manifest().generation.clone());
                row.model = Some(bundle.manifest().model.name.clone());
                row.meaning = Some(if bundle.manifest().model.is_table() { "words" } else { "model" });
                (row.documents, row.chunks) = (root.documents, root.chunks);
                row.not_indexed = bundle.passed_over();
                row.projects = root.projects.iter().map(|project| project.name.clone()).collect();
            }
            row
        };
        let bundles: Vec<Bundle> = server.0.library.status().into_iter().map(row_of).collect();
        Ok(Outcome {
            version: env!("CARGO_PKG_VERSION"),
            documents: bundles.iter().map(|bundle| u64::from(bundle.documents)).sum(),
            chunks: bundles.iter().map(|bundle| u64::from(bundle.chunks)).sum(),
            can_update: server.0.options.update.is_some(),
            freshness: server.0.options.background.as_ref().map(BackgroundIndex::line),
            is_updating: server.0.options.update.as_ref().is_some_and(UpdateCommand::is_under_way),
            last_update: server.0.options.update.as_ref().and_then(UpdateCommand::noted),
            response_tokens: server.0.options.budget.tokens(),
            bundles,
        })
    }

    fn text(outcome: &Outcome) -> String {
        let counts = [counted(outcome.documents as usize, "document"), counted(outcome.chunks as usize, "passage")];
        let mut text = format!("{}\n", counts.join(", "));
        if let Some(freshness) = &outcome.freshness {
            text += &format!("{}\n", one_line(freshness));
        }
        if outcome.is_updating {
            text += "an update is under way\n";
        } else if let Some(said) = &outcome.last_update {
            text += &format!("last update: {}\n", one_line(said));
        }
        for row in &outcome.bundles {
            let generation = row.generation.as_deref().unwrap_or("not open");
            text += &format!(
                "- {}: {generation}, {}, model {}\n",
                one_line(&row.name),
                counted(row.documents as usize, "document"),
                one_line(row.model.as_deref().unwrap_or("unknown"))
            );
            if row.meaning == Some("words") {
                text +=
                    "  the model has not read everything yet: search by meaning uses the meanings of single words\n";
            }
            text += &row.age_hours.map(|hours| format!("  written {} ago\n", ago(hours))).unwrap_or_default();
            let oldest = row.project_age_hours.iter().max_by(|a, b| a.1.total_cmp(b.1));
            text += &oldest
                .map(|(name, hours)| format!("  oldest source: {}, checked {} ago\n", one_line(name), ago(*hours)))
                .unwrap_or_default();
            let left_out = row.not_indexed.iter().map(|(reason, files)| format!("{} ({files})", one_line(reason)));
            let left_out: Vec<String> = left_out.collect();
            if !left_out.is_empty() {
                text += &format!("  not indexed: {}\n", left_out.join(", "));
            }
            text += &row.problem.as_ref().map(|problem| format!("  {}\n", one_line(problem))).unwrap_or_default();
        }
        text
    }
}

/// Returns a number of hours in the unit that people would use.
fn ago(hours: f64) -> String {
    match hours {
        hours if hours < 1.0 => counted((hours * 60.0).round() as usize, "minute"),
        hours if hours < 48.0 => counted(hours.round() as usize, "hour"),
        hours => counted((hours / 24.0).round() as usize, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_said_as_people_say_them() {
        assert_eq!([0.0, 0.1, 1.2, 30.0, 100.0].map(ago), ["0 minutes", "6 minutes", "1 hour", "30 hours", "4 days"]);
    }
}
