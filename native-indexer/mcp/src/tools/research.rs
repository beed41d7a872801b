use super::super::Server;
use super::super::arguments::{Aliases, Texts, Whole};
use super::super::response::{beginning, counted, fenced_as, notes, one_line};
use super::narrowing::{Narrowed, Narrowing};
use super::tool::{Call, Reach, Tool};
use anyhow::{Result, ensure};
use nearfind_bundles::library::{PlaceNames, View};
use nearfind_bundles::research::{
    CLUSTER_TOKENS, Cluster, MAX_QUESTIONS, Passage, ResearchMap, ResearchQuestion, Step, tie_words,
};
use nearfind_core::search::{Filter, PROJECT};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(super) struct Research;

/// Maximum number of files to list per cluster, and of symbols or sections per file.
const FILES: usize = 8;
const ABOUT: usize = 6;
/// Maximum length in characters of a passage that represents a cluster.
const PASSAGE_CHARS: usize = 300;
/// The range of cluster numbers in a call.
const CLUSTERS: std::ops::RangeInclusive<usize> = 1..=1000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// One question, or up to eight parts of a large one
    #[schemars(with = "Vec<String>")]
    questions: Texts,
    /// Only this project
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    project: Texts,
    /// Folder, file or glob
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path: Texts,
    /// Regex for paths
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    path_regex: Texts,
    /// Number of a cluster in the map, to read its passages in full
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    cluster: Option<Whole>,
}

