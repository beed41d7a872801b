use super::bundle_arguments::BundleArguments;
use super::config_arguments::ProviderArguments;
use super::search::{ModeArgument, TierArgument};
use crate::eval::{JudgedQuery, Metrics, Scores, means, randomization_test, read_judged, score, unknown_documents};
use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, ValueEnum};
use nearfind_base::terminal::print_pretty_json;
use nearfind_base::{remark, say};
use nearfind_bundles::library::{Library, Question, Rerank, View};
use nearfind_core::search::Mode;
use nearfind_models::model::ModelStore;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Number of results that are judged for each query.
const DEPTH: usize = 100;
/// The category that contains all queries.
const ALL: &str = "all";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    bundle: BundleArguments,
    /// Queries: JSON lines with `_id`, `text` and optionally `metadata.category`; each file is a set
    #[arg(long, value_name = "JSONL", required = true)]
    queries: Vec<PathBuf>,
    /// Judgments of each set, in the same order: query id, document id, gain, separated by tabs
    #[arg(long, value_name = "TSV", required = true)]
    qrels: Vec<PathBuf>,
    /// Mode to measure [default: all three]
    #[arg(long, value_enum)]
    mode: Option<ModeArgument>,
    #[command(flatten)]
    tier: TierArgument,
    /// How the judgments identify documents
    #[arg(long, value_enum, default_value_t = IdKind::Document)]
    id: IdKind,
    /// Save the scores of each query to a file, to compare with later runs
    #[arg(long, value_name = "JSON")]
    save: Option<PathBuf>,
    /// Compare with the scores that an earlier run saved, query by query
    #[arg(long, value_name = "JSON")]
    baseline: Option<PathBuf>,
    /// Rankings of another engine, to measure as well: JSON lines with the `_id` of a query and its `documents`, best first
    #[arg(long, value_name = "NAME=JSONL", value_parser = super::search::name_and_value)]
    ranked: Vec<(String, String)>,
    /// Print JSON, by mode and category, or by set, mode and category if there are several sets
    #[arg(long)]
    json: bool,
    /// Also judge weak matches, which a search leaves out by default
    #[arg(long)]
    unfit: bool,
    /// Rank by words and meaning only, without the reranker in [rerank]
    #[arg(long)]
    no_rerank: bool,
    #[command(flatten)]
    providers: ProviderArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum IdKind {
    Document,
    Url,
}

/// The scores of queries, by set, mode and id of the query.
type Saved = BTreeMap<String, BTreeMap<String, BTreeMap<String, Scores>>>;

/// A row of the table.
#[derive(Clone, Copy, Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    metrics: Metrics,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<Comparison>,
}

/// A comparison with the baseline, over the queries that both have.
#[derive(Clone, Copy, Debug, Serialize)]
struct Comparison {
    /// Mean difference of nDCG@10.
    difference: f64,
    /// The p-value: the probability of a mean difference at least this large by chance alone.
    p: f64,
}

/// Rows by set, mode and category.
type Table = BTreeMap<String, BTreeMap<String, BTreeMap<String, Row>>>;

