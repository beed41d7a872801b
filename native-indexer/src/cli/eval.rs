use super::search::{ModeArgument, encoder_for};
use crate::bundle_folder::BundleFolder;
use crate::eval::{JudgedQuery, Metrics, evaluate, read_judged};
use crate::model::ModelStore;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use nearfind_core::search::{Mode, Query, Reach};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

/// Depth to which rankings are judged.
const DEPTH: usize = 100;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folder of the bundle
    bundle: PathBuf,
    /// Queries: JSON lines with `_id`, `text` and optionally `metadata.category`
    #[arg(long, value_name = "JSONL")]
    queries: PathBuf,
    /// Judgments: query id, document id, gain, separated by tabs
    #[arg(long, value_name = "TSV")]
    qrels: PathBuf,
    /// Mode to measure [default: all three]
    #[arg(long, value_enum)]
    mode: Option<ModeArgument>,
    /// What encodes the queries: 1 the bundle's own query encoder, as pages do, or 2 the model
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    tier: u8,
    /// Compare with the coarse codes of promising documents alone, as pages do [default: all vectors, but for --tier 1]
    #[arg(long)]
    near: bool,
    /// What the judgments call a document
    #[arg(long, value_enum, default_value_t = IdKind::Document)]
    id: IdKind,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum IdKind {
    Document,
    Url,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let judged = read_judged(&arguments.queries, &arguments.qrels)?;
    let mut bundle = BundleFolder::open(&arguments.bundle)?;
    let modes = arguments.mode.map_or(Mode::ALL.to_vec(), |mode| vec![mode.into()]);
    let needs_model = modes.iter().find(|mode| **mode != Mode::Words).copied();
    let (encoder, notice) = encoder_for(&bundle, store, needs_model.unwrap_or(Mode::Words), arguments.tier, None)?;
    let reach = if arguments.near || arguments.tier == 1 { Reach::Near } else { Reach::Full };
    if let Some(notice) = notice {
        bail!("{notice}");
    }
    let mut results: BTreeMap<&str, BTreeMap<String, Metrics>> = BTreeMap::new();
    for mode in modes {
        let mut answers: Vec<(&JudgedQuery, Vec<String>)> = Vec::new();
        for query in &judged {
            let vector = encoder.as_ref().filter(|_| mode != Mode::Words);
            let vector = vector.map(|encoder| encoder.encode(&Query::meant(&query.text))).transpose()?;
            let answer = bundle.search(Query {
                text: query.text.clone(),
                mode,
                limit: DEPTH,
                vector,
                reach,
                ..Query::default()
            })?;
            let ids = answer.hits.into_iter().map(|hit| match arguments.id {
                IdKind::Document => hit.document,
                IdKind::Url => hit.url.unwrap_or_default(),
            });
            answers.push((query, ids.collect()));
        }
        let by_category = results.entry(mode.name()).or_default();
        let mut categories: Vec<&str> = judged.iter().map(|query| query.category.as_str()).collect();
        categories.sort_unstable();
        categories.dedup();
        for category in categories.into_iter().filter(|category| *category != "all") {
            let of_category: Vec<_> = answers.iter().filter(|(query, _)| query.category == category).cloned().collect();
            by_category.insert(category.to_owned(), evaluate(&of_category));
        }
        by_category.insert("all".into(), evaluate(&answers));
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&results)?);
    } else {
        print_table(&results);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_table(results: &BTreeMap<&str, BTreeMap<String, Metrics>>) {
    println!(
        "{:<9} {:<14} {:>7} {:>8} {:>7} {:>6} {:>6} {:>7} {:>11}",
        "mode", "category", "queries", "nDCG@10", "MRR@10", "hit@1", "hit@3", "hit@10", "recall@100"
    );
    for (mode, categories) in results {
        for (category, m) in categories {
            println!(
                "{mode:<9} {category:<14} {:>7} {:>8.3} {:>7.3} {:>6.3} {:>6.3} {:>7.3} {:>11.3}",
                m.queries, m.ndcg_at_10, m.mrr_at_10, m.hit_at[0], m.hit_at[1], m.hit_at[2], m.recall_at_100
            );
        }
    }
}
