use crate::bundle_folder::BundleFolder;
use crate::model::{self, ModelStore};
use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, ValueEnum};
use nearfind_core::content::ContentMode;
use nearfind_core::embed::Encoder;
use nearfind_core::format::Root;
use nearfind_core::search::{
    Answer, CATALOG_FILTERS, Corrected, Cost, Filter, Hit, Mode, PATH_REGEX, PROJECT, PathPattern, Query, Reach, Tier,
};
use regex::RegexSet;
use serde::Serialize;
use std::io::{BufRead as _, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folder of the bundle, or @NAME for that of a collection
    #[arg(value_parser = super::place::bundle)]
    bundle: PathBuf,
    /// What to search for
    #[arg(required_unless_present = "stdin", conflicts_with = "stdin", allow_hyphen_values = true)]
    question: Option<String>,
    /// Read questions from standard input, one a line; answers are JSON, one a line
    #[arg(long)]
    stdin: bool,
    /// Which lists rank the documents
    #[arg(long, value_enum, default_value_t = ModeArgument::Hybrid)]
    mode: ModeArgument,
    /// What encodes the question: 1 the bundle's own query encoder, as pages do, or 2 the model
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    tier: u8,
    /// Compare with the coarse codes of promising documents alone, as pages do [default: all vectors, but for --tier 1]
    #[arg(long)]
    near: bool,
    /// Documents to show, at most
    #[arg(short = 'n', long, default_value_t = 5)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Say why each document was found and which bytes were read
    #[arg(long)]
    explain: bool,
    /// Only documents of this project; given again, of any of them
    #[arg(long, value_name = "NAME")]
    project: Vec<String>,
    /// Only documents with this property, as in `version=2.1`; several values of one are alternatives. Besides facets:
    /// area and sub_area, the folders below the docs; path, its beginning; path_regex; since and until, as in
    /// `since=2024-05`
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    filter: Vec<(String, String)>,
    /// Passages to show of each document, at most
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    passages: u8,
    /// How much of each document's text goes with its hit
    #[arg(long, value_enum, default_value_t = ContentArgument::None)]
    content: ContentArgument,
    /// Characters of a truncated text, at most
    #[arg(long, value_name = "CHARACTERS", default_value_t = 10_000)]
    max_content_chars: usize,
    /// Model pack to use in place of the one that the bundle names; must be the same model
    #[arg(long)]
    model: Option<String>,
}

/// [`Mode`] as an argument.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ModeArgument {
    Hybrid,
    Words,
    Meaning,
}

impl From<ModeArgument> for Mode {
    fn from(argument: ModeArgument) -> Self {
        match argument {
            ModeArgument::Hybrid => Self::Hybrid,
            ModeArgument::Words => Self::Words,
            ModeArgument::Meaning => Self::Meaning,
        }
    }
}

/// [`ContentMode`] as an argument.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ContentArgument {
    None,
    Chunk,
    Truncated,
    Full,
}

impl From<ContentArgument> for ContentMode {
    fn from(argument: ContentArgument) -> Self {
        match argument {
            ContentArgument::None => Self::None,
            ContentArgument::Chunk => Self::Chunk,
            ContentArgument::Truncated => Self::Truncated,
            ContentArgument::Full => Self::Full,
        }
    }
}

pub(super) fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("this is a name and a value, as in `version=2.1`")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// A hit with its text, if that was asked for.
#[derive(Serialize)]
struct PrintedHit<'a> {
    #[serde(flatten)]
    hit: &'a Hit,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

/// The answer as it is printed.
#[derive(Serialize)]
struct Printed<'a> {
    query: &'a str,
    mode: Mode,
    tier: Tier,
    took_ms: f64,
    corrections: &'a [Corrected],
    missing_phrases: &'a [String],
    hits: Vec<PrintedHit<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<&'a Cost>,
}

