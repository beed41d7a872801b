use super::super::Server;
use super::super::arguments::{Aliases, Flag, OneOrSeveral, Texts};
use super::super::response::one_line;
use super::super::update::{ProjectUpdate, Updated};
use super::tool::{Call, Reach, Tool};
use anyhow::{Context as _, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) struct UpdateIndex;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Only these projects; all if it is left out.
    #[serde(default)]
    #[schemars(with = "Option<OneOrSeveral>")]
    project: Texts,
    /// Read everything again, even what has not changed.
    #[serde(default)]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    full: Option<Flag>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// Why the index was written again; absent if it was up to date.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What has changed.
    changes: Vec<ProjectUpdate>,
    /// Projects that could not be brought up to date, with the reason.
    failures: Vec<String>,
}

impl Tool for UpdateIndex {
    const NAME: &'static str = "update_index";
    const TITLE: &'static str = "Bring the index up to date";
    const DESCRIPTION: &'static str = "Fetches the repositories of the index and reads what has changed; takes seconds to \
        minutes and reports progress. Use it only when answers are stale or the user asks for it.";
    const ALIASES: Aliases = &[("projects", "project"), ("package", "project"), ("force", "full")];
    const READ_ONLY: bool = false;
    const REACH: Reach = Reach::Others;
    const TAKES_LONG: bool = true;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, call: &Call) -> Result<Outcome> {
        let update = server.0.update.as_ref().context("the server was started without --allow-update")?;
        let full = arguments.full.is_some_and(|Flag(full)| full);
        let Updated { reason, changes, failures } =
            update.run(&arguments.project.0, full, &call.cancelled, &|line| call.report(line))?;
        server.0.library.refresh();
        Ok(Outcome { reason, changes, failures })
    }

    fn text(outcome: &Outcome) -> String {
        let mut text = match &outcome.reason {
            Some(reason) => format!("the index was written again: {reason}\n"),
            None => "the index was up to date\n".to_owned(),
        };
        for ProjectUpdate { project, added, changed, removed, moved } in &outcome.changes {
            let project = one_line(project);
            text += &format!("- {project}: {added} added, {changed} changed, {removed} removed, {moved} moved\n");
        }
        for failure in &outcome.failures {
            text += &format!("failed: {}\n", one_line(failure));
        }
        text
    }
}