/// The results of another engine for a query.
#[derive(Deserialize)]
struct EngineRanking {
    #[serde(rename = "_id")]
    id: String,
    documents: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let sets = read_sets(arguments)?;
    let baseline = arguments.baseline.as_deref().map(read_saved).transpose()?;
    let library = arguments.bundle.open_with(&[], None, arguments.providers.providers()?, store)?;
    if arguments.id == IdKind::Document {
        let known = library.read(known_documents)?;
        sets.iter().try_for_each(|(name, judged)| check_documents(name, judged, &known))?;
    }
    let modes = arguments.mode.map_or(Mode::ALL.to_vec(), |mode| vec![mode.into()]);
    let mut saved = Saved::new();
    let mut table = Table::new();
    for (name, judged) in &sets {
        for &mode in &modes {
            let scores = measure(&library, judged, mode, arguments)?;
            let before = baseline.as_ref().and_then(|saved| saved.get(name)?.get(mode.name()));
            table.entry(name.clone()).or_default().insert(mode.name().to_owned(), rows(judged, &scores, before));
            let by_id = judged.iter().zip(scores).map(|(query, scores)| (query.id.clone(), scores)).collect();
            saved.entry(name.clone()).or_default().insert(mode.name().to_owned(), by_id);
        }
    }
    for (engine, path) in &arguments.ranked {
        let ranked = read_ranked(Path::new(path))?;
        for (name, judged) in &sets {
            let nothing = Vec::new();
            let scores: Vec<Scores> =
                judged.iter().map(|query| score(query, ranked.get(&query.id).unwrap_or(&nothing))).collect();
            table.entry(name.clone()).or_default().insert(engine.clone(), rows(judged, &scores, None));
        }
    }
    if let Some(path) = &arguments.save {
        std::fs::write(path, serde_json::to_vec_pretty(&saved)?).with_context(|| path.display().to_string())?;
    }
    match table.values().next() {
        Some(only) if arguments.json && table.len() == 1 => print_pretty_json(only)?,
        _ if arguments.json => print_pretty_json(&table)?,
        _ => print_table(&table),
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the sets with their names. A file called `queries-NAME` is the set NAME, and `queries` has the name of its
/// folder.
fn read_sets(arguments: &Arguments) -> Result<Vec<(String, Vec<JudgedQuery>)>> {
    let (queries, qrels) = (&arguments.queries, &arguments.qrels);
    ensure!(
        queries.len() == qrels.len(),
        "{} --queries and {} --qrels: pass one --qrels for each --queries, in the same order",
        queries.len(),
        qrels.len()
    );
    let mut sets: Vec<(String, Vec<JudgedQuery>)> = Vec::new();
    for (queries, qrels) in queries.iter().zip(qrels) {
        let stem = queries.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let folder = queries.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let name = match (stem.strip_prefix("queries"), folder) {
            (Some(""), Some(folder)) => folder,
            (Some(rest), _) if !rest.is_empty() => rest.trim_start_matches(['.', '-', '_']).to_owned(),
            _ => stem,
        };
        ensure!(sets.iter().all(|(known, _)| *known != name), "two sets are called {name:?}: rename one of the files");
        sets.push((name, read_judged(queries, qrels)?));
    }
    Ok(sets)
}

fn read_saved(path: &Path) -> Result<Saved> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{}: not a file that `nearfind eval --save` wrote", path.display()))
}

fn read_ranked(path: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let line = |(number, line): (usize, &str)| -> Result<(String, Vec<String>)> {
        let ranked: EngineRanking =
            serde_json::from_str(line).with_context(|| format!("{}:{}", path.display(), number + 1))?;
        Ok((ranked.id, ranked.documents))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(line).collect()
}

/// The ids of all files, and one of them as an example.
struct KnownDocuments {
    ids: BTreeSet<String>,
    example: String,
}

fn known_documents(view: &View) -> Result<KnownDocuments> {
    let paths = view.paths(None)?;
    // Documents of a corpus have ids without the name of the project. One document tells whether its project is a
    // corpus.
    let mut has_own_ids: BTreeMap<&str, bool> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    for found in &paths {
        let project = found.listed.project.as_str();
        let own = if let Some(own) = has_own_ids.get(project) {
            *own
        } else {
            let own = found.read()?.id == found.listed.path;
            has_own_ids.insert(project, own);
            own
        };
        ids.insert(if own { found.listed.path.clone() } else { found.id() });
    }
    let example = ids.first().cloned().unwrap_or_default();
    Ok(KnownDocuments { ids, example })
}

/// Fails if no judged document is in the bundle, and warns if some are not.
fn check_documents(set: &str, judged: &[JudgedQuery], known: &KnownDocuments) -> Result<()> {
    let KnownDocuments { ids, example } = known;
    // The id of a piece of source code is that of its file, with `#` and a suffix.
    let is_known = |id: &str| ids.contains(id) || id.rsplit_once('#').is_some_and(|(file, _)| ids.contains(file));
    let (all, unknown) = unknown_documents(judged, is_known);
    let Some(first) = unknown.first() else { return Ok(()) };
    ensure!(
        unknown.len() < all,
        "{set}: the index contains none of the judged documents, which have names like {first:?}; documents in the index have names like {example:?}. If the judgments contain addresses, add `--id url`"
    );
    remark!("warning: {set}: {} of {all} judged documents are not in the index, such as {first:?}", unknown.len());
    Ok(())
}

/// Returns the scores of each query of a set.
fn measure(library: &Library, judged: &[JudgedQuery], mode: Mode, arguments: &Arguments) -> Result<Vec<Scores>> {
    let mut scores = Vec::with_capacity(judged.len());
    for query in judged {
        let question = Question {
            text: query.text.as_str().into(),
            mode,
            encoder: arguments.tier.encoder(),
            near: arguments.tier.near,
            limit: DEPTH,
            unfit: arguments.unfit,
            rerank: if arguments.no_rerank { Rerank::No } else { Rerank::Best },
            ..Question::default()
        };
        let reply = library.read(|view| library.ask(view, &question))?;
        // After a notice, the scores would be those of a different search.
        if let Some(notice) = reply.notices.first() {
            bail!("{notice}");
        }
        let ids = reply.hits.into_iter().map(|found| match arguments.id {
            IdKind::Document => found.hit.document,
            IdKind::Url => found.hit.url.unwrap_or_default(),
        });
        scores.push(score(query, &ids.collect::<Vec<_>>()));
    }
    Ok(scores)
}

/// Returns a row for each category, and one for all queries.
fn rows(judged: &[JudgedQuery], scores: &[Scores], before: Option<&BTreeMap<String, Scores>>) -> BTreeMap<String, Row> {
    let mut categories: Vec<&str> = judged.iter().map(|query| query.category.as_str()).chain([ALL]).collect();
    categories.sort_unstable();
    categories.dedup();
    let row = |category: &str| {
        let of_category =
            || judged.iter().zip(scores).filter(|(query, _)| category == ALL || query.category == category);
        let differences: Vec<f64> = of_category()
            .filter_map(|(query, scores)| Some(scores.ndcg_at_10 - before?.get(&query.id)?.ndcg_at_10))
            .collect();
        let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
        let comparison = Comparison { difference: mean, p: randomization_test(&differences) };
        let scores: Vec<Scores> = of_category().map(|(_, scores)| *scores).collect();
        Row { metrics: means(&scores), baseline: (!differences.is_empty()).then_some(comparison) }
    };
    categories.into_iter().map(|category| (category.to_owned(), row(category))).collect()
}

/// Prints nDCG@10 of all modes side by side, and the other measures of hybrid search, or of the first mode if that is
/// missing.
fn print_table(table: &Table) {
    for (set, modes) in table {
        let Some((last, categories)) =
            modes.iter().find(|(mode, _)| *mode == Mode::Hybrid.name()).or(modes.iter().next())
        else {
            continue;
        };
        let own = [Mode::Words, Mode::Meaning, Mode::Hybrid].map(Mode::name);
        let others = modes.keys().map(String::as_str).filter(|mode| !own.contains(mode));
        let own = own.into_iter().filter(|mode| modes.contains_key(*mode));
        let order: Vec<&str> = others.chain(own).collect();
        let header: String = order.iter().map(|mode| format!(" {mode:>10}")).collect();
        say!("{set}: nDCG@10 by mode; its 95 % interval and the other measures for {last}");
        say!(
            "{:<14} {:>7}{header} {:>15} {:>7} {:>6} {:>6} {:>7} {:>11} {:>6}",
            "category",
            "queries",
            "interval",
            "MRR@10",
            "hit@1",
            "hit@3",
            "hit@10",
            "recall@100",
            "empty"
        );
        for (category, Row { metrics, baseline }) in categories {
            let ndcg = |mode: &&str| modes[*mode].get(category).map_or(0.0, |row| row.metrics.mean.ndcg_at_10);
            let side_by_side: String = order.iter().map(|mode| format!(" {:>10.3}", ndcg(mode))).collect();
            let ([low, high], m) = (metrics.ndcg_interval, metrics.mean);
            let compared = baseline.map_or(String::new(), |compared| {
                format!("  baseline {:+.3} (p {:.3})", compared.difference, compared.p)
            });
            say!(
                "{category:<14} {:>7}{side_by_side} {:>15} {:>7.3} {:>6.3} {:>6.3} {:>7.3} {:>11.3} {:>6.3}{compared}",
                metrics.queries,
                format!("{low:.3}…{high:.3}"),
                m.mrr_at_10,
                m.hit_at[0],
                m.hit_at[1],
                m.hit_at[2],
                m.recall_at_100,
                m.empty
            );
        }
    }
}