pub(super) fn run(arguments: &Arguments, store: &ModelStore) -> Result<ExitCode> {
    let mut bundle = BundleFolder::open(&arguments.bundle)?;
    let mode = Mode::from(arguments.mode);
    let load = |bundle: &BundleFolder| -> Result<(Option<Encoder>, Option<String>)> {
        let (encoder, notice) = encoder_for(bundle, store, mode, arguments.tier, arguments.model.as_deref())?;
        if let Some(notice) = &notice {
            eprintln!("warning: {notice}");
        }
        Ok((encoder, notice))
    };
    let (mut encoder, mut notice) = load(&bundle)?;
    let mut model = bundle.manifest().model.clone();
    let (filters, path_pattern) = filters(arguments)?;
    for filter in &filters {
        check_filter(bundle.searcher().root(), filter)?;
    }
    let mut ask = |text: String, as_json: bool| -> Result<()> {
        let started = Instant::now();
        // A bundle that was replaced is noticed with the next question, or when a part of it is gone.
        bundle.refresh()?;
        let (answer, contents, took_ms) = bundle.ask(|bundle| {
            if bundle.manifest().model != model {
                (encoder, notice) = load(bundle)?;
                model = bundle.manifest().model.clone();
            }
            let vector = encoder.as_ref().map(|encoder| encoder.encode_query(&Query::meant(&text))).transpose()?;
            let reach = if arguments.near || vector.is_none() { Reach::Near } else { Reach::Full };
            let answer = bundle.search(Query {
                text: text.clone(),
                mode,
                limit: arguments.limit,
                vector,
                reach,
                passages: arguments.passages.into(),
                filters: filters.clone(),
                path_pattern: path_pattern.clone(),
                ..Query::default()
            })?;
            let took_ms = started.elapsed().as_secs_f64() * 1e3;
            let mut contents = Vec::new();
            for hit in &answer.hits {
                contents.push(bundle.content(&answer, hit, arguments.content.into(), arguments.max_content_chars)?);
            }
            Ok((answer, contents, took_ms))
        })?;
        if as_json {
            let cost = arguments.explain.then_some(&answer.cost);
            let hits = answer.hits.iter().zip(contents).map(|(hit, content)| PrintedHit { hit, content });
            let printed = Printed {
                query: &answer.query,
                mode: answer.mode,
                tier: answer.tier,
                took_ms,
                corrections: &answer.corrections,
                missing_phrases: &answer.missing_phrases,
                hits: hits.collect(),
                notice: notice.as_deref(),
                cost,
            };
            println!("{}", serde_json::to_string(&printed)?);
        } else {
            print_text(&answer, &contents, took_ms, arguments.explain);
        }
        Ok(())
    };
    if let Some(question) = &arguments.question {
        ask(question.clone(), arguments.json)?;
    } else {
        for line in std::io::stdin().lock().lines() {
            ask(line?, true)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The filters of `--project` and `--filter`: one for each name. And the paths that a regular expression lets through.
fn filters(arguments: &Arguments) -> Result<(Vec<Filter>, Option<PathPattern>)> {
    let projects = arguments.project.iter().map(|name| (PROJECT.to_owned(), name.clone()));
    let filters = Filter::of_pairs(projects.chain(arguments.filter.iter().cloned()));
    let patterns = filters.iter().find(|filter| filter.name == PATH_REGEX).map(|filter| &filter.values);
    let pattern = patterns.map(|patterns| RegexSet::new(patterns).context("--filter path_regex")).transpose()?;
    Ok((filters, pattern.map(|pattern| PathPattern::new(move |path| pattern.is_match(path)))))
}

/// Says what there is to filter by, where a filter asks for something else.
fn check_filter(root: &Root, filter: &Filter) -> Result<()> {
    let facet = root.facets.iter().find(|facet| facet.name == filter.name);
    let known: Vec<&str> = match facet {
        _ if CATALOG_FILTERS.contains(&filter.name.as_str()) => return Ok(()),
        _ if filter.name == PROJECT => root.projects.iter().map(|project| project.name.as_str()).collect(),
        Some(facet) => facet.values.iter().map(String::as_str).collect(),
        None => {
            let names: Vec<&str> = root.facets.iter().map(|facet| facet.name.as_str()).collect();
            bail!("--filter {}: this bundle has no such facet; it has [{}]", filter.name, names.join(", "))
        }
    };
    for value in &filter.values {
        ensure!(
            known.contains(&value.as_str()),
            "no {} is called {value:?}: use one of {}",
            filter.name,
            known.join(", ")
        );
    }
    Ok(())
}

/// The bundle's model, from the bundle or the store. Without it the bundle's query encoder serves, else words, and the
/// notice says so.
pub(super) fn encoder_for(
    bundle: &BundleFolder,
    store: &ModelStore,
    mode: Mode,
    tier: u8,
    chosen: Option<&str>,
) -> Result<(Option<Encoder>, Option<String>)> {
    if mode == Mode::Words {
        return Ok((None, None));
    }
    let has_table = bundle.searcher().has_query_encoder();
    if tier == 1 {
        ensure!(has_table, "the bundle has no query encoder: index again without --no-query-encoder");
        return Ok((None, None));
    }
    let wanted = &bundle.manifest().model;
    let found = match chosen {
        Some(name) => model::encoder_at(&store.find(name)?, wanted),
        None => model::encoder_of(wanted, bundle.model_path().as_deref(), store),
    };
    let problem = match found {
        Ok(encoder) => return Ok((Some(encoder), None)),
        Err(problem) => problem,
    };
    if has_table {
        return Ok((None, Some(format!("encoding questions by the bundle's own query encoder: {problem}"))));
    }
    if mode == Mode::Meaning {
        bail!("{problem}");
    }
    Ok((None, Some(format!("searching by words alone: {problem}"))))
}

fn print_text(answer: &Answer, contents: &[Option<String>], took_ms: f64, explain: bool) {
    let bold = std::io::stdout().is_terminal();
    for (number, (hit, content)) in answer.hits.iter().zip(contents).enumerate() {
        let section = if hit.section.is_empty() { String::new() } else { format!(" › {}", plain(&hit.section)) };
        println!("{}. {}{section}", number + 1, plain(&hit.title));
        let anchor = if hit.anchor.is_empty() { String::new() } else { format!("#{}", hit.anchor) };
        println!("   {}{}", plain(hit.url.as_deref().unwrap_or(&hit.document)), plain(&anchor));
        println!("   {}", highlighted(&hit.excerpt.text, &hit.excerpt.highlights, bold));
        for passage in &hit.more {
            let section =
                if passage.section.is_empty() { String::new() } else { format!("{}: ", plain(&passage.section)) };
            println!("   + {section}{}", highlighted(&passage.excerpt.text, &passage.excerpt.highlights, bold));
        }
        if let [_, others @ ..] = &hit.versions[..] {
            let names: Vec<_> = others.iter().map(|version| plain(&version.version)).collect();
            println!("   also in version {}", names.join(", "));
        }
        for line in content.iter().flat_map(|content| content.lines()) {
            println!("   | {}", plain(line));
        }
        if explain {
            let part = |name: &str, list: Option<nearfind_core::search::ListEvidence>| {
                let rank = |rank: Option<u32>| rank.map_or("not in its list".to_owned(), |rank| format!("rank {rank}"));
                list.map(|list| format!(", {name} {:+.3} ({}, {:.3})", list.z, rank(list.rank), list.score))
                    .unwrap_or_default()
            };
            let pinned = if hit.pinned { ", pinned" } else { "" };
            let (words, meaning) = (part("words", hit.why.words), part("meaning", hit.why.meaning));
            println!("   score {:.4}{words}{meaning}{pinned}", hit.score);
        }
    }
    for Corrected { word, meant } in &answer.corrections {
        println!("no page has `{}`: searched for `{}`", plain(word), plain(meant));
    }
    for phrase in &answer.missing_phrases {
        println!("no page has \"{}\" as it stands: searched for its words", plain(phrase));
    }
    if answer.hits.is_empty() {
        println!("nothing found: try other words");
    }
    let tier = u8::from(answer.tier);
    println!("{} documents by {} (tier {tier}) in {took_ms:.0} ms", answer.hits.len(), answer.mode.name());
    if explain {
        let total: u64 = answer.cost.bytes.iter().map(|(_, bytes)| bytes).sum();
        let parts: Vec<_> = answer.cost.bytes.iter().map(|(part, bytes)| format!("{part} {bytes}")).collect();
        println!("read {total} bytes in {} rounds: {}", answer.cost.rounds, parts.join(", "));
        if let Some(vectors) = answer.cost.vectors {
            println!("vectors: {:?}, {} compared", vectors.method, vectors.compared);
        }
    }
}

/// Text from documents without control characters: it must not steer a terminal.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

fn highlighted(text: &str, highlights: &[[u32; 2]], bold: bool) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut out = String::new();
    let mut at = 0;
    let cut = |from: usize, to: usize| plain(&String::from_utf16_lossy(&units[from..to]));
    for &[from, to] in highlights {
        out.push_str(&cut(at, from as usize));
        let word = cut(from as usize, to as usize);
        out.push_str(&if bold { format!("\u{1b}[1m{word}\u{1b}[0m") } else { word });
        at = to as usize;
    }
    out + &cut(at, units.len())
}