impl Arguments {
    /// Converts the arguments to a question about `view`. Fails if there are no questions, too many questions, or an
    /// unknown project.
    pub(super) fn question(&self, view: &View) -> Result<ResearchQuestion> {
        let questions: Vec<String> = self
            .questions
            .0
            .iter()
            .map(|question| question.trim().to_owned())
            .filter(|text| !text.is_empty())
            .collect();
        ensure!(!questions.is_empty(), "argument `questions` is empty: ask at least one");
        ensure!(
            questions.len() <= MAX_QUESTIONS,
            "argument `questions` has {} questions: ask up to {MAX_QUESTIONS} at a time",
            questions.len()
        );
        let narrowing = Narrowing {
            project: &self.project.0,
            path: &self.path.0,
            path_regex: &self.path_regex.0,
            ..Narrowing::default()
        };
        let Narrowed { projects, path, .. } = narrowing.narrowed(view)?;
        Ok(ResearchQuestion {
            questions,
            filters: Filter::of_pairs(projects.into_iter().map(|name| (PROJECT.to_owned(), name))),
            path,
            cluster_tokens: CLUSTER_TOKENS,
        })
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Outcome {
    /// The questions.
    questions: Vec<String>,
    /// Number of clusters found by density, before near ones were merged.
    num_native_clusters: usize,
    /// Number of passages in no cluster, later added to the nearest one.
    num_outliers: usize,
    /// Number of clusters after nearby ones were merged.
    num_clusters: usize,
    /// Number of passages.
    passages: usize,
    /// Number of files that contain the passages.
    files: usize,
    /// The clusters, the one with the best passage first; or only the requested one.
    clusters: Vec<FoundCluster>,
    /// How the clusters are related.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ties: Vec<FoundTie>,
    /// Questions without results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unanswered: Vec<String>,
    /// Suggested next calls, with reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next: Vec<NextCall>,
    /// Notes on how this was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

/// Passages that belong together.
#[derive(Serialize, JsonSchema)]
struct FoundCluster {
    /// Its number.
    number: usize,
    /// The words that distinguish it from other clusters, and its folder.
    name: String,
    /// Approximate number of tokens in its passages.
    tokens: usize,
    /// Numbers of the questions that its passages answer.
    questions: Vec<usize>,
    /// Its files, the one with the best passage first.
    files: Vec<FoundFile>,
    /// Number of files in it that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    more_files: usize,
    /// Passages that show what it is about, shortened; for a requested cluster, all passages in full.
    passages: Vec<FoundPassage>,
}

/// A file in a cluster.
#[derive(Serialize, JsonSchema)]
struct FoundFile {
    /// Its path, preceded by its project if there are several projects.
    #[serde(skip)]
    place: String,
    /// Name of its project.
    project: String,
    /// Path inside its project, for get_document.
    path: String,
    /// Its title; absent for source code.
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    /// Symbols or sections in its passages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    about: Vec<String>,
    /// Lines of its passages, such as 12-40,77-90.
    lines: String,
}

/// A passage.
#[derive(Serialize, JsonSchema)]
struct FoundPassage {
    /// File and lines, for citations.
    citation: String,
    /// Address for readers; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Headings above it, or what it defines.
    #[serde(skip_serializing_if = "String::is_empty")]
    about: String,
    /// True if the file has changed since it was indexed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
    /// The language of its text, if known.
    #[serde(skip)]
    language: String,
    /// Its text.
    text: String,
}

/// How two clusters are related.
#[derive(Serialize, JsonSchema)]
struct FoundTie {
    /// The cluster that mentions or links to the other.
    from: usize,
    /// The cluster that is mentioned or linked to.
    to: usize,
    /// Definitions in the cluster `to` that the cluster `from` mentions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
    /// Files in the cluster `to` that the cluster `from` links to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<String>,
    /// Files in both clusters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
}

/// A suggested call.
#[derive(Serialize, JsonSchema)]
struct NextCall {
    /// The tool.
    tool: &'static str,
    /// Its arguments.
    arguments: Value,
    /// The purpose of the call.
    why: &'static str,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Tool for Research {
    const NAME: &'static str = "research";
    const TITLE: &'static str = "Map the material on a question";
    const DESCRIPTION: &'static str = "Maps the material on a question that no single passage answers. Use it to learn \
    how something works as a whole, or what a change affects. Returns passages of documentation and source code in \
    clusters, with files, lines, symbols, relations and what to read next. For a single fact, use search.";
    const ALIASES: Aliases = &[
        ("question", "questions"),
        ("query", "questions"),
        ("queries", "questions"),
        ("topic", "questions"),
        ("project_name", "project"),
        ("repo", "project"),
        ("glob", "path"),
        ("folder", "path"),
        ("cluster_number", "cluster"),
    ];
    const REACH: Reach = Reach::Questions;
    const NAMES_FILES: bool = true;
    type Arguments = Arguments;
    type Outcome = Outcome;

    fn run(server: &Server, arguments: Arguments, _: &Call) -> Result<Outcome> {
        let wanted =
            arguments.cluster.map(|cluster| Whole::within(Some(cluster), "cluster", &CLUSTERS, 1)).transpose()?;
        let library = &server.0.library;
        let budget = server.0.options.budget;
        let (map, names) =
            library.read(|view| Ok((library.research(view, &arguments.question(view)?)?, view.place_names())))?;
        let mut clusters: Vec<FoundCluster> = match wanted {
            Some(number) => vec![found_whole(map.cluster(number)?, &names, budget.chars())],
            None => map.clusters.iter().map(|cluster| found(cluster, &names)).collect(),
        };
        clusters.truncate(budget.fitting(&clusters));
        let (ties, next) = if wanted.is_some() { Default::default() } else { (ties(&map), next(&map)) };
        let unanswered = map.unanswered.iter().filter_map(|number| map.questions.get(number - 1).cloned());
        Ok(Outcome {
            num_native_clusters: map.num_native_clusters,
            num_outliers: map.num_outliers,
            num_clusters: map.num_clusters,
            passages: map.passages,
            files: map.files,
            clusters,
            ties,
            unanswered: unanswered.collect(),
            next,
            questions: map.questions,
            notices: map.notices,
        })
    }

    fn text(outcome: &Outcome) -> String {
        let Outcome { num_clusters, passages, files, .. } = outcome;
        let (passages, files) = (counted(*passages, "passage"), counted(*files, "file"));
        let mut text =
            format!("{passages} in {files}, in {}\n", counted(*num_clusters, "cluster")) + &notes(&outcome.notices);
        for question in &outcome.unanswered {
            text += &format!("nothing found for: {}\n", one_line(question));
        }
        for cluster in &outcome.clusters {
            text += &format!("\n## {}. {}\n", cluster.number, one_line(&cluster.name));
            for file in &cluster.files {
                let about = one_line(&file.about.join(", "));
                text += &format!("- {}:{} {about}\n", one_line(&file.place), file.lines);
            }
            if cluster.more_files > 0 {
                text += &format!("- and {} more files\n", cluster.more_files);
            }
            for passage in &cluster.passages {
                let stale = if passage.stale { " (as it is now)" } else { "" };
                text +=
                    &format!("{}{stale}\n{}", one_line(&passage.citation), fenced_as(&passage.language, &passage.text));
            }
        }
        for tie in &outcome.ties {
            text += &format!(
                "\n{} -> {}: {}\n",
                tie.from,
                tie.to,
                one_line(&tie_words(&tie.names, &tie.links, &tie.files))
            );
        }
        if !outcome.next.is_empty() {
            text += "\nnext:\n";
        }
        for call in &outcome.next {
            text += &format!("- {}({}): {}\n", call.tool, one_line(&call.arguments.to_string()), call.why);
        }
        text
    }
}

/// Returns a cluster with the passages that represent it.
fn found(cluster: &Cluster, names: &PlaceNames) -> FoundCluster {
    let shown = cluster.representatives.iter().map(|&place| passage(&cluster.passages[place], names, PASSAGE_CHARS));
    FoundCluster { passages: shown.collect(), ..described(cluster, names) }
}

/// Returns a cluster with whole passages, as many as fit into four fifths of `most_chars`.
fn found_whole(cluster: &Cluster, names: &PlaceNames, most_chars: usize) -> FoundCluster {
    let mut left = most_chars * 4 / 5;
    let mut passages = Vec::new();
    for one in &cluster.passages {
        let found = passage(one, names, left);
        left = left.saturating_sub(found.text.chars().count());
        passages.push(found);
        if left == 0 {
            break;
        }
    }
    FoundCluster { passages, files: Vec::new(), more_files: 0, ..described(cluster, names) }
}

fn described(cluster: &Cluster, names: &PlaceNames) -> FoundCluster {
    let Cluster { number, name, tokens, questions, files, .. } = cluster;
    let file = |file: &nearfind_bundles::research::ClusterFile| FoundFile {
        place: names.join(&file.project, &file.path),
        project: file.project.clone(),
        path: file.path.clone(),
        title: file.title.clone(),
        about: file.about.iter().take(ABOUT).cloned().collect(),
        lines: file.lines.iter().map(|(first, last)| format!("{first}-{last}")).collect::<Vec<_>>().join(","),
    };
    FoundCluster {
        number: *number,
        name: name.clone(),
        tokens: *tokens,
        questions: questions.clone(),
        files: files.iter().take(FILES).map(file).collect(),
        more_files: files.len().saturating_sub(FILES),
        passages: Vec::new(),
    }
}

fn passage(passage: &Passage, names: &PlaceNames, most_chars: usize) -> FoundPassage {
    FoundPassage {
        citation: names.short(&passage.citation()).to_owned(),
        language: if passage.is_code { String::new() } else { "markdown".to_owned() },
        url: passage.url.clone(),
        about: if passage.is_code { passage.symbols.join(", ") } else { passage.section.clone() },
        stale: passage.is_stale,
        text: beginning(&passage.text, most_chars).0.to_owned(),
    }
}

fn ties(map: &ResearchMap) -> Vec<FoundTie> {
    let found = |tie: &nearfind_bundles::research::Tie| FoundTie {
        from: tie.from,
        to: tie.to,
        names: tie.names.clone(),
        links: tie.links.clone(),
        files: tie.files.clone(),
    };
    map.ties.iter().map(found).collect()
}

fn next(map: &ResearchMap) -> Vec<NextCall> {
    let call = |step: &Step| match step {
        Step::ReadCluster(number) => NextCall {
            tool: "research",
            arguments: json!({"questions": map.questions, "cluster": number}),
            why: "read its passages",
        },
        Step::ReadFile(project, path) => NextCall {
            tool: "get_document",
            arguments: json!({"path": path, "project": project}),
            why: "several of its passages answer",
        },
        Step::Callers(symbol) => NextCall {
            tool: "symbol",
            arguments: json!({"name": symbol, "want": "callers"}),
            why: "see what depends on it",
        },
        Step::AskAgain(number) => NextCall {
            tool: "search",
            arguments: json!({"query": map.questions.get(number - 1)}),
            why: "nothing was found: ask in other words",
        },
    };
    map.next.iter().map(call).collect()
}
